/** A formula on a chart: sends its bars to the worker and holds the values that came back. */
import type { AssetClass } from '../../../shared/base/units.ts'
import { parameterValues } from '../../../shared/core/market/indicators/table.ts'
import { valuesOf, type FlowOf, type StudyRun, type StudyValues } from '../model/study-run.ts'
import type { Row } from '../model/series.ts'
import type { StudySpec } from '../model/study-spec.ts'
import { windowFormulas, type FormulaClient, type FormulaHost } from './formula-host.ts'
import { ROW_NUMBERS, type FormulaRequest, type FormulaResponse } from './protocol.ts'

export interface FormulaRunOptions {
  readonly text: string
  readonly given: Readonly<Record<string, number>>
  readonly asset: () => AssetClass
  /** New values or a problem arrived. */
  readonly changed: () => void
  readonly host?: FormulaHost
}

export class FormulaRun implements StudyRun, FormulaClient {
  readonly run: number
  readonly values: StudyValues[] = []
  readonly parameters: readonly number[]
  readonly shown: readonly number[]
  readonly drawn: StudyRun['drawn']
  readonly needsSides: boolean
  /** Why the formula is no longer computed; null: no problem. */
  problem: string | null = null
  readonly #options: FormulaRunOptions
  readonly #host: FormulaHost
  #rows: readonly Row[] = []
  /** Rows before this one are closed and computed. */
  #closed = 0
  #isStarted = false
  #isEnded = false
  /** The requested rows: their list, the index of the first one, and how many. */
  #requested: { readonly rows: readonly Row[]; readonly from: number; readonly count: number } | null = null
  /** The number of rows when the problem occurred. A list that is as long or longer isn't tried again. */
  #stoppedRows = Infinity
  #flowOf: FlowOf | null = null

  constructor(spec: StudySpec, options: FormulaRunOptions) {
    this.#options = options
    this.#host = options.host ?? windowFormulas
    this.run = this.#host.nextRun()
    this.parameters = parameterValues(spec, options.given)
    this.shown = [...spec.outputs.keys()]
    const levels = spec.levelsOf?.(this.parameters)
    this.drawn = { ...spec.drawn, ...(levels && { levels }) }
    this.needsSides = spec.needsSides === true
  }

  valueAt(index: number, output: number): number | null {
    return this.values[index]?.[output] ?? null
  }

  setFlow(flowOf: FlowOf | null, fromMs: number): void {
    this.#flowOf = flowOf
    if (this.#closed > 0 && this.#rows[this.#closed - 1].timestamp >= fromMs) this.#restart()
    this.#ask()
  }

  /** Returns the values so far, and requests those of new rows. Calls `changed` when they arrive. */
  follow(rows: readonly Row[]): readonly StudyValues[] {
    const isSame = rows === this.#rows && rows.length >= this.#closed
    if (!isSame) {
      this.#rows = rows
      this.values.length = 0
      this.#restart()
      if (rows.length < this.#stoppedRows) this.problem = null
    }
    if (this.problem === null) this.#ask()
    return this.values
  }

  #restart(): void {
    this.#closed = 0
    this.#isStarted = false
    this.#requested = null
  }

  #ask(): void {
    if (!this.#isEnded && this.problem === null && this.#rows.length > 0) this.#host.ask(this)
  }

  nextRequest(): FormulaRequest | null {
    const [from, to] = [this.#closed, this.#rows.length]
    if (this.problem !== null || from >= to || this.#isEnded) return null
    const rows = new Float64Array((to - from) * ROW_NUMBERS).fill(NaN)
    for (let i = from; i < to; i++) {
      const { bar } = this.#rows[i]
      if (bar === null) continue
      const { startMs, open, high, low, close, volume } = bar
      const flow = this.needsSides ? this.#flowOf?.(startMs) : undefined
      rows.set(
        [startMs, open, high, low, close, volume ?? NaN, flow?.buy ?? NaN, flow?.sell ?? NaN],
        (i - from) * ROW_NUMBERS,
      )
    }
    const start = this.#isStarted
      ? null
      : {
          text: this.#options.text,
          values: this.parameters,
          asset: this.#options.asset(),
          earlier: (this.needsSides && this.#flowOf?.before?.(this.#rows[0].timestamp)) || [],
        }
    this.#isStarted = true
    this.#requested = { rows: this.#rows, from, count: to - from }
    return { run: this.run, start, rows }
  }

  arrived(response: FormulaResponse): void {
    const requested = this.#requested
    this.#requested = null
    if ('problem' in response) {
      this.problem = response.problem
      this.#stoppedRows = this.#rows.length
      this.values.length = 0
    } else if (requested?.rows === this.#rows) {
      const { outputs, values } = response
      for (let i = 0; i < requested.count; i++)
        this.values[requested.from + i] = valuesOf([...values.subarray(i * outputs, (i + 1) * outputs)])
      this.#closed = requested.from + requested.count - 1
    }
    this.#options.changed()
  }

  forget(): void {
    this.#restart()
  }

  end(): void {
    this.#isEnded = true
    this.#host.end(this)
  }
}
