/**
 * A recorder of a team for measuring, in a process of its own: receives trades over a WebSocket at a given rate, stores
 * and publishes them as `tapedeck record --publish` does.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock, type Clock } from '../src/main/base/clock.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import { readHeader } from '../src/main/features/team/frame/decode.ts'
import { connectTeam } from '../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../src/main/features/team/nats/target.ts'
import { readTeamName } from '../src/main/features/team/names.ts'
import { Publishing } from '../src/main/features/team/publish/publishing.ts'
import { monoNs } from '../src/shared/base/units.ts'
import { ownSeconds } from './cpu.ts'
import { percentile } from './row.ts'
import { startSender } from './sender.ts'
import { startSession } from './session.ts'
import { machineNs } from './team-terminals.ts'

const FEED = 'crypto/XT'
const PUBLISHED_WITHIN_MS = 300_000
const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)

export interface RecorderOptions {
  readonly servers: string
  readonly team: string
  readonly folder: string
  readonly messages: number
  /** Messages a second. */
  readonly rate: number
  /** Delays of the first messages that aren't counted, while everything is compiled. */
  readonly warmUp: number
}

export interface RecorderReport {
  readonly frames: number
  readonly frameBytes: number
  /** Market messages, without the acknowledgement of the subscription. */
  readonly messages: number
  /** When the first one was received, ns on the machine's monotonic clock. */
  readonly firstNs: number
  /** Zero of the session's own stamps on that clock, ns. */
  readonly startNs: number
  /** The close record's. */
  readonly heads: Readonly<Record<string, string>>
  /** From receipt to the server's acknowledgement of the frame, ms. */
  readonly p50: number
  readonly p99: number
  readonly cpuSeconds: number
}

/** Records a session from its first message to its published end. */
export async function recordSession(options: RecorderOptions): Promise<RecorderReport> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)], { execArgv: [] })
  const ended = once(child, 'exit')
  const [report] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the recorder ended with ${String(code)}`))),
  ])) as [RecorderReport] // which the child sends
  await ended
  return report
}

/** The machine's monotonic clock, so that other processes can compare. */
const clock: Clock = { ...systemClock, monoNs: () => monoNs(machineNs()) }

async function record({ servers, team, folder, messages, rate, warmUp }: RecorderOptions): Promise<RecorderReport> {
  const name = readTeamName(team)
  if (name === null) throw new TypeError('no team')
  const target = readNatsTarget(servers, {}, {})
  const file = join(folder, 'recorder.db')
  const sender = await startSender({ feed: FEED, messages, rate })
  const stamps: { readonly seq: number; readonly ns: number }[] = []
  const delays: number[] = []
  let first = { seq: 0, ns: 0 }
  let frames = 0
  let frameBytes = 0
  const acknowledged = (lastSeq: number): void => {
    const now = machineNs()
    let done = 0
    for (; done < stamps.length && stamps[done].seq <= lastSeq; done++)
      if (stamps[done].seq > warmUp) delays.push((now - stamps[done].ns) / 1e6)
    stamps.splice(0, done)
  }
  const session = await startSession({
    file,
    baseUrl: sender.baseUrl,
    clock,
    wants: [[FEED, ['BTC-USD']]],
    seen: (seq, ns) => {
      if (first.seq === 0) first = { seq, ns }
      stamps.push({ seq, ns })
    },
  })
  const reader = await openStoreReader({ file, worker: READER_WORKER })
  const [{ startedMs }] = await reader.sessions(true)
  const source = { kind: 'service', origin: new URL(sender.baseUrl).origin, user: 'test' } as const // as startSession says
  const publishing = new Publishing({
    options: {
      target,
      team,
      shard: 1,
      shards: 1,
      epoch: 0,
      recorder: 'bench',
      allowOld: true,
      spoolMaxBytes: null,
      signingSeed: null,
      monitors: [],
      report: () => undefined,
    },
    team: name,
    async connect() {
      const log = await connectTeam({ target, team: name, name: 'bench', allowOld: true })
      const publish = log.publish.bind(log)
      log.publish = async (...args) => {
        const outcome = await publish(...args)
        const header = readHeader(args[2])
        if (outcome.is === 'stored' && header.ok) acknowledged(header.value.lastSeq)
        frames++
        frameBytes += args[2].length
        return outcome
      }
      return log
    },
    reader,
    store: () => file,
    clock,
    key: null,
    say: (level, text) => level === 'warn' && console.error(text),
  })
  publishing.begin({ id: session.session, source, startedMs })
  session.writer.onEvent((event) => {
    if (event.is === 'committed') publishing.committed(event)
  })
  const cpuFrom = ownSeconds()
  await session.stored(messages + 1)
  await session.close()
  publishing.ended(session.session)
  // Closing alone waits for ten seconds, and after an outage there may be more to publish.
  const deadline = Date.now() + PUBLISHED_WITHIN_MS
  while (publishing.status().unfinished > 0) {
    if (Date.now() > deadline) throw new Error('the session isn’t published as a whole')
    await sleep(20)
  }
  await publishing.close()
  const { heads } = await reader.ledger(session.session)
  const cpuSeconds = ownSeconds() - cpuFrom
  const begin = await reader.flushes({ session: session.session, afterSeq: 0, maxBytes: 1 << 20 })
  const { messages: m } = begin.flushes
    .map(({ batch }) => batch)
    .find((batch) => batch.messages.seq.includes(first.seq)) ?? { messages: null }
  if (m === null) throw new Error('the first message isn’t stored')
  await reader.close()
  sender.close()
  return {
    frames,
    frameBytes,
    messages: session.applied(),
    firstNs: first.ns,
    startNs: first.ns - m.monoNs[m.seq.indexOf(first.seq)],
    heads,
    p50: percentile(delays, 0.5),
    p99: percentile(delays, 0.99),
    cpuSeconds,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = await record(JSON.parse(process.argv[2] ?? '{}') as RecorderOptions) // given by recordSession
  process.send?.(report, () => process.exit(0))
}
