/**
 * Which messages of the journal are of which instrument, and when they were. A row of the journal never changes while it
 * is there, and a long watchlist asks all of them for each of its instruments: so each is placed once and remembered
 * until it is sealed. Kept is what tells them apart and orders them, 28 bytes a message; the messages stay in the store.
 */
import type { Database } from 'better-sqlite3'
import type { FeedId, InstrumentId } from '../../shared/units.ts'
import { OUT_OF_BARS, type Classifier } from './classify.ts'
import { decodeJournal, journalCrc, type JournalBlob } from './journal.ts'
import type { RecordingRow } from './records.ts'

/** A recording as far as it is asked about. */
export interface JournalPart {
  readonly row: RecordingRow
  /** Nothing after this seq. */
  readonly limit: number
  /** Nothing received before this, UTC ms. */
  readonly notBeforeMs: number
}

interface Head {
  readonly first_seq: number
  readonly last_seq: number
  readonly torn: number
  readonly crc: number
}

/** A feed's messages of one row that count for bars: which instrument each is of, by its number, and where it stands. */
interface PlacedRow {
  readonly crc: number
  readonly instrument: Uint32Array
  readonly place: Uint32Array
  readonly seq: Float64Array
  readonly recvMs: Float64Array
  /** Event time; that of receipt where it has none. */
  readonly timeMs: Float64Array
}

/** Recordings that are remembered: one is being written, others are looked at again. */
const MOST_RECORDINGS = 4
const MOST_INSTRUMENTS = 100_000

export class JournalIndex {
  readonly #classifier: Classifier
  readonly #sql
  #numbers = new Map<string, number>()
  /** First and last seq of flushes that are not what was written, by recording. */
  readonly #torn = new Map<number, Map<number, number>>()
  /** By recording, feed and first seq. */
  readonly #known = new Map<number, Map<FeedId, { conns: number; rows: Map<number, PlacedRow> }>>()

  /** The classifier's record is that of the message that `records` is at. */
  constructor(db: Database, classifier: Classifier) {
    this.#classifier = classifier
    this.#sql = {
      conns: db
        .prepare<[number, string], number>('SELECT conn FROM connection WHERE recording = ? AND feed = ?')
        .pluck(),
      heads: db.prepare<[number, number], Head>(
        'SELECT first_seq, last_seq, torn, crc FROM journal WHERE recording = ? AND first_seq > ? ORDER BY first_seq',
      ),
      data: db
        .prepare<[number, number], Buffer>('SELECT data FROM journal WHERE recording = ? AND first_seq = ?')
        .pluck(),
    }
  }

  /** An instrument's messages after the watermark, in their order: their seq, and their time (UTC ms). */
  times(part: JournalPart, feed: FeedId, instrument: InstrumentId, take: (seq: number, ms: number) => void): void {
    for (const { placed, at } of this.#matches(part, feed, instrument)) take(placed.seq[at], placed.timeMs[at])
  }

  /** As `times`, with the classifier's record that of the message. */
  records(part: JournalPart, feed: FeedId, instrument: InstrumentId, take: (seq: number, ms: number) => void): void {
    let of: PlacedRow | null = null
    let messages: JournalBlob['messages'] | null = null
    for (const { head, placed, at } of this.#matches(part, feed, instrument)) {
      if (of !== placed) messages = this.#read(part.row, head)?.messages ?? null
      of = placed
      if (messages === null) continue
      const i = placed.place[at]
      this.#classifier.place(feed, messages.flags[i], messages.bytes, messages.offsets[i], messages.offsets[i + 1])
      take(placed.seq[at], placed.timeMs[at])
    }
  }

  /**
   * First and last seq of flushes after the watermark that cannot be read, as far as `times` or `records` met them:
   * whose messages were in them is not known.
   */
  torn({ row, limit }: JournalPart): readonly (readonly [first: number, last: number])[] {
    return [...(this.#torn.get(row.id) ?? [])].filter(([first]) => first > row.sealed_seq && first <= limit)
  }

  #tear({ id }: RecordingRow, { first_seq: first, last_seq: last }: Head): void {
    const torn = this.#torn.get(id) ?? new Map<number, number>()
    this.#torn.set(id, torn.set(first, last))
  }

  *#matches(
    { row, limit, notBeforeMs }: JournalPart,
    feed: FeedId,
    instrument: InstrumentId,
  ): Generator<{ readonly head: Head; readonly placed: PlacedRow; readonly at: number }> {
    if (row.summary !== null) return
    const conns = new Set(this.#sql.conns.all(row.id, feed))
    if (conns.size === 0) return
    const rows = this.#rowsOf(row, feed, conns.size)
    for (const head of this.#sql.heads.all(row.id, row.sealed_seq)) {
      if (head.first_seq > limit) return
      if (head.torn !== 0) {
        this.#tear(row, head)
        continue
      }
      let placed = rows.get(head.first_seq)
      if (placed?.crc !== head.crc) {
        placed = this.#placed(row, head, feed, conns)
        rows.set(head.first_seq, placed)
      }
      const number = this.#numbers.get(instrument)
      if (number === undefined) continue
      for (let at = placed.instrument.indexOf(number); at >= 0; at = placed.instrument.indexOf(number, at + 1)) {
        if (placed.seq[at] <= limit && placed.recvMs[at] >= notBeforeMs) yield { head, placed, at }
      }
    }
  }

  /** What is remembered of a recording's feed; of what was sealed meanwhile nothing. */
  #rowsOf({ id, sealed_seq }: RecordingRow, feed: FeedId, conns: number): Map<number, PlacedRow> {
    if (this.#numbers.size > MOST_INSTRUMENTS) {
      this.#numbers = new Map()
      this.#known.clear()
    }
    const feeds = this.#known.get(id) ?? new Map<FeedId, { conns: number; rows: Map<number, PlacedRow> }>()
    this.#known.delete(id)
    this.#known.set(id, feeds)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_RECORDINGS) break
      this.#known.delete(oldest)
    }
    let known = feeds.get(feed)
    // Another connection of the feed: a row that is known may hold messages of it.
    if (known?.conns !== conns) feeds.set(feed, (known = { conns, rows: new Map<number, PlacedRow>() }))
    for (const firstSeq of known.rows.keys()) {
      if (firstSeq > sealed_seq) break
      known.rows.delete(firstSeq)
    }
    return known.rows
  }

  /** Null where the row is not what was written. */
  #read({ id }: RecordingRow, { first_seq, last_seq, crc }: Head): JournalBlob | null {
    const data = this.#sql.data.get(id, first_seq)
    if (data === undefined || journalCrc(id, first_seq, last_seq, data) !== crc) return null
    return decodeJournal(data)
  }

  #placed(row: RecordingRow, head: Head, feed: FeedId, conns: ReadonlySet<number>): PlacedRow {
    const m = this.#read(row, head)?.messages
    if (m === undefined) this.#tear(row, head)
    const count = m?.count ?? 0
    const instrument = new Uint32Array(count)
    const place = new Uint32Array(count)
    const seq = new Float64Array(count)
    const recvMs = new Float64Array(count)
    const timeMs = new Float64Array(count)
    let length = 0
    for (let i = 0; m !== undefined && i < count; i += 1) {
      if ((m.flags[i] & OUT_OF_BARS) !== 0 || !conns.has(m.conn[i])) continue
      const { series, eventMs } = this.#classifier.place(feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1])
      if (series === '') continue
      instrument[length] = this.#numberOf(series)
      place[length] = i
      seq[length] = m.seq[i]
      recvMs[length] = m.recvMs[i]
      timeMs[length] = Number.isNaN(eventMs) ? m.recvMs[i] : eventMs
      length += 1
    }
    return {
      crc: head.crc,
      instrument: instrument.slice(0, length),
      place: place.slice(0, length),
      seq: seq.slice(0, length),
      recvMs: recvMs.slice(0, length),
      timeMs: timeMs.slice(0, length),
    }
  }

  #numberOf(series: string): number {
    let number = this.#numbers.get(series)
    if (number === undefined) this.#numbers.set(series, (number = this.#numbers.size))
    return number
  }
}
