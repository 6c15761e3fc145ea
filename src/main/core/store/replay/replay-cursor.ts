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
import { textTarget, type OpenBlock } from '../blocks/open-block.ts'
import type { MessageColumns } from '../types/messages.ts'
import type { ReplayBatch, ReplayQuery } from '../types/replay.ts'
import type { ReplaySession, ReplaySeries, ReplaySql } from '../read/replay-sql.ts'
import type { SeqRange } from '../format/corrupt-flushes.ts'
import { lineOf, ODD_FLAGS } from './message-line.ts'
import { growRows, newRows, trimRows, type Rows } from './replay-rows.ts'
import { MAX_ROWS, textKernel, type TextKernel } from './text-kernel.ts'

/** Seqs of the first batch, which a seek waits for, and of later ones. */
const FIRST_SEQS = 1024
const MAX_SEQS = MAX_ROWS
/** Message bytes that end a batch early. */
const MAX_BYTES = 2 << 20
/** Expected bytes of a message. */
const TYPICAL_BYTES = 96
/** Most shapes of records in a batch; others are texts. */
const MAX_SHAPES = 0xffff
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

/** Rows [from, to) of a block, which are in the batch. */
interface BlockRows {
  readonly block: OpenBlock
  readonly feed: number
  readonly from: number
  readonly to: number
}

interface Wanted {
  readonly texts: boolean
  readonly lines: boolean
  readonly records: boolean
  readonly connections: boolean
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
      lines: query.prefersLines === true,
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
    this.#sql.requireStored(this.#session)
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
    const { texts, lines, records } = this.#wanted
    const isText = texts && !records
    const most = isText ? Math.max(FIRST_SEQS, Math.ceil(MAX_BYTES / this.#bytesPerRow)) : MAX_SEQS
    const end = Math.min(cursor + Math.min(this.#seqs, most), last)
    const size = end - cursor
    this.#owner.fill(0, 0, size)
    const open: BlockRows[] = []
    for (const stream of this.#streams) this.#assignRows(stream, end, open)
    const room = texts ? Math.min(size * this.#bytesPerRow, MAX_BYTES) + SPARE_BYTES : 0
    const rows = this.#newRows(size, room, records ? strideOf(open) : 0)
    const kernel = isText ? textKernel(lines) : null
    kernel?.begin(size)
    const shapes: RecordShape[] = []
    let n = this.#orderSeqs(size, rows)
    for (const of of open) this.#placeRows(of, rows, kernel, shapes)
    let upTo = end
    const later = this.#upToMs === Infinity ? -1 : rows.recvMs.subarray(0, n).findIndex((ms) => ms > this.#upToMs)
    if (later >= 0) {
      n = later
      upTo = rows.seq[n] - 1
    }
    const written = texts ? this.#writeTexts(rows, n, open, kernel) : { rows, count: n }
    // Where long texts end the batch early, the rest before the target is still to be read.
    if (written.count < n) upTo = rows.seq[written.count - 1]
    else if (later >= 0) this.#isPastTarget = true
    const batch = this.#batch(trimRows(written.rows, written.count), shapes, upTo)
    return isText && lines ? { ...batch, areLines: true } : batch
  }

  /** Writes the seqs of a batch of `size` seqs, and finds each one's place in it. Returns the count of its messages. */
  #orderSeqs(size: number, rows: Rows): number {
    const [owner, place, first] = [this.#owner, this.#place, this.#cursor + 1]
    let n = 0
    for (let i = 0; i < size; i++) {
      place[i] = n
      if (owner[i] === 0) continue
      rows.seq[n++] = first + i
    }
    rows.flags.fill(0, 0, n)
    rows.offsets.fill(0, 0, n + 1)
    return n
  }

  /** Writes rows of a block to their places, column by column because each block's columns are elsewhere in memory. */
  #placeRows({ block, feed, from, to }: BlockRows, rows: Rows, kernel: TextKernel | null, shapes: RecordShape[]): void {
    const { seq, recvMs } = block
    const places = this.#places.subarray(0, to - from)
    const place = this.#place
    const first = this.#cursor + 1
    for (let row = from; row < to; row++) {
      const at = place[seq[row] - first]
      places[row - from] = at
      rows.feed[at] = feed
      rows.recvMs[at] = recvMs[row]
    }
    const { texts, lines, connections } = this.#wanted
    if (!texts) return
    if (connections) {
      const { monoNs, conn } = block
      for (let i = 0; i < places.length; i++) {
        rows.monoNs[places[i]] = monoNs[from + i]
        rows.conn[places[i]] = conn[from + i]
      }
    }
    if (rows.records !== undefined) {
      const numberOf = (shape: RecordShape): number => numberIn(shapes, shape)
      block.records.writeAll(from, to, places, { ...rows.records, numberOf })
    } else if (kernel !== null) block.texts.fill(from, to, places, feed, kernel)
    if (block.commonFlags === 0) return
    const { flags } = block
    for (let i = 0; i < places.length; i++) {
      const flag = flags[from + i]
      rows.flags[places[i]] = flag
      if (rows.records !== undefined && flag !== 0) rows.records.shape[places[i]] = 0
      if (lines && kernel !== null && (flag & ODD_FLAGS) !== 0) kernel.isSingle[places[i]] = 1
    }
  }

  /**
   * Writes the texts of the first `n` rows of a batch, except those with a record, until they are many bytes. Returns the rows,
   * which may have moved, and the count of those that were written.
   */
  #writeTexts(
    placed: Rows,
    n: number,
    open: readonly BlockRows[],
    kernel: TextKernel | null,
  ): { readonly rows: Rows; readonly count: number } {
    let rows = placed
    const { records } = placed
    if (this.#wanted.lines) kernel?.setStamps(rows.recvMs.subarray(0, n), rows.seq.subarray(0, n))
    /** The next row that is written by itself. */
    const nextSingle = (from: number): number => {
      if (records === undefined && kernel === null) return from
      const at = records === undefined ? kernel!.isSingle.indexOf(1, from) : rows.records!.shape.indexOf(0, from)
      return at < 0 ? n : Math.min(at, n)
    }
    let at = 0
    let row = 0
    let single = -1
    while (row < n && at < MAX_BYTES) {
      if (single < row) single = nextSingle(row)
      if (row < single && kernel === null) {
        rows.offsets.fill(at, row + 1, single + 1)
        row = single
        continue
      }
      if (row < single) {
        const { row: next, text, isStuck } = kernel!.write(row, single)
        if (at + text.length > rows.bytes.length) rows = growRows(rows, at + text.length)
        rows.bytes.set(text, at)
        setOffsets(rows.offsets, row, next, kernel!.ends, at - kernel!.outAt)
        at += text.length
        row = next
        if (!isStuck) continue
      }
      ;[rows, at] = this.#writeText(rows, row, at, open)
      rows.offsets[++row] = at
    }
    if (row > 0) this.#bytesPerRow = Math.max(this.#bytesPerRow, Math.ceil(at / row))
    return { rows, count: row }
  }

  /** Writes the text of a row at `at`. Returns the rows, which may have moved, and the offset after it. */
  #writeText(placed: Rows, row: number, at: number, open: readonly BlockRows[]): readonly [Rows, number] {
    let rows = placed
    const i = rows.seq[row] - this.#cursor - 1
    const { texts: writer } = open[this.#owner[i] - 1].block
    const from = this.#row[i]
    const room = writer.room(from)
    const makeRoom = (need: number): void => {
      if (at + need > rows.bytes.length) rows = growRows(rows, at + need)
    }
    if (!this.#wanted.lines) {
      makeRoom(room)
      return [rows, writer.write(from, textTarget(rows.bytes), at)]
    }
    const text = new Uint8Array(room)
    const message = text.subarray(0, writer.write(from, textTarget(text), 0))
    const line = lineOf(rows.feed[row], rows.recvMs[row], rows.seq[row], message, rows.flags[row])
    makeRoom(line.length)
    rows.bytes.set(line, at)
    return [rows, at + line.length]
  }

  /** Room for a batch, which is the spare buffer only once. */
  #newRows(count: number, bytes: number, stride: number): Rows {
    const spare = this.#spare
    this.#spare = undefined
    return newRows(count, bytes, { omitConnections: !this.#wanted.connections, stride }, spare)
  }

  /** Opens a series' blocks in (cursor, end] and records where each row goes. */
  #assignRows(stream: Stream, end: number, open: BlockRows[]): void {
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
      open.push({ block, feed: stream.feed, from, to })
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
const strideOf = (open: readonly BlockRows[]): number =>
  open.reduce((most, { feed }) => Math.max(most, numbersOf(FEED_IDS[feed])), 1)

/** 1 + the index of a shape, which is added if it is new; 0 if there are too many. */
function numberIn(shapes: RecordShape[], shape: RecordShape): number {
  const known = shapes.indexOf(shape) + 1
  return known === 0 && shapes.length < MAX_SHAPES ? shapes.push(shape) : known
}

/** Writes where the texts of rows [from, to) end, which begin `shift` bytes after `ends`. */
function setOffsets(offsets: Uint32Array, from: number, to: number, ends: Uint32Array, shift: number): void {
  for (let i = from; i < to; i++) offsets[i + 1] = ends[i] + shift
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
