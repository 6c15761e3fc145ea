/** Bar grids, market hours and feeds, as the evaluator needs them. */
import type { EvaluatorOptions } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import { gridOf, isOpen } from '../../../shared/core/market/calendar.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'

export const ALERT_CALENDAR: Pick<EvaluatorOptions, 'grid' | 'isOpen' | 'feeds'> = {
  grid: gridOf,
  isOpen,
  feeds(asset) {
    const feeds = TICK_FEEDS[asset]
    const quote = feeds.find((feed) => FEEDS[feed].kind === 'quote') ?? feeds[0]
    return { trade: feeds.find((feed) => FEEDS[feed].kind === 'trade') ?? null, quote }
  },
}
