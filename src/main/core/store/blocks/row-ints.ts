/**
 * The integer columns of some of a block's rows, decoded on demand. A column has no slot for rows without a value.
 */
import { corruptBlock } from './bytes.ts'
import { SEQ, TEMPLATE, type Directory } from './directory.ts'
import { TIME } from './format.ts'
import { constantOf, type IntColumn } from './ints.ts'
import type { ArrayScratch } from './open-block.ts'
import type { BlockSource, Span } from './source.ts'

export class RowInts {
  readonly #source: BlockSource
  /** Template of each row of the whole block; undefined if all have the same. */
  readonly #shapes: Float64Array | undefined
  /** The rows of the whole block that these are. */
  readonly #rows: Span
  readonly #count: number
  readonly #scratch: ArrayScratch | undefined
  readonly #ints: readonly IntColumn[]
  readonly #decoded: (Float64Array | undefined)[] = []
  /** For a part of a block: decoded values, preceded by the value before them if there is one. */
  readonly #decodedRanges: (Float64Array | undefined)[] = []
  #spans: Spans | undefined

  /** `seq`: the seqs of these rows, if known. */
  constructor(
    source: BlockSource,
    shapes: Float64Array | undefined,
    rows: Span,
    { scratch, seq }: { readonly scratch?: ArrayScratch | undefined; readonly seq?: Float64Array | undefined },
  ) {
    this.#source = source
    this.#shapes = shapes
    this.#rows = rows
    this.#count = rows.to - rows.from
    this.#scratch = scratch
    this.#ints = source.directory.ints
    if (shapes !== undefined) this.#decoded[TEMPLATE] = shapes.subarray(rows.from, rows.to)
    if (seq !== undefined) this.#decoded[SEQ] = seq
  }

  /** Values of a column for these rows. */
  int(id: number): Float64Array {
    const known = this.#decoded[id]
    if (known !== undefined) return known
    const span = this.span(id)
    const led = this.#read(id, span)
    return (this.#decoded[id] = span.from === 0 ? led : led.subarray(1))
  }

  /** Values of a column, preceded by the value before them. */
  #read(id: number, span: Span): Float64Array {
    const known = this.#decodedRanges[id]
    if (known !== undefined) return known
    const lead = span.from === 0 ? span : { from: span.from - 1, to: span.to }
    const before = (ref: number): Float64Array => {
      const { from, to } = this.span(ref)
      if (from === span.from && to === span.to) return this.#read(ref, span)
      return this.#source.read(ref, lead, before, new Float64Array(lead.to - lead.from))
    }
    return (this.#decodedRanges[id] = this.#source.read(id, lead, before, this.floats(lead.to - lead.from)))
  }

  /** The range of a column's values that belongs to these rows. */
  span(id: number): Span {
    const { count } = this.#source.directory
    const all = this.#ints[id]?.count ?? 0
    if (this.#count === count || all === 0) return { from: 0, to: all }
    if (id <= TEMPLATE) return this.#rows
    return this.spans.of.get(id) ?? { from: 0, to: all }
  }

  /** Ranges of these rows in columns that some rows lack. */
  get spans(): Spans {
    return (this.#spans ??= spansOf(this.#source.directory, this.#shapes, this.#rows))
  }

  /** A buffer for `n` numbers that lives as long as the block. */
  floats(n: number): Float64Array {
    return this.#scratch?.floats(n) ?? new Float64Array(n)
  }
}

/** The range of some rows' values in each column, and the number of exception texts before them. */
interface Spans {
  readonly of: ReadonlyMap<number, Span>
  readonly raws: number
}

/**
 * The template of each row; undefined if all have the same. Throws `store-damaged` unless columns, texts and templates
 * add up.
 */
export function rowShapes(source: BlockSource, scratch: ArrayScratch | undefined): Float64Array | undefined {
  const { count, ints, templates, numbers, rawEnds } = source.directory
  const uses = new Float64Array(templates.length + 1)
  const only = constantOf(ints[TEMPLATE])
  let ids: Float64Array | undefined
  if (only !== undefined && only >= 0 && only <= templates.length) uses[only] = count
  else {
    ids = source.whole(TEMPLATE, scratch?.floats(count) ?? new Float64Array(count))
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      if (!(id >= 0 && id <= templates.length)) throw corruptBlock('a message has an unknown template')
      uses[id] = uses[id] + 1
    }
  }
  if (uses[0] !== rawEnds.length) throw corruptBlock('its texts don’t match its messages')
  const seen = new Float64Array(numbers.length)
  for (const [t, template] of templates.entries()) {
    for (const id of template.columns) seen[id] = seen[id] + uses[t + 1]
  }
  for (const [i, { values }] of numbers.entries()) {
    if (seen[i] !== ints[values].count) throw corruptBlock('its numbers don’t match its messages')
  }
  return ids
}

/** The ranges of rows [from, to). `shapes` comes from `rowShapes`. */
function spansOf({ ints, templates, numbers, time }: Directory, shapes: Float64Array | undefined, rows: Span): Spans {
  const before = new Float64Array(templates.length + 1)
  const inside = new Float64Array(templates.length + 1)
  if (shapes === undefined) {
    const only = constantOf(ints[TEMPLATE]) ?? 0
    before[only] = rows.from
    inside[only] = rows.to - rows.from
  } else {
    for (let i = 0; i < rows.to; i++) {
      const counts = i < rows.from ? before : inside
      const id = shapes[i]
      counts[id] = counts[id] + 1
    }
  }
  const of = new Map<number, Span>()
  for (const [c, { values, perRow }] of numbers.entries()) {
    let from = 0
    let size = 0
    for (const [t, { columns }] of templates.entries()) {
      if (!columns.includes(c)) continue
      from += before[t + 1]
      size += inside[t + 1]
    }
    const span = { from, to: from + size }
    of.set(values, span)
    if (perRow >= 0) of.set(perRow, span)
  }
  if (time.is === TIME.own) of.set(time.at, rows)
  return { of, raws: before[0] }
}
