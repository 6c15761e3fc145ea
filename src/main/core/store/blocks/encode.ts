/**
 * Encodes messages into a sealed block. Layout: a plain header (magic, version, CRC-32 of the rest, sizes), a zstd
 * frame with what most readers need (directory, seqs, the messages' numbers and times), a zstd frame with what few need
 * (stamps, connections, exception texts), and a section of raw bits that don't compress.
 */
import { constants, crc32 } from 'node:zlib'
import { zstdCompressSync } from '../../../base/zstd.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import type { MessageColumns } from '../types/messages.ts'
import { ByteWriter } from './bytes.ts'
import { HEADER_BYTES, MAGIC, MAX_BODY, MAX_ROWS, TIME, TIME_UNITS, VERSION } from './format.ts'
import { LOW_PADDING } from './ints.ts'
import { FORM, POW10 } from '../kernels/literal.ts'
import { ArrayScratch } from './open-block.ts'
import { STYLE } from '../kernels/number-form.ts'
import { createParseBuffers, parseRows, type ParseBuffers, type ParsedRows } from './parse-rows.ts'
import { proveInSteps } from './prove.ts'
import { sealNumbers, type Gather, type Sealed } from './seal-numbers.ts'
import { writeInts, type Ref } from './write-ints.ts'

/** Without a codec, times outside of these years count as undated. */
const FIRST_TIME = Date.UTC(1980, 0)
const LAST_TIME = Date.UTC(2100, 0)

export interface EncodeOptions {
  /** Event time of each row as the codec read it, UTC ms; NaN if undated. Default: the feed's own time key in ms. */
  readonly eventMs?: Float64Array | undefined
  /** zstd level; default 1. */
  readonly level?: number | undefined
  /** Decodes the block again and compares every byte and stamp; default true. */
  readonly prove?: boolean | undefined
}

/** Memory that is used again for the next block, because allocating it is the most expensive part of sealing. */
interface Buffers {
  readonly parsing: ParseBuffers
  readonly scratch: ArrayScratch
  readonly sections: Sections
}

const createBuffers = (): Buffers => ({
  parsing: createParseBuffers(),
  scratch: new ArrayScratch(),
  sections: { head: new ByteWriter(1 << 12), hot: new ByteWriter(), cold: new ByteWriter(), low: new ByteWriter() },
})

/** Undefined while a block is using them, and before the first. */
let pool: Buffers | undefined

/**
 * Seals a run of messages. Decoding the result gives back every stamp and every byte. `prove` checks that before
 * returning, and a run that fails is sealed as plain text instead. Throws `internal` if the run is too large (MAX_ROWS
 * rows or half of MAX_BODY bytes).
 */
export function encodeBlock(feed: FeedId, messages: MessageColumns, options: EncodeOptions = {}): Uint8Array {
  const work = encodeInSteps(feed, messages, options)
  for (;;) {
    const turn = work.next()
    if (turn.done === true) return turn.value
  }
}

/** Like `encodeBlock`, yielding often. The messages must not change until it ends. */
export function* encodeInSteps(
  feed: FeedId,
  messages: MessageColumns,
  options: EncodeOptions = {},
): Generator<undefined, Uint8Array, void> {
  const block = yield* build(feed, messages, options, true)
  if (options.prove === false) return block
  yield
  try {
    yield* proveInSteps(block, messages, options.eventMs)
    return block
  } catch {
    const plain = yield* build(feed, messages, options, false)
    yield* proveInSteps(plain, messages, options.eventMs)
    return plain
  }
}

/** Most rows of a block whose memory is kept, and most bytes of its text: a recorder may run for weeks after a large one. */
const MAX_POOL_ROWS = 1 << 16
const MAX_POOL_BYTES = 16 << 20

/** The sections of a block while it is written. */
interface Sections {
  readonly head: ByteWriter
  readonly hot: ByteWriter
  readonly cold: ByteWriter
  readonly low: ByteWriter
}

function* build(
  feed: FeedId,
  messages: MessageColumns,
  options: EncodeOptions,
  shaped: boolean,
): Generator<undefined, Uint8Array, void> {
  const { count, bytes, offsets } = messages
  const size = (offsets[count] ?? 0) - (offsets[0] ?? 0)
  if (count > MAX_ROWS || size > MAX_BODY / 2) {
    throw new CodedError('internal', 'Too many messages for one block.')
  }
  const buffers = pool ?? createBuffers()
  pool = undefined
  const { parsing, scratch, sections } = buffers
  scratch.reset()
  for (const section of [sections.head, sections.hot, sections.cold, sections.low]) section.at = 0
  const rows = yield* parseRows(feed, messages, shaped, { parsing, scratch })
  writeTemplates(sections.head, feed, messages, rows)
  yield* writeColumns(sections, feed, messages, options.eventMs, rows, scratch)
  for (const row of rows.raws) sections.cold.raw(bytes.subarray(offsets[row], offsets[row + 1]))
  const block = yield* assemble(sections, options.level ?? 1)
  if (count <= MAX_POOL_ROWS && size <= MAX_POOL_BYTES) pool = buffers
  return block
}

function writeTemplates(
  head: ByteWriter,
  feed: FeedId,
  { count, offsets }: MessageColumns,
  { templates, gathers, raws }: ParsedRows,
): void {
  head.text(feed)
  head.varint(count)
  head.varint(gathers.length)
  for (const gather of gathers) {
    head.byte(gather.key === undefined ? 0 : 1)
    if (gather.key !== undefined) head.text(gather.key)
  }
  head.varint(templates.length)
  for (const template of templates) {
    head.text(template.symbol)
    head.varint(template.columnIds.length)
    for (const id of template.columnIds) head.varint(id)
    for (const part of template.parts) head.block(part)
  }
  head.varint(raws.length)
  for (const row of raws) head.varint(offsets[row + 1] - offsets[row])
}

/** Writes stamps, numbers and event times, yielding often. */
function* writeColumns(
  { head, hot, cold, low }: Sections,
  feed: FeedId,
  messages: MessageColumns,
  eventMs: Float64Array | undefined,
  rows: ParsedRows,
  scratch: ArrayScratch,
): Generator<undefined, void, void> {
  const { count, bytes } = messages
  const { gathers, templateIds, raws } = rows
  let id = 0
  const write = (values: Float64Array, n: number, refs: readonly Ref[] = [], high = hot): Ref => {
    writeInts(values, n, refs, head, high, low)
    return { id: id++, values, scale: 1 }
  }
  const asDoubles = (values: ArrayLike<number>): Float64Array => {
    const doubles = scratch.floats(count)
    doubles.set(values)
    return doubles
  }
  const seq = write(messages.seq, count)
  write(asDoubles(messages.conn), count, [], cold)
  write(asDoubles(messages.connSeq), count, [seq], cold)
  const mono = write(messages.monoNs, count, [], cold)
  const recv = write(messages.recvMs, count, [{ ...mono, scale: 'clock' }], cold)
  // Imports can have fractions of a millisecond, and remainders are whole numbers.
  const recvRefs = recv.values.every(Number.isInteger) ? [recv] : []
  yield
  write(asDoubles(messages.flags), count)
  write(templateIds, count)
  write(Float64Array.from(raws), raws.length)

  const sealed: Sealed[] = []
  const dense: { ref: Ref; decimals: number }[] = []
  for (const gather of gathers) {
    const column = sealNumbers(gather, bytes)
    sealed.push(column)
    yield
    const refs: Ref[] = []
    if (gather.n === count) {
      if (column.decimals === 0) refs.push(...recvRefs.map((ref) => ({ ...ref, minGain: 1.5 })))
      for (const other of dense.slice(-4)) {
        const power = column.decimals - other.decimals
        if (power >= 0 && power <= 8) refs.push({ ...other.ref, scale: POW10[power] })
      }
    }
    head.byte(column.style)
    head.byte(column.decimals)
    const ref = write(column.values, gather.n, refs)
    if (gather.n === count) dense.push({ ref, decimals: column.decimals })
    if (column.style === STYLE.explicit) {
      write(
        Float64Array.from(gather.form.subarray(0, gather.n), (form) => form & FORM.decimals),
        gather.n,
      )
    }
    write(Float64Array.from(column.exceptions), column.exceptions.length)
    for (const at of column.exceptions) head.block(bytes.subarray(gather.starts[at], gather.ends[at]))
  }
  yield
  const cells = (at: number): Float64Array => cellsOf(sealed[at], at, rows)
  writeTime(feed, messages, eventMs, gathers, sealed, cells, head, write, recvRefs)
}

/** The numbers of column `at`, one per row; NaN for rows without one, or with one stored as text. */
function cellsOf(column: Sealed, at: number, { templates, templateIds }: ParsedRows): Float64Array {
  if (
    column.values.length === templateIds.length &&
    column.exceptions.length === 0 &&
    column.style !== STYLE.explicit
  ) {
    const power = POW10[column.decimals]
    return column.values.map((value) => value / power)
  }
  const skip = new Set(column.exceptions)
  const has = templates.map((template) => template.columnIds.includes(at))
  const out = new Float64Array(templateIds.length).fill(NaN)
  for (let row = 0, n = 0; row < templateIds.length; row++) {
    const template = templateIds[row]
    if (template === 0 || !has[template - 1]) continue
    if (!skip.has(n) && column.style !== STYLE.explicit) out[row] = column.values[n] / POW10[column.decimals]
    n++
  }
  return out
}

/** Compresses the sections and puts the header before them. Throws `internal` if they are too large. */
function* assemble({ head, hot, cold, low }: Sections, level: number): Generator<undefined, Uint8Array, void> {
  const wanted = new Uint8Array(head.at + hot.at)
  wanted.set(head.finish())
  wanted.set(hot.finish(), head.at)
  if (wanted.length + cold.at > MAX_BODY) throw new CodedError('internal', 'Too many messages for one block.')
  low.raw(new Uint8Array(LOW_PADDING))
  yield
  const frames = [pack(wanted, level), pack(cold.finish(), level)]
  const out = new Uint8Array(HEADER_BYTES + frames[0].length + frames[1].length + low.at)
  const header = new DataView(out.buffer)
  header.setUint32(0, MAGIC, true)
  header.setUint32(8, VERSION, true)
  header.setUint32(12, head.at, true)
  header.setUint32(16, wanted.length, true)
  header.setUint32(20, frames[0].length, true)
  header.setUint32(24, cold.at, true)
  header.setUint32(28, frames[1].length, true)
  out.set(frames[0], HEADER_BYTES)
  out.set(frames[1], HEADER_BYTES + frames[0].length)
  out.set(low.finish(), HEADER_BYTES + frames[0].length + frames[1].length)
  header.setUint32(4, crc32(out.subarray(8)), true)
  return out
}

function pack(body: Uint8Array, level: number): Uint8Array {
  // one output buffer and tables of this size: the calls are short, so setup is most of their cost
  return zstdCompressSync(body, {
    chunkSize: Math.max(1024, body.length),
    pledgedSrcSize: body.length,
    params: { [constants.ZSTD_c_compressionLevel]: level },
  })
}

/**
 * Writes event times as one of the columns in s, ms, µs or ns, or as a column of their own with a list of undated rows.
 */
function writeTime(
  feed: FeedId,
  messages: MessageColumns,
  given: Float64Array | undefined,
  gathers: readonly Gather[],
  sealed: readonly Sealed[],
  cells: (gather: number) => Float64Array,
  head: ByteWriter,
  write: (values: Float64Array, n: number, refs?: readonly Ref[]) => Ref,
  recvRefs: readonly Ref[],
): void {
  const { count } = messages
  const fields = isFeedId(feed) ? FEEDS[feed].fields : undefined
  const timeKey = fields?.time ?? fields?.start
  const times =
    given ??
    ownTimes(
      count,
      gathers.findIndex((gather) => gather.key === timeKey),
      cells,
    )
  for (const [at, gather] of gathers.entries()) {
    const column = sealed[at]
    const plain = column.style !== STYLE.explicit && column.exceptions.length === 0
    const unit = gather.n === count && count > 0 && plain ? unitOf(column, times) : -1
    if (unit < 0) continue
    head.byte(TIME.column)
    head.varint(at)
    head.byte(unit)
    return
  }
  const dated = new Float64Array(count)
  const undated: number[] = []
  for (let i = 0; i < count; i++) {
    const t = times[i]
    if (Number.isNaN(t)) undated.push(i)
    dated[i] = Number.isNaN(t) ? messages.recvMs[i] : t
  }
  if (undated.length === count) {
    head.byte(TIME.none)
    return
  }
  head.byte(TIME.own)
  write(dated, count, recvRefs)
  write(Float64Array.from(undated), undated.length)
}

/** Index into TIME_UNITS that converts the whole column to these times; -1 if none does. */
function unitOf(column: Sealed, times: Float64Array): number {
  const power = POW10[column.decimals]
  for (const [unit, toMs] of TIME_UNITS.entries()) {
    let i = 0
    while (i < times.length && toMs(column.values[i] / power) === times[i]) i++
    if (i === times.length) return unit
  }
  return -1
}

/** Event times without a codec: the feed's own time key, if it is plausible as ms. */
function ownTimes(count: number, gather: number, cells: (gather: number) => Float64Array): Float64Array {
  if (gather < 0) return new Float64Array(count).fill(NaN)
  return cells(gather).map((t) => (t >= FIRST_TIME && t < LAST_TIME ? t : NaN))
}
