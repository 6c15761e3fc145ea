/** The result of a screen as CSV, with full precision. Pure. */
import { csvTable } from '../../../shared/base/csv.ts'
import { METRIC_IDS } from '../../../shared/features/screener/metrics.ts'
import type { ScreenPage } from '../../../shared/features/screener/rows.ts'
import type { Screen } from '../../../shared/features/screener/screen.ts'

/** Every figure of each row, in the order of the screen; `as_of` is the view's clock. */
export function screenCsv({ rows, nowMs }: Pick<ScreenPage, 'rows' | 'nowMs'>, { span }: Pick<Screen, 'span'>): string {
  const asOf = new Date(nowMs).toISOString()
  const snake = (id: string) => id.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
  return csvTable(
    ['symbol', 'asset', 'as_of', 'span', ...METRIC_IDS.map(snake)],
    rows.map(({ symbol, asset, values }) => [symbol, asset, asOf, span, ...METRIC_IDS.map((id) => values[id] ?? null)]),
  )
}
