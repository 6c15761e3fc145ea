/** The formulas of a window as its worker computes them. Knows nothing but bars. */
import { t } from '../../../shared/base/text.ts'
import { barStart, dayStart } from '../../../shared/core/market/calendar.ts'
import { compileFormula } from '../../../shared/core/market/formula/compile.ts'
import type { BarValues, Indicator } from '../../../shared/core/market/indicators/indicator.ts'
import { PRICES } from '../../../shared/core/market/indicators/row.ts'
import { ROW_NUMBERS, type FormulaRequest, type FormulaResponse } from './protocol.ts'
import { messageOf } from '../../../shared/base/errors.ts'

function barAt(rows: Float64Array, at: number): BarValues | null {
  const [startMs, open, high, low, close, volume, buy, sell] = rows.subarray(at * ROW_NUMBERS, (at + 1) * ROW_NUMBERS)
  if (Number.isNaN(open)) return null
  const flow = Number.isNaN(buy) ? undefined : { buy, sell }
  return { startMs, open, high, low, close, volume: Number.isNaN(volume) ? null : volume, flow }
}

export class FormulaRuns {
  readonly #runs = new Map<number, { readonly indicator: Indicator; readonly outputs: number }>()

  /** Computes the values of a request's rows. A formula that fails is a response, too. */
  respond({ run, start, rows }: FormulaRequest): FormulaResponse {
    try {
      if (start !== null) {
        const { text, values, asset, earlier } = start
        const compiled = compileFormula(text)
        if (!compiled.ok) return { run, problem: compiled.error.message }
        const { create, outputs } = compiled.spec
        const indicator = create(
          values,
          PRICES.close,
          (ms) => dayStart(asset, ms),
          (ms) => barStart(asset, '1D', ms),
        )
        for (const trades of earlier) indicator.lead?.(trades)
        this.#runs.set(run, { indicator, outputs: outputs.length })
      }
      const found = this.#runs.get(run)
      if (found === undefined) return { run, problem: t('The formula isn’t running. Change its text to start it.') }
      const { indicator, outputs } = found
      const count = rows.length / ROW_NUMBERS
      const values = new Float64Array(count * outputs).fill(NaN)
      for (let i = 0; i < count; i++) {
        const bar = barAt(rows, i)
        if (bar === null) indicator.gap?.()
        else values.set(i === count - 1 ? indicator.peek(bar) : indicator.push(bar), i * outputs)
      }
      return { run, outputs, values }
    } catch (thrown) {
      return { run, problem: messageOf(thrown) }
    }
  }

  end(run: number): void {
    this.#runs.delete(run)
  }
}
