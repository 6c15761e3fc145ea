/** The feeds: wants in, records out. Plans connections, keeps their sessions, watches the clocks. */
import { bestState, worstState } from '../../../shared/core/status/feed-severity.ts'
import { MOST_SPELLINGS } from '../../../shared/core/recording/recording.ts'
import type { FeedState, FeedStatus } from '../../../shared/core/status/status.ts'
import { FEED_IDS, feedAsset, instrumentKey, type FeedId } from '../../../shared/base/units.ts'
import { scratch } from '../../../service/codec.ts'
import { FEEDS, TICKERS_PER_CONNECTION } from '../../../service/feeds.ts'
import type { Clock } from '../../base/clock.ts'
import type { TokenSource } from '../account/port.ts'
import type { RecorderPort } from './connection/frame-sink.ts'
import { createClockWatch, readInstants } from './connection/clock-watch.ts'
import { GapLedger, type OpenGap } from './gap-ledger.ts'
import { Interest } from './interest.ts'
import { budgetLabel, EMPTY_PLAN, plan, type FeedPlan } from './planner.ts'
import type { FeedListener, Feeds, Want } from './port.ts'
import { missing } from './connection/connection-state.ts'
import type { FeedTally } from './connection/connection-options.ts'
import { Session } from './connection/connection.ts'
import { Spellings } from './connection/aliases.ts'
import { createTurn } from './connection/handover.ts'

/** Changes of what is wanted are gathered so long before the service hears of them. */
export const DEBOUNCE_MS = 50
const TICK_MS = 1_000

export interface FeedsOptions {
  /** The service that is used now; read when a connection is first needed after a start. */
  readonly baseUrl: () => string
  readonly token: TokenSource
  readonly recorder: RecorderPort
  readonly listener: FeedListener
  readonly clock: Clock
  /** In [0, 1); Math.random where absent. */
  readonly random?: () => number
  /** Service clock minus local clock, ms, as the recorder writes it into gaps; null or absent: not measured. */
  readonly skewMs?: () => number | null
  /** Read at each plan: may a feed use more than one connection. */
  readonly allowSharding: () => boolean
}

export interface LiveFeeds extends Feeds {
  /**
   * Closes every connection with 1000 after keeping what still comes, ends in gaps of cause `quit`,
   * keeps the wants. For a change of service: stop, end the recording, switch, begin another, start.
   */
  stop(): Promise<void>
  /** Connects again for what is wanted. Feeds are started when created. */
  start(): void
  /** After `allowSharding` changed: plans again. */
  replan(): void
  openGaps(): readonly OpenGap[]
}

interface FeedRow {
  plan: FeedPlan
  /** Connection of each assigned key. */
  owners: Map<string, number>
  sessions: Session[]
  tally: FeedTally
  state: FeedState
  seen: FeedState
  countedMs: number
  counted: number
  perSecond: number
}

/** Feeds that are started and want nothing yet. */
export function createFeeds(options: FeedsOptions): LiveFeeds {
  const { recorder, listener, clock } = options
  const random = options.random ?? Math.random
  const monoMs = (): number => clock.monoNs() / 1e6
  const interest = new Interest()
  const turn = createTurn(clock)
  const gaps = new GapLedger(recorder, listener, turn)
  const shared = scratch()
  const newRow = (feed: FeedId) => emptyRow(monoMs(), new Spellings((key) => crowded(feed, key)))
  const rows = new Map<FeedId, FeedRow>(FEED_IDS.map((feed) => [feed, newRow(feed)]))
  const dirty = new Set<FeedId>()
  let started = true
  let startedMs = clock.wallMs()
  let undoPlan: (() => void) | null = null
  let undoTick: (() => void) | null = null
  const watchFromNow = () => {
    const at = readInstants(clock)
    return at === null ? null : createClockWatch(at)
  }
  let watch = watchFromNow()

  const row = (feed: FeedId): FeedRow => rows.get(feed) ?? unknownFeed(feed)
  const sessions = (): Session[] => [...rows.values()].flatMap((each) => each.sessions)

  function touch(feed: FeedId): void {
    dirty.add(feed)
    if (started) undoPlan ??= clock.after(DEBOUNCE_MS, planDirty)
  }

  function planDirty(): void {
    undoPlan = null
    const feeds = [...dirty]
    dirty.clear()
    for (const feed of feeds) replan(feed)
  }

  function replan(feed: FeedId): void {
    const each = row(feed)
    const { symbols, sinceMs } = interest.wanted(feed, monoMs())
    const asset = feedAsset(feed)
    const before = each.plan
    each.plan = plan(asset, before, symbols, TICKERS_PER_CONNECTION, options.allowSharding())
    const ownersBefore = each.owners
    each.owners = new Map(
      each.plan.connections.flatMap((tickers, index) => tickers.map((t) => [instrumentKey(asset, t), index] as const)),
    )
    while (each.sessions.length < each.plan.connections.length) each.sessions.push(newSession(feed, each))
    for (const session of each.sessions) session.ownersChanged()
    // Unsubscribe first: a ticker that moves is never asked for on two connections.
    const order = each.sessions.map((session, index) => ({ session, tickers: each.plan.connections[index] ?? [] }))
    order.sort(
      (a, b) => a.tickers.length - a.session.state.wanted.length - (b.tickers.length - b.session.state.wanted.length),
    )
    const now = clock.wallMs()
    for (const { session, tickers } of order) {
      if (tickers.length === 0 && session.state.wanted.length === 0) continue
      // What was wanted of an earlier service is a gap only from the start of this one; what moves to
      // another connection was received until now.
      const moves = tickers.some((ticker) => {
        const owner = ownersBefore.get(instrumentKey(asset, ticker))
        return owner !== undefined && each.sessions[owner] !== session
      })
      session.dispatch({
        is: 'wanted',
        symbols: tickers,
        sinceMs: moves ? now : sinceMs > startedMs ? sinceMs : startedMs,
      })
    }
    if (each.plan.overBudget.length > before.overBudget.length) refuseOver(feed, each)
    aggregate(feed)
  }

  function crowded(feed: FeedId, key: string): void {
    const text = `${key} came in more than ${MOST_SPELLINGS} spellings: messages in further ones are not shown`
    listener.log('warn', feed, text, 'kept as they came, and counted as not asked for')
  }

  function refuseOver(feed: FeedId, each: FeedRow): void {
    const used = each.plan.connections.reduce((sum, tickers) => sum + tickers.length, 0)
    const label = budgetLabel(FEEDS[feed].code, used, TICKERS_PER_CONNECTION)
    listener.problem(feed, {
      code: 'budget',
      message: `${label}: no room for ${listOf(each.plan.overBudget)}.`,
      hint: 'Remove symbols, or allow further connections in the settings.',
      closeCode: null,
    })
  }

  function newSession(feed: FeedId, each: FeedRow): Session {
    const session: Session = new Session({
      feed,
      baseUrl: options.baseUrl(),
      token: options.token,
      recorder,
      listener,
      clock,
      random,
      skewMs: () => options.skewMs?.() ?? 0,
      turn,
      scratch: shared,
      tally: each.tally,
      owns: (asking, key) => {
        const owner = each.owners.get(key)
        return owner === undefined || each.sessions[owner] === asking
      },
      gapOpened: (owner, gap) => gaps.open(owner, feed, gap),
      gapClosed: (owner, id, toMs) => gaps.close(owner, id, toMs),
      changed: () => aggregate(feed),
    })
    return session
  }

  function aggregate(feed: FeedId): void {
    const each = row(feed)
    const states = each.sessions.map((session) => session.shown)
    const worst = worstState(states)
    const best = bestState(states)
    const same = isSame(worst, each.state)
    if (same && isSame(best, each.seen)) return
    // The same object where it is the same: what follows from it is not told again.
    if (!same) each.state = worst
    each.seen = best
    listener.state(feed, each.state, best)
  }

  function tick(): void {
    undoTick = clock.after(TICK_MS, tick)
    const at = readInstants(clock)
    if (at === null) return // the next check, a second later, finds what there is to find
    watch ??= createClockWatch(at)
    const now = at.mono
    const { paused, steppedMs, elapsedMs } = watch(at, TICK_MS)
    if (paused) listener.log('info', 'clock', `everything stood still for ${Math.round(elapsedMs / 1_000)} s`)
    if (steppedMs !== 0) {
      // The recorder writes the entry itself, at the stamp that shows the shift.
      listener.log('warn', 'clock', `the clock of this computer moved by ${Math.round(steppedMs)} ms`)
    }
    for (const session of sessions()) {
      if (steppedMs !== 0) session.clockMoved(steppedMs, elapsedMs)
      if (paused) session.dispatch({ is: 'paused' })
      else session.tick(now)
    }
    for (const [feed, each] of rows) {
      const seconds = (now - each.countedMs) / 1_000
      each.perSecond = seconds > 0 ? (each.tally.received - each.counted) / seconds : 0
      each.counted = each.tally.received
      each.countedMs = now
      if (interest.lingers(feed)) touch(feed)
    }
  }

  function status(): readonly FeedStatus[] {
    return [...rows].map(([feed, each]) => ({
      feed,
      state: each.state,
      connections: each.sessions.filter((session) => session.shown.is !== 'idle').length,
      acknowledged: each.sessions.flatMap((session) => session.state.acknowledged),
      missing: each.sessions.flatMap((session) => missing(session.state)),
      overBudget: each.plan.overBudget,
      budget: TICKERS_PER_CONNECTION * Math.max(1, each.plan.connections.length),
      perSecond: each.perSecond,
      received: each.tally.received,
      undecodable: each.tally.undecodable,
      unasked: each.tally.unasked,
      lastMessageMs: each.tally.lastMessageMs,
      mappings: [...each.tally.mappings].map(([name, messages]) => ({ name, messages })),
    }))
  }

  async function stop(): Promise<void> {
    started = false
    undoPlan?.()
    undoPlan = null
    undoTick?.()
    undoTick = null
    await Promise.all(sessions().map((session) => session.stop()))
    for (const [feed, each] of rows) {
      each.sessions = []
      each.plan = EMPTY_PLAN
      aggregate(feed)
    }
  }

  function start(): void {
    if (started) return
    started = true
    startedMs = clock.wallMs()
    gaps.closeAll(clock.wallMs())
    watch = watchFromNow()
    for (const [feed, each] of rows) {
      rows.set(feed, { ...newRow(feed), state: each.state, seen: each.seen })
      touch(feed)
    }
    undoTick = clock.after(TICK_MS, tick)
  }

  undoTick = clock.after(TICK_MS, tick)

  return {
    want(feed, symbols): Want {
      const release = interest.want(feed, symbols, clock.wallMs(), monoMs)
      touch(feed)
      return {
        release() {
          release()
          touch(feed)
        },
      }
    },
    status,
    retry: (feed) => row(feed).sessions.forEach((session) => session.dispatch({ is: 'retry' })),
    sleep: () => sessions().forEach((session) => session.dispatch({ is: 'sleep' })),
    wake: () => sessions().forEach((session) => session.dispatch({ is: 'wake' })),
    networkChanged: () => sessions().forEach((session) => session.dispatch({ is: 'networkUp' })),
    close: stop,
    stop,
    start,
    replan() {
      for (const feed of FEED_IDS) touch(feed)
    },
    openGaps: () => gaps.list(),
  }
}

function emptyRow(nowMonoMs: number, spellings: Spellings): FeedRow {
  return {
    plan: EMPTY_PLAN,
    owners: new Map(),
    sessions: [],
    tally: { received: 0, undecodable: 0, unasked: 0, lastMessageMs: null, mappings: new Map(), spellings },
    state: { is: 'idle' },
    seen: { is: 'idle' },
    countedMs: nowMonoMs,
    counted: 0,
    perSecond: 0,
  }
}

const isSame = (a: FeedState, b: FeedState): boolean => JSON.stringify(a) === JSON.stringify(b)

function listOf(symbols: readonly string[]): string {
  const some = symbols.slice(0, 5).join(', ')
  return symbols.length > 5 ? `${some} and ${symbols.length - 5} more` : some
}

function unknownFeed(feed: string): never {
  throw new TypeError(`no such feed: ${feed}`)
}
