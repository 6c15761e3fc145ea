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

/** Most rows that a batch holds, unless the writer is created for more. */
export const MAX_BATCH = 4096
/** Longest number that is written: a sign, 16 digits, a point, and Python's ".0". */
export const MAX_NUMBER = 20
/** Bytes that are written before the caller has to take them. They fit into a core's cache. */
const OUT_BYTES = 1 << 17
/** Most plans, and bytes of their texts. */
const MAX_PLANS = 8192
const TEXT_BYTES = 1 << 18
const PAGE = 1 << 16

export interface NumberStep {
  readonly is: 'number'
  readonly column: number
  readonly text: Uint8Array
}

/** What comes after a row's start: a cell, and the text after it. */
export type Step =
  | NumberStep
  /** `msAndIso`: the column is written as epoch ms, the separator, and ISO 8601. */
  | { readonly is: 'msAndIso' | 'iso'; readonly column: number; readonly text: Uint8Array }

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
  ends: number,
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

interface RowWriterOptions {
  readonly columns: number
  /** The steps of every row whose start has none of its own. */
  readonly steps: readonly Step[]
  readonly separator: number
  /** Most bytes of these steps. */
  readonly maxCells: number
  /** Most rows of a batch; default `MAX_BATCH`. */
  readonly rows?: number
  /** Most steps that all starts have of their own; default 0. */
  readonly ownSteps?: number
}

/** Creates a writer of rows; null where it can't run. */
export function createRowWriter(options: RowWriterOptions): RowWriter | null {
  const module = compile()
  return module === null ? null : new RowWriter(module, options)
}

export class RowWriter {
  readonly columns: readonly BatchColumn[]
  /** Number of each row's start, from `start`. */
  readonly starts: Uint16Array
  /** Flags of each row. */
  readonly flags: Uint8Array
  /** Where the text of each row ends, from `outAt`; only of those that the last `write` wrote. */
  readonly ends: Uint32Array
  readonly #rows: RowsFunction
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #at: Readonly<Record<'out' | 'plans' | 'starts' | 'flags' | 'ends', number>>
  readonly #values: readonly number[]
  readonly #forms: readonly number[]
  readonly #times: readonly number[]
  readonly #steps: { readonly from: number; readonly to: number }
  /** Steps of single starts. */
  readonly #ownSteps: { readonly from: number; readonly to: number }
  #ownStepAt: number
  readonly #texts: { readonly from: number; readonly to: number }
  readonly #maxCells: number
  #textAt: number
  #plans = 0
  /** Most bytes of a start so far. */
  #maxStart = 0

  constructor(
    module: WebAssembly.Module,
    { columns, steps, separator, maxCells, rows: count = MAX_BATCH, ownSteps = 0 }: RowWriterOptions,
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
    this.#values = Array.from({ length: columns }, () => take(count * 8))
    this.#forms = Array.from({ length: columns }, () => take(count))
    this.#times = steps.map(({ is }) => (is === 'number' ? 0 : take(TIMES_BYTES)))
    this.#steps = { from: take(steps.length * STEP_BYTES), to: at }
    this.#ownSteps = { from: take(ownSteps * STEP_BYTES), to: at }
    this.#ownStepAt = this.#ownSteps.from
    const out = take(OUT_BYTES)
    const plans = take(MAX_PLANS * PLAN_BYTES)
    this.#at = { out, plans, starts: take(count * 2), flags: take(count), ends: take(count * 4) }
    this.#texts = { from: take(TEXT_BYTES), to: at }
    take(SLACK)
    this.#textAt = this.#texts.from
    memory.grow(Math.ceil(at / PAGE) - 1)
    const { buffer } = memory
    this.#bytes = new Uint8Array(buffer)
    this.#view = new DataView(buffer)
    this.columns = this.#values.map((values, i) => ({
      values: new Float64Array(buffer, values, count),
      forms: new Uint8Array(buffer, this.#forms[i], count),
    }))
    this.starts = new Uint16Array(buffer, this.#at.starts, count)
    this.flags = new Uint8Array(buffer, this.#at.flags, count)
    this.ends = new Uint32Array(buffer, this.#at.ends, count)
    this.#maxCells = maxCells + SLACK
    this.#writeTables()
    for (const [i, step] of steps.entries()) {
      const text = this.#addText(step.text) ?? { at: 0, length: 0 }
      this.#setStep(this.#steps.from + i * STEP_BYTES, step, this.#times[i], text)
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

  #setStep(
    at: number,
    { is, column }: Step,
    times: number,
    text: { readonly at: number; readonly length: number },
  ): void {
    this.#set(at + STEP_AT.kind, STEP[is])
    this.#set(at + STEP_AT.values, this.#values[column])
    this.#set(at + STEP_AT.forms, this.#forms[column])
    this.#set(at + STEP_AT.times, times)
    this.#set(at + STEP_AT.text, text.at)
    this.#set(at + STEP_AT.length, text.length)
  }

  /** What `ends` counts from. */
  get outAt(): number {
    return this.#at.out
  }

  #writeTables(): void {
    for (let i = 0; i < 32; i++) this.#bytes[AT.indexes + i] = i
    const write = (at: number, text: string): void => void this.#bytes.set(Buffer.from(text, 'latin1'), at)
    for (let i = 0; i < 100; i++) write(AT.pairs + 2 * i, String(i).padStart(2, '0'))
    for (let i = 0; i < 1000; i++) write(AT.millis + 4 * i, `${String(i).padStart(3, '0')}Z`)
  }

  /** Undefined if there is no room left. */
  #addText(bytes: Uint8Array): { readonly at: number; readonly length: number } | undefined {
    const at = this.#textAt
    if (at + bytes.length > this.#texts.to) return undefined
    this.#bytes.set(bytes, at)
    this.#textAt = at + bytes.length
    return { at, length: bytes.length }
  }

  /**
   * Adds a text that rows start with, and numbers that follow it instead of the common steps. Returns its number for `starts`;
   * undefined if there is no room left.
   */
  addStart(bytes: Uint8Array, numbers?: readonly NumberStep[]): number | undefined {
    const own = numbers ?? []
    const size = own.reduce((sum, { text }) => sum + text.length + MAX_NUMBER, bytes.length)
    // Every call writes at least one row, however long its start is.
    if (this.#plans === MAX_PLANS || size > OUT_BYTES / 4) return undefined
    const steps = numbers === undefined ? this.#steps.from : this.#ownStepAt
    if (steps + own.length * STEP_BYTES > this.#ownSteps.to) return undefined
    const before = this.#textAt
    const texts = [bytes, ...own.map(({ text }) => text)].map((text) => this.#addText(text))
    const [first] = texts
    if (first === undefined || texts.includes(undefined)) {
      this.#textAt = before
      return undefined
    }
    for (const [i, step] of own.entries()) this.#setStep(steps + i * STEP_BYTES, step, 0, texts[i + 1]!)
    this.#ownStepAt += own.length * STEP_BYTES
    const at = this.#at.plans + this.#plans * PLAN_BYTES
    this.#set(at + PLAN_AT.text, first.at)
    this.#set(at + PLAN_AT.length, first.length)
    this.#set(at + PLAN_AT.steps, steps)
    this.#set(at + PLAN_AT.end, numbers === undefined ? this.#steps.to : this.#ownStepAt)
    this.#maxStart = Math.max(this.#maxStart, size)
    return this.#plans++
  }

  /** The share of the room for starts that is taken, from 0 to 1. */
  get fullness(): number {
    const share = (at: number, { from, to }: { readonly from: number; readonly to: number }): number =>
      to === from ? 0 : (at - from) / (to - from)
    return Math.max(this.#plans / MAX_PLANS, share(this.#textAt, this.#texts), share(this.#ownStepAt, this.#ownSteps))
  }

  /** Removes all starts. */
  clearStarts(): void {
    this.#plans = 0
    this.#textAt = this.#texts.from
    this.#ownStepAt = this.#ownSteps.from
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
    const { out, plans, starts, flags, ends } = this.#at
    this.#view.setFloat64(AT.least, span.first, true)
    this.#view.setFloat64(AT.greatest, span.last, true)
    const limit = out + OUT_BYTES - this.#maxCells - this.#maxStart
    const next = this.#rows(row, end, out, limit, plans, starts, flags, mask, this.#values[moments], ends)
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
