/** What a followed session says about its reception, from its entries, and how far its clock is from the service's. */
import { FEEDS } from '../../../../../service/feeds.ts'
import { feedAsset, FEED_IDS, instrumentKey, type FeedId } from '../../../../../shared/base/units.ts'
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
import { keysOf } from '../../../../../shared/core/recording/symbol-keys.ts'
import { STORED_ONLY, type GapCause } from '../../../../../shared/core/recording/session.ts'
import {
  SubscriptionTracker,
  type SubscriptionChange,
} from '../../../../../shared/core/recording/subscription-tracker.ts'
import { WantedSymbols, wantedUntilKilled } from '../../../../../shared/core/recording/wanted-symbols.ts'
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
  readonly openedMs: number
  /** By the clock at `toSeq`, which is before `fromMs` if it was set back meanwhile. */
  closedMs: number | null
  /** Null while it is open. */
  toSeq: number | null
}

interface SubscriptionFact extends Omit<Subscription, 'atMs' | 'of'> {
  readonly wallMs: number
  readonly of: Pick<SubscriptionChange, 'feed' | 'symbols'>
}

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
  readonly #tracker = new SubscriptionTracker()
  #subscriptions: SubscriptionFact[] = []
  #isAcknowledged = false
  readonly #feeds = new Set<FeedId>()
  readonly #wanted = new WantedSymbols()
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
        if (this.#feeds.has(entry.feed)) return
        this.#feeds.add(entry.feed)
        break
      case 'acknowledged':
      case 'released':
      case 'disconnected':
      case 'state': {
        const change = this.#tracker.apply(entry)
        if (change === null || !this.#subscribe(seq, wallMs, change)) return
        break
      }
      case 'gap-open': {
        const { feed, cause, symbols, fromMs, skewMs } = entry
        this.#wanted.openGap(seq, feed, symbols)
        this.#addToOpen(feed, symbols)
        const gap: GapFact = {
          feed,
          cause,
          symbols,
          concerned: symbols,
          seq,
          fromMs,
          openedMs: wallMs,
          closedMs: null,
          toSeq: null,
        }
        this.#gaps.push(gap)
        if (symbols.length === 0) gap.concerned = this.#concernedBy(gap)
        this.skewMs = Math.abs(skewMs ?? 0)
        if (this.#leads.length === 0) this.#skewMs ??= skewMs ?? null
        if (this.#gaps.length > MAX_GAPS) this.#forget()
        break
      }
      case 'gap-close': {
        const gap = this.#gaps.findLast((one) => one.seq === entry.openedSeq && one.feed === entry.feed)
        if (gap === undefined) return
        this.#wanted.closeGap(gap.seq)
        gap.closedMs = wallMs
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

  /** Service clock minus its clock at a seq, ms; 0 until its messages show it. */
  skewAt(seq: number): number {
    return skewAt({ clock: this.#clock() }, seq)
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
      gaps: this.#gaps.map(({ feed, cause, symbols, seq, fromMs, openedMs, closedMs, toSeq }) => {
        const from = at(seq, fromMs)
        const dated = { fromMs: from, toMs: closedMs === null ? Infinity : Math.max(at(toSeq ?? seq, closedMs), from) }
        return { seq, toSeq, feed, cause, symbols, openedMs, closedMs, dated, arrived: dated }
      }),
      subscriptions: this.#subscriptions.map(({ seq, wallMs, is, isLost, of }) => ({
        seq,
        atMs: at(seq, wallMs),
        is,
        isLost,
        of,
      })),
      isAcknowledged: this.#isAcknowledged,
    }
  }

  /** Its gaps, oldest first, each with its symbols. */
  gaps(): readonly LaneGap[] {
    const clock = this.#clock()
    return this.#gaps.flatMap((gap): LaneGap[] => {
      const { feed, cause, concerned: symbols, seq, fromMs, closedMs, toSeq } = gap
      if (symbols.length === 0) return []
      const skewMs = skewAt({ clock }, seq)
      const end = closedMs === null ? Infinity : closedMs + skewAt({ clock }, toSeq ?? seq)
      return [{ feed, cause, symbols, skewMs, fromMs: fromMs + skewMs, toMs: Math.max(end, fromMs + skewMs) }]
    })
  }

  /** Also while its connection is lost. */
  isSubscribed(feed: FeedId, symbol: string): boolean {
    return this.#wanted.has(feed, instrumentKey(feedAsset(feed), symbol))
  }

  /** All symbols that a gap of every symbol concerns so far. */
  #concernedBy({ feed, seq }: GapFact): readonly string[] {
    const wanted = this.#wanted.list(feed)
    const others = wantedUntilKilled(this.#gaps, feed, seq).filter((one) => !this.isSubscribed(feed, one))
    return others.length === 0 ? wanted : [...wanted, ...others]
  }

  /** A gap of every symbol lasts until its symbols are acknowledged, so it concerns those that are wanted meanwhile. */
  #addToOpen(feed: FeedId, symbols: readonly string[]): boolean {
    const open = this.#gaps.filter((gap) => gap.closedMs === null && gap.feed === feed && gap.symbols.length === 0)
    for (const gap of open) gap.concerned = [...new Set([...gap.concerned, ...symbols])]
    return open.length > 0
  }

  /** Returns whether that changes when it received anything, or what a gap concerns. */
  #subscribe(seq: number, wallMs: number, change: SubscriptionChange): boolean {
    const { is, isLost, feed, symbols } = change
    this.#subscriptions.push({ seq, wallMs, is, isLost, of: change })
    this.#isAcknowledged ||= is
    this.#wanted.subscribe(change)
    if (!is) return true
    if (this.#addToOpen(feed, symbols)) return true
    // What a gap names isn't received before it closes.
    const open = this.#gaps.filter((gap) => gap.closedMs === null && gap.feed === feed)
    const named = new Set(open.flatMap((gap) => keysOf(feedAsset(feed), gap.symbols).list))
    return keysOf(feedAsset(feed), symbols).list.some((key) => !named.has(key))
  }

  #clock(): SessionFacts['clock'] {
    return clockFrom(this.#skewMs ?? 0, this.#shifts)
  }

  #forget(): void {
    const at = Math.max(
      0,
      this.#gaps.findIndex(({ closedMs }) => closedMs !== null),
    )
    const [gap] = this.#gaps.splice(at, 1)
    const untilSeq = gap.toSeq ?? gap.seq
    this.floorMs = Math.max(this.floorMs, (gap.closedMs ?? gap.fromMs) + skewAt({ clock: this.#clock() }, untilSeq))
    if (gap.toSeq === null) this.#wanted.closeGap(gap.seq)
    this.#forgetSubscriptions(untilSeq)
  }

  /** Forgets subscriptions that ended before a seq. */
  #forgetSubscriptions(beforeSeq: number): void {
    const at = this.#subscriptions.findIndex(({ seq }) => seq >= beforeSeq)
    const old = at < 0 ? this.#subscriptions : this.#subscriptions.slice(0, at)
    /** When each symbol that is still subscribed then began to be. */
    const since = new Map<string, number>()
    for (const { seq, is, of } of old)
      for (const key of namesOf(of))
        if (is) since.set(key, seq)
        else since.delete(key)
    const lasting = old.flatMap((one): SubscriptionFact[] => {
      const symbols = one.of.symbols.filter((_, i) => one.is && since.get(namesOf(one.of)[i]) === one.seq)
      if (symbols.length === one.of.symbols.length) return [one]
      return symbols.length === 0 ? [] : [{ ...one, of: { feed: one.of.feed, symbols } }]
    })
    this.#subscriptions = [...lasting, ...this.#subscriptions.slice(old.length)]
  }
}

const namesOf = ({ feed, symbols }: SubscriptionFact['of']): readonly string[] =>
  keysOf(feedAsset(feed), symbols).list.map((key) => `${feed} ${key}`)
