/**
 * Opens sealed blocks. The CRC of the whole is checked first; columns are decoded on demand. A corrupt block throws
 * `store-damaged`: it never returns wrong data or allocates without limit.
 */
import type { FeedId } from '../../../../shared/base/units.ts'
import { upperBound } from '../types/upper-bound.ts'
import type { LiteralWriter } from '../types/ticks.ts'
import type { MessageColumns } from '../types/messages.ts'
import { corruptBlock } from './bytes.ts'
import { TIME, TIME_UNITS } from './format.ts'
import { BY, constantOf, type IntColumn } from './ints.ts'
import {
  SEQ,
  CONN,
  CONN_SEQ,
  MONO,
  RECV,
  FLAGS,
  TEMPLATE,
  type Directory,
  type KnownTemplate,
  type Numbers,
} from './directory.ts'
import type { OpenBlock } from './open-block.ts'
import { RowInts } from './row-ints.ts'
import type { BlockScratch } from './scratch.ts'
import { BlockSource, type Span } from './source.ts'
import { rowShapes } from './spans.ts'
import { MAX_DECIMALS, MAX_LITERAL, POW10, STYLE, writeLiteral, type Style } from './literal.ts'
import { shapeOf, type Shape } from './template.ts'

/** Seqs of the block being searched. */
let searchBuffer = new Float64Array(0)

const decoder = new TextDecoder()
const NO_ROWS = new Uint8Array(0)

/**
 * Opens a block. Throws CodedError `store-damaged` unless it is exactly what was sealed. With `scratch`, its columns
 * are valid until the next block is opened with the same scratch.
 */
export function openBlock(bytes: Uint8Array, scratch?: BlockScratch): OpenBlock {
  scratch?.reset()
  const source = new BlockSource(bytes)
  const shapes = rowShapes(source, scratch)
  const rows = { from: 0, to: source.directory.count }
  return new Block(source, shapes, rows, new RowInts(source, shapes, rows, { scratch }))
}

/** An exception text if it is a number; empty if it only looks like one ("1-2"). */
function numberText(text: Uint8Array): Uint8Array {
  return /^-?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(decoder.decode(text)) ? text : NO_ROWS
}

/** The columns that a template's text is written from, looked up once because a lookup for each row is slow. */
interface Plan {
  readonly parts: readonly Uint8Array[]
  /** The number after each part but the last. */
  readonly slots: readonly Slot[]
  /** The most that one of its rows takes; undefined if that depends on the row. */
  readonly maxBytes: number | undefined
}

interface Slot {
  /** By place: the digits without a decimal point. `decimals` says how many of them follow the point. */
  readonly mantissas: Float64Array
  readonly decimals: number
  /** Decimals by place, if they differ. */
  readonly perRow: Float64Array | undefined
  readonly style: Style
  /** Place of each row's value; undefined if it is the row. */
  readonly places: Uint32Array | undefined
  /** Texts by place that can't be written from numbers; undefined if there are none. */
  readonly exceptions: ReadonlyMap<number, Uint8Array> | undefined
}

class Block implements OpenBlock {
  readonly feed: FeedId
  readonly count: number
  readonly #source: BlockSource
  /** Template of each row of the whole block; undefined if all have the same. */
  readonly #shapes: Float64Array | undefined
  /** The rows of the whole block that these are. */
  readonly #rows: Span
  readonly #columns: RowInts
  readonly #ints: readonly IntColumn[]
  readonly #templates: readonly KnownTemplate[]
  readonly #numbers: readonly Numbers[]
  /** End offset of each exception text in the cold part. */
  readonly #rawEnds: readonly number[]
  readonly #rawFrom: number
  readonly #time: Directory['time']
  /** The symbol of all rows if they share one. */
  #onlySymbol: string | undefined
  #cache: {
    conn?: Uint32Array
    connSeq?: Uint32Array
    flags?: Uint8Array
    eventMs?: Float64Array
    keys?: readonly string[]
    places?: readonly (Uint32Array | undefined)[]
    rawIndex?: Map<number, number>
    /** How to write each template, made on first use. */
    plans?: (Plan | undefined)[]
    shapes?: Map<number, Shape>
    columns?: Map<string, Float64Array>
    exceptions?: (Map<number, Uint8Array> | undefined)[]
  } = {}

  constructor(source: BlockSource, shapes: Float64Array | undefined, rows: Span, columns: RowInts) {
    const { feed, ints, templates, numbers, rawEnds, rawFrom, time } = source.directory
    this.#source = source
    this.#shapes = shapes
    this.#rows = rows
    this.#columns = columns
    this.feed = feed
    this.count = rows.to - rows.from
    this.#ints = ints
    this.#templates = templates
    this.#numbers = numbers
    this.#rawEnds = rawEnds
    this.#rawFrom = rawFrom
    this.#time = time
    if (rawEnds.length > 0) return
    const symbol = templates[0]?.symbol
    if (templates.every((template) => template.symbol === symbol)) this.#onlySymbol = symbol
  }

  get bytes(): number {
    return this.#source.bytes + (this.#shapes?.byteLength ?? 0)
  }

  within(afterSeq: number, upToSeq: number): OpenBlock {
    const { count } = this.#source.directory
    if (searchBuffer.length < count) searchBuffer = new Float64Array(count)
    const seq = this.#source.whole(SEQ, searchBuffer.subarray(0, count))
    const { from, to } = this.#rows
    const first = Math.max(from, upperBound(seq, afterSeq))
    const rows = { from: first, to: Math.max(first, Math.min(to, upperBound(seq, upToSeq))) }
    const columns = new RowInts(this.#source, this.#shapes, rows, { seq: seq.slice(rows.from, rows.to) })
    return new Block(this.#source, this.#shapes, rows, columns)
  }

  /** A stored message text; undefined if there is none. */
  #rawText(n: number): Uint8Array | undefined {
    const end = this.#rawEnds[n]
    if (end === undefined) return undefined
    return this.#source.cold.subarray(this.#rawFrom + (this.#rawEnds[n - 1] ?? 0), this.#rawFrom + end)
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
    const all = constantOf(this.#ints[FLAGS])
    return all === undefined ? new Uint8Array(this.#columns.int(FLAGS)) : new Uint8Array(this.count).fill(all)
  }

  get commonFlags(): number | undefined {
    return constantOf(this.#ints[FLAGS])
  }

  get isDated(): boolean {
    const { is, at } = this.#time
    return is === TIME.column || (is === TIME.own && this.#ints[at + 1].count === 0)
  }

  get eventMs(): Float64Array {
    return (this.#cache.eventMs ??= this.#readTimes())
  }

  #readTimes(): Float64Array {
    const { is, at, unit } = this.#time
    if (is === TIME.none) return new Float64Array(this.count).fill(NaN)
    if (is === TIME.own) {
      const out = this.#columns.int(at).slice()
      for (const row of this.#columns.int(at + 1)) {
        if (!(row >= 0 && row < this.#source.directory.count)) throw corruptBlock('an undated row is out of range')
        const { from, to } = this.#rows
        if (row >= from && row < to) out[row - from] = NaN
      }
      return out
    }
    const { values, decimals } = this.#numbers[at]
    const times = this.#columns.int(values)
    if (unit === 0 && decimals === 0) return times
    const toMs = TIME_UNITS[unit]
    const power = POW10[decimals]
    return times.map((t) => toMs(t / power))
  }

  /** For each column, the index of each row's value; undefined if it is the row's own index. */
  get #columnPositions(): readonly (Uint32Array | undefined)[] {
    return (this.#cache.places ??= this.#readColumnPositions())
  }

  #readColumnPositions(): readonly (Uint32Array | undefined)[] {
    const ids = this.#columns.int(TEMPLATE)
    return this.#numbers.map((numbers, c) => {
      if (this.#ints[numbers.values].count === this.#source.directory.count) return undefined
      const step = this.#templates.map((t) => t.columns.includes(c))
      const places = new Uint32Array(this.count)
      let n = 0
      for (let i = 0; i < this.count; i++) {
        places[i] = n
        const id = ids[i]
        if (id > 0 && step[id - 1]) n++
      }
      return places
    })
  }

  get #rawIndex(): Map<number, number> {
    if (this.#cache.rawIndex !== undefined) return this.#cache.rawIndex
    const index = new Map<number, number>()
    const ids = this.#columns.int(TEMPLATE)
    let n = this.count === this.#source.directory.count ? 0 : this.#columns.spans.raws
    if (this.#rawEnds.length > 0) for (let i = 0; i < this.count; i++) if (ids[i] === 0) index.set(i, n++)
    return (this.#cache.rawIndex = index)
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

  #exceptions(c: number): Map<number, Uint8Array> {
    const all = (this.#cache.exceptions ??= [])
    let map = all[c]
    if (map === undefined) {
      map = new Map<number, Uint8Array>()
      const { exceptions, exceptionRows } = this.#numbers[c]
      const rows = exceptions.length === 0 ? [] : this.#columns.int(exceptionRows)
      const { from, to } = this.#columns.span(this.#numbers[c].values)
      for (let i = 0; i < rows.length; i++) {
        const at = rows[i] - from
        if (at >= 0 && at < to - from) map.set(at, exceptions[i] ?? NO_ROWS)
      }
      all[c] = map
    }
    return map
  }

  get keys(): readonly string[] {
    if (this.#cache.keys !== undefined) return this.#cache.keys
    const keys = new Set<string>()
    for (const { key } of this.#numbers) if (key !== undefined) keys.add(key)
    for (const row of this.#rawIndex.keys()) {
      for (const { key } of this.#shape(row).slots) if (key !== undefined) keys.add(key)
    }
    return (this.#cache.keys = [...keys])
  }

  /** For each template, the column of `key` (the last one, like JSON.parse); -1 if it has none. */
  #columnsOf(key: string): Int32Array {
    return Int32Array.from(this.#templates, (t) => t.columns.findLast((c) => this.#numbers[c].key === key) ?? -1)
  }

  column(key: string): Float64Array {
    const cache = (this.#cache.columns ??= new Map<string, Float64Array>())
    let column = cache.get(key)
    if (column === undefined) cache.set(key, (column = this.#readColumn(key)))
    return column
  }

  /** The one column that holds `key` for every row; -1 if there is none. */
  #oneColumn(of: Int32Array): number {
    const first = of[0]
    return first !== undefined && this.#rawEnds.length === 0 && of.every((c) => c === first) ? first : -1
  }

  mantissas(key: string): { readonly values: Float64Array; readonly unit: number } | undefined {
    const at = this.#oneColumn(this.#columnsOf(key))
    if (at < 0) return undefined
    const { values, style, decimals, exceptions } = this.#numbers[at]
    if (style === STYLE.explicit || exceptions.length > 0 || this.#ints[values].by === BY.doubles) return undefined
    return { values: this.#columns.int(values), unit: POW10[decimals] }
  }

  #readColumn(key: string): Float64Array {
    const of = this.#columnsOf(key)
    const only = this.#oneColumn(of)
    if (only >= 0) return this.#readNumbers(only)
    const out = new Float64Array(this.count).fill(NaN)
    const ids = this.#columns.int(TEMPLATE)
    const numbers = new Map<number, Float64Array>()
    for (const c of of) if (c >= 0 && !numbers.has(c)) numbers.set(c, this.#readNumbers(c))
    for (let i = 0; i < this.count; i++) {
      const id = ids[i]
      const c = id === 0 ? -1 : of[id - 1]
      if (c >= 0) out[i] = numbers.get(c)![this.#columnPositions[c]?.[i] ?? i]!
    }
    for (const row of this.#rawIndex.keys()) {
      const text = this.literal(key, row)
      if (text !== '') out[row] = Number(text)
    }
    return out
  }

  /** A column's numbers, only for rows that have it. */
  #readNumbers(c: number): Float64Array {
    const { values, decimals, perRow, style } = this.#numbers[c]
    const mantissas = this.#columns.int(values)
    const n = mantissas.length
    const exceptions = this.#exceptions(c)
    if (style !== STYLE.explicit && decimals === 0 && exceptions.size === 0) return mantissas
    const out = this.#columns.floats(n)
    if (style === STYLE.explicit) {
      const places = this.#columns.int(perRow)
      for (let i = 0; i < n; i++) out[i] = mantissas[i] / (POW10[places[i]] ?? NaN)
    } else {
      const power = POW10[decimals]
      for (let i = 0; i < n; i++) out[i] = mantissas[i] / power
    }
    for (const [at, text] of exceptions) {
      const number = numberText(text)
      out[at] = number === NO_ROWS ? NaN : Number(decoder.decode(number))
    }
    return out
  }

  literal(key: string, row: number): string {
    const out = new Uint8Array(MAX_LITERAL)
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return ''
    if (id === 0) return decoder.decode(this.#rawLiteral(key, row))
    const c = this.#templates[id - 1].columns.findLast((at) => this.#numbers[at].key === key) ?? -1
    if (c < 0) return ''
    const at = this.#columnPositions[c]?.[row] ?? row
    const exceptionText = this.#exceptions(c).get(at)
    return decoder.decode(
      exceptionText === undefined ? out.subarray(0, this.#write(c, at, out, 0)) : numberText(exceptionText),
    )
  }

  #rawLiteral(key: string, row: number): Uint8Array {
    const shape = this.#shape(row)
    const slot = shape.slots.findLastIndex((s) => s.key === key)
    const start = shape.starts[slot]
    if (start === undefined) return NO_ROWS
    const text = this.raw(row)
    const after = shape.starts[slot + 1] ?? text.length
    return numberText(text.subarray(start, after - (shape.parts[slot + 1]?.length ?? 0)))
  }

  #write(c: number, at: number, out: Uint8Array, to: number): number {
    const { values, decimals, perRow, style } = this.#numbers[c]
    const places = style === STYLE.explicit ? this.#columns.int(perRow)[at] : decimals
    if (!(places <= MAX_DECIMALS)) throw corruptBlock('a column has too many decimals')
    return writeLiteral(out, to, this.#columns.int(values)[at], places, style)
  }

  writer(key: string): LiteralWriter {
    const of = this.#columnsOf(key)
    const only = this.#oneColumn(of)
    if (only >= 0) {
      const { values, decimals, style } = this.#numbers[only]
      if (style !== STYLE.explicit && this.#exceptions(only).size === 0) {
        const mantissas = this.#columns.int(values)
        return {
          maxBytes: MAX_LITERAL,
          write: (row, out, at) => writeLiteral(out, at, mantissas[row], decimals, style),
        }
      }
    }
    const ids = this.#columns.int(TEMPLATE)
    let maxBytes = MAX_LITERAL
    for (const { exceptions } of this.#numbers) for (const e of exceptions) maxBytes = Math.max(maxBytes, e.length)
    for (const [i, end] of this.#rawEnds.entries()) maxBytes = Math.max(maxBytes, end - (this.#rawEnds[i - 1] ?? 0))
    return {
      maxBytes,
      write: (row, out, at) => {
        const id = ids[row]
        const c = id === 0 ? -1 : of[id - 1]
        if (id !== 0 && c < 0) return at
        const place = c < 0 ? row : (this.#columnPositions[c]?.[row] ?? row)
        const text = c < 0 ? this.#rawLiteral(key, row) : this.#exceptions(c).get(place)
        if (text === undefined) return this.#write(c, place, out, at)
        const number = numberText(text)
        out.set(number, at)
        return at + number.length
      },
    }
  }

  symbol(row: number): string {
    if (this.#onlySymbol !== undefined) return this.#onlySymbol
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return ''
    return id === 0 ? this.#shape(row).symbol : this.#templates[id - 1].symbol
  }

  raw(row: number): Uint8Array {
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return NO_ROWS
    if (id === 0) return this.#rawText(this.#rawIndex.get(row) ?? -1) ?? NO_ROWS
    const out = new Uint8Array(this.#lengthBound(id - 1, row))
    return out.subarray(0, this.#render(id - 1, row, out, 0))
  }

  rawRoom(row: number): number {
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return 0
    return id === 0 ? (this.#rawText(this.#rawIndex.get(row) ?? -1) ?? NO_ROWS).length : this.#lengthBound(id - 1, row)
  }

  writeRaw(row: number, out: Uint8Array, at: number): number {
    const id = this.#columns.int(TEMPLATE)[row]
    if (id === undefined) return at
    if (id > 0) return this.#render(id - 1, row, out, at)
    const text = this.#rawText(this.#rawIndex.get(row) ?? -1) ?? NO_ROWS
    out.set(text, at)
    return at + text.length
  }

  #plan(t: number): Plan {
    return ((this.#cache.plans ??= this.#templates.map(() => undefined))[t] ??= this.#makePlan(t))
  }

  #makePlan(t: number): Plan {
    const { parts, columns } = this.#templates[t]
    const slots = columns.map((c): Slot => {
      const { values, decimals, perRow, style, exceptions } = this.#numbers[c]
      const isExplicit = style === STYLE.explicit
      return {
        mantissas: this.#columns.int(values),
        decimals,
        perRow: isExplicit ? this.#columns.int(perRow) : undefined,
        style,
        places: this.#columnPositions[c],
        exceptions: exceptions.length > 0 ? this.#exceptions(c) : undefined,
      }
    })
    const isFixed = slots.every(({ exceptions }) => exceptions === undefined)
    const maxBytes = columns.length * MAX_LITERAL + parts.reduce((sum, { length }) => sum + length, 0)
    return { parts, slots, maxBytes: isFixed ? maxBytes : undefined }
  }

  #lengthBound(t: number, row: number): number {
    const { parts, slots, maxBytes } = this.#plan(t)
    if (maxBytes !== undefined) return maxBytes
    let size = slots.length * MAX_LITERAL
    for (const part of parts) size += part.length
    for (const { exceptions, places } of slots) size += exceptions?.get(places?.[row] ?? row)?.length ?? 0
    return size
  }

  #render(t: number, row: number, out: Uint8Array, at: number): number {
    const { parts, slots } = this.#plan(t)
    let to = at
    for (let s = 0; s < parts.length; s++) {
      const part = parts[s]
      for (let i = 0; i < part.length; i++) out[to++] = part[i]!
      if (s === slots.length) break
      const { mantissas, decimals, perRow, style, places, exceptions } = slots[s]
      const place = places === undefined ? row : places[row]
      const text = exceptions === undefined ? undefined : exceptions.get(place)
      if (text !== undefined) {
        out.set(text, to)
        to += text.length
        continue
      }
      const shown = perRow === undefined ? decimals : perRow[place]
      if (!(shown <= MAX_DECIMALS)) throw corruptBlock('a column has too many decimals')
      to = writeLiteral(out, to, mantissas[place], shown, style)
    }
    return to
  }

  messages(from = 0, to = this.count): MessageColumns {
    const count = to - from
    const offsets = new Uint32Array(count + 1)
    const ids = this.#columns.int(TEMPLATE)
    let out = new Uint8Array(Math.max(64, count * 96))
    let at = 0
    for (let row = from; row < to; row++) {
      const id = ids[row]
      const text = id === 0 ? this.#rawText(this.#rawIndex.get(row) ?? -1) : undefined
      const need = text === undefined ? this.#lengthBound(id - 1, row) : text.length
      if (at + need > out.length) {
        const grown = new Uint8Array(Math.max(out.length * 2, at + need))
        grown.set(out.subarray(0, at))
        out = grown
      }
      if (text === undefined) at = this.#render(id - 1, row, out, at)
      else {
        out.set(text, at)
        at += text.length
      }
      offsets[row - from + 1] = at
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
      bytes: out.subarray(0, at),
    }
  }
}
