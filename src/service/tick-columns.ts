/** The columns of our own tables of ticks: what an export writes, an import knows again. */
import type { FeedId } from '../shared/base/units.ts'
import { FEEDS } from './feeds.ts'

/** The columns of a feed's own numbers, in the order of its table row. */
export function fieldsOf(feed: FeedId): readonly string[] {
  const { fields } = FEEDS[feed]
  return Object.entries<string>({ ...fields })
    .filter(([part]) => part !== 'symbol' && part !== 'time')
    .map(([, key]) => key)
}

/** Header cells of a CSV of a feed's ticks; `raw`: with each message as it arrived. A contract that others script against. */
export function csvTickColumns(feed: FeedId, raw: boolean): readonly string[] {
  return [
    ...['feed', 'symbol', 'event_ms', 'event_iso', 'recv_ms', 'recv_iso', 'seq'],
    ...fieldsOf(feed),
    ...(raw ? ['raw'] : []),
  ]
}
