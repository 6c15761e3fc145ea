/** Which feed an alert's records come from, and what it is still waiting for. */
import type { FeedId } from '../../../base/units.ts'
import { KIND_RANK, type Run } from './watch.ts'

/** The feeds that carry the trades and quotes of an asset class. */
export interface TickFeeds {
  /** Null if the asset class has no trades. */
  readonly trade: FeedId | null
  readonly quote: FeedId
}

/** The feed that an alert's records come from. */
export function feedOf({ watch, alert }: Run, { trade, quote }: TickFeeds): FeedId {
  const { condition } = alert
  const last = watch.lastFeed ?? trade ?? quote
  switch (condition.is) {
    case 'price':
    case 'move':
    case 'drawing':
      return condition.of === 'last' ? last : quote
    case 'spread':
      return quote
    case 'volume':
      return trade ?? quote
    case 'indicator':
      return condition.of === 'trade' ? (trade ?? quote) : quote
    case 'stale':
    case 'earnings':
      return last
  }
}

/** What must arrive before an alert can fire; null if nothing. */
export function waitsFor(run: Run): 'record' | 'bars' | null {
  const { condition } = run.alert
  const { watch } = run
  switch (condition.is) {
    case 'price':
    case 'move':
    case 'drawing':
      return Number.isNaN(watch.chains[condition.of].index.before) ? 'record' : null
    case 'spread':
      return Number.isNaN(watch.ask - watch.bid) ? 'record' : null
    case 'volume':
      return watch.rank === KIND_RANK.trade ? null : 'record'
    case 'indicator': {
      const lines = watch.bars.find((one) => one.of === condition.of && one.interval === condition.interval)
      return lines?.isWarm(run) === true ? null : 'bars'
    }
    case 'stale':
    case 'earnings':
      return null
  }
}
