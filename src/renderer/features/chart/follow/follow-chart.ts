/** Follows one query into a chart: pages of stored bars plus the stream of new ones, or the latest trades. */
import type { Transport } from '../../../../shared/transport.ts'
import { FollowedSpread } from './followed-spread.ts'
import { FollowedEvents } from './followed-events.ts'
import { FollowedBars } from './followed-bars.ts'
import { FollowedTrades } from './followed-trades.ts'
import { ChartTarget, type ChartQuery, type ChartSink, type ChartStage, type Following } from './chart-target.ts'

/** Keeps a chart up to date with a query until stopped. */
export function followChart(
  transport: Transport,
  chart: ChartSink,
  query: ChartQuery,
  onStage: (stage: ChartStage) => void,
  onDecimals: (decimals: number) => void,
): Following {
  const target = new ChartTarget(chart, query, onStage, onDecimals)
  if (query.spread) return new FollowedSpread(transport, target, query.spread)
  if (query.eventBars !== null) return new FollowedEvents(transport, target, query.eventBars)
  return query.ticks ? new FollowedTrades(transport, target) : new FollowedBars(transport, target)
}
