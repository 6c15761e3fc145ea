/**
 * Indexes the journal's messages by instrument and time. Journal rows never change, and a long watchlist queries all of
 * them once per instrument, so each row is classified once and cached until it is sealed. The cache takes 28 bytes a
 * message; the messages stay in the store.
 */
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import type { Database } from 'better-sqlite3'
import type { FeedId, InstrumentId } from '../../../../shared/base/units.ts'
import { isCounted, type Share } from '../../../../shared/core/recording/merged-sessions.ts'
import { upperBound } from '../../../../shared/base/search.ts'
import { type Classifier } from '../format/classify.ts'
import type { MessageColumns } from '../types/messages.ts'
import { connectionFeeds } from '../schema/connection-feeds.ts'
import { Journal } from '../format/journal.ts'
import type { StoredSession } from '../schema/records.ts'

/** The part of a session that a query reads. */
export interface JournalPart {
  readonly row: StoredSession
  /** Last seq to read. */
  readonly limit: number
  /** What counts of it. */
  readonly share: Share
}

interface Head {
  readonly first: number
  readonly last: number
  /** False once it was found corrupt. */
  isIntact: boolean
}

interface JournalCache {
  /** Classified rows, ascending. */
  readonly heads: Head[]
  readonly feeds: Map<FeedId, Map<InstrumentId, InstrumentRows>>
}

/** Cached sessions: those being recorded, one of each shard of a team, and those viewed again. */
const MAX_SESSIONS = 64

export class JournalIndex {
  readonly #classifier: Classifier
  readonly #feeds: (session: number) => ReadonlyMap<number, FeedId>
  readonly #journal: Journal
  /** By the session's key. */
  readonly #known = new Map<string, JournalCache>()

  /** `records` leaves the current message in the classifier's record. */
  constructor(db: Database, classifier: Classifier) {
    this.#classifier = classifier
    this.#feeds = connectionFeeds(db)
    this.#journal = new Journal(db)
  }

  /** Calls `take` with seq and time (UTC ms) of an instrument's messages after the watermark, in order. */
  times(part: JournalPart, feed: FeedId, instrument: InstrumentId, take: (seq: number, ms: number) => void): void {
    const rows = this.#refresh(part.row)?.feeds.get(feed)?.get(instrument)
    for (const i of rowsInRange(rows, part)) take(rows!.seq[i], rows!.timeOf(i)) // without rows, the loop doesn't run
  }

  /** Like `times`, with the current message in the classifier's record. */
  records(part: JournalPart, feed: FeedId, instrument: InstrumentId, take: (seq: number, ms: number) => void): void {
    const known = this.#refresh(part.row)
    const rows = known?.feeds.get(feed)?.get(instrument)
    if (known === undefined || rows === undefined) return
    let at = -1
    let messages: MessageColumns | null = null
    for (const i of rowsInRange(rows, part)) {
      const seq = rows.seq[i]
      if (at < 0 || seq > known.heads[at].last) {
        at = headOf(known.heads, seq, at + 1)
        const flush = this.#journal.next(part.row.id, known.heads[at].first)
        messages = (flush?.firstSeq === known.heads[at].first && flush.read()?.messages) || null
        if (messages === null) known.heads[at].isIntact = false
      }
      if (messages === null) continue
      const row = rows.row[i]
      this.#classifier.classify(
        feed,
        messages.flags[row],
        messages.bytes,
        messages.offsets[row],
        messages.offsets[row + 1],
      )
      take(seq, rows.timeOf(i))
    }
  }

  /**
   * First and last seq of corrupt flushes after the watermark that were read so far. The instruments of their messages
   * are unknown.
   */
  corruptFlushes(part: JournalPart): readonly (readonly [first: number, last: number])[] {
    const heads = this.#refresh(part.row)?.heads ?? []
    return heads.flatMap(({ first, last, isIntact }) =>
      isIntact || first > part.limit ? [] : [[first, last] as const],
    )
  }

  /** Updates the cache of an open session; undefined for a closed one, which has no journal. */
  #refresh(row: StoredSession): JournalCache | undefined {
    if (row.summary !== null) {
      this.#known.delete(row.key)
      return undefined
    }
    const known = this.#known.get(row.key) ?? {
      heads: [],
      feeds: new Map<FeedId, Map<InstrumentId, InstrumentRows>>(),
    }
    this.#known.delete(row.key)
    this.#known.set(row.key, known)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_SESSIONS) break
      this.#known.delete(oldest)
    }
    this.#forgetSealed(known, row.sealed_seq)
    this.#takeNew(known, row)
    return known
  }

  #forgetSealed({ heads, feeds }: JournalCache, sealedSeq: number): void {
    if (heads.length === 0 || heads[0].first > sealedSeq) return
    const from = heads.findIndex(({ first }) => first > sealedSeq)
    heads.splice(0, from < 0 ? heads.length : from)
    for (const ofFeed of feeds.values())
      for (const [instrument, one] of ofFeed) {
        one.forget(sealedSeq)
        if (one.length === 0) ofFeed.delete(instrument)
      }
  }

  #takeNew(known: JournalCache, row: StoredSession): void {
    const after = Math.max(row.sealed_seq, known.heads.at(-1)?.first ?? 0)
    let feeds: ReadonlyMap<number, FeedId> | null = null
    for (const flush of this.#journal.from(row.id, after + 1)) {
      const messages = flush.read()?.messages
      known.heads.push({ first: flush.firstSeq, last: flush.lastSeq, isIntact: messages !== undefined })
      feeds ??= this.#feeds(row.id)
      if (messages !== undefined) this.#classifyRow(messages, feeds, known.feeds)
    }
  }

  #classifyRow(m: MessageColumns, feeds: ReadonlyMap<number, FeedId>, places: JournalCache['feeds']): void {
    for (let i = 0; i < m.count; i += 1) {
      const feed = feeds.get(m.conn[i])
      if (feed === undefined || (m.flags[i] & STORED_ONLY) !== 0) continue
      const { series, eventMs } = this.#classifier.classify(feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1])
      if (series === '') continue
      let ofFeed = places.get(feed)
      if (ofFeed === undefined) places.set(feed, (ofFeed = new Map<InstrumentId, InstrumentRows>()))
      let one = ofFeed.get(series)
      if (one === undefined) ofFeed.set(series, (one = new InstrumentRows()))
      one.add(m.seq[i], m.recvMs[i], eventMs, i)
    }
  }
}

/** Index of the journal row that holds a seq, searched from `from` on. */
function headOf(heads: readonly Head[], seq: number, from: number): number {
  let low = from
  let high = heads.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (heads[middle].last < seq) low = middle + 1
    else high = middle
  }
  return low
}

/** Indexes of an instrument's rows that belong to a part. */
function* rowsInRange(places: InstrumentRows | undefined, { limit, share }: JournalPart): Generator<number> {
  for (let i = 0; places !== undefined && i < places.length && places.seq[i] <= limit; i += 1)
    if (isCounted(share, places.seq[i], places.eventMs[i], places.recvMs[i])) yield i
}

/** An instrument's messages of a feed, ascending: their position and time. */
class InstrumentRows {
  length = 0
  seq = new Float64Array(8)
  recvMs = new Float64Array(8)
  /** UTC ms; NaN if undated. */
  eventMs = new Float64Array(8)
  /** Index within the journal row. */
  row = new Uint32Array(8)

  /** Event time, or receive time if undated; UTC ms. */
  timeOf(at: number): number {
    return Number.isNaN(this.eventMs[at]) ? this.recvMs[at] : this.eventMs[at]
  }

  add(seq: number, recvMs: number, eventMs: number, row: number): void {
    const at = this.length
    if (at === this.seq.length) this.#resize(0, at * 2)
    this.seq[at] = seq
    this.recvMs[at] = recvMs
    this.eventMs[at] = eventMs
    this.row[at] = row
    this.length = at + 1
  }

  /** Drops rows up to a seq. */
  forget(upToSeq: number): void {
    const from = upperBound(this.seq.subarray(0, this.length), upToSeq)
    if (from === 0) return
    this.#resize(from, Math.max(8, this.length - from))
    this.length -= from
  }

  #resize(from: number, room: number): void {
    const { seq, recvMs, eventMs, row, length } = this
    this.seq = new Float64Array(room)
    this.recvMs = new Float64Array(room)
    this.eventMs = new Float64Array(room)
    this.row = new Uint32Array(room)
    this.seq.set(seq.subarray(from, length))
    this.recvMs.set(recvMs.subarray(from, length))
    this.eventMs.set(eventMs.subarray(from, length))
    this.row.set(row.subarray(from, length))
  }
}
