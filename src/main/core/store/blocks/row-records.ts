/** The records of some of a block's rows, from the numbers in its columns: as the decoder reads them from the text. */
import type { FeedId } from '../../../../shared/base/units.ts'
import type { RecordShape } from '../../../../service/codecs/reading.ts'
import { templateShape, type NumberKind } from '../../../../service/codecs/template-shape.ts'
import { inRange } from '../../../../service/codecs/times.ts'
import { TEMPLATE, type Directory } from './directory.ts'
import { BY } from './ints.ts'
import { MAX_MANTISSA, POW10 } from '../kernels/literal.ts'
import { STYLE } from '../kernels/number-form.ts'
import type { RecordTarget, RecordWriter } from './open-block.ts'
import type { RowInts } from './row-ints.ts'
import type { RowNumbers } from './row-numbers.ts'

/** With more decimals, a literal may have more digits than the scanner reads. */
const MAX_DECIMALS = 15

/** A column of numbers that a template's records have, or that may hold texts. */
interface Column {
  /** Null: the record doesn't have it. */
  readonly kind: NumberKind | null
  readonly mantissas: Float64Array
  readonly power: number
  readonly decimals: number
  /** Whether every literal has all decimals, instead of the shortest form. */
  readonly isFixed: boolean
  readonly leastDecimals: number
  /** Place of each row's value; undefined if it is the row. */
  readonly places: Uint32Array | undefined
  readonly exceptions: ReadonlyMap<number, Uint8Array> | undefined
}

interface Plan {
  readonly shape: RecordShape
  readonly columns: readonly Column[]
}

export class RowRecords implements RecordWriter {
  readonly #feed: FeedId
  readonly #directory: Directory
  readonly #columns: RowInts
  readonly #numbers: RowNumbers
  /** Template of each row, from 1; 0: its text is stored. */
  readonly #ids: Float64Array
  /** By template, made on first use; null: its records can't be told from numbers. */
  readonly #plans: (Plan | null | undefined)[] = []

  constructor(directory: Directory, columns: RowInts, numbers: RowNumbers) {
    this.#feed = directory.feed
    this.#directory = directory
    this.#columns = columns
    this.#numbers = numbers
    this.#ids = columns.int(TEMPLATE)
  }

  writeAll(from: number, to: number, places: Uint32Array, out: RecordTarget): void {
    const ids = this.#ids
    for (let row = from; row < to;) {
      const id = ids[row]
      let end = row + 1
      while (end < to && ids[end] === id) end++
      const plan = this.#planOf(row)
      const number = plan === null ? 0 : out.numberOf(plan.shape)
      const at = places.subarray(row - from, end - from)
      for (let i = 0; i < at.length; i++) {
        out.shape[at[i]] = number
        out.decimals[at[i]] = 0
      }
      if (plan !== null && number > 0) writeColumns(plan.columns, row, at, out)
      row = end
    }
  }

  #planOf(row: number): Plan | null {
    const id = this.#ids[row]
    if (!(id > 0)) return null
    return (this.#plans[id - 1] ??= this.#makePlan(id - 1))
  }

  #makePlan(t: number): Plan | null {
    const { templates, numbers, ints } = this.#directory
    const { parts, columns: ids } = templates[t]
    const found = templateShape(
      this.#feed,
      parts,
      ids.map((c) => numbers[c].key),
    )
    if (found === undefined) return null
    const columns: Column[] = []
    for (const [i, kind] of found.kinds.entries()) {
      const c = ids[i]
      const { values, decimals, style, exceptions } = numbers[c]
      if (kind === null && exceptions.length === 0) continue
      const isPlain = style !== STYLE.explicit && ints[values].by !== BY.doubles
      if (kind !== null && (!isPlain || decimals > MAX_DECIMALS)) return null
      columns.push({
        kind,
        mantissas: this.#columns.int(values),
        power: POW10[decimals],
        decimals,
        isFixed: style === STYLE.fixed,
        leastDecimals: style === STYLE.python ? 1 : 0,
        places: this.#numbers.positions[c],
        exceptions: exceptions.length > 0 ? this.#numbers.exceptions(c) : undefined,
      })
    }
    return { shape: found.shape, columns }
  }
}

function writeColumns(columns: readonly Column[], from: number, at: Uint32Array, out: RecordTarget): void {
  let slot = 0
  for (const column of columns) {
    if (column.exceptions !== undefined) leaveTexts(column, column.exceptions, from, at, out)
    if (column.kind !== null) writeColumn(column, from, at, slot++, out)
  }
}

/** Leaves rows to the decoder whose literal isn't stored as a number. */
function leaveTexts(
  { places }: Column,
  exceptions: ReadonlyMap<number, Uint8Array>,
  from: number,
  at: Uint32Array,
  { shape }: RecordTarget,
): void {
  for (let i = 0; i < at.length; i++) {
    if (exceptions.has(places === undefined ? from + i : places[from + i])) shape[at[i]] = 0
  }
}

/** Writes a column of rows from `from` on as number `slot` of the records `at`. */
function writeColumn(column: Column, from: number, at: Uint32Array, slot: number, out: RecordTarget): void {
  const { kind, mantissas, power, decimals, isFixed, leastDecimals, places } = column
  const { numbers, stride, decimals: most, shape } = out
  const isPrice = kind === 'price'
  const isTime = kind === 'time'
  const least = isPrice ? 1 : 0
  for (let i = 0; i < at.length; i++) {
    const row = from + i
    const mantissa = mantissas[places === undefined ? row : places[row]]
    const value = decimals === 0 ? mantissa : mantissa / power
    const place = at[i]
    if (!(mantissa >= least && mantissa <= MAX_MANTISSA)) shape[place] = 0
    else if (isPrice) {
      const shown = isFixed ? decimals : Math.max(leastDecimals, decimals - trailingZeros(mantissa, decimals))
      if (shown > most[place]) most[place] = shown
    } else if (isTime && !(inRange(value) && Number.isInteger(value))) shape[place] = 0
    numbers[place * stride + slot] = value
  }
}

/** Count of zeros at the end of a positive integer, at most `most`. */
function trailingZeros(value: number, most: number): number {
  let zeros = 0
  let rest = value
  while (rest > 0x7fffffff && zeros < most && rest % 10 === 0) {
    rest /= 10
    zeros++
  }
  if (rest > 0x7fffffff) return zeros
  let low = rest | 0
  while (zeros < most && low % 10 === 0) {
    low = (low / 10) | 0
    zeros++
  }
  return zeros
}
