/** A watchlist's rows or a chart's bars as CSV, with full precision. Pure. */
import { csvTable } from '../../shared/base/csv.ts'
import type { Bar } from '../../shared/core/market/market.ts'
import type { QuoteRow } from '../../shared/core/status/status.ts'
import { isoOrNull } from '../../shared/base/iso-time.ts'

/** The quotes of a watchlist, in display order. */
export function quotesCsv(rows: readonly QuoteRow[]): string {
  return csvTable(
    [
      ...['symbol', 'asset', 'name', 'last', 'last_of', 'last_event_ms', 'last_event_iso', 'bid', 'ask'],
      ...['bid_size', 'ask_size', 'open', 'high', 'low', 'volume', 'reference', 'reference_of', 'freshness'],
    ],
    rows.map((row) => [
      ...[row.symbol, row.asset, row.name, row.last, row.lastOf, row.lastEventMs, isoOrNull(row.lastEventMs)],
      ...[row.bid, row.ask, row.bidSize, row.askSize, row.open, row.high, row.low, row.volume],
      ...[row.reference, row.referenceOf, row.freshness],
    ]),
  )
}

/** Bars in the format of an export. `of`: what they are built from, such as `trade`. */
export function barsCsv(symbol: string, of: string, bars: readonly Bar[]): string {
  return csvTable(
    ['symbol', 'start_ms', 'start_iso', 'open', 'high', 'low', 'close', 'volume', 'count', 'complete', 'of'],
    bars.map((bar) => [
      ...[symbol, bar.startMs, isoOrNull(bar.startMs), bar.open, bar.high, bar.low, bar.close],
      ...[bar.volume, bar.count, bar.complete, of],
    ]),
  )
}
