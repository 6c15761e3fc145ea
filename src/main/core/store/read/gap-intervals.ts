/** Finds the intervals in which a session has nothing of an instrument: not received, or stored and unreadable. */
import { HOUR_MS, MINUTE_MS } from '../../../../shared/base/durations.ts'
import type { GapInterval } from '../../../../shared/core/market/bars.ts'
import {
  feedAsset,
  instrumentKey,
  parseInstrument,
  sessionId,
  type FeedId,
  type InstrumentId,
} from '../../../../shared/base/units.ts'
import { skewAt } from '../../../../shared/core/recording/merged-sessions.ts'
import { earliestLost, SILENT_AT_MOST_MS } from '../../../../shared/core/recording/delay-window.ts'
import { SubscriptionTracker } from '../../../../shared/core/recording/subscription-tracker.ts'
import { ClosedSessionCache, MAX_INSTRUMENTS } from './catalog.ts'
import type { CorruptData } from '../types/corruption.ts'
import type { JournalIndex, JournalPart } from './journal-index.ts'
import type { Overlapping } from './merged-reader.ts'
import { findLastReceived, findNewestStamp } from '../format/last-received.ts'
import { corruptGapError, type StoreQueries } from './queries.ts'
import type { StoredSession } from '../schema/records.ts'
import { CorruptFlushes, type SeqRange } from '../format/corrupt-flushes.ts'
import { lazyStatements } from '../schema/sqlite.ts'
import { readSubscription, SUBSCRIPTION_ROWS } from '../format/subscription-rows.ts'

/** Largest expected difference between event and receive time, ms. Sessions further away can't affect a page. */
const MAX_EVENT_OFFSET_MS = 6 * HOUR_MS

/** How far ahead of its receipt a message can be dated before the clocks have been compared, ms. */
const MAX_CLOCK_LEAD_MS = MINUTE_MS

/** An interval without reception, and the clock difference between service and computer. */
export interface SkewedGap extends GapInterval {
  readonly skewMs?: number
  /** What can't be read: an entry or gap of the ledger, or the messages of a corrupt flush. */
  readonly unreadable?: 'ledger' | { readonly session: number; readonly seqs: SeqRange }
}

/** A part of a session, and the sessions that overlap it. */
export interface GapPart extends JournalPart {
  readonly overlapping: Pick<Overlapping, 'uncovered' | 'factsOf'> | null
}

/** The intervals in which both lists have one. What can't be read is kept from either. */
export function intersectGaps(a: readonly SkewedGap[], b: readonly SkewedGap[]): SkewedGap[] {
  const both = [...a, ...b].filter(({ unreadable }) => unreadable !== undefined)
  for (const one of a) {
    for (const other of b) {
      if (one.unreadable !== undefined || other.unreadable !== undefined) continue
      const fromMs = Math.max(one.fromMs, other.fromMs)
      const toMs = Math.min(one.toMs ?? Infinity, other.toMs ?? Infinity)
      if (fromMs > toMs) continue
      const skewMs = Math.max(one.skewMs ?? 0, other.skewMs ?? 0)
      both.push({ fromMs, toMs: toMs === Infinity ? null : toMs, skewMs })
    }
  }
  return both
}

/** Reads gap intervals. Call within a read transaction. */
export class GapIntervalReader {
  readonly #queries: StoreQueries
  readonly #journal: JournalIndex
  readonly #corruptFlushes: CorruptFlushes
  readonly #sql
  readonly #caches = new Map<string, ClosedSessionCache<SkewedGap[]>>()
  #cacheVersion = -1

  /** `journal` must have been queried for the same parts before. */
  constructor(queries: StoreQueries, journal: JournalIndex) {
    this.#queries = queries
    this.#journal = journal
    const { db } = queries
    this.#corruptFlushes = new CorruptFlushes(db)
    this.#sql = lazyStatements({
      entryFrom: () =>
        db
          .prepare<[number, number], number>(
            'SELECT wall_ms FROM entry WHERE recording = ? AND seq >= ? ORDER BY seq LIMIT 1',
          )
          .pluck(),
      acks: () =>
        db.prepare<[number, number], { wall_ms: number; body: string }>(
          `SELECT wall_ms, body FROM entry WHERE recording = ? AND seq <= ?
         AND ${SUBSCRIPTION_ROWS} ORDER BY seq`,
        ),
    })
  }

  /**
   * Intervals without reception: gaps, the time between sessions, and the time before a subscription was acknowledged.
   * Where sessions overlap, those in which none of them received. What can't be read is added to `corrupt`, or throws
   * `store-damaged` if it isn't skipped.
   */
  of(
    parts: readonly GapPart[],
    feed: FeedId,
    instrument: InstrumentId,
    shown: { readonly fromMs: number; readonly toMs: number },
    corrupt: CorruptData,
  ): SkewedGap[] {
    const alone = parts.filter(({ overlapping }) => overlapping === null)
    let intervals = this.#ofSequence(alone, feed, instrument, shown)
    for (const group of new Set(parts.flatMap(({ overlapping }) => overlapping ?? []))) {
      const uncovered = group.uncovered(feed, instrument)
      // Sessions that are far from the page don't fill anything in it.
      if (uncovered.some(({ fromMs, toMs }) => fromMs < shown.fromMs && toMs > shown.toMs)) continue
      const gaps = uncovered.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs === Infinity ? null : toMs }))
      intervals = intersectGaps(intervals, gaps)
    }
    for (const part of parts) if (part.overlapping !== null) intervals.push(...this.#unreadable(part, feed))
    for (const gap of intervals) {
      if (gap.unreadable === undefined) continue
      if (corrupt.isSkipped) corrupt.addLost(gap)
      else this.#refuse(gap, shown)
    }
    return intervals
  }

  /** What can't be read of a session. */
  #unreadable(part: GapPart, feed: FeedId): readonly SkewedGap[] {
    const { row, limit } = part
    const found = this.#gapsIn(row, limit, null, feed, () => true).filter(({ unreadable }) => unreadable !== undefined)
    return [...found, ...this.#journal.corruptFlushes(part).map((seqs) => this.#corruptGap(row, seqs))]
  }

  /** Intervals of sessions that follow one another. */
  #ofSequence(
    parts: readonly GapPart[],
    feed: FeedId,
    instrument: InstrumentId,
    shown: { readonly fromMs: number; readonly toMs: number },
  ): SkewedGap[] {
    if (parts.length === 0) return [{ fromMs: -Infinity, toMs: null }]
    const key = parseInstrument(instrument)?.key
    const asset = feedAsset(feed)
    const symbolsOfInstrument = (symbols: readonly string[]): boolean =>
      symbols.some((symbol) => instrumentKey(asset, symbol) === key)
    const intervals: SkewedGap[] = []
    const cached = this.#closedGaps(`${feed} ${instrument}`)
    let ended = -Infinity
    let before = 0
    let lastSkewMs = 0
    for (const part of parts) {
      const { row, limit } = part
      // With a seq limit it isn't known yet when the session ends, or what opens or closes later. A session that is
      // still being closed received nothing after the next one began.
      const skewMs = this.#queries.catalog.gaps(row)?.skewMs ?? 0
      const crashed = this.#crash(part, feed)
      const end =
        limit < Infinity ? null : (row.ended_ms ?? this.#queries.catalog.nextStart(row) ?? crashed?.endedMs ?? null)
      if (crashed !== null) intervals.push({ fromMs: crashed.lostFromMs, toMs: null, skewMs })
      if (ended < row.started_ms && row.started_ms + skewMs >= shown.fromMs && ended - skewMs <= shown.toMs)
        intervals.push({ fromMs: ended, toMs: row.started_ms, skewMs })
      // Of two sessions recorded here the later one ends later, even if the clock was set back in between.
      ended = row.id > 0 && before > 0 ? (end ?? Infinity) : Math.max(ended, end ?? Infinity)
      before = row.id
      lastSkewMs = skewMs
      // The cost of a page must not depend on the number of recorded days.
      const near = MAX_EVENT_OFFSET_MS + skewMs
      if ((end ?? Infinity) < shown.fromMs - near || row.started_ms > shown.toMs + near) continue
      const read = (): SkewedGap[] => this.#gapsIn(row, limit, end, feed, symbolsOfInstrument)
      intervals.push(...(limit < Infinity ? read() : cached.of(row, read)))
      for (const seqs of this.#journal.corruptFlushes(part)) intervals.push(this.#corruptGap(row, seqs))
    }
    // Nothing is received after the last session; while it is being recorded, `ended` is Infinity.
    if (ended < Infinity) intervals.push({ fromMs: ended, toMs: null, skewMs: lastSkewMs })
    return intervals
  }

  /**
   * An open session that crashed and isn't recovered yet: nothing after it was received, and its gaps aren't written.
   */
  #crash({ row, limit }: JournalPart, feed: FeedId): { readonly endedMs: number; readonly lostFromMs: number } | null {
    if (limit < Infinity || row.ended_ms !== null || this.#queries.catalog.nextStart(row) !== null) return null
    if (this.#queries.isLive(row)) return null
    const { db } = this.#queries
    const stamp = findNewestStamp(db, row.id)
    const last = findLastReceived(db, row.id, [feed], stamp?.monoNs ?? 0).get(feed)
    const endedMs = Math.max(stamp?.wallMs ?? row.started_ms, last?.recvMs ?? -Infinity)
    return { endedMs, lostFromMs: last === undefined ? endedMs - SILENT_AT_MOST_MS : earliestLost(last, 0, endedMs) }
  }

  /**
   * The time from which the last part can't have received anything yet, UTC ms; null if it has ended. A later bar holds
   * messages dated ahead of the clock.
   */
  findAheadMs(parts: readonly GapPart[]): number | null {
    const part = parts.at(-1)
    if (part === undefined || (part.limit === Infinity && part.row.ended_ms !== null)) return null
    const { row, limit } = part
    const next = this.#sql.entryFrom.get(row.id, Math.min(limit, Number.MAX_SAFE_INTEGER))
    const nowMs = next ?? findNewestStamp(this.#queries.db, row.id)?.wallMs ?? row.ended_ms
    if (nowMs === null) return null
    if (part.overlapping !== null) return nowMs + MAX_CLOCK_LEAD_MS + skewAt(part.overlapping.factsOf(row.id), Infinity)
    return nowMs + MAX_CLOCK_LEAD_MS + (this.#queries.catalog.gaps(row)?.skewMs ?? 0)
  }

  /** Throws `store-damaged`, except for a corrupt flush that can't have held messages of the queried span. */
  #refuse({ fromMs, toMs, unreadable }: SkewedGap, shown: { readonly fromMs: number; readonly toMs: number }): void {
    if (typeof unreadable !== 'object') throw corruptGapError()
    if (fromMs <= shown.toMs && (toMs ?? Infinity) >= shown.fromMs)
      throw this.#corruptFlushes.refusal(unreadable.session, unreadable.seqs)
  }

  /** Intervals of closed sessions, cached whole. A gap open at the end of a session lasts until the next one begins. */
  #closedGaps(name: string): ClosedSessionCache<SkewedGap[]> {
    const { version } = this.#queries.catalog
    if (version !== this.#cacheVersion || this.#caches.size >= MAX_INSTRUMENTS) this.#caches.clear()
    this.#cacheVersion = version
    let cache = this.#caches.get(name)
    if (cache === undefined) this.#caches.set(name, (cache = new ClosedSessionCache()))
    return cache
  }

  /**
   * Intervals in which a session received nothing up to a seq: its gaps, and times without a subscription for the
   * instrument.
   */
  #gapsIn(
    row: StoredSession,
    limit: number,
    end: number | null,
    feed: FeedId,
    mine: (symbols: readonly string[]) => boolean,
  ): SkewedGap[] {
    const intervals: SkewedGap[] = []
    const endOf = (toMs: number | null, toSeq: number | null): number | null =>
      limit < Infinity && (toSeq ?? Infinity) > limit ? null : (toMs ?? end)
    for (const gap of this.#queries.allGaps({ feed, session: sessionId(row.key) })) {
      const { fromMs, fromSeq, toSeq } = gap
      if (fromSeq > limit) continue
      const toMs = endOf(gap.toMs, toSeq)
      if (gap.cause === 'unreadable') intervals.push({ fromMs, toMs, unreadable: 'ledger' })
      else if (gap.symbols.length === 0 || mine(gap.symbols))
        intervals.push({ fromMs, toMs, skewMs: Math.abs(gap.skewMs ?? 0) })
    }
    for (const seqs of this.#corruptFlushes.sealed(row.id, 0, Math.min(limit, row.sealed_seq)))
      intervals.push(this.#corruptGap(row, seqs))
    const edge = { skewMs: this.#queries.catalog.gaps(row)?.skewMs ?? 0 }
    let unsubscribedMs: number | null = row.started_ms
    let isAcknowledged = false
    const tracker = new SubscriptionTracker()
    for (const { wall_ms, body } of this.#sql.acks.iterate(row.id, Math.min(limit, Number.MAX_SAFE_INTEGER))) {
      const change = readSubscription(tracker, body)
      if (change === null) continue
      if (change.feed === null) {
        // It may have been this instrument's acknowledgement, so reception isn't proven after an unsubscribe.
        intervals.push({ fromMs: wall_ms, toMs: wall_ms, unreadable: 'ledger' })
        if (!change.is) unsubscribedMs ??= wall_ms
        continue
      }
      isAcknowledged = true
      if (change.feed !== feed || !mine(change.symbols)) continue
      if (!change.is) unsubscribedMs ??= wall_ms
      else {
        if (unsubscribedMs !== null && wall_ms > unsubscribedMs)
          intervals.push({ fromMs: unsubscribedMs, toMs: wall_ms, ...edge })
        unsubscribedMs = null
      }
    }
    // Unsubscribed for good, or never subscribed. An import can lack acknowledgements altogether, which proves nothing.
    if (isAcknowledged && unsubscribedMs !== null) intervals.push({ fromMs: unsubscribedMs, toMs: end, ...edge })
    return intervals
  }

  #corruptGap(row: StoredSession, seqs: SeqRange): SkewedGap {
    return { ...this.#corruptFlushes.eventTimesWithin(row.id, seqs), unreadable: { session: row.id, seqs } }
  }
}
