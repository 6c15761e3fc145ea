/** The integer columns of some of a block's rows, decoded on demand. */
import { SEQ, TEMPLATE } from './directory.ts'
import type { IntColumn } from './ints.ts'
import type { BlockScratch } from './open-block.ts'
import type { BlockSource, Span } from './source.ts'
import { spansOf, type Spans } from './spans.ts'

export class RowInts {
  readonly #source: BlockSource
  /** Template of each row of the whole block; undefined if all have the same. */
  readonly #shapes: Float64Array | undefined
  /** The rows of the whole block that these are. */
  readonly #rows: Span
  readonly #count: number
  readonly #scratch: BlockScratch | undefined
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
    { scratch, seq }: { readonly scratch?: BlockScratch | undefined; readonly seq?: Float64Array | undefined },
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
