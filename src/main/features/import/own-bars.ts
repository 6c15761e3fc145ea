/** Recognizes bars that Tapedeck exported, and the feed of bars that they are imported into. */
import { FEEDS } from '../../../service/feeds.ts'
import { isInterval, msOf, serviceBarFeed } from '../../../shared/core/market/market.ts'
import type { CsvMapping, ImportField } from '../../../shared/features/import/import.ts'
import { isFeedId } from '../../../shared/base/units.ts'
import type { TableHead } from './vendors.ts'

const FIELDS: Readonly<Record<string, ImportField>> = {
  symbol: 'symbol',
  start_ms: 'time',
  end_ms: 'end',
  open: 'open',
  high: 'high',
  low: 'low',
  close: 'close',
  volume: 'volume',
}
const NEEDS = ['symbol', 'start_ms', 'open', 'high', 'low', 'close', 'volume', 'count', 'complete', 'of']

/**
 * The mapping of exported bars: into the market's minute bars, or second bars if they are shorter. Null for another
 * table, and for bars below a second, which no feed has. Files of schema 1 don't name their feed; `manifestFeed` does.
 */
export function ownBarMapping({ columns, rows }: TableHead, manifestFeed: string | null): CsvMapping | null {
  if (!NEEDS.every((name) => columns.includes(name))) return null
  const cell = (name: string): string => rows[0]?.[columns.indexOf(name)] ?? ''
  const named = cell('feed') || (manifestFeed ?? '')
  const label = cell('interval')
  const endMs = Number(cell('end_ms')) - Number(cell('start_ms'))
  const lengthMs = isInterval(label) ? msOf(label) : endMs > 0 ? endMs : msOf('1m')
  if (!isFeedId(named)) return null
  const feed = serviceBarFeed(FEEDS[named].asset, lengthMs)
  if (feed === undefined) return null
  const fields = columns.map((name): ImportField | null => (Object.hasOwn(FIELDS, name) ? FIELDS[name] : null))
  return { columns: fields, feed, zone: 'UTC', symbol: '' }
}
