/** Rows of several blocks in one order, as tick columns. */
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import { ArrayScratch, type OpenBlock } from '../blocks/open-block.ts'
import type { BatchNumbers, LiteralWriter, RowSymbols, TickColumns } from '../types/ticks.ts'
import type { OrderedRows } from './seq-order.ts'

export class MergedTicks implements TickColumns {
  readonly session: SessionId
  readonly count: number
  readonly seq: Float64Array
  readonly #ordered: OrderedRows
  readonly #blocks: readonly OpenBlock[]
  readonly #scratch: ArrayScratch
  #cache: {
    /** The segment and the row in its block, of each row in order. */
    which?: Uint32Array
    rows?: Uint32Array
    recvMs?: Float64Array
    eventMs?: Float64Array
    flags?: Uint8Array
    conn?: Uint32Array
    connSeq?: Uint32Array
    keys?: readonly string[]
  } = {}

  /** With `scratch`, the rows are used only until it is reset. */
  constructor(session: SessionId, ordered: OrderedRows, scratch = new ArrayScratch()) {
    this.#scratch = scratch
    this.session = session
    this.count = ordered.seq.length
    this.seq = ordered.seq
    this.#ordered = ordered
    this.#blocks = ordered.segments.map(({ block }) => block)
  }

  get feed(): FeedId {
    return this.#blocks[0].feed // called only for batches with rows
  }
  get recvMs(): Float64Array {
    return (this.#cache.recvMs ??= this.#floats((b) => b.recvMs))
  }
  get eventMs(): Float64Array {
    return (this.#cache.eventMs ??= this.#floats((b) => b.eventMs))
  }
  get flags(): Uint8Array {
    return (this.#cache.flags ??= this.#readFlags())
  }
  get conn(): Uint32Array {
    return (this.#cache.conn ??= this.#ints((b) => b.conn))
  }
  get connSeq(): Uint32Array {
    return (this.#cache.connSeq ??= this.#ints((b) => b.connSeq))
  }
  get keys(): readonly string[] {
    return (this.#cache.keys ??= [...new Set(this.#blocks.flatMap((b) => [...b.keys]))])
  }
  get symbols(): RowSymbols | undefined {
    const names = this.#blocks.map(({ onlySymbol }) => onlySymbol)
    // checked, but `every` doesn't narrow through the copy
    return names.every((name) => name !== undefined) ? { names, which: this.#which } : undefined
  }
  symbol(row: number): string {
    return this.#block(row).symbol(this.#rows[row])
  }
  column(key: string): Float64Array {
    return this.#floats((b) => b.column(key))
  }
  literal(key: string, row: number): string {
    return this.#block(row).literal(key, this.#rows[row])
  }
  writer(key: string): LiteralWriter {
    const writers = this.#blocks.map((b) => b.writer(key))
    let numbers: BatchNumbers | undefined
    const gatherNumbers = (): BatchNumbers => {
      const all = writers.map((writer) => writer.numbers)
      const values = this.#gatherFloats((i) => all[i].values)
      const { forms } = all[0]
      if (typeof forms === 'number' && all.every((one) => one.forms === forms)) return { values, forms }
      const formsOf = (i: number): Uint8Array => {
        const own = all[i].forms
        return typeof own === 'number' ? new Uint8Array(this.#blocks[i].count).fill(own) : own
      }
      return { values, forms: this.#gatherBytes(formsOf, new Uint8Array(this.count)) }
    }
    return {
      maxBytes: Math.max(...writers.map((w) => w.maxBytes)),
      write: (row, out, at) => writers[this.#which[row]].write(this.#rows[row], out, at),
      get numbers() {
        return (numbers ??= gatherNumbers())
      },
    }
  }
  raw(row: number): Uint8Array {
    return this.#block(row).raw(this.#rows[row])
  }

  #readFlags(): Uint8Array {
    const flags = new Uint8Array(this.count)
    const { commonFlags } = this.#blocks[0]
    const isCommon = commonFlags !== undefined && this.#blocks.every((b) => b.commonFlags === commonFlags)
    return isCommon ? flags.fill(commonFlags) : this.#gatherBytes((i) => this.#blocks[i].flags, flags)
  }

  get #which(): Uint32Array {
    return (this.#cache.which ??= this.#readWhich())
  }

  #readWhich(): Uint32Array {
    const { segments, places } = this.#ordered
    const which = this.#scratch.ints(this.count)
    for (const [i, { from, to }] of segments.entries()) for (let k = from; k < to; k++) which[places[k]] = i
    return which
  }

  get #rows(): Uint32Array {
    return (this.#cache.rows ??= this.#readRows())
  }

  #readRows(): Uint32Array {
    const { rows, places } = this.#ordered
    const ordered = this.#scratch.ints(this.count)
    for (let k = 0; k < rows.length; k++) ordered[places[k]] = rows[k]!
    return ordered
  }

  #block(row: number): OpenBlock {
    const block = this.#blocks[this.#which[row]]
    if (block === undefined || row >= this.count) throw new RangeError(`row ${row} of ${this.count}`)
    return block
  }

  #floats(of: (block: OpenBlock) => Float64Array): Float64Array {
    return this.#gatherFloats((i) => of(this.#blocks[i]))
  }

  /*
   * The values of all rows in order; `columnOf` returns the column of a segment's block. Once for each kind of array: one
   * loop for all of them would ask for the kind at each value.
   */

  #gatherFloats(columnOf: (segment: number) => Float64Array): Float64Array {
    const { segments, rows, places } = this.#ordered
    const out = this.#scratch.floats(this.count)
    for (let i = 0; i < segments.length; i++) {
      const column = columnOf(i)
      const { from, to } = segments[i]
      for (let k = from; k < to; k++) out[places[k]] = column[rows[k]]!
    }
    return out
  }

  #ints(of: (block: OpenBlock) => Uint32Array): Uint32Array {
    const { segments, rows, places } = this.#ordered
    const out = this.#scratch.ints(this.count)
    for (const { block, from, to } of segments) {
      const column = of(block)
      for (let k = from; k < to; k++) out[places[k]] = column[rows[k]]!
    }
    return out
  }

  #gatherBytes(columnOf: (segment: number) => Uint8Array, out: Uint8Array): Uint8Array {
    const { segments, rows, places } = this.#ordered
    for (let i = 0; i < segments.length; i++) {
      const column = columnOf(i)
      const { from, to } = segments[i]
      for (let k = from; k < to; k++) out[places[k]] = column[rows[k]]!
    }
    return out
  }
}
