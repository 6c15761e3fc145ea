/** What a followed session says about its reception, from its entries, and how far its clock is from the service's. */
import { FEEDS } from '../../../../../service/feeds.ts'
import { feedAsset, FEED_IDS, instrumentId, type FeedId, type InstrumentId } from '../../../../../shared/base/units.ts'
import type { Span } from '../../../../../shared/base/spans.ts'
import { skewAt } from '../../../../../shared/core/recording/merged-sessions.ts'
import {
  clockFrom,
  ENOUGH_LEADS,
  skewAtStart,
  type Lead,
  type SessionFacts,
  type Subscription,
} from '../../../../../shared/core/recording/reception.ts'
import { STORED_ONLY, type GapCause, type LedgerEntry } from '../../../../../shared/core/recording/session.ts'
import { Classifier } from '../../../../core/store/format/classify.ts'
import type { Batch, StoredEntry } from '../../../../core/store/types/messages.ts'

/** Gaps that are remembered, as many as a hub shows. */
const MAX_GAPS = 500

interface GapFact {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  /** All symbols that it concerns. */
  concerned: readonly string[]
  readonly seq: number
  readonly fromMs: number
  /** By the clock at `toSeq`, which is before `fromMs` if it was set back meanwhile. */
  toMs: number | null
  toSeq: number
}

type Acknowledged = LedgerEntry & { readonly type: 'acknowledged' | 'released' }

/** A gap of the session by the service's clock, UTC ms. */
export interface LaneGap extends Span {
  readonly feed: FeedId
  readonly cause: GapCause
  /** Those that the session had subscribed to, or did until the gap ended. */
  readonly symbols: readonly string[]
  /** Service clock minus the session's clock, ms. */
  readonly skewMs: number
}

export class LaneFacts {
  /** Changes whenever these facts do. */
  version = 0
  /** By the service's clock: gaps that ended earlier may be missing. */
  floorMs = -Infinity
  /** How far its clock was from the service's by its own measure when its last gap opened, ms. */
  skewMs = 0
  readonly #startedMs: number
  readonly #gaps: GapFact[] = []
  readonly #subscriptions: { seq: number; wallMs: number; is: boolean; of: NonNullable<Subscription['of']> }[] = []
  readonly #feeds = new Set<FeedId>()
  readonly #subscribed = new Map<FeedId, ReadonlyMap<InstrumentId, string>>()
  readonly #shifts: Lead[] = []
  readonly #leads: Lead[] = []
  readonly #classifier = new Classifier()
  #skewMs: number | null = null

  /** `startedMs`: of the session, by its clock, UTC ms. */
  constructor(startedMs: number) {
    this.#startedMs = startedMs
  }

  /** Takes an entry, in the order of seqs. */
  apply({ seq, wallMs, entry }: Pick<StoredEntry, 'seq' | 'wallMs' | 'entry'>): void {
    switch (entry.type) {
      case 'connecting':
        this.#feeds.add(entry.feed)
        break
      case 'acknowledged':
      case 'released':
        if (!this.#subscribe(seq, wallMs, entry)) return
        break
      case 'gap-open': {
        const { feed, cause, symbols, fromMs, skewMs } = entry
        const concerned = symbols.length > 0 ? symbols : [...this.#symbols(feed).values()]
        this.#gaps.push({ feed, cause, symbols, concerned, seq, fromMs, toMs: null, toSeq: seq })
        this.skewMs = Math.abs(skewMs ?? 0)
        if (this.#leads.length === 0) this.#skewMs ??= skewMs ?? null
        if (this.#gaps.length > MAX_GAPS) this.#forget()
        break
      }
      case 'gap-close': {
        const gap = this.#gaps.findLast((one) => one.seq === entry.openedSeq && one.feed === entry.feed)
        if (gap === undefined) return
        gap.toMs = wallMs
        gap.toSeq = seq
        break
      }
      case 'clock':
        this.#shifts.push({ seq, ms: entry.shiftMs })
        // Messages of the same flush that came after it are compared already.
        this.#skewMs = skewAtStart(this.#leads, this.#shifts) ?? this.#skewMs
        break
      default:
        return
    }
    this.version += 1
  }

  /** Compares the clocks by the session's first messages here. `feedOf`: index of a connection's feed. */
  compare({ messages }: Batch, feedOf: (conn: number) => number): void {
    if (this.#leads.length >= ENOUGH_LEADS || messages.count === 0) return
    for (let i = 0; i < messages.count && this.#leads.length < ENOUGH_LEADS; i++) {
      const feed = FEED_IDS[feedOf(messages.conn[i])]
      if (FEEDS[feed].barMs !== null || (messages.flags[i] & STORED_ONLY) !== 0) continue
      const { flags, bytes, offsets, seq, recvMs } = messages
      const { eventMs } = this.#classifier.classify(feed, flags[i], bytes, offsets[i], offsets[i + 1])
      if (!Number.isNaN(eventMs)) this.#leads.push({ seq: seq[i], ms: eventMs - recvMs[i] })
    }
    const before = JSON.stringify(this.#clock())
    this.#skewMs = skewAtStart(this.#leads, this.#shifts) ?? this.#skewMs
    if (JSON.stringify(this.#clock()) !== before) this.version += 1
  }

  /** `untilMs`: when its reception ended, by its clock, UTC ms; Infinity: it still receives. */
  facts(untilMs: number): SessionFacts {
    const clock = this.#clock()
    const at = (seq: number, ms: number): number => ms + skewAt({ clock }, seq)
    return {
      clock,
      running: { fromMs: at(0, this.#startedMs), toMs: at(Infinity, untilMs) },
      isOpen: untilMs === Infinity,
      feeds: this.#feeds,
      gaps: this.#gaps.map(({ feed, symbols, seq, fromMs, toMs, toSeq }) => {
        const from = at(seq, fromMs)
        const dated = { fromMs: from, toMs: toMs === null ? Infinity : Math.max(at(toSeq, toMs), from) }
        return { feed, symbols, dated, arrived: dated }
      }),
      subscriptions: this.#subscriptions.map(({ seq, wallMs, is, of }) => ({ atMs: at(seq, wallMs), is, of })),
      isAcknowledged: this.#subscriptions.some(({ is }) => is),
    }
  }

  /** Its gaps, oldest first, each with its symbols. */
  gaps(): readonly LaneGap[] {
    const clock = this.#clock()
    return this.#gaps.flatMap((gap): LaneGap[] => {
      const { feed, cause, concerned: symbols, seq, fromMs, toMs, toSeq } = gap
      if (symbols.length === 0) return []
      const skewMs = skewAt({ clock }, seq)
      const end = toMs === null ? Infinity : toMs + skewAt({ clock }, toSeq)
      return [{ feed, cause, symbols, skewMs, fromMs: fromMs + skewMs, toMs: Math.max(end, fromMs + skewMs) }]
    })
  }

  isSubscribed(feed: FeedId, id: InstrumentId): boolean {
    return this.#symbols(feed).has(id)
  }

  #symbols(feed: FeedId): ReadonlyMap<InstrumentId, string> {
    return this.#subscribed.get(feed) ?? new Map()
  }

  /** Returns whether that changes what is subscribed. A connection that is back has its symbols acknowledged again. */
  #subscribe(seq: number, wallMs: number, { type, feed, symbols }: Acknowledged): boolean {
    const is = type === 'acknowledged'
    const before = this.#symbols(feed)
    const changed = symbols.filter((symbol) => before.has(instrumentId(feedAsset(feed), symbol)) !== is)
    if (changed.length === 0) return false
    this.#subscriptions.push({ seq, wallMs, is, of: { feed, symbols: changed } })
    const now = new Map(before)
    for (const symbol of changed) {
      const id = instrumentId(feedAsset(feed), symbol)
      if (is) now.set(id, symbol)
      else now.delete(id)
    }
    this.#subscribed.set(feed, now)
    // A feed's gap lasts until its symbols are acknowledged.
    if (is)
      for (const gap of this.#gaps)
        if (gap.toMs === null && gap.feed === feed && gap.symbols.length === 0)
          gap.concerned = [...new Set([...gap.concerned, ...changed])]
    return true
  }

  #clock(): SessionFacts['clock'] {
    return clockFrom(this.#skewMs ?? 0, this.#shifts)
  }

  #forget(): void {
    const at = Math.max(
      0,
      this.#gaps.findIndex(({ toMs }) => toMs !== null),
    )
    const [gap] = this.#gaps.splice(at, 1)
    this.floorMs = Math.max(this.floorMs, (gap.toMs ?? gap.fromMs) + skewAt({ clock: this.#clock() }, gap.toSeq))
  }
}
