/** The numbers of some of a block's rows. */
import { corruptBlock } from './bytes.ts'
import { TEMPLATE, type Directory } from './directory.ts'
import { BY } from './ints.ts'
import { MAX_DECIMALS, POW10, writeLiteral } from '../kernels/literal.ts'
import { STYLE } from '../kernels/number-form.ts'
import type { RowInts } from './row-ints.ts'

const decoder = new TextDecoder()
export const NO_TEXT = new Uint8Array(0)

/** An exception text if it is a number; empty if it only looks like one ("1-2"). */
export function numberText(text: Uint8Array): Uint8Array {
  return /^-?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(decoder.decode(text)) ? text : NO_TEXT
}

export class RowNumbers {
  readonly #directory: Directory
  readonly #columns: RowInts
  /** Count of these rows. */
  readonly #count: number
  #positions: readonly (Uint32Array | undefined)[] | undefined
  readonly #exceptions: (Map<number, Uint8Array> | undefined)[] = []

  constructor(directory: Directory, columns: RowInts, count: number) {
    this.#directory = directory
    this.#columns = columns
    this.#count = count
  }

  /** For each column, the index of each row's value; undefined if it is the row's own index. */
  get positions(): readonly (Uint32Array | undefined)[] {
    return (this.#positions ??= this.#readPositions())
  }

  #readPositions(): readonly (Uint32Array | undefined)[] {
    const ids = this.#columns.int(TEMPLATE)
    const { count, ints, numbers: all, templates } = this.#directory
    return all.map((numbers, c) => {
      if (ints[numbers.values].count === count) return undefined
      const step = templates.map((t) => t.columns.includes(c))
      const places = new Uint32Array(this.#count)
      let n = 0
      for (let i = 0; i < this.#count; i++) {
        places[i] = n
        const id = ids[i]
        if (id > 0 && step[id - 1]) n++
      }
      return places
    })
  }

  /** Texts of a column by place that aren't written from numbers. */
  exceptions(c: number): ReadonlyMap<number, Uint8Array> {
    let map = this.#exceptions[c]
    if (map === undefined) {
      map = new Map<number, Uint8Array>()
      const { exceptions, exceptionRows } = this.#directory.numbers[c]
      const rows = exceptions.length === 0 ? [] : this.#columns.int(exceptionRows)
      const { from, to } = this.#columns.span(this.#directory.numbers[c].values)
      for (let i = 0; i < rows.length; i++) {
        const at = rows[i] - from
        if (at >= 0 && at < to - from) map.set(at, exceptions[i] ?? NO_TEXT)
      }
      this.#exceptions[c] = map
    }
    return map
  }

  /** For each template, the column of `key` (the last one, like JSON.parse); -1 if it has none. */
  columnsOf(key: string): Int32Array {
    const { numbers, templates } = this.#directory
    return Int32Array.from(templates, ({ columns }) => columns.findLast((c) => numbers[c].key === key) ?? -1)
  }

  /** The one column that holds `key` for every row; -1 if there is none. */
  oneColumn(of: Int32Array): number {
    const first = of[0]
    return first !== undefined && this.#directory.rawEnds.length === 0 && of.every((c) => c === first) ? first : -1
  }

  /** `OpenBlock.mantissas`. */
  mantissas(key: string): { readonly values: Float64Array; readonly unit: number } | undefined {
    const at = this.oneColumn(this.columnsOf(key))
    if (at < 0) return undefined
    const { ints, numbers } = this.#directory
    const { values, style, decimals, exceptions } = numbers[at]
    if (style === STYLE.explicit || exceptions.length > 0 || ints[values].by === BY.doubles) return undefined
    return { values: this.#columns.int(values), unit: POW10[decimals] }
  }

  /** A column's numbers, only for rows that have it. */
  values(c: number): Float64Array {
    const { values, decimals, perRow, style } = this.#directory.numbers[c]
    const mantissas = this.#columns.int(values)
    const n = mantissas.length
    const exceptions = this.exceptions(c)
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
      out[at] = number === NO_TEXT ? NaN : Number(decoder.decode(number))
    }
    return out
  }

  /** Writes the number at a place of a column. Returns the offset after it. */
  write(c: number, at: number, out: Uint8Array, to: number): number {
    return writeLiteral(out, to, this.mantissa(c, at), this.decimals(c, at), this.#directory.numbers[c].style)
  }

  /** The digits of the number at a place, as a whole number. */
  mantissa(c: number, at: number): number {
    return this.#columns.int(this.#directory.numbers[c].values)[at]
  }

  /** How many of them follow the decimal point. */
  decimals(c: number, at: number): number {
    const { decimals, perRow, style } = this.#directory.numbers[c]
    const places = style === STYLE.explicit ? this.#columns.int(perRow)[at] : decimals
    if (!(places <= MAX_DECIMALS)) throw corruptBlock('a column has too many decimals')
    return places
  }
}
