/**
 * Opens sealed blocks. The CRC of the whole is checked first; columns are decoded on demand. A corrupt block throws
 * `store-damaged`: it never returns wrong data or allocates without limit.
 */
import type { FeedId } from '../../../../shared/base/units.ts'
import { upperBound } from '../../../../shared/base/search.ts'
import type { BatchNumbers, LiteralWriter } from '../types/ticks.ts'
import type { MessageColumns } from '../types/messages.ts'
import { corruptBlock } from './bytes.ts'
import { TIME, TIME_UNITS } from './format.ts'
import { constantOf } from './ints.ts'
import { SEQ, CONN, CONN_SEQ, MONO, RECV, FLAGS, TEMPLATE, type Directory } from './directory.ts'
import { textTarget, type ArrayScratch, type OpenBlock } from './open-block.ts'
import { RowInts, rowShapes } from './row-ints.ts'
import { NO_TEXT, numberText, RowNumbers } from './row-numbers.ts'
import { RowRecords } from './row-records.ts'
import { RowTexts } from './row-texts.ts'
import { BlockSource, type Span } from './source.ts'
import { MAX_LITERAL, POW10, writeLiteral } from '../kernels/literal.ts'
import { NUMBER_FORM, STYLE } from '../kernels/number-form.ts'
import { shapeOf, type Shape } from './template.ts'

/** Seqs of the block being searched. */
let searchBuffer = new Float64Array(0)

const decoder = new TextDecoder()

/**
 * Opens a block. Throws CodedError `store-damaged` unless it is exactly what was sealed. With `scratch`, its columns
 * are valid until the next block is opened with the same scratch.
 */
export function openBlock(bytes: Uint8Array, scratch?: ArrayScratch): OpenBlock {
  scratch?.reset()
  const source = new BlockSource(bytes)
  const shapes = rowShapes(source, scratch)
  const rows = { from: 0, to: source.directory.count }
  return new Block(source, shapes, rows, new RowInts(source, shapes, rows, { scratch }))
}

class Block implements OpenBlock {
  readonly feed: FeedId
  readonly count: number
  readonly #source: BlockSource
  readonly #directory: Directory
  /** Template of each row of the whole block; undefined if all have the same. */
  readonly #shapes: Float64Array | undefined
  /** The rows of the whole block that these are. */
  readonly #rows: Span
  readonly #columns: RowInts
  readonly #numbers: RowNumbers
  readonly onlySymbol: string | undefined
  #cache: {
    conn?: Uint32Array
    connSeq?: Uint32Array
    flags?: Uint8Array
    eventMs?: Float64Array
    keys?: readonly string[]
    texts?: RowTexts
    records?: RowRecords
    shapes?: Map<number, Shape>
    columns?: Map<string, Float64Array>
    writers?: Map<string, LiteralWriter>
  } = {}

  constructor(source: BlockSource, shapes: Float64Array | undefined, rows: Span, columns: RowInts) {
    const { feed, templates, rawEnds } = source.directory
    this.#source = source
    this.#directory = source.directory
    this.#shapes = shapes
    this.#rows = rows
    this.#columns = columns
    this.feed = feed
    this.count = rows.to - rows.from
    this.#numbers = new RowNumbers(source.directory, columns, this.count)
    if (rawEnds.length > 0) return
    const symbol = templates[0]?.symbol
    if (templates.every((template) => template.symbol === symbol)) this.onlySymbol = symbol
  }

  get bytes(): number {
    return this.#source.bytes + (this.#shapes?.byteLength ?? 0)
  }

  within(afterSeq: number, upToSeq: number): OpenBlock {
    const { count } = this.#directory
    if (searchBuffer.length < count) searchBuffer = new Float64Array(count)
    const seq = this.#source.whole(SEQ, searchBuffer.subarray(0, count))
    const { from, to } = this.#rows
    const first = Math.max(from, upperBound(seq, afterSeq))
    const rows = { from: first, to: Math.max(first, Math.min(to, upperBound(seq, upToSeq))) }
    const columns = new RowInts(this.#source, this.#shapes, rows, { seq: seq.slice(rows.from, rows.to) })
    return new Block(this.#source, this.#shapes, rows, columns)
  }

  get seq(): Float64Array {
    return this.#columns.int(SEQ)
  }
  get monoNs(): Float64Array {
    return this.#columns.int(MONO)
  }
  get recvMs(): Float64Array {
    return this.#columns.int(RECV)
  }
  get conn(): Uint32Array {
    return (this.#cache.conn ??= new Uint32Array(this.#columns.int(CONN)))
  }
  get connSeq(): Uint32Array {
    return (this.#cache.connSeq ??= new Uint32Array(this.#columns.int(CONN_SEQ)))
  }
  get flags(): Uint8Array {
    return (this.#cache.flags ??= this.#readFlags())
  }

  #readFlags(): Uint8Array {
    const all = constantOf(this.#directory.ints[FLAGS])
    return all === undefined ? new Uint8Array(this.#columns.int(FLAGS)) : new Uint8Array(this.count).fill(all)
  }

  get commonFlags(): number | undefined {
    return constantOf(this.#directory.ints[FLAGS])
  }

  get isDated(): boolean {
    const { is, at } = this.#directory.time
    return is === TIME.column || (is === TIME.own && this.#directory.ints[at + 1].count === 0)
  }

  get eventMs(): Float64Array {
    return (this.#cache.eventMs ??= this.#readTimes())
  }

  #readTimes(): Float64Array {
    const { is, at, unit } = this.#directory.time
    if (is === TIME.none) return new Float64Array(this.count).fill(NaN)
    if (is === TIME.own) {
      const out = this.#columns.int(at).slice()
      for (const row of this.#columns.int(at + 1)) {
        if (!(row >= 0 && row < this.#directory.count)) throw corruptBlock('an undated row is out of range')
        const { from, to } = this.#rows
        if (row >= from && row < to) out[row - from] = NaN
      }
      return out
    }
    const { values, decimals } = this.#directory.numbers[at]
    const times = this.#columns.int(values)
    if (unit === 0 && decimals === 0) return times
    const toMs = TIME_UNITS[unit]
    const power = POW10[decimals]
    return times.map((t) => toMs(t / power))
  }

  /** The shape of a row stored as text. */
  #shape(row: number): Shape {
    const shapes = (this.#cache.shapes ??= new Map<number, Shape>())
    let shape = shapes.get(row)
    if (shape === undefined) {
      const text = this.raw(row)
      shape = shapeOf(this.feed, text, 0, text.length) ?? { parts: [text], slots: [], starts: [], symbol: '' }
      shapes.set(row, shape)
    }
    return shape
  }

  get keys(): readonly string[] {
    if (this.#cache.keys !== undefined) return this.#cache.keys
    const keys = new Set<string>()
    for (const { key } of this.#directory.numbers) if (key !== undefined) keys.add(key)
    for (const row of this.texts.stored.keys()) {
      for (const { key } of this.#shape(row).slots) if (key !== undefined) keys.add(key)
    }
    return (this.#cache.keys = [...keys])
  }

  mantissas(key: string): { readonly values: Float64Array; readonly unit: number } | undefined {
    return this.#numbers.mantissas(key)
  }

  column(key: string): Float64Array {
    const cache = (this.#cache.columns ??= new Map<string, Float64Array>())
    let column = cache.get(key)
    if (column === undefined) cache.set(key, (column = this.#readColumn(key)))
    return column
  }

  #readColumn(key: string): Float64Array {
    const of = this.#numbers.columnsOf(key)
    const only = this.#numbers.oneColumn(of)
    if (only >= 0) return this.#numbers.values(only)
    const out = new Float64Array(this.count).fill(NaN)
    const ids = this.#columns.int(TEMPLATE)
    const numbers = new Map<number, Float64Array>()
    for (const c of of) if (c >= 0 && !numbers.has(c)) numbers.set(c, this.#numbers.values(c))
    for (let i = 0; i < this.count; i++) {
      const id = ids[i]
      const c = id === 0 ? -1 : of[id - 1]
      if (c >= 0) out[i] = numbers.get(c)![this.#numbers.positions[c]?.[i] ?? i]!
    }
    for (const row of this.texts.stored.keys()) {
      const text = this.literal(key, row)
      if (text !== '') out[row] = Number(text)
    }
    return out
  }

  literal(key: string, row: number): string {
    const out = new Uint8Array(MAX_LITERAL)
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return ''
    if (id === 0) return decoder.decode(this.#rawLiteral(key, row))
    const c = this.#directory.templates[id - 1].columns.findLast((at) => this.#directory.numbers[at].key === key) ?? -1
    if (c < 0) return ''
    const at = this.#numbers.positions[c]?.[row] ?? row
    const exceptionText = this.#numbers.exceptions(c).get(at)
    return decoder.decode(
      exceptionText === undefined ? out.subarray(0, this.#numbers.write(c, at, out, 0)) : numberText(exceptionText),
    )
  }

  #rawLiteral(key: string, row: number): Uint8Array {
    const shape = this.#shape(row)
    const slot = shape.slots.findLastIndex((s) => s.key === key)
    const start = shape.starts[slot]
    if (start === undefined) return NO_TEXT
    const text = this.raw(row)
    const after = shape.starts[slot + 1] ?? text.length
    return numberText(text.subarray(start, after - (shape.parts[slot + 1]?.length ?? 0)))
  }

  writer(key: string): LiteralWriter {
    const cache = (this.#cache.writers ??= new Map<string, LiteralWriter>())
    let writer = cache.get(key)
    if (writer === undefined) cache.set(key, (writer = this.#makeWriter(key)))
    return writer
  }

  #makeWriter(key: string): LiteralWriter {
    const of = this.#numbers.columnsOf(key)
    const only = this.#numbers.oneColumn(of)
    if (only >= 0) {
      const { values, decimals, style } = this.#directory.numbers[only]
      if (style !== STYLE.explicit && this.#numbers.exceptions(only).size === 0) {
        const mantissas = this.#columns.int(values)
        return {
          maxBytes: MAX_LITERAL,
          write: (row, out, at) => writeLiteral(out, at, mantissas[row], decimals, style),
          numbers: { values: mantissas, forms: decimals | NUMBER_FORM[style] },
        }
      }
    }
    const ids = this.#columns.int(TEMPLATE)
    const readNumbers = (): BatchNumbers => {
      const values = new Float64Array(this.count)
      const forms = new Uint8Array(this.count)
      for (let row = 0; row < this.count; row++) {
        const id = ids[row]
        const c = id === 0 ? -1 : of[id - 1]
        if (c < 0) {
          values[row] = id === 0 ? Infinity : NaN
          continue
        }
        const place = this.#numbers.positions[c]?.[row] ?? row
        values[row] = this.#numbers.exceptions(c).has(place) ? Infinity : this.#numbers.mantissa(c, place)
        forms[row] = this.#numbers.decimals(c, place) | NUMBER_FORM[this.#directory.numbers[c].style]
      }
      return { values, forms }
    }
    let maxBytes = MAX_LITERAL
    for (const { exceptions } of this.#directory.numbers)
      for (const e of exceptions) maxBytes = Math.max(maxBytes, e.length)
    for (const [i, end] of this.#directory.rawEnds.entries())
      maxBytes = Math.max(maxBytes, end - (this.#directory.rawEnds[i - 1] ?? 0))
    let numbers: BatchNumbers | undefined
    return {
      get numbers() {
        return (numbers ??= readNumbers())
      },
      maxBytes,
      write: (row, out, at) => {
        const id = ids[row]
        const c = id === 0 ? -1 : of[id - 1]
        if (id !== 0 && c < 0) return at
        const place = c < 0 ? row : (this.#numbers.positions[c]?.[row] ?? row)
        const text = c < 0 ? this.#rawLiteral(key, row) : this.#numbers.exceptions(c).get(place)
        if (text === undefined) return this.#numbers.write(c, place, out, at)
        const number = numberText(text)
        out.set(number, at)
        return at + number.length
      },
    }
  }

  symbol(row: number): string {
    if (this.onlySymbol !== undefined) return this.onlySymbol
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return ''
    return id === 0 ? this.#shape(row).symbol : this.#directory.templates[id - 1].symbol
  }

  get texts(): RowTexts {
    return (this.#cache.texts ??= new RowTexts(this.#source, this.#columns, this.#numbers, this.count))
  }

  get records(): RowRecords {
    return (this.#cache.records ??= new RowRecords(this.#directory, this.#columns, this.#numbers))
  }

  raw(row: number): Uint8Array {
    const out = textTarget(new Uint8Array(this.texts.room(row)))
    return out.bytes.subarray(0, this.texts.write(row, out, 0))
  }

  messages(from = 0, to = this.count): MessageColumns {
    const count = to - from
    const offsets = new Uint32Array(count + 1)
    const { texts } = this
    let out = textTarget(new Uint8Array(Math.max(64, count * 96)))
    let at = 0
    for (let row = from; row < to; row++) {
      const need = at + texts.room(row)
      if (need > out.bytes.length) {
        const grown = new Uint8Array(Math.max(out.bytes.length * 2, need))
        grown.set(out.bytes.subarray(0, at))
        out = textTarget(grown)
      }
      offsets[row - from + 1] = at = texts.write(row, out, at)
    }
    return {
      count,
      seq: this.seq.subarray(from, to),
      conn: this.conn.subarray(from, to),
      connSeq: this.connSeq.subarray(from, to),
      recvMs: this.recvMs.subarray(from, to),
      monoNs: this.monoNs.subarray(from, to),
      flags: this.flags.subarray(from, to),
      offsets,
      bytes: out.bytes.subarray(0, at),
    }
  }
}
