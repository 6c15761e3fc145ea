/**
 * A served recording: lines over HTTP at full speed, beside a bare loop that writes as many of the same bytes to the same
 * client; and how far messages at 1× are from their times.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../src/main/base/clock.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import { startReplayServer, type ReplayServer } from '../src/main/features/replay/serve/replay-server.ts'
import { makeSession } from './replay.ts'
import { duel, median, percentile, row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
const CLIENT = new URL('./line-client.ts', import.meta.url)
const CHUNK_BYTES = 1 << 20
const LIMIT_MS = 2

interface Received {
  readonly bytes: number
  readonly ms: number
  readonly arrivals: readonly number[]
}

async function receive(url: string, key: string, isTimed: boolean): Promise<Received> {
  const worker = new Worker(CLIENT, { workerData: { url, key, isTimed } })
  const [received] = (await once(worker, 'message')) as [Received] // as line-client.ts reports
  await worker.terminate()
  return received
}

/** The same in a process of its own, so that nothing of the server's delays the client's readings of the clock. */
async function receiveApart(url: string, key: string): Promise<Received> {
  const client = fork(CLIENT, [JSON.stringify({ url, key, isTimed: true })], {
    execArgv: [],
    serialization: 'advanced',
  })
  const [received] = (await once(client, 'message')) as [Received] // as line-client.ts reports
  client.disconnect()
  return received
}

/** `count` messages at full speed, which has no goal (null: none), and `seconds` of a thousand messages a second at 1×. */
export async function benchServed(count: number | null = 3_000_000, seconds = 20): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    const { session } = makeSession(file, Math.max(count ?? 0, seconds * 1_000), 1)
    const reader = await openStoreReader({ file, worker: READER_WORKER })
    const server = await startReplayServer({
      reader,
      clock: systemClock,
      served: { sessions: [session] },
      port: 0,
      speed: 1,
      loop: false,
      start: 'paused',
    })
    try {
      return [...(count === null ? [] : [await fullSpeed(server, count)]), await spacing(server, seconds)]
    } finally {
      await server.close()
      await reader.close()
    }
  })
}

async function fullSpeed(server: ReplayServer, count: number): Promise<Row> {
  const to = server.clock().fromMs + count
  const url = `${server.baseUrl}/replay?to=${to}`
  const best = await besideBareLoop(url, server.apiKey)
  return row({
    name: `serve a recording over HTTP: ${count / 1e6} M messages as lines`,
    unit: 'M messages/s',
    ours: count / best.ours / 1e6,
    peer: count / best.theirs / 1e6,
    peerName: BARE_LOOP,
    goal: null,
  })
}

export const BARE_LOOP = 'a bare loop that writes as many of the same bytes'

/** Seconds that a client takes for an answer, and for as many bytes of it from a server that only writes. */
export async function besideBareLoop(
  url: string,
  key: string,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const { bytes } = await receive(url, key, false)
  const chunk = Buffer.alloc(CHUNK_BYTES, await firstBytes(url, key))
  const bare = createServer((_request, response) => {
    const write = (left: number): void => {
      if (left <= 0) return void response.end()
      const more = (): void => write(left - CHUNK_BYTES)
      if (response.write(chunk.subarray(0, Math.min(left, CHUNK_BYTES)))) setImmediate(more)
      else response.once('drain', more)
    }
    write(bytes)
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const { port } = bare.address() as AddressInfo // a listening TCP server has one
  const check = (received: Received): void => {
    if (received.bytes !== bytes) throw new Error(`${received.bytes} of ${bytes} bytes arrived`)
  }
  try {
    return await duel(
      3,
      async () => check(await receive(url, key, false)),
      async () => check(await receive(`http://127.0.0.1:${port}/`, key, false)),
    )
  } finally {
    bare.close()
  }
}

async function firstBytes(url: string, key: string): Promise<Uint8Array> {
  const leaving = new AbortController()
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal })
  const { value } = await response.body!.getReader().read()
  leaving.abort()
  return value as Uint8Array // the response has a body, and its first read is not its end
}

/** One pause of the machine would decide the p99 of a few seconds, so each has the best of this many turns. */
const SPACING_TURNS = 3

/** The p99 of how far messages at 1× are from their times, beside bare timers that write the same lines. */
async function spacing(server: ReplayServer, seconds: number): Promise<Row> {
  const { baseUrl, apiKey } = server
  const to = server.clock().fromMs + seconds * 1_000
  const bare = createServer((_request, response) => {
    const from = performance.now()
    let sent = 0
    const write = (): void => {
      const due = Math.min(seconds * 1_000, performance.now() - from)
      let lines = ''
      for (; sent < due; sent++) lines += `{"recv_ms":${sent}}\n`
      response.write(lines)
      if (sent < seconds * 1_000) setTimeout(write, 1)
      else response.end()
    }
    write()
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const { port } = bare.address() as AddressInfo // a listening TCP server has one
  let ours = Infinity
  let theirs = Infinity
  for (let turn = 0; turn < SPACING_TURNS; turn++) {
    ours = Math.min(ours, errorOf(await receiveApart(`${baseUrl}/replay?speed=1&to=${to}`, apiKey)))
    theirs = Math.min(theirs, errorOf(await receiveApart(`http://127.0.0.1:${port}/`, apiKey)))
  }
  bare.close()
  return row({
    name: `serve a recording at 1×, 1,000 messages/s: error of the spacing, p99, best of ${SPACING_TURNS} (goal: ${LIMIT_MS} ms)`,
    unit: 'ms',
    ours,
    peer: theirs,
    peerName: 'bare timers that write as many lines',
    goal: { is: 'at most', ratio: 2 },
  })
}

function errorOf({ arrivals }: Received): number {
  const middle = median([...arrivals])
  return percentile(
    arrivals.map((lag) => Math.abs(lag - middle)),
    0.99,
  )
}
