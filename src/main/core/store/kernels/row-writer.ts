/** Writes many rows of text at once, as `row-kernel.ts` does it. */
import { DAY_MS } from '../../../../shared/base/durations.ts'
import {
  AT,
  PLAN_AT,
  PLAN_BYTES,
  rowModule,
  SLACK,
  STEP,
  STEP_AT,
  STEP_BYTES,
  TIMES_AT,
  TIMES_BYTES,
} from './row-kernel.ts'

/** Most rows that a batch holds. */
export const MAX_BATCH = 4096
/** Bytes that are written before the caller has to take them. They fit into a core's cache. */
const OUT_BYTES = 1 << 17
/** Most plans, and bytes of their texts. */
const MAX_PLANS = 8192
const TEXT_BYTES = 1 << 18
const PAGE = 1 << 16

/** What comes after a row's start: a cell, and the text after it. */
export type Step = { readonly text: Uint8Array } & (
  | { readonly is: 'number'; readonly column: number }
  /** `msAndIso`: the column is written as epoch ms, the separator, and ISO 8601. */
  | { readonly is: 'msAndIso' | 'iso'; readonly column: number }
)

/** A column of a batch, to be filled before `write`. */
export interface BatchColumn {
  readonly values: Float64Array
  /** `NUMBER_FORM` of each number. Times have none. */
  readonly forms: Uint8Array
}

/** The one function that the module exports. */
type RowsFunction = (
  row: number,
  end: number,
  to: number,
  limit: number,
  plans: number,
  planOf: number,
  skip: number,
  mask: number,
  moments: number,
) => number

let compiled: WebAssembly.Module | null | undefined

/** The compiled module; null where WebAssembly or its SIMD isn't available, as on processors older than 2008. */
function compile(): WebAssembly.Module | null {
  if (compiled !== undefined) return compiled
  try {
    compiled = new WebAssembly.Module(rowModule())
  } catch {
    compiled = null
  }
  return compiled
}

/** Creates a writer of rows with these steps; null where it can't run. `maxCells`: most bytes of a row's steps. */
export function createRowWriter(options: {
  readonly columns: number
  readonly steps: readonly Step[]
  readonly separator: number
  readonly maxCells: number
}): RowWriter | null {
  const module = compile()
  return module === null ? null : new RowWriter(module, options)
}

export class RowWriter {
  readonly columns: readonly BatchColumn[]
  /** Number of each row's start, from `start`. */
  readonly starts: Uint16Array
  /** Flags of each row. */
  readonly flags: Uint8Array
  readonly #rows: RowsFunction
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #at: { readonly out: number; readonly plans: number; readonly starts: number; readonly flags: number }
  readonly #values: readonly number[]
  readonly #times: readonly number[]
  readonly #steps: { readonly from: number; readonly to: number }
  readonly #texts: { readonly from: number; readonly to: number }
  readonly #maxCells: number
  #textAt: number
  #plans = 0
  /** Most bytes of a start so far. */
  #maxStart = 0

  constructor(
    module: WebAssembly.Module,
    { columns, steps, separator, maxCells }: Parameters<typeof createRowWriter>[0],
  ) {
    const { exports } = new WebAssembly.Instance(module)
    // `rowModule` exports exactly these two
    const { memory, rows } = exports as { memory: WebAssembly.Memory; rows: RowsFunction }
    this.#rows = rows
    let at: number = AT.free
    const take = (bytes: number): number => {
      const from = Math.ceil(at / 16) * 16
      at = from + bytes
      return from
    }
    this.#values = Array.from({ length: columns }, () => take(MAX_BATCH * 8))
    const forms = Array.from({ length: columns }, () => take(MAX_BATCH))
    this.#times = steps.map(({ is }) => (is === 'number' ? 0 : take(TIMES_BYTES)))
    this.#steps = { from: take(steps.length * STEP_BYTES), to: at }
    const out = take(OUT_BYTES)
    this.#at = { out, plans: take(MAX_PLANS * PLAN_BYTES), starts: take(MAX_BATCH * 2), flags: take(MAX_BATCH) }
    this.#texts = { from: take(TEXT_BYTES), to: at }
    take(SLACK)
    this.#textAt = this.#texts.from
    memory.grow(Math.ceil(at / PAGE) - 1)
    const { buffer } = memory
    this.#bytes = new Uint8Array(buffer)
    this.#view = new DataView(buffer)
    this.columns = this.#values.map((values, i) => ({
      values: new Float64Array(buffer, values, MAX_BATCH),
      forms: new Uint8Array(buffer, forms[i], MAX_BATCH),
    }))
    this.starts = new Uint16Array(buffer, this.#at.starts, MAX_BATCH)
    this.flags = new Uint8Array(buffer, this.#at.flags, MAX_BATCH)
    this.#maxCells = maxCells + SLACK
    this.#writeTables()
    for (const [i, step] of steps.entries()) {
      const from = this.#steps.from + i * STEP_BYTES
      const { text, length } = this.#addText(step.text) ?? { text: 0, length: 0 }
      this.#set(from + STEP_AT.kind, STEP[step.is])
      this.#set(from + STEP_AT.values, this.#values[step.column])
      this.#set(from + STEP_AT.forms, forms[step.column])
      this.#set(from + STEP_AT.times, this.#times[i])
      this.#set(from + STEP_AT.text, text)
      this.#set(from + STEP_AT.length, length)
      if (step.is === 'number') continue
      this.#view.setFloat64(this.#times[i] + TIMES_AT.second, NaN, true)
      this.#view.setFloat64(this.#times[i] + TIMES_AT.day, NaN, true)
      this.#bytes[this.#times[i] + TIMES_AT.text + 13] = separator
      this.#bytes[this.#times[i] + TIMES_AT.iso + 23] = 90
    }
    this.#texts = { from: this.#textAt, to: this.#texts.to }
  }

  #set(at: number, value: number): void {
    this.#view.setUint32(at, value, true)
  }

  #writeTables(): void {
    for (let i = 0; i < 32; i++) this.#bytes[AT.indexes + i] = i
    const write = (at: number, text: string): void => void this.#bytes.set(Buffer.from(text, 'latin1'), at)
    for (let i = 0; i < 100; i++) write(AT.pairs + 2 * i, String(i).padStart(2, '0'))
    for (let i = 0; i < 1000; i++) write(AT.millis + 4 * i, `${String(i).padStart(3, '0')}Z`)
  }

  /** Undefined if there is no room left. */
  #addText(bytes: Uint8Array): { readonly text: number; readonly length: number } | undefined {
    const text = this.#textAt
    if (text + bytes.length > this.#texts.to) return undefined
    this.#bytes.set(bytes, text)
    this.#textAt = text + bytes.length
    return { text, length: bytes.length }
  }

  /** Adds a text that rows start with and returns its number for `starts`. Undefined if there is no room left. */
  addStart(bytes: Uint8Array): number | undefined {
    // Every call writes at least one row, however long its start is.
    if (this.#plans === MAX_PLANS || bytes.length > OUT_BYTES / 4) return undefined
    const added = this.#addText(bytes)
    if (added === undefined) return undefined
    const at = this.#at.plans + this.#plans * PLAN_BYTES
    this.#set(at + PLAN_AT.text, added.text)
    this.#set(at + PLAN_AT.length, added.length)
    this.#set(at + PLAN_AT.steps, this.#steps.from)
    this.#set(at + PLAN_AT.end, this.#steps.to)
    this.#maxStart = Math.max(this.#maxStart, bytes.length)
    return this.#plans++
  }

  /** Removes all starts. */
  clearStarts(): void {
    this.#plans = 0
    this.#textAt = this.#texts.from
  }

  /** Makes times of the UTC day of `ms` fast. Days that begin before 2001-09-10 or end after 2286 never are. */
  setDay(ms: number): void {
    const day = Math.floor(ms / DAY_MS) * DAY_MS
    if (!(day >= 1e12 && day + DAY_MS <= 1e13)) return
    const date = Buffer.from(new Date(day).toISOString().slice(0, 20), 'latin1')
    for (const at of this.#times) {
      if (at === 0) continue
      this.#view.setFloat64(at + TIMES_AT.day, day, true)
      this.#view.setFloat64(at + TIMES_AT.second, NaN, true)
      this.#bytes.set(date, at + TIMES_AT.iso)
    }
  }

  /**
   * Writes rows [row, end) of the batch, without those that have a flag of `mask`. Returns the first row that it didn't
   * write; what was written is in `text`, to be taken before the next call. `isStuck` says that this row can't be written
   * here. `moments`: the column whose least and greatest value is needed.
   */
  write(
    row: number,
    end: number,
    mask: number,
    moments: number,
    span: { first: number; last: number },
  ): { readonly row: number; readonly written: number; readonly text: Uint8Array; readonly isStuck: boolean } {
    const { out, plans, starts, flags } = this.#at
    this.#view.setFloat64(AT.least, span.first, true)
    this.#view.setFloat64(AT.greatest, span.last, true)
    const limit = out + OUT_BYTES - this.#maxCells - this.#maxStart
    const next = this.#rows(row, end, out, limit, plans, starts, flags, mask, this.#values[moments])
    const textEnd = this.#view.getUint32(AT.end, true)
    span.first = this.#view.getFloat64(AT.least, true)
    span.last = this.#view.getFloat64(AT.greatest, true)
    return {
      row: next,
      written: this.#view.getUint32(AT.written, true),
      text: this.#bytes.subarray(out, textEnd),
      isStuck: next < end && textEnd < limit,
    }
  }
}
