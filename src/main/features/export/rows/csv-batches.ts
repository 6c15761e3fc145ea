/** Writes the usual rows of a CSV file many at a time, in WebAssembly, and leaves the others to `csv-rows.ts`. */
import {
  createRowWriter,
  MAX_BATCH,
  MAX_NUMBER,
  type RowWriter,
  type Step,
} from '../../../core/store/kernels/row-writer.ts'
import type { BatchNumbers, TickColumns } from '../../../core/store/types/ticks.ts'
import type { ByteSink } from '../../../base/file-sink.ts'
import { TIME_ROOM } from './cells.ts'
import type { Span } from './rows.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'

/** What the rows of a symbol start with: feed and symbol. */
export interface RowStart {
  readonly bytes: Uint8Array
  /** Its number in the writer, if `round` is the writer's. */
  number: number
  round: number
}

/** Columns of the writer before those of the feed's fields. */
const EVENT = 0
const RECV = 1
const SEQ = 2
const FIELDS = 3

/** The number of a start for which there is no room. */
const NONE = 0xffff

export class CsvBatches {
  readonly #writer: RowWriter
  readonly #startOf: (symbol: string) => RowStart
  /** Changes when the writer's starts are cleared. */
  #round = 0

  private constructor(writer: RowWriter, startOf: (symbol: string) => RowStart) {
    this.#writer = writer
    this.#startOf = startOf
  }

  /** Null if WebAssembly can't run here. `isLong`: the columns of schema 2. */
  static create(
    fields: number,
    separator: number,
    isLong: boolean,
    startOf: (symbol: string) => RowStart,
  ): CsvBatches | null {
    const text = Uint8Array.of(separator)
    const number = (column: number): Step => ({ is: 'number', column, text })
    const times: readonly Step[] = isLong
      ? [{ is: 'iso', column: EVENT, text }, { is: 'iso', column: RECV, text }, number(EVENT), number(RECV)]
      : [
          { is: 'msAndIso', column: EVENT, text },
          { is: 'msAndIso', column: RECV, text },
        ]
    const cells = [...times, number(SEQ), ...Array.from({ length: fields }, (_, i) => number(FIELDS + i))]
    const writer = createRowWriter({
      columns: FIELDS + fields,
      steps: cells.map((step, i) => (i === cells.length - 1 ? { ...step, text: Uint8Array.of(10) } : step)),
      separator,
      maxCells: 2 * TIME_ROOM + cells.length * (MAX_NUMBER + 1),
    })
    return writer === null ? null : new CsvBatches(writer, startOf)
  }

  /**
   * Writes rows [from, to), skipping those that tables leave out. `writeOne` writes a row that isn't usual. Returns how many
   * were written.
   */
  write(
    file: ByteSink,
    ticks: TickColumns,
    numbers: readonly BatchNumbers[],
    [from, to]: readonly [number, number],
    span: Span,
    writeOne: (row: number) => number,
  ): number {
    let rows = 0
    for (let at = from; at < to;) {
      const end = this.#fill(ticks, numbers, at, Math.min(to, at + MAX_BATCH))
      if (end === at) rows += writeOne(at++)
      else {
        rows += this.#writeBatch(file, ticks, at, end - at, span, writeOne)
        at = end
      }
    }
    return rows
  }

  /** Gives rows [from, to) to the writer. Returns the first row whose symbol it has no room for, or `to`. */
  #fill(ticks: TickColumns, numbers: readonly BatchNumbers[], from: number, to: number): number {
    const { columns, flags } = this.#writer
    const end = this.#fillStarts(ticks, from, to)
    const fill = (column: number, { values, forms }: BatchNumbers): void => {
      const into = columns[column]
      into.values.set(values.subarray(from, end))
      if (typeof forms === 'number') into.forms.fill(forms, 0, end - from)
      else into.forms.set(forms.subarray(from, end))
    }
    fill(EVENT, { values: ticks.eventMs, forms: 0 })
    fill(RECV, { values: ticks.recvMs, forms: 0 })
    fill(SEQ, { values: ticks.seq, forms: 0 })
    for (let i = 0; i < numbers.length; i++) fill(FIELDS + i, numbers[i])
    flags.set(ticks.flags.subarray(from, end))
    return end
  }

  #fillStarts(ticks: TickColumns, from: number, to: number): number {
    const { starts } = this.#writer
    const { symbols } = ticks
    if (symbols !== undefined) {
      const numbers = Uint16Array.from(symbols.names, (symbol) => this.#startNumber(symbol) ?? NONE)
      const { which } = symbols
      if (!numbers.includes(NONE)) {
        if (which === null) starts.fill(numbers[0], 0, to - from)
        else for (let row = from; row < to; row++) starts[row - from] = numbers[which[row]]
        return to
      }
    }
    let last: string | undefined
    let number = NONE
    for (let row = from; row < to; row++) {
      const symbol = ticks.symbol(row)
      if (symbol !== last) {
        number = this.#startNumber(symbol) ?? NONE
        last = symbol
      }
      if (number === NONE) {
        if (row === from) this.#clearStarts()
        return row
      }
      starts[row - from] = number
    }
    return to
  }

  /** The number of a symbol's start; undefined if there is no room for it. */
  #startNumber(symbol: string): number | undefined {
    const start = this.#startOf(symbol)
    if (start.round !== this.#round) {
      const added = this.#writer.addStart(start.bytes)
      if (added === undefined) return undefined
      start.number = added
      start.round = this.#round
    }
    return start.number
  }

  #clearStarts(): void {
    this.#writer.clearStarts()
    this.#round++
  }

  #writeBatch(
    file: ByteSink,
    ticks: TickColumns,
    from: number,
    count: number,
    span: Span,
    writeOne: (row: number) => number,
  ): number {
    let rows = 0
    for (let row = 0; row < count;) {
      const done = this.#writer.write(row, count, STORED_ONLY, EVENT, span)
      file.room(done.text.length)
      file.bytes.set(done.text, file.at)
      file.at += done.text.length
      rows += done.written
      row = done.row
      if (!done.isStuck) continue
      rows += writeOne(from + row)
      this.#writer.setDay(ticks.eventMs[from + row])
      row++
    }
    return rows
  }
}
