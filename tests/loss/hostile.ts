/** Hostile frames over a real socket: nothing crashes, everything is stored to the byte, the counts add up. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import { startSession } from '../../benchmarks/session.ts'
import { encodeAcknowledgement } from '../../src/service/control.ts'
import { hostileFrames, type HostileFrame } from './hostile-frames.ts'
import { must, storedFeed, until, verified } from './stored.ts'

const FEED = 'crypto/XT'
const ACKNOWLEDGED = encodeAcknowledgement('subscribe', ['BTC-USD'])

export async function hostile(folder: string, fuzz: number): Promise<string> {
  const file = join(folder, 'hostile.db')
  const frames: readonly HostileFrame[] = [{ data: Buffer.from(ACKNOWLEDGED), binary: false }, ...hostileFrames(fuzz)]
  const service = await serve(frames)
  try {
    const live = await startSession({ file, baseUrl: service.baseUrl, wants: [[FEED, ['BTC-USD']]] })
    const { recorder, session } = live
    await until(() => recorder.stats().stored >= frames.length, 60_000, 'not every hostile frame was stored')
    const counts = recorder.stats().feeds.find(({ feed }) => feed === FEED)
    must(service.connections() === 1, `a hostile frame ended the connection: ${service.connections()} were made`)
    await live.close()
    must(counts !== undefined, 'nothing was counted')
    const { received, decoded, control, undecodable, stored } = counts ?? {
      received: -1,
      decoded: 0,
      control: 0,
      undecodable: 0,
      stored: 0,
    }
    must(received === frames.length, `${received} of ${frames.length} frames were received`)
    must(
      received === decoded + control + undecodable && received === stored,
      `${received} received, ${decoded} decoded, ${control} control, ${undecodable} undecodable, ${stored} stored`,
    )
    const hash = createHash('sha256')
    for (const { data } of frames) hash.update(data).update('\n')
    let at = 0
    const kept = await storedFeed(file, FEED, session, (raw) => {
      const sent = frames[at++]?.data
      must(
        sent !== undefined && sent.equals(raw),
        `frame ${at} is stored as ${Buffer.from(raw).toString('hex').slice(0, 200)}`,
      )
    })
    must(
      kept.frames === frames.length && kept.sha256 === hash.digest('hex'),
      `${kept.frames} of ${frames.length} frames are stored`,
    )
    must(!Object.hasOwn(Object.prototype, 'polluted'), 'the prototype of all objects was polluted')
    const report = await verified(file, null)
    must(report.ok, `verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
    return `${received} hostile frames = ${decoded} decoded + ${control} control + ${undecodable} undecodable, all stored to the byte`
  } finally {
    await service.close()
  }
}

/** A service that answers any subscription with all frames. */
async function serve(frames: readonly HostileFrame[]) {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
  let connections = 0
  sockets.on('connection', (socket) => {
    connections++
    socket.once('message', () => {
      for (const { data, binary } of frames) socket.send(data, { binary })
    })
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  return {
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // a TCP server's address
    connections: () => connections,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      await new Promise<void>((done) => void http.close(() => done()))
    },
  }
}
