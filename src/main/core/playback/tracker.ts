/** Feed states, acknowledgements and gaps of a replay, from the entries that live wrote when it updated its hub. */
import { bestState, worstState } from '../../../shared/core/status/feed-severity.ts'
import { setBackMs, type GapCause, type LedgerEntry } from '../../../shared/core/recording/session.ts'
import type { FeedState, FeedStatus, Reason } from '../../../shared/core/status/status.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentKey,
  unixMs,
  type FeedId,
  type InstrumentId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import type { HubSink, MarketContext } from '../market/hub-types.ts'

/** Maximum gaps in memory. The store has the older ones. */
const MAX_GAPS = 500

interface TrackedGap {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly fromMs: UnixMs
  readonly seq: number
  toMs: UnixMs | null
  /** How far the clock was set back while it was open, ms. */
  setBackMs: number
}

interface Connection {
  readonly feed: FeedId
  readonly requested: Set<string>
  readonly acknowledged: Map<string, string>
}

/** The state of one connection; number 0 stands for a feed without one. */
interface Slot {
  readonly conn: number
  readonly state: FeedState
}

/** What a replay asks of one. */
export interface Tracker extends Pick<FeedTracker, 'apply' | 'end' | 'marketContext' | 'statuses'> {
  /** The state of the feed that an instrument's price comes from; undefined or absent: as the feed's. */
  stateOf?(feed: FeedId, id: InstrumentId): FeedState | undefined
}

export class FeedTracker {
  readonly #gaps: TrackedGap[] = []
  readonly #connections = new Map<number, Connection>()
  readonly #slots = new Map<FeedId, Slot[]>()
  /** Per feed, the state of the connection that most needs attention, and of the best one. */
  readonly #worst = new Map<FeedId, FeedState>()
  readonly #best = new Map<FeedId, FeedState>()
  readonly #endReasons = new Map<FeedId, Reason>()

  /** Applies an entry, and updates `sink` as live updated its hub. */
  apply(seq: number, wallMs: UnixMs, entry: LedgerEntry, sink: HubSink | null): void {
    switch (entry.type) {
      case 'connecting': {
        const { feed, conn } = entry
        this.#connections.set(conn, { feed, requested: new Set(), acknowledged: new Map() })
        // The slot that waited for a connection has one now.
        const slots = this.#slots.get(feed) ?? []
        const at = slots.findIndex((slot) => slot.conn !== conn && !this.#connections.has(slot.conn))
        if (at >= 0) slots[at] = { conn, state: slots[at].state }
        return
      }
      case 'connected':
        return
      case 'disconnected':
        this.#connections.delete(entry.conn)
        this.#endReasons.set(entry.feed, reasonOf(entry.closeCode, entry.reason))
        return
      case 'subscribe': {
        const connection = this.#connections.get(entry.conn)
        for (const symbol of entry.symbols) connection?.requested.add(keyOf(entry.feed, symbol))
        return
      }
      case 'acknowledged':
        return this.#acknowledged(entry, sink)
      case 'unsubscribe':
        return
      case 'released': {
        const connection = this.#connections.get(entry.conn)
        for (const symbol of entry.symbols) {
          const key = keyOf(entry.feed, symbol)
          connection?.requested.delete(key)
          connection?.acknowledged.delete(key)
        }
        return
      }
      case 'state':
        return this.#state(entry.feed, entry.conn, this.#stateOf(entry, wallMs), wallMs, sink)
      case 'gap-open':
        return this.#gapOpened(seq, entry.feed, entry.cause, entry.symbols, entry.fromMs, sink)
      case 'gap-close': {
        const gap = this.#gaps.findLast((one) => one.seq === entry.openedSeq && one.feed === entry.feed)
        if (gap === undefined) return
        // Like the store: by the clock of its start.
        gap.toMs = unixMs(Math.max(wallMs + gap.setBackMs, gap.fromMs))
        sink?.gapClosed(gap.feed, gap.fromMs, gap.toMs)
        return
      }
      case 'clock':
        for (const gap of this.#gaps) if (gap.toMs === null) gap.setBackMs += setBackMs(entry.shiftMs)
        return
      case 'oversize':
      case 'digest':
        return
    }
  }

  /** Applies the end of the session. The time until the next one belongs to no session. */
  end(wallMs: UnixMs, cause: GapCause, sink: HubSink | null): void {
    const open = new Set(
      this.#gaps.filter(({ toMs, symbols }) => toMs === null && symbols.length === 0).map((g) => g.feed),
    )
    for (const [feed, state] of [...this.#worst]) {
      if (state.is === 'idle') continue
      if (!open.has(feed)) this.#gapOpened(Infinity, feed, cause, [], wallMs, sink)
      this.#slots.delete(feed)
      this.#show(feed, wallMs, sink)
    }
    this.#connections.clear()
  }

  /** The feed states and gaps that a market is restored with. */
  marketContext(): MarketContext {
    return {
      feedStates: [...this.#worst].map(([feed, state]) => [feed, state, this.#best.get(feed) ?? state]),
      gaps: this.#gaps.map(({ feed, cause, symbols, fromMs, toMs }) => ({ feed, cause, symbols, fromMs, toMs })),
    }
  }

  /** Every feed as the status line shows it. The arrays are by feed index. */
  statuses(received: ArrayLike<number>, perSecond: ArrayLike<number>, lastMs: ArrayLike<number>): FeedStatus[] {
    return FEED_IDS.map((feed, i) => {
      const mine = [...this.#connections.values()].filter((one) => one.feed === feed)
      const known = new Set(mine.flatMap((one) => [...one.acknowledged.keys()]))
      return {
        feed,
        state: this.#worst.get(feed) ?? { is: 'idle' },
        connections: mine.length,
        acknowledged: mine.flatMap((one) => [...one.acknowledged.values()]),
        missing: mine.flatMap((one) => [...one.requested].filter((key) => !known.has(key))),
        overBudget: [],
        budget: 50 * Math.max(1, mine.length),
        perSecond: perSecond[i],
        received: received[i],
        undecodable: 0,
        unasked: 0,
        lastMessageMs: Number.isNaN(lastMs[i]) ? null : unixMs(lastMs[i]),
        mappings: [],
      }
    })
  }

  #acknowledged(entry: LedgerEntry & { readonly type: 'acknowledged' }, sink: HubSink | null): void {
    const connection = this.#connections.get(entry.conn)
    if (connection === undefined) return
    // Unrequested symbols are stored, too, but windows must not list them.
    const requested = entry.symbols.filter((symbol) => connection.requested.has(keyOf(entry.feed, symbol)))
    for (const symbol of requested) connection.acknowledged.set(keyOf(entry.feed, symbol), symbol)
    sink?.acknowledged(entry.feed, requested)
  }

  #gapOpened(
    seq: number,
    feed: FeedId,
    cause: GapCause,
    symbols: readonly string[],
    fromMs: UnixMs,
    sink: HubSink | null,
  ): void {
    this.#gaps.push({ feed, cause, symbols, fromMs, seq, toMs: null, setBackMs: 0 })
    if (this.#gaps.length > MAX_GAPS) {
      const closed = this.#gaps.findIndex(({ toMs }) => toMs !== null)
      this.#gaps.splice(Math.max(0, closed), 1)
    }
    sink?.gapOpened(feed, cause, symbols, fromMs)
  }

  #state(feed: FeedId, conn: number, state: FeedState, wallMs: UnixMs, sink: HubSink | null): void {
    const slots = this.#slots.get(feed) ?? []
    const mine = slots.findIndex((slot) => slot.conn === conn)
    // A feed without a connection reports its next state without a number.
    const at = mine >= 0 ? mine : slots.findIndex((slot) => !this.#connections.has(slot.conn))
    if (at < 0) slots.push({ conn, state })
    else slots[at] = { conn, state }
    this.#slots.set(feed, slots)
    this.#show(feed, wallMs, sink)
  }

  #show(feed: FeedId, wallMs: UnixMs, sink: HubSink | null): void {
    const states = (this.#slots.get(feed) ?? []).map(({ state }) => state)
    const worst = worstState(states)
    const best = bestState(states)
    this.#worst.set(feed, worst)
    this.#best.set(feed, best)
    sink?.feedState(feed, worst, wallMs, best)
  }

  /** An entry has little more than the kind of a state. The rest follows from earlier entries. */
  #stateOf(entry: LedgerEntry & { readonly type: 'state' }, wallMs: UnixMs): FeedState {
    const { feed, state: is, untilMs = wallMs, attempt = 1 } = entry
    switch (is) {
      case 'connecting':
        return { is, attempt: 1 }
      case 'open':
        return { is, sinceMs: wallMs }
      case 'stale':
        return { is, sinceMs: wallMs, lastMs: wallMs }
      case 'waiting':
        return { is, untilMs: unixMs(untilMs), attempt, why: this.#endReasons.get(feed) ?? LOST }
      case 'refused':
        return { is, why: this.#endReasons.get(feed) ?? LOST }
      default:
        return { is: 'idle' }
    }
  }
}

const LOST: Reason = {
  code: 'offline',
  message: 'The connection was lost at this point in the session.',
  hint: '',
  closeCode: null,
}

function reasonOf(closeCode: number, reason: string): Reason {
  if (closeCode === 0 && reason === '') return LOST
  const code = closeCode === 0 ? '' : ` (close code ${closeCode})`
  return {
    ...LOST,
    message: `The connection ended at this point in the session${code}${reason === '' ? '' : `: ${reason}`}.`,
    closeCode: closeCode === 0 ? null : closeCode,
  }
}

const keyOf = (feed: FeedId, symbol: string): string => instrumentKey(feedAsset(feed), symbol)
