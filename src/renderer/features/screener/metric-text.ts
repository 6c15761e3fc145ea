/** Values of screens as text. Pure. */
import { METRICS, type MetricId } from '../../../shared/features/screener/metrics.ts'
import type { ScreenRow } from '../../../shared/features/screener/rows.ts'
import { ageText, DASH, toneOf, type NumberText } from '../../text/format.ts'
import { spanText } from '../../text/replay-labels.ts'

export function metricText(row: Pick<ScreenRow, 'values' | 'decimals'>, metric: MetricId, n: NumberText): string {
  const value = row.values[metric] ?? null
  if (value === null) return DASH
  const { kind } = METRICS[metric]
  switch (kind) {
    case 'price':
      return n.fixed(value, row.decimals)
    case 'change':
      return n.signed(value, row.decimals)
    case 'percent':
      return n.fixed(value, 2)
    case 'signed percent':
      return n.signed(value, 2)
    case 'bps':
      return n.fixed(value, value < 0.1 ? 4 : value < 10 ? 2 : 1)
    case 'count':
      return n.whole(value)
    case 'amount':
      return n.short(value)
    case 'ratio':
      return n.fixed(value, 2)
    case 'correlation':
      return n.signed(value, 2)
    case 'time':
      return metric === 'age' ? ageText(value) : value === 0 ? DASH : spanText(value)
  }
}

/** The direction of a change; '' for any other figure. */
export function metricTone(row: Pick<ScreenRow, 'values' | 'decimals'>, metric: MetricId): '' | 'up' | 'down' {
  if (metric === 'change') return toneOf(row.values.change, row.decimals)
  return metric === 'changePercent' ? toneOf(row.values.changePercent, 2) : ''
}
