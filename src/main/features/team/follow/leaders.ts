/**
 * Which session of a shard each instrument's live prices come from. Several recorders may record one shard: while
 * another takes over, or because none of them has a lease. As in the store, the latest session that receives an
 * instrument counts.
 */
import { FEED_IDS, type FeedId, type InstrumentId, type SessionId } from '../../../../shared/base/units.ts'
import type { FeedState } from '../../../../shared/core/status/status.ts'
import { isLater, type SessionInfo } from '../session-info.ts'

/** A session that may lead. */
export interface Candidate {
  readonly info: SessionInfo
  /** What it shows isn't the present yet. */
  readonly isBehind: boolean
  stateOf(feed: FeedId): FeedState | undefined
  symbols(feed: FeedId): ReadonlyMap<InstrumentId, string>
}

export class Leaders<C extends Candidate> {
  readonly #all: () => Iterable<C>
  readonly #isGone: (session: SessionId) => boolean
  /** Sessions of each shard. */
  #shards = new Map<number, C[]>()
  /** The leaders of each shard's instruments. */
  #ofInstruments = new Map<number, Map<FeedId, Map<InstrumentId, C>>>()
  #ofFeeds = new Map<FeedId, readonly C[]>()
  #leading = new Set<C>()

  constructor(all: () => Iterable<C>, isGone: (session: SessionId) => boolean) {
    this.#all = all
    this.#isGone = isGone
  }

  /** Whether a session's records of an instrument are shown. */
  leads(candidate: C, feed: FeedId, id: () => InstrumentId): boolean {
    const { shard } = candidate.info
    const sessions = this.#shards.get(shard) ?? []
    if (sessions.length < 2) return sessions[0] === candidate
    return (this.#ofInstruments.get(shard)?.get(feed)?.get(id()) ?? sessions[0]) === candidate
  }

  /** Whether any of a session's records are shown. */
  isLeading(candidate: C): boolean {
    return this.#leading.has(candidate)
  }

  /** The sessions that the state of a feed comes from. */
  of(feed: FeedId): readonly C[] {
    return this.#ofFeeds.get(feed) ?? []
  }

  all(): readonly C[] {
    return [...this.#leading]
  }

  /** Decides again. Returns whether an instrument has moved to a session of another recorder. */
  update(): boolean {
    const before = this.#ofInstruments
    this.#shards = new Map()
    this.#ofInstruments = new Map()
    this.#leading = new Set()
    for (const one of this.#all()) this.#shards.set(one.info.shard, [...(this.#shards.get(one.info.shard) ?? []), one])
    for (const [shard, sessions] of this.#shards) {
      // The first one is the default: the latest of those whose recorders are there.
      sessions.sort((a, b) => this.#thereRank(b) - this.#thereRank(a) || (isLater(a.info, b.info) ? -1 : 1))
      this.#leading.add(sessions[0])
      this.#ofInstruments.set(shard, new Map(FEED_IDS.map((feed) => [feed, this.#leadersOf(feed, sessions)])))
    }
    const shards = [...this.#shards.keys()]
    this.#ofFeeds = new Map(FEED_IDS.map((feed) => [feed, shards.flatMap((shard) => this.#statesFrom(feed, shard))]))
    let hasMoved = false
    for (const [shard, feeds] of before)
      for (const [feed, leaders] of feeds)
        for (const [id, was] of leaders) {
          const now = this.#ofInstruments.get(shard)?.get(feed)?.get(id)
          hasMoved ||= now !== undefined && now !== was && !follows(now.info, was.info)
        }
    return hasMoved
  }

  #leadersOf(feed: FeedId, sessions: readonly C[]): Map<InstrumentId, C> {
    const leaders = new Map<InstrumentId, C>()
    const rank = (one: C): number => this.#thereRank(one) + (isReceiving(one.stateOf(feed)) && !one.isBehind ? 1 : 0)
    for (const one of sessions.toSorted((a, b) => rank(b) - rank(a)))
      for (const id of one.symbols(feed).keys()) if (!leaders.has(id)) leaders.set(id, one)
    for (const one of leaders.values()) this.#leading.add(one)
    return leaders
  }

  /** Recorders that are gone don't count where another one records their shard. */
  #statesFrom(feed: FeedId, shard: number): readonly C[] {
    const leaders = new Set(this.#ofInstruments.get(shard)?.get(feed)?.values())
    const first = this.#shards.get(shard)?.[0]
    if (first === undefined) return []
    const there = [...leaders].filter((one) => this.#thereRank(one) === this.#thereRank(first))
    return there.length > 0 ? there : [first]
  }

  #thereRank({ info }: C): number {
    return this.#isGone(info.session) ? 0 : 2
  }
}

/** A feed that is silent is connected: what comes next comes from here, too. */
const isReceiving = (state: FeedState | undefined): boolean => state?.is === 'open' || state?.is === 'stale'

/** Whether a session is the next one of the same recorder, whose records follow one another. */
const follows = (next: SessionInfo, was: SessionInfo): boolean =>
  next.recorder === was.recorder && next.key === was.key && next.epoch === was.epoch && next.startedMs >= was.startedMs
