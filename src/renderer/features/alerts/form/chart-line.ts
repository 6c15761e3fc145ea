/** Indicators and formulas of charts as lines that alerts can watch. Pure. */
import type { AlertCondition } from '../../../../shared/features/alerts/types.ts'
import { formulaSpec } from '../../../../shared/features/alerts/formula-line.ts'
import type { ChartIndicator, ChartTemplate } from '../../../../shared/features/chart/chart-settings.ts'
import { INDICATORS, parameterValues } from '../../../../shared/core/market/indicators/table.ts'
import type { Interval } from '../../../../shared/core/market/market.ts'

type AlertBars = Extract<AlertCondition, { readonly is: 'indicator' }>['of']

/** A formula of a chart, with the values of its settings by key. */
export interface ChartFormula {
  readonly name: string
  readonly text: string
  readonly values: Readonly<Record<string, number>>
}

/** The formulas of saved sets, each text once. */
export function formulasOf(templates: readonly ChartTemplate[]): readonly ChartFormula[] {
  const found = new Map<string, ChartFormula>()
  for (const { formula, values } of templates.flatMap(({ indicators }) => indicators))
    if (formula && formulaSpec(formula.text) !== null) found.set(formula.text, { ...formula, values })
  return [...found.values()]
}

type Drawn = Pick<ChartIndicator, 'kind' | 'values' | 'price' | 'pane' | 'formula'>

/**
 * A cross of the first line of an indicator on a chart: with the highest level drawn with it, or with the close if it is
 * drawn over the prices. Null if alerts can't watch it: it needs the sides of trades, or its formula has an error.
 */
export function chartCondition(
  { kind, values: given, price, pane, formula }: Drawn,
  bars: { readonly of: AlertBars; readonly interval: Interval },
): AlertCondition | null {
  if (kind === 'volume-profile') return null
  const spec = kind === 'formula' ? formulaSpec(formula?.text ?? '') : INDICATORS[kind]
  if (spec === null || spec.needsSides === true) return null
  const values = [...parameterValues(spec, given)]
  const levels = ('levelsOf' in spec ? spec.levelsOf?.(values) : undefined) ?? spec.drawn?.levels ?? []
  const isOverPrice = pane === 'auto' ? spec.place === 'price' : pane === 'price'
  return {
    is: 'indicator',
    ...bars,
    line:
      kind === 'formula'
        ? { id: kind, name: formula?.name ?? '', text: formula?.text ?? '', values, output: 0 }
        : { id: kind, values, price, output: 0 },
    against: isOverPrice ? { is: 'price' } : { is: 'level', level: levels.length > 0 ? Math.max(...levels) : 0 },
    direction: 'either',
    on: 'close',
  }
}
