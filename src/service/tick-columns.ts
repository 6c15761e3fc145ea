/** The columns of Tapedeck's own tick tables, shared by export and import. */
import type { FeedId } from '../shared/base/units.ts'
import { FEEDS } from './feeds.ts'

/** The columns of a feed's numbers, in the order of the feed table. */
export function fieldsOf(feed: FeedId): readonly string[] {
  const { fields } = FEEDS[feed]
  return Object.entries<string>({ ...fields })
    .filter(([part]) => part !== 'symbol' && part !== 'time')
    .map(([, key]) => key)
}

/** Header cells of a CSV of a feed's ticks. `raw` adds each message as it arrived. Scripts depend on these names. */
export function csvTickColumns(feed: FeedId, raw: boolean): readonly string[] {
  return [
    ...['feed', 'symbol', 'event_ms', 'event_iso', 'recv_ms', 'recv_iso', 'seq'],
    ...fieldsOf(feed),
    ...(raw ? ['raw'] : []),
  ]
}
