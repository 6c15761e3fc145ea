/**
 * Messages a second from the socket to durable, decoded and known to the hub, nothing lost; beside it
 * a bare `ws` client that only runs JSON.parse. Both read the same sender, by turns.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import WebSocket from 'ws'
import { encodeClient } from '../src/service/control.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import type { FeedId, SessionId } from '../src/shared/base/units.ts'
import { median, row, type Row } from './row.ts'
import { startSender, type Sender } from './sender.ts'
import { inFolder, startSession } from './session.ts'

const FEED = 'crypto/XT'
const SYMBOL = 'BTC-USD'

/** The figures of one pair of runs. */
export interface PipelineRun {
  readonly ours: Pace
  readonly peer: Pace
}

/** What one reader made of the stream: says less about the machine's other work than the rate alone. */
interface Pace {
  readonly perSecond: number
  /** CPU time of the thread that reads the socket, microseconds a message. */
  readonly threadMicros: number
  /** CPU time of the whole process, all its threads. */
  readonly processMicros: number
}

/** Measures `rounds` pairs of runs of `messages` each. Throws when anything was lost or changed. */
export async function benchPipeline(messages: number, rounds: number): Promise<Row> {
  const runs = await pipelineRuns(messages, rounds)
  return row({
    name: 'socket → durable → decoded → hub',
    unit: 'messages/s',
    ours: median(runs.map((run) => run.ours.perSecond)),
    peer: median(runs.map((run) => run.peer.perSecond)),
    peerName: 'bare ws client, JSON.parse only',
    goal: { is: 'at least', ratio: 1.25 },
  })
}

export async function pipelineRuns(messages: number, rounds: number): Promise<PipelineRun[]> {
  const sender = await startSender({ feed: FEED, messages, rate: null })
  try {
    await parseOnly(sender, messages)
    const runs: PipelineRun[] = []
    for (let i = 0; i < rounds; i++) {
      const ours = await inFolder((folder) => recordAll(join(folder, 'store.db'), sender, messages))
      runs.push({ ours, peer: await parseOnly(sender, messages) })
    }
    return runs
  } finally {
    sender.close()
  }
}

/** Starts to measure; the answer ends it. */
function stopwatch(messages: number): () => Pace {
  const from = performance.now()
  const thread = process.threadCpuUsage()
  const whole = process.cpuUsage()
  const sum = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / messages
  return () => ({
    perSecond: messages / ((performance.now() - from) / 1_000),
    threadMicros: sum(process.threadCpuUsage(thread)),
    processMicros: sum(process.cpuUsage(whole)),
  })
}

/** The watch was started in a callback, which the compiler cannot see. */
function ended(stop: (() => Pace) | null): Pace {
  if (stop === null) throw new Error('nothing came')
  return stop()
}

/** Our way: ends when everything is durable; then reads it all back. Throws when anything was lost or changed. */
export async function recordAll(file: string, sender: Sender, messages: number): Promise<Pace> {
  let stop: (() => Pace) | null = null
  const session = await startSession({
    file,
    baseUrl: sender.baseUrl,
    wants: [[FEED, [SYMBOL]]],
    seen: () => {
      stop ??= stopwatch(messages)
    },
  })
  await session.stored(messages + 1) // the acknowledgement is a frame too
  const pace = ended(stop)
  const applied = session.applied()
  await session.close()
  if (applied !== messages) throw new Error(`${applied} of ${messages} messages reached the hub`)
  const stored = await digestOf(file, FEED, session.session)
  if (stored.messages !== messages || stored.sha256 !== sender.sha256) {
    throw new Error(`${stored.messages} of ${messages} messages are stored, or their bytes differ`)
  }
  return pace
}

/** The peer: what a quick script does. */
function parseOnly(sender: Sender, messages: number): Promise<Pace> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${sender.baseUrl.replace('http', 'ws')}/${FEED}`, {
      perMessageDeflate: false,
      maxPayload: 1 << 20,
      skipUTF8Validation: true,
    })
    let stop = stopwatch(messages)
    let seen = -1 // the acknowledgement is none
    let prices = 0
    socket.on('open', () => socket.send(encodeClient('subscribe', [SYMBOL])))
    socket.on('error', reject)
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { readonly p?: number } // what the sender sends
      if (++seen === 1) stop = stopwatch(messages)
      prices += message.p ?? 0
      if (seen < messages) return
      socket.terminate()
      if (prices > 0) resolve(stop())
      else reject(new Error('no price was read'))
    })
  })
}

/** Market messages of a recording as they are stored, and SHA-256 over each followed by LF. */
export async function digestOf(
  file: string,
  feed: FeedId,
  session: SessionId,
): Promise<{ readonly messages: number; readonly sha256: string }> {
  const reader = await openStoreReader({ file })
  const hash = createHash('sha256')
  let messages = 0
  for await (const run of reader.ticks({ feed, instruments: null, session })) {
    for (let i = 0; i < run.count; i++) {
      if (run.symbol(i) === '') continue // the acknowledgement
      hash.update(run.raw(i)).update('\n')
      messages++
    }
  }
  await reader.close()
  return { messages, sha256: hash.digest('hex') }
}

if (process.argv[1] === import.meta.filename) {
  const told = ({ perSecond, threadMicros, processMicros }: Pace): string =>
    `${Math.round(perSecond)}/s (${threadMicros.toFixed(2)} µs of its thread, ${processMicros.toFixed(2)} µs in all)`
  for (const { ours, peer } of await pipelineRuns(Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 3))) {
    console.log(`${told(ours)} against ${told(peer)}: ${(ours.perSecond / peer.perSecond).toFixed(3)}`)
  }
}
