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
import { HEADER_BYTES, MAGIC, MAX_BODY, MAX_ROWS, MAX_TEMPLATES, TIME, TIME_UNITS, VERSION } from './format.ts'
import { LOW_PADDING } from './ints.ts'
import { FORM, parseLiteral, POW10, type Parsed } from './literal.ts'
import { STYLE } from '../kernels/number-form.ts'
import { proveInSteps } from './prove.ts'
import { sealNumbers, type Gather, type Sealed } from './seal-numbers.ts'
import { writeInts, type Ref } from './write-ints.ts'
import { shapeKey, shapeOf, type Slot, type Template } from './template.ts'

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

type Buffers = Pick<Gather, 'mantissa' | 'form' | 'starts' | 'ends'>

/**
 * Buffers reused from block to block, because allocating zeroed memory is the most expensive part of sealing. Undefined
 * while a block is using them.
 */
let pool: Buffers[] | undefined = []
const MAX_POOL_ROWS = 1 << 16
const POOL_COLUMNS = 32

function gatherFor(owned: Buffers[], at: number, slot: Slot, rows: number): Gather {
  const { path, key } = slot
  let buffers = owned[at]
  if (buffers === undefined || buffers.mantissa.length < rows) {
    buffers = {
      mantissa: new Float64Array(rows),
      form: new Uint8Array(rows),
      starts: new Uint32Array(rows),
      ends: new Uint32Array(rows),
    }
    if (at < POOL_COLUMNS && rows <= MAX_POOL_ROWS) owned[at] = buffers
  }
  return { path, key, n: 0, ...buffers }
}

interface KnownTemplate extends Template {
  /** parts as 4-byte words; the remaining bytes are compared one by one. */
  readonly words: readonly Int32Array[]

  readonly id: number
  readonly columns: readonly Gather[]
  readonly columnIds: readonly number[]
}

const parsed: Parsed = { mantissa: 0, form: 0, end: 0 }

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

/** Messages parsed between two yields. */
const ROWS_PER_TURN = 2048
/** Recently seen templates tried before a message is parsed: most feeds alternate between two or three. */
const RECENT_TEMPLATES = 4

/** Messages split into templates and numbers. `templateIds` is 0 for the rows listed in `raws`, stored as text. */
interface ParsedRows {
  readonly templates: readonly KnownTemplate[]
  readonly gathers: readonly Gather[]
  readonly templateIds: Float64Array
  readonly raws: readonly number[]
}

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
  if (count > MAX_ROWS || (offsets[count] ?? 0) - (offsets[0] ?? 0) > MAX_BODY / 2) {
    throw new CodedError('internal', 'Too many messages for one block.')
  }
  const buffers = pool ?? []
  pool = undefined
  const rows = yield* parseRows(feed, messages, shaped, buffers)
  const sections: Sections = {
    head: new ByteWriter(1 << 12),
    hot: new ByteWriter(count * 8 + 1024),
    cold: new ByteWriter(count * 4 + 1024),
    low: new ByteWriter(count * 4 + 64),
  }
  writeTemplates(sections.head, feed, messages, rows)
  yield* writeColumns(sections, feed, messages, options.eventMs, rows)
  for (const row of rows.raws) sections.cold.raw(bytes.subarray(offsets[row], offsets[row + 1]))
  const block = yield* assemble(sections, options.level ?? 1)
  pool = buffers
  return block
}

/** Splits all rows into templates and numbers, yielding often. Without `shaped`, all rows are stored as text. */
function* parseRows(
  feed: FeedId,
  messages: MessageColumns,
  shaped: boolean,
  buffers: Buffers[],
): Generator<undefined, ParsedRows, void> {
  const { count, bytes, offsets } = messages
  const gathers: Gather[] = []
  const gatherOf = new Map<string, number>()
  const templates: KnownTemplate[] = []
  const byKey = new Map<string, KnownTemplate>()
  const templateIds = new Float64Array(count)
  const raws: number[] = []

  const addTemplate = (row: number): KnownTemplate | undefined => {
    if (!shaped) return undefined
    const shape = shapeOf(feed, bytes, offsets[row], offsets[row + 1])
    if (shape === undefined) return undefined
    const key = shapeKey(shape)
    const old = byKey.get(key)
    if (old !== undefined) return old
    if (templates.length === MAX_TEMPLATES) return undefined
    const columnIds = shape.slots.map((slot) => {
      let id = gatherOf.get(slot.path)
      if (id === undefined) {
        id = gathers.length
        gatherOf.set(slot.path, id)
        gathers.push(gatherFor(buffers, gathers.length, slot, count))
      }
      return id
    })
    const known: KnownTemplate = {
      ...shape,
      id: templates.length + 1,
      columnIds,
      columns: columnIds.map((id) => gathers[id]),
      words: shape.parts.map(wordsOf),
    }
    templates.push(known)
    byKey.set(key, known)
    return known
  }

  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let likely: KnownTemplate | undefined
  const parse = (row: number): void => {
    const from = offsets[row]
    const to = offsets[row + 1]
    if (likely === undefined || !matchTemplate(likely, bytes, view, from, to)) {
      let found: KnownTemplate | undefined
      for (let i = 0; i < templates.length && i < RECENT_TEMPLATES; i++) {
        const other = templates[i]
        if (other !== likely && matchTemplate(other, bytes, view, from, to)) {
          found = other
          break
        }
      }
      if (found === undefined) {
        const known = addTemplate(row)
        if (known !== undefined && matchTemplate(known, bytes, view, from, to)) found = known
      }
      if (found === undefined) {
        raws.push(row)
        return
      }
      likely = found
    }
    templateIds[row] = likely.id
  }
  const parseRange = (from: number, to: number): void => {
    for (let row = from; row < to; row++) parse(row)
  }
  for (let from = 0; from < count; from += ROWS_PER_TURN) {
    parseRange(from, Math.min(count, from + ROWS_PER_TURN))
    yield
  }
  return { templates, gathers, templateIds, raws }
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
): Generator<undefined, void, void> {
  const { count, bytes } = messages
  const { gathers, templateIds, raws } = rows
  let id = 0
  const write = (values: Float64Array, n: number, refs: readonly Ref[] = [], high = hot): Ref => {
    writeInts(values, n, refs, head, high, low)
    return { id: id++, values, scale: 1 }
  }
  const seq = write(messages.seq, count)
  write(new Float64Array(messages.conn), count, [], cold)
  write(new Float64Array(messages.connSeq), count, [seq], cold)
  const mono = write(messages.monoNs, count, [], cold)
  const recv = write(messages.recvMs, count, [{ ...mono, scale: 'clock' }], cold)
  // Imports can have fractions of a millisecond, and remainders are whole numbers.
  const recvRefs = recv.values.every(Number.isInteger) ? [recv] : []
  yield
  write(new Float64Array(messages.flags), count)
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

function wordsOf(part: Uint8Array): Int32Array {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength)
  return Int32Array.from({ length: part.length >> 2 }, (_, i) => view.getInt32(4 * i, true))
}

/**
 * Matches bytes[from, to) against a template. If all text and numbers match, adds the numbers to their columns and
 * returns true.
 */
function matchTemplate(template: KnownTemplate, bytes: Uint8Array, view: DataView, from: number, to: number): boolean {
  const { parts, words, columns } = template
  let at = from
  const n = columns.length
  for (let s = 0; s <= n; s++) {
    const part = parts[s]
    const size = part.length
    if (size > to - at) return false
    const word = words[s]
    const whole = word.length
    for (let i = 0; i < whole; i++) if (view.getInt32(at + 4 * i, true) !== word[i]) return false
    for (let i = 4 * whole; i < size; i++) if (bytes[at + i] !== part[i]) return false
    at += size
    if (s === n) break
    const column = columns[s]
    const row = column.n
    parseLiteral(bytes, at, to, parsed)
    if (parsed.end === at) return false
    column.mantissa[row] = parsed.mantissa
    column.form[row] = parsed.form
    column.starts[row] = at
    column.ends[row] = at = parsed.end
  }
  if (at !== to) return false
  for (let s = 0; s < n; s++) columns[s].n++
  return true
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
