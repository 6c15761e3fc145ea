/**
 * Terminals of a team for measuring, several in a process of their own. Each has what the product has below its window:
 * a connection of its own, a follower that verifies, a hub, and a store in a thread. Fifty stores of one machine would
 * measure its disk, so they can be left out. Or bare subscriptions, which only count what arrives.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/main/base/clock.ts'
import { createHub } from '../src/main/core/market/hub.ts'
import { hubCalendar } from '../src/main/core/market/hub-calendar.ts'
import { openStoreWriter } from '../src/main/core/store/open.ts'
import type { StoreReplicas } from '../src/main/core/store/types/replica.ts'
import { lostReason, TeamFollower } from '../src/main/features/team/follow/follower.ts'
import { NO_COPIES } from '../src/main/features/team/follow/local-copies.ts'
import { headsOf } from '../src/main/features/team/follow/pieces.ts'
import { lastSeqOf } from '../src/main/features/team/frame/seqs.ts'
import { TeamMarket } from '../src/main/features/team/follow/team-market.ts'
import { connectTeam } from '../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../src/main/features/team/nats/target.ts'
import { liveSubjects, readTeamName, type TeamName } from '../src/main/features/team/names.ts'
import { ownSeconds } from './cpu.ts'
import { percentile } from './row.ts'
import { STORE_WORKER } from './session.ts'

export interface ReceiverOptions {
  readonly kind: 'terminals' | 'subscriptions'
  /** Whether terminals keep a copy, as they do. */
  readonly hasStore: boolean
  readonly count: number
  readonly servers: string
  readonly team: string
  /** Where terminals keep their stores. */
  readonly folder: string
  /** Delays of the first messages that aren't counted, while everything is compiled. */
  readonly warmUp: number
}

/** One terminal or subscription. */
export interface Received {
  /** Market messages in the hub of a terminal, which leaves out what isn't the present; frames of a subscription. */
  readonly count: number
  /** The last seq that a terminal has stored. */
  readonly storedSeq: number
  /** A terminal has the whole session up to the recorder's close record. */
  readonly isComplete: boolean
  /** The last head of each connection that a terminal computed, hex. */
  readonly heads: Readonly<Record<string, string>>
}

export interface ReceiverReport {
  readonly received: readonly Received[]
  /** When the last one arrived, ns on the machine's monotonic clock. */
  readonly lastNs: number
  readonly cpuSeconds: number
  /** From the stamp of the recorder, which begins with its session, to the hub, ms; of the first terminal. */
  readonly p50: number
  readonly p99: number
}

export interface Receivers {
  report(): Promise<ReceiverReport>
  /** Stops or continues the process without ending it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  close(): Promise<void>
}

/** Starts a process of receivers; settles when they follow the team. */
export async function startReceivers(options: ReceiverOptions): Promise<Receivers> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)], { execArgv: [] })
  const ended = once(child, 'exit')
  const answer = async (): Promise<unknown> => {
    const [message] = (await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`the receivers ended with ${String(code)}`))),
    ])) as [unknown] // an IPC message
    return message
  }
  await answer()
  return {
    async report() {
      child.send('report')
      return (await answer()) as ReceiverReport // which the child sends
    },
    signal: (signal) => void child.kill(signal),
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** On the machine's monotonic clock, so that processes can compare. */
export const machineNs = (): number => Number(process.hrtime.bigint())

/** Takes what the follower has verified, and keeps nothing. */
const NO_STORE: StoreReplicas = {
  open: () => Promise.resolve({ lastSeq: 0, heads: new Map(), isComplete: false }),
  append: () => Promise.resolve(),
  end: () => Promise.resolve(),
}

interface Counting {
  count: number
  storedSeq: number
  isComplete: boolean
  heads: Record<string, string>
}

async function subscribe(options: ReceiverOptions, team: TeamName, seen: () => void): Promise<Counting> {
  const { connect } = await import('@nats-io/transport-node')
  const connection = await connect({ servers: readNatsTarget(options.servers, {}, {}).servers.slice() })
  const state: Counting = { count: 0, storedSeq: 0, isComplete: false, heads: {} }
  connection.subscribe(liveSubjects(team), {
    callback: () => {
      state.count++
      seen()
    },
  })
  await connection.flush()
  return state
}

async function startTerminal(
  options: ReceiverOptions,
  team: TeamName,
  n: number,
  delays: number[] | null,
  seen: () => void,
): Promise<Counting> {
  const { servers, folder, warmUp } = options
  const log = await connectTeam({ target: readNatsTarget(servers, {}, {}), team, name: `bench ${n}`, allowOld: true })
  const file = join(folder, `terminal-${n}.db`)
  const replicas = options.hasStore ? (await openStoreWriter({ file, worker: STORE_WORKER })).replicas : NO_STORE
  const hub = createHub({ calendar: hubCalendar })
  const state: Counting = { count: 0, storedSeq: 0, isComplete: false, heads: {} }
  const market = new TeamMarket(
    {
      sink: {
        apply: (feed, seq, recvMs, record) => {
          state.count++
          hub.apply(feed, seq, recvMs, record)
        },
        feedState: (...args) => hub.feedState(...args),
        acknowledged: (...args) => hub.acknowledged(...args),
        gapOpened: (...args) => hub.gapOpened(...args),
        gapClosed: (...args) => hub.gapClosed(...args),
      },
      refresh: () => undefined,
      entries: () => Promise.resolve([]),
      wallMs: () => systemClock.wallMs(),
      wanted: () => [],
      failed: (what, thrown) => console.error(what, thrown),
    },
    lostReason(team),
  )
  const follower = new TeamFollower({
    team,
    log,
    history: null,
    trusted: null,
    replicas: () => Promise.resolve(replicas),
    lastReceived: () => Promise.resolve(null),
    market: {
      show(info, flushes) {
        market.show(info, flushes)
        seen()
        Object.assign(state.heads, headsOf(flushes))
        for (const { batch } of flushes) state.storedSeq = Math.max(state.storedSeq, lastSeqOf(batch))
        if (delays === null) return
        const now = machineNs()
        for (const { batch } of flushes)
          for (let i = 0; i < batch.messages.count; i++)
            if (batch.messages.seq[i] > warmUp) delays.push((now - batch.messages.monoNs[i]) / 1e6)
      },
      end(session) {
        market.end(session)
        state.isComplete = true
      },
      reachedPresent: (session) => market.reachedPresent(session),
      setLost: (why) => market.setLost(why),
      setAway: (away) => market.setAway(away),
    },
    copies: () => Promise.resolve(NO_COPIES),
    clock: systemClock,
    report: (level, text) => level !== 'info' && console.error(text),
    changed: () => undefined,
  })
  await follower.start()
  return state
}

async function receive(options: ReceiverOptions): Promise<void> {
  const team = readTeamName(options.team)
  if (team === null) throw new TypeError('no team')
  let lastNs = 0
  const seen = (): void => {
    lastNs = machineNs()
  }
  const delays: number[] = []
  const all: Counting[] = []
  for (let n = 0; n < options.count; n++)
    all.push(
      options.kind === 'subscriptions'
        ? await subscribe(options, team, seen)
        : await startTerminal(options, team, n, n === 0 ? delays : null, seen),
    )
  const cpuFrom = ownSeconds()
  process.on('message', () => {
    const report: ReceiverReport = {
      received: all,
      lastNs,
      cpuSeconds: ownSeconds() - cpuFrom,
      p50: percentile(delays, 0.5),
      p99: percentile(delays, 0.99),
    }
    process.send?.(report)
  })
  process.send?.('ready')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('disconnect', () => process.exit(0))
  await receive(JSON.parse(process.argv[2] ?? '{}') as ReceiverOptions) // given by startReceivers
}
