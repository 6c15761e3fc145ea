/** One feed: its plan, the connections that carry it, and what they received. */
import { bestState, worstState } from '../../../shared/core/status/feed-severity.ts'
import { MAX_ALIASES } from '../../../shared/core/recording/session.ts'
import type { FeedState, FeedStatus } from '../../../shared/core/status/status.ts'
import { feedAsset, instrumentKey, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import { FEEDS, TICKERS_PER_CONNECTION } from '../../../service/feeds.ts'
import { AcceptedAliases } from './connection/accepted-aliases.ts'
import type { ConnectionOptions, FeedTally } from './connection/connection-options.ts'
import { missing } from './connection/connection-state.ts'
import { Connection } from './connection/connection.ts'
import type { GapLedger } from './gap-ledger.ts'
import { budgetLabel, EMPTY_PLAN, plan, type FeedPlan } from './planner.ts'
import type { WantedTickers } from './interest.ts'

/** What all feeds share. */
export interface FeedOptions extends Pick<
  ConnectionOptions<Connection>,
  'token' | 'recorder' | 'listener' | 'clock' | 'random' | 'skewMs' | 'turn' | 'scratch'
> {
  readonly baseUrl: () => string
  readonly allowSharding: () => boolean
  readonly gaps: GapLedger
}

export class Feed {
  readonly #id: FeedId
  readonly #options: FeedOptions
  #plan: FeedPlan = EMPTY_PLAN
  /** Index of the connection that owns each assigned key. */
  #owners = new Map<string, number>()
  #connections: readonly Connection[] = []
  #tally = this.#newTally()
  #state: FeedState = { is: 'idle' }
  #best: FeedState = { is: 'idle' }
  /** At the last `countRate`: messages received, monotonic time in ms, and the resulting rate. */
  #counted = 0
  #countedMs: number
  #perSecond = 0

  constructor(id: FeedId, options: FeedOptions, monoMs: number) {
    this.#id = id
    this.#options = options
    this.#countedMs = monoMs
  }

  get connections(): readonly Connection[] {
    return this.#connections
  }

  /** Assigns the wanted tickers to connections. Nothing was received before `startedMs`, UTC. */
  replan({ symbols, sinceMs }: WantedTickers, startedMs: UnixMs): void {
    const { allowSharding, clock } = this.#options
    const asset = feedAsset(this.#id)
    const before = this.#plan
    const ownersBefore = this.#owners
    this.#plan = plan(asset, before, symbols, TICKERS_PER_CONNECTION, allowSharding())
    this.#owners = new Map(
      this.#plan.connections.flatMap((tickers, i) =>
        tickers.map((ticker) => [instrumentKey(asset, ticker), i] as const),
      ),
    )
    const missingCount = this.#plan.connections.length - this.#connections.length
    if (missingCount > 0) {
      const added = Array.from({ length: missingCount }, () => this.#newConnection())
      this.#connections = [...this.#connections, ...added]
    }
    for (const connection of this.#connections) connection.ownersChanged()
    // Unsubscribe first, so that a ticker that moves is never subscribed on two connections.
    const order = this.#connections
      .map((connection, i) => ({ connection, tickers: this.#plan.connections[i] ?? [] }))
      .map((one) => ({ ...one, growth: one.tickers.length - one.connection.state.wanted.length }))
      .sort((a, b) => a.growth - b.growth)
    const nowMs = clock.wallMs()
    for (const { connection, tickers } of order) {
      if (tickers.length === 0 && connection.state.wanted.length === 0) continue
      // A ticker that moves from another connection was received until now.
      const hasMoved = tickers.some((ticker) => {
        const owner = ownersBefore.get(instrumentKey(asset, ticker))
        return owner !== undefined && this.#connections[owner] !== connection
      })
      const fromMs = sinceMs > startedMs ? sinceMs : startedMs
      connection.dispatch({ is: 'wanted', symbols: tickers, sinceMs: hasMoved ? nowMs : fromMs })
    }
    if (this.#plan.overBudget.length > before.overBudget.length) this.#reportOverBudget()
    this.#aggregate()
  }

  /** Measures the rate since the last call; monotonic ms. */
  countRate(monoMs: number): void {
    const seconds = (monoMs - this.#countedMs) / 1_000
    this.#perSecond = seconds > 0 ? (this.#tally.received - this.#counted) / seconds : 0
    this.#counted = this.#tally.received
    this.#countedMs = monoMs
  }

  status(): FeedStatus {
    const tally = this.#tally
    return {
      feed: this.#id,
      state: this.#state,
      connections: this.#connections.filter((connection) => connection.shown.is !== 'idle').length,
      acknowledged: this.#connections.flatMap((connection) => connection.state.acknowledged),
      missing: this.#connections.flatMap((connection) => missing(connection.state)),
      overBudget: this.#plan.overBudget,
      budget: TICKERS_PER_CONNECTION * Math.max(1, this.#plan.connections.length),
      perSecond: this.#perSecond,
      received: tally.received,
      undecodable: tally.undecodable,
      unasked: tally.unasked,
      lastMessageMs: tally.lastMessageMs,
      mappings: [...tally.mappings].map(([name, messages]) => ({ name, messages })),
    }
  }

  /** Forgets the connections after they were closed. */
  dropConnections(): void {
    this.#connections = []
    this.#plan = EMPTY_PLAN
    this.#aggregate()
  }

  /** Resets the counters, for another service. */
  reset(monoMs: number): void {
    this.#owners = new Map()
    this.#tally = this.#newTally()
    this.#counted = 0
    this.#countedMs = monoMs
    this.#perSecond = 0
  }

  #newConnection(): Connection {
    const { baseUrl, gaps, token, recorder, listener, clock, random, skewMs, turn, scratch } = this.#options
    return new Connection({
      feed: this.#id,
      baseUrl: baseUrl(),
      token,
      recorder,
      listener,
      clock,
      random,
      skewMs,
      turn,
      scratch,
      tally: this.#tally,
      owns: (connection, key) => {
        const owner = this.#owners.get(key)
        return owner === undefined || this.#connections[owner] === connection
      },
      gapOpened: (owner, gap) => gaps.open(owner, this.#id, gap),
      gapClosed: (owner, id, toMs) => gaps.close(owner, id, toMs),
      changed: () => this.#aggregate(),
    })
  }

  #newTally(): FeedTally {
    const aliases = new AcceptedAliases((key) => {
      const text = `${key} arrived under more than ${MAX_ALIASES} aliases; messages under further ones aren’t shown`
      this.#options.listener.log('warn', this.#id, text, 'stored as received and marked unasked')
    })
    return { received: 0, undecodable: 0, unasked: 0, lastMessageMs: null, mappings: new Map(), aliases }
  }

  #reportOverBudget(): void {
    const used = this.#plan.connections.reduce((sum, tickers) => sum + tickers.length, 0)
    const label = budgetLabel(FEEDS[this.#id].code, used, TICKERS_PER_CONNECTION)
    this.#options.listener.problem(this.#id, {
      code: 'budget',
      message: `${label}: no room for ${listOf(this.#plan.overBudget)}.`,
      hint: 'Remove symbols, or allow more connections in the settings.',
      closeCode: null,
    })
  }

  /** Reports the worst and the best state of the connections if either changed. */
  #aggregate(): void {
    const states = this.#connections.map((connection) => connection.shown)
    const worst = worstState(states)
    const best = bestState(states)
    const isSameWorst = isSame(worst, this.#state)
    if (isSameWorst && isSame(best, this.#best)) return
    // An unchanged state stays the same object, so that listeners can compare by identity.
    if (!isSameWorst) this.#state = worst
    this.#best = best
    this.#options.listener.state(this.#id, this.#state, best)
  }
}

const isSame = (a: FeedState, b: FeedState): boolean => JSON.stringify(a) === JSON.stringify(b)

function listOf(symbols: readonly string[]): string {
  const some = symbols.slice(0, 5).join(', ')
  return symbols.length > 5 ? `${some} and ${symbols.length - 5} more` : some
}
