/**
 * Feed states, acknowledgements and gaps of a merge: each session's own, joined as a terminal joins what several
 * recorders say. A feed is down for the market only when none of them receives it.
 */
import { bestState, worstState } from '../../../shared/core/status/feed-severity.ts'
import type { LedgerEntry } from '../../../shared/core/recording/session.ts'
import type { FeedState, FeedStatus } from '../../../shared/core/status/status.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  type FeedId,
  type InstrumentId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import type { HubSink, MarketContext } from '../market/hub-types.ts'
import { FeedTracker, type Tracker } from './tracker.ts'

interface Lane {
  tracker: FeedTracker
  readonly states: Map<FeedId, FeedState>
  readonly symbols: Map<FeedId, Set<InstrumentId>>
}

/** The entry that says that a session of the merge has ended: real connections are numbered from 1. */
export const endOfSession = (lane: number): LedgerEntry => ({
  type: 'disconnected',
  feed: FEED_IDS[0],
  conn: lane,
  closeCode: 0,
  reason: '',
})

export class MergedTracker implements Tracker {
  readonly #lanes: readonly Lane[]
  /** Gaps are those of the view of all sessions. */
  readonly #gaps = new FeedTracker()
  #opened = 0
  readonly #shown = new Map<FeedId, FeedState>()

  constructor(sessions: number) {
    this.#lanes = Array.from({ length: sessions }, () => ({
      tracker: new FeedTracker(),
      states: new Map(),
      symbols: new Map(),
    }))
  }

  apply(seq: number, wallMs: UnixMs, entry: LedgerEntry, sink: HubSink | null): void {
    // Their gaps are numbered from 1 in the order in which they open.
    if (entry.type === 'gap-open') return this.#gaps.apply(++this.#opened, wallMs, entry, sink)
    if (!('conn' in entry)) return this.#gaps.apply(seq, wallMs, entry, sink)
    const numbers = this.#lanes.length + 1
    const lane = this.#lanes[entry.conn % numbers]
    const conn = Math.floor(entry.conn / numbers)
    if (entry.type === 'disconnected' && conn === 0) {
      lane.tracker = new FeedTracker()
      for (const feed of lane.states.keys()) lane.states.set(feed, { is: 'idle' })
    } else lane.tracker.apply(seq, wallMs, { ...entry, conn }, sinkOf(lane, sink))
    this.#show(wallMs, sink)
  }

  /** A merge has one part, so nothing follows it. */
  end(): void {
    // The states of its end stay.
  }

  marketContext(): MarketContext {
    const feeds = [...new Set(this.#lanes.flatMap(({ states }) => [...states.keys()]))]
    return {
      feedStates: feeds.map((feed) => [feed, this.#stateOf(feed)]),
      gaps: this.#gaps.marketContext().gaps,
    }
  }

  /** The state of the feed that an instrument's price comes from; undefined: as the feed's. */
  stateOf(feed: FeedId, id: InstrumentId): FeedState | undefined {
    const mine = this.#lanes.filter(({ symbols }) => symbols.get(feed)?.has(id) === true)
    return mine.length === 0 ? undefined : bestState(mine.map(({ states }) => states.get(feed) ?? { is: 'idle' }))
  }

  statuses(received: ArrayLike<number>, perSecond: ArrayLike<number>, lastMs: ArrayLike<number>): FeedStatus[] {
    const all = this.#lanes.map(({ tracker }) => tracker.statuses(received, perSecond, lastMs))
    return FEED_IDS.map((feed, i) => {
      const parts = all.map((statuses) => statuses[i])
      const acknowledged = [...new Set(parts.flatMap((part) => part.acknowledged))]
      const known = new Set(acknowledged.map((symbol) => instrumentId(feedAsset(feed), symbol)))
      const isMissing = (key: string): boolean => !known.has(instrumentId(feedAsset(feed), key))
      return {
        ...parts[0],
        state: worstState(parts.map(({ state }) => state)),
        connections: parts.reduce((sum, { connections }) => sum + connections, 0),
        acknowledged,
        missing: [...new Set(parts.flatMap(({ missing }) => missing.filter(isMissing)))],
        budget: parts.reduce((sum, { budget, connections }) => sum + (connections === 0 ? 0 : budget), 0) || 50,
      }
    })
  }

  #stateOf(feed: FeedId): FeedState {
    return bestState(this.#lanes.map(({ states }) => states.get(feed) ?? { is: 'idle' }))
  }

  #show(nowMs: UnixMs, sink: HubSink | null): void {
    for (const feed of new Set(this.#lanes.flatMap(({ states }) => [...states.keys()]))) {
      const state = this.#stateOf(feed)
      if (this.#shown.get(feed) === state) continue
      this.#shown.set(feed, state)
      sink?.feedState(feed, state, nowMs, state)
    }
  }
}

/** Remembers what a session says of its feeds, and passes acknowledgements on. */
const sinkOf = ({ states, symbols }: Lane, sink: HubSink | null): HubSink => ({
  apply: () => undefined,
  feedState: (feed, state) => void states.set(feed, state),
  acknowledged(feed, some) {
    const mine = symbols.get(feed) ?? new Set()
    symbols.set(feed, mine)
    for (const symbol of some) mine.add(instrumentId(feedAsset(feed), symbol))
    sink?.acknowledged(feed, some)
  },
  gapOpened: () => undefined,
  gapClosed: () => undefined,
})
