/**
 * Reads a session in the order it was received: messages of every feed and entries, batch by batch. Seqs are gapless
 * over both, so many series are merged by writing each row at the position of its seq, without comparisons.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import { FEED_IDS } from '../../../../shared/base/units.ts'
import type { RecordShape } from '../../../../service/codecs/reading.ts'
import { numbersOf } from '../../../../service/codecs/template-shape.ts'
import { VERIFY_HINT } from '../types/corruption.ts'
import { upperBound } from '../../../../shared/base/search.ts'
import { corruptBlock } from '../blocks/bytes.ts'
import { textTarget, type OpenBlock, type RecordWriter, type TextWriter } from '../blocks/open-block.ts'
import type { MessageColumns } from '../types/messages.ts'
import type { ReplayBatch, ReplayQuery } from '../types/replay.ts'
import type { ReplaySession, ReplaySeries, ReplaySql } from '../read/replay-sql.ts'
import type { SeqRange } from '../format/corrupt-flushes.ts'
import { growRows, newRows, trimRows, type Rows } from './replay-rows.ts'

/** Seqs of the first batch, which a seek waits for, and of later ones. */
const FIRST_SEQS = 1024
const MAX_SEQS = 8192
/** Message bytes that end a batch early. */
const MAX_BYTES = 2 << 20
/** Expected bytes of a message. */
const TYPICAL_BYTES = 96
/** Most shapes of records in a batch; others are texts. */
const MAX_SHAPES = 0xffff
/** Most batches after one with a text among records in which none without is expected. */
const MAX_PAUSE = 63
/** Room for messages that are longer than expected. */
const SPARE_BYTES = 4096
/** Batches after which this counts as a long read. Blocks it opens then aren't cached for others. */
const CACHED_BATCHES = 3
/**
 * How far the first rows of a block are decoded ahead. A seek usually needs no more than from a snapshot to its target.
 */
const DECODE_AHEAD_SEQS = 16_384

interface Stream extends ReplaySeries {
  /** Rows not yet read, oldest first; mostly one block. */
  readonly blocks: OpenBlock[]
  /** The block opened last, and its last seq. */
  last: { readonly block: OpenBlock; readonly maxSeq: number } | null
  /** Everything outside of `blocks` is at or after this seq. */
  from: number
}

/** A block with its columns, because looking them up for each row is slow. */
interface BlockColumns {
  readonly feed: number
  readonly seq: Float64Array
  readonly recvMs: Float64Array
  /** The rows in the batch are [from, to). */
  readonly from: number
  readonly to: number
  /** Whether its messages have no flags and may be records without connections. */
  readonly isPlain: boolean
  /** Null if only stamps are read. */
  readonly texts: { readonly flags: Uint8Array; readonly writer: TextWriter } | null
  /** Null if only texts are read. */
  readonly records: BlockRecords | null
  /** Null if they are omitted. */
  readonly connections: { readonly monoNs: Float64Array; readonly conn: Uint32Array } | null
}

/** The records of a block, and the shape of the last one with its number in the batch. */
interface BlockRecords {
  readonly writer: RecordWriter
  shape: RecordShape | undefined
  number: number
}

interface Wanted {
  readonly texts: boolean
  readonly records: boolean
  readonly connections: boolean
}

function readColumns(block: OpenBlock, feed: number, wanted: Wanted, from: number, to: number): BlockColumns {
  const { seq, recvMs } = block
  const rows = { feed, seq, recvMs, from, to }
  if (!wanted.texts) return { ...rows, isPlain: false, texts: null, records: null, connections: null }
  return {
    ...rows,
    isPlain: wanted.records && !wanted.connections && block.commonFlags === 0,
    texts: { flags: block.flags, writer: block.texts },
    records: wanted.records ? { writer: block.records, shape: undefined, number: 0 } : null,
    connections: wanted.connections ? { monoNs: block.monoNs, conn: block.conn } : null,
  }
}

export interface CursorOptions {
  /** False: batches hold stamps and no text. Default true. */
  readonly withTexts?: boolean
}

export class ReplayCursor {
  readonly #sql: ReplaySql
  readonly #session: ReplaySession
  readonly #wanted: Wanted
  readonly #upToSeq: number
  readonly #upToMs: number
  #cursor: number
  /** A message was received after the requested time. */
  #isPastTarget = false
  #seqs = FIRST_SEQS
  #batches = 0
  #sealedSeq = -1
  #streams: Stream[] = []
  /** Sealed flushes that are corrupt, ascending. */
  #corruptFlushes: readonly SeqRange[] = []
  #feeds: ReadonlyMap<number, number> = new Map()
  /** By seq of the window: 1 + index of its block in `#open`, and its row there. */
  readonly #owner = new Uint32Array(MAX_SEQS)
  readonly #row = new Uint32Array(MAX_SEQS)
  /** Batches to wait after a text among records before `#asRecords` is tried again, and the number of the next try. */
  #pause = 0
  #nextTry = 0
  /** Places in the batch: by seq of the window, and by row of the block that is written. */
  readonly #place = new Uint32Array(MAX_SEQS)
  readonly #places = new Uint32Array(MAX_SEQS)
  #spare: ArrayBuffer | undefined
  /** Bytes of a message in the batch so far where they are longest on average. */
  #bytesPerRow: number

  /** Fixes the seq where reading ends. Throws `not-found`. */
  constructor(sql: ReplaySql, query: ReplayQuery, options: CursorOptions = {}) {
    const { session, afterSeq, upToSeq = Infinity, upToMs = Infinity } = query
    this.#sql = sql
    this.#upToMs = upToMs
    this.#wanted = {
      texts: options.withTexts ?? true,
      records: query.prefersRecords === true,
      connections: query.omitConnections !== true,
    }
    this.#bytesPerRow = this.#wanted.records ? 0 : TYPICAL_BYTES
    this.#session = sql.session(session)
    this.#cursor = Math.max(0, Math.floor(afterSeq))
    this.#upToSeq = Math.min(Math.floor(upToSeq), sql.journal.lastSeq(this.#session.id))
  }

  /** The next batch, in `spare` if it fits; null at the end. Throws `store-damaged` at a corrupt flush. */
  next(spare?: ArrayBuffer): ReplayBatch | null {
    this.#spare = spare
    while (this.#cursor < this.#upToSeq && !this.#isPastTarget) {
      const batch = this.#sql.read(() => this.#read())
      if (batch === null) return null
      this.#cursor = batch.upToSeq
      this.#seqs = Math.min(MAX_SEQS, this.#seqs * 2)
      this.#batches++
      if (batch.count > 0 || batch.entries.length > 0) return batch
    }
    return null
  }

  #read(): ReplayBatch | null {
    const { id } = this.#session
    const sealed = this.#sql.journal.sealedSeq(id)
    if (sealed !== this.#sealedSeq) {
      this.#sealedSeq = sealed
      this.#loadSeries(id)
    }
    return this.#cursor < sealed
      ? this.#fromBlocks(this.#findIntactEnd(Math.min(sealed, this.#upToSeq)))
      : this.#fromJournal(id)
  }

  /**
   * The last seq before a corrupt sealed flush. Throws `store-damaged` if the next one is corrupt, because a replay
   * without its messages would be wrong. Stamps are read past it.
   */
  #findIntactEnd(last: number): number {
    if (!this.#wanted.texts) return last
    const next = this.#corruptFlushes.find(([, lastCorrupt]) => lastCorrupt > this.#cursor)
    if (next === undefined || next[0] > last) return last
    if (next[0] <= this.#cursor + 1) throw this.#sql.corruptFlushes.refusal(this.#session.id, next)
    return next[0] - 1
  }

  /** Loads new series, and new blocks of series that had ended. */
  #loadSeries(id: number): void {
    this.#corruptFlushes = this.#sql.corruptFlushes.sealed(id, 0, Infinity)
    const known = new Map(this.#streams.map((stream) => [stream.id, stream]))
    this.#streams = this.#sql.series(id).map((series): Stream => {
      const stream = known.get(series.id)
      if (stream === undefined) return { ...series, blocks: [], last: null, from: 0 }
      if (stream.from === Infinity) stream.from = 0
      return stream
    })
  }

  #fromBlocks(last: number): ReplayBatch {
    const cursor = this.#cursor
    const end = Math.min(cursor + this.#seqs, last)
    const size = end - cursor
    const owner = this.#owner.fill(0, 0, size)
    const open: BlockColumns[] = []
    for (const stream of this.#streams) this.#assignRows(stream, end, open)
    const records = this.#batches < this.#nextTry ? null : this.#asRecords(open, size)
    if (records !== null) return records
    const room = this.#wanted.texts ? Math.min(size * this.#bytesPerRow, MAX_BYTES) + SPARE_BYTES : 0
    let rows = this.#newRows(size, room, this.#wanted.records ? strideOf(open) : 0)
    let out = textTarget(rows.bytes)
    const shapes: RecordShape[] = []
    let n = 0
    let at = 0
    let upTo = end
    for (let i = 0; i < size; i++) {
      const of = owner[i]
      if (of === 0) continue
      const { feed, recvMs, texts, records, connections } = open[of - 1]
      const row = this.#row[i]
      if (recvMs[row] > this.#upToMs) {
        this.#isPastTarget = true
        upTo = cursor + i
        break
      }
      rows.feed[n] = feed
      rows.seq[n] = cursor + i + 1
      rows.recvMs[n] = recvMs[row]
      if (connections !== null) {
        rows.monoNs[n] = connections.monoNs[row]
        rows.conn[n] = connections.conn[row]
      }
      if (texts !== null) rows.flags[n] = texts.flags[row]
      if (rows.records !== undefined && records !== null) {
        const number = rows.flags[n] === 0 ? writeRecord(records, row, rows.records, n, shapes) : 0
        rows.records.shape[n] = number
        if (number > 0) {
          rows.offsets[++n] = at
          continue
        }
      }
      if (texts !== null) {
        const need = at + texts.writer.room(row)
        if (need > rows.bytes.length) {
          rows = growRows(rows, need)
          out = textTarget(rows.bytes)
        }
        at = texts.writer.write(row, out, at)
      }
      rows.offsets[++n] = at
      if (at >= MAX_BYTES) {
        upTo = cursor + i + 1
        break
      }
    }
    if (n > 0) this.#bytesPerRow = Math.max(this.#bytesPerRow, Math.ceil(at / n))
    return this.#batch(trimRows(rows, n), shapes, upTo)
  }

  /**
   * The batch of `size` seqs if each of its messages is a record; null otherwise. Written block by block and column by
   * column, because each block's columns are elsewhere in memory.
   */
  #asRecords(open: readonly BlockColumns[], size: number): ReplayBatch | null {
    if (open.length === 0 || this.#upToMs < Infinity || open.some(({ isPlain }) => !isPlain)) return null
    const cursor = this.#cursor
    const rows = this.#newRows(size, 0, strideOf(open))
    const place = this.#place
    let n = 0
    for (let i = 0; i < size; i++) {
      place[i] = n
      if (this.#owner[i] === 0) continue
      rows.seq[n] = cursor + i + 1
      n++
    }
    rows.flags.fill(0, 0, n)
    rows.offsets.fill(0, 0, n + 1)
    const shapes: RecordShape[] = []
    const numberOf = (shape: RecordShape): number => numberIn(shapes, shape)
    const target = { ...rows.records!, numberOf }
    for (const { feed, seq, from, to, recvMs, records } of open) {
      const places = this.#places.subarray(0, to - from)
      for (let row = from; row < to; row++) {
        const at = place[seq[row] - cursor - 1]
        places[row - from] = at
        rows.feed[at] = feed
        rows.recvMs[at] = recvMs[row]
      }
      if (!records!.writer.writeAll(from, to, places, target)) {
        this.#spare = rows.buffer
        this.#pause = Math.min(MAX_PAUSE, 1 + 2 * this.#pause)
        this.#nextTry = this.#batches + 1 + this.#pause
        return null
      }
    }
    this.#pause = 0
    return this.#batch(trimRows(rows, n), shapes, cursor + size)
  }

  /** Room for a batch, which is the spare buffer only once. */
  #newRows(count: number, bytes: number, stride: number): Rows {
    const spare = this.#spare
    this.#spare = undefined
    return newRows(count, bytes, { omitConnections: !this.#wanted.connections, stride }, spare)
  }

  /** Opens a series' blocks in (cursor, end] and records where each row goes. */
  #assignRows(stream: Stream, end: number, open: BlockColumns[]): void {
    const cursor = this.#cursor
    const { blocks } = stream
    while (blocks.length > 0 && lastOf(blocks[0]) <= cursor) blocks.shift()
    for (let b = 0; ; b++) {
      if (b === blocks.length) {
        if (stream.from > end) return
        const after = b === 0 ? cursor : Math.max(cursor, lastOf(blocks[b - 1]))
        const last = this.#openNextBlock(stream, after, end)
        if (last === null) return
        const decodeUpTo = this.#batches < CACHED_BATCHES ? Math.max(end, cursor + DECODE_AHEAD_SEQS) : Infinity
        const rows = last.block.within(after, decodeUpTo)
        stream.from = Math.min(last.maxSeq, decodeUpTo) + 1
        if (rows.count === 0) {
          if (stream.from > end) return
          throw corruptBlock('its seqs don’t match its index')
        }
        blocks.push(rows)
      }
      const block = blocks[b]
      const { seq, count } = block
      if (seq[0] > end) return
      const from = upperBound(seq, cursor)
      const to = upperBound(seq, end)
      open.push(readColumns(block, stream.feed, this.#wanted, from, to))
      for (let row = from; row < to; row++) {
        const at = seq[row] - cursor - 1
        this.#owner[at] = open.length
        this.#row[at] = row
      }
      if (seq[count - 1] > end) return
    }
  }

  /** Opens the block of a series that follows a seq; null if there is none up to `end`. */
  #openNextBlock(stream: Stream, after: number, end: number): Stream['last'] {
    if (stream.last !== null && stream.last.maxSeq > after) return stream.last
    const range = this.#sql.blockAfter(stream.id, after)
    stream.last = null
    stream.from = range?.min_seq ?? Infinity
    if (range === undefined || range.min_seq > end) return null
    const block = this.#sql.open(this.#session.key, stream.id, range, this.#batches < CACHED_BATCHES)
    return (stream.last = { block, maxSeq: range.max_seq })
  }

  #fromJournal(id: number): ReplayBatch | null {
    const cursor = this.#cursor
    const parts: { readonly m: MessageColumns; readonly from: number; readonly to: number }[] = []
    let upTo = cursor
    let count = 0
    let bytes = 0
    for (const flush of this.#sql.journal.after(id, cursor)) {
      const m = flush.read()?.messages
      if (m === undefined && this.#wanted.texts) {
        if (upTo > cursor) break // earlier rows come first
        throw this.#sql.corruptFlushes.refusal(id, [flush.firstSeq, flush.lastSeq])
      }
      upTo = Math.min(flush.lastSeq, this.#upToSeq)
      if (m !== undefined) {
        const from = upperBound(m.seq, cursor)
        const to = upperBound(m.seq, upTo)
        parts.push({ m, from, to })
        count += to - from
        bytes += m.offsets[to] - m.offsets[from]
      }
      if (count >= this.#seqs || bytes >= MAX_BYTES || upTo >= this.#upToSeq) break
    }
    if (upTo === cursor) return null
    const rows = this.#newRows(count, bytes, 0)
    let n = 0
    let at = 0
    for (const { m, from, to } of parts) {
      rows.seq.set(m.seq.subarray(from, to), n)
      rows.recvMs.set(m.recvMs.subarray(from, to), n)
      if (this.#wanted.connections) {
        rows.monoNs.set(m.monoNs.subarray(from, to), n)
        rows.conn.set(m.conn.subarray(from, to), n)
      }
      rows.flags.set(m.flags.subarray(from, to), n)
      const start = m.offsets[from]
      rows.bytes.set(m.bytes.subarray(start, m.offsets[to]), at)
      for (let i = from; i < to; i++) {
        rows.feed[n] = this.#feedOf(id, m.conn[i])
        rows.offsets[++n] = at + m.offsets[i + 1] - start
      }
      at = rows.offsets[n]
    }
    this.#isPastTarget = rows.recvMs.some((ms) => ms > this.#upToMs)
    return this.#batch(trimRows(rows, n), [], upTo)
  }

  #feedOf(id: number, conn: number): number {
    let feed = this.#feeds.get(conn)
    if (feed === undefined) {
      this.#feeds = this.#sql.connections(id)
      feed = this.#feeds.get(conn)
    }
    if (feed === undefined) throw new TypeError(`connection ${conn} was never announced`)
    return feed
  }

  #batch({ records, ...rows }: Rows, shapes: readonly RecordShape[], upToSeq: number): ReplayBatch {
    const { id, key } = this.#session
    const entries = this.#sql.entries(id, this.#cursor, upToSeq)
    // Only an imported part of a session skips seqs. Elsewhere the store has lost track of a block or an entry.
    if (this.#wanted.texts && id > 0 && rows.seq.length + entries.length !== upToSeq - this.#cursor) {
      throw new CodedError(
        'store-damaged',
        `Some messages or entries of ${key} between ${this.#cursor + 1} and ${upToSeq} aren’t found.`,
        { hint: VERIFY_HINT },
      )
    }
    if (entries.some(({ wallMs }) => wallMs > this.#upToMs)) this.#isPastTarget = true
    const recordColumns = records === undefined ? {} : { records: { ...records, shapes } }
    return { session: key, count: rows.seq.length, ...rows, ...recordColumns, entries, upToSeq }
  }
}

/** Numbers that each record of these blocks may have. */
const strideOf = (open: readonly BlockColumns[]): number =>
  open.reduce((most, { feed }) => Math.max(most, numbersOf(FEED_IDS[feed])), 1)

/** 1 + the index of a shape, which is added if it is new; 0 if there are too many. */
function numberIn(shapes: RecordShape[], shape: RecordShape): number {
  const known = shapes.indexOf(shape) + 1
  return known === 0 && shapes.length < MAX_SHAPES ? shapes.push(shape) : known
}

/** Writes the record of a block's row as row `n`. Returns 1 + the index of its shape, or 0 if it has to be a text. */
function writeRecord(
  of: BlockRecords,
  row: number,
  out: NonNullable<Rows['records']>,
  n: number,
  shapes: RecordShape[],
): number {
  const shape = of.writer.shape(row)
  if (shape === undefined) return 0
  if (shape !== of.shape) {
    of.shape = shape
    of.number = numberIn(shapes, shape)
  }
  if (of.number === 0) return 0
  const decimals = of.writer.write(row, out.numbers, n * out.stride)
  if (decimals < 0) return 0
  out.decimals[n] = decimals
  return of.number
}

/** Seqs and wall times (UTC ms) of messages and entries, in order. */
export function* stampsOf(
  sql: ReplaySql,
  query: ReplayQuery,
): Generator<{ readonly seq: number; readonly wallMs: number }, void, void> {
  const cursor = new ReplayCursor(sql, query, { withTexts: false })
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const { entries, count, seq, recvMs } = batch
    let e = 0
    for (let i = 0; i < count; i++) {
      for (; e < entries.length && entries[e].seq < seq[i]; e++) yield entries[e]
      yield { seq: seq[i], wallMs: recvMs[i] }
    }
    for (; e < entries.length; e++) yield entries[e]
  }
}

const lastOf = ({ seq, count }: OpenBlock): number => seq[count - 1]
