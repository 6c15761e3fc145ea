/**
 * A service of one feed for measuring, in a process of its own: acknowledges, then sends messages that
 * were framed before the measurement began, as fast as the reader takes them or at a given rate.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import { encodeAcknowledgement, parseClient } from '../src/service/control.ts'
import { frameTexts } from '../src/simulator/market/frames.ts'
import { messageRuns } from './ticks.ts'

export interface SenderOptions {
  readonly feed: 'crypto/XT' | 'crypto/XQ'
  /** Sent on each connection. */
  readonly messages: number
  /** Messages a second; null: as fast as they are taken. */
  readonly rate: number | null
}

export interface Sender {
  readonly baseUrl: string
  /** SHA-256 over each message followed by LF. */
  readonly sha256: string
  close(): void
}

interface Ready {
  readonly port: number
  readonly sha256: string
}

/** Starts a sender; settles when it listens. */
export function startSender(options: SenderOptions): Promise<Sender> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)], { execArgv: [] })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the sender ended with ${code}`)))
    child.once('message', (told) => {
      const { port, sha256 } = told as Ready // the child sends nothing else
      resolve({ baseUrl: `http://127.0.0.1:${port}`, sha256, close: () => void child.kill() })
    })
  })
}

const CHUNK = 512
const LATE_MS = 1

interface Chunk {
  readonly frames: Buffer
  readonly count: number
}

function blast(socket: Duplex, chunks: readonly Chunk[]): void {
  let at = 0
  const go = (): void => {
    while (at < chunks.length) if (!socket.write(chunks[at++].frames)) return void socket.once('drain', go)
  }
  go()
}

/** Single frames by the clock, those that are due in one write. */
function pace(socket: Duplex, frames: readonly Buffer[], rate: number): void {
  const from = performance.now()
  let at = 0
  const go = (): void => {
    const due = Math.min(frames.length, Math.floor(((performance.now() - from) * rate) / 1_000))
    if (due > at) socket.write(Buffer.concat(frames.slice(at, due)))
    at = due
    if (at < frames.length) setTimeout(go, LATE_MS)
  }
  go()
}

async function serve({ feed, messages, rate }: SenderOptions): Promise<Ready> {
  const hash = createHash('sha256')
  const chunks: Chunk[] = []
  const singles: Buffer[] = []
  for (const run of messageRuns(feed, messages)) {
    const text = Buffer.from(run.bytes.buffer, run.bytes.byteOffset, run.bytes.length).toString()
    const texts = Array.from({ length: run.count }, (_, i) => text.slice(run.offsets[i], run.offsets[i + 1]))
    hash.update(`${texts.join('\n')}\n`)
    if (rate !== null) singles.push(...texts.map((one) => frameTexts([one])))
    else {
      for (let i = 0; i < texts.length; i += CHUNK) {
        const part = texts.slice(i, i + CHUNK)
        chunks.push({ frames: frameTexts(part), count: part.length })
      }
    }
  }
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('message', (data: Buffer) => {
        const asked = parseClient(data.toString())
        if (typeof asked === 'string' || asked.action !== 'subscribe') return
        ws.send(encodeAcknowledgement('subscribe', asked.tickers))
        // ws has written at once: writing beside it keeps the order
        if (rate === null) blast(socket, chunks)
        else pace(socket, singles, rate)
      })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, sha256: hash.digest('hex') } // a TCP server's address
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('disconnect', () => process.exit(0))
  process.send?.(await serve(JSON.parse(process.argv[2] ?? '{}') as SenderOptions)) // given by startSender
}
