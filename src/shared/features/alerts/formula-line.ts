/** What alerts can watch of a custom formula: a line of bounded cost, because it is computed where messages arrive. */
import { t } from '../../base/text.ts'
import type { FormulaSpec } from '../../core/market/formula/compile.ts'
import { compiledFormula, formulaProblem } from '../../core/market/formula/compiled.ts'

/**
 * How many bars the functions of a watched formula can look back, all together. Alerts begin with as many bars, so that
 * a formula has its values at once.
 */
export const MOST_FORMULA_BARS = 2_000

/** A formula as an indicator; null if it has an error. */
export function formulaSpec(text: string): FormulaSpec | null {
  const compiled = compiledFormula(text)
  return compiled.ok ? compiled.spec : null
}

/** Why an alert can't watch a formula with these values of its settings, as a sentence; null: it can. */
export function unwatchable(text: string, values: readonly number[]): string | null {
  const spec = formulaSpec(text)
  if (spec === null) return formulaProblem(text)
  if (spec.needsSides === true) return t('Alerts can’t watch volume delta. Remove “delta” and “cvd” from the formula.')
  const bars = spec.barsOf?.(values) ?? Infinity
  if (bars === Infinity) return t('The formula can’t be computed with these settings.')
  return bars <= MOST_FORMULA_BARS
    ? null
    : t('The formula looks back {bars} bars. In an alert, it can look back up to {most}.', {
        bars,
        most: MOST_FORMULA_BARS,
      })
}
