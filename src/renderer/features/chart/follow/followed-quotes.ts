/** Gives a chart the quotes of the bars in view: how long bid and ask stood at each price. */
import type { ChartPort, QuoteMap } from '../../../charts/model/chart.ts'
import { groupFor, type PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import { NO_QUOTES } from '../../../../shared/core/market/flow/quote-bars.ts'
import type { QuoteMapValue } from '../../../../shared/core/views/contract.ts'
import { msOf } from '../../../../shared/core/market/market.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import { unixMs } from '../../../../shared/base/units.ts'
import type { Transport } from '../../../../shared/transport.ts'
import { keepStream } from '../../../rpc/follow-stream.ts'
import type { ChartQuery, Following } from './chart-target.ts'
import { areRowsNear, contains, rangeAround, type OpenRange } from './range-in-view.ts'

/** The most bars in view that have quotes. */
const MAX_BARS = 1_000
/** Rows of the prices in view. */
const LEVELS = 120
/** Rows are chosen again once zooming makes them this many times too high or too low. */
const MAX_MISFIT = 4

export type QuoteChart = Pick<ChartPort, 'setQuoteMap' | 'visibleBars' | 'barsBetween' | 'onView'>
type Quotes = NonNullable<ReturnType<QuoteMap['quotesOf']>>

const NOTHING: Quotes = { cells: NO_QUOTES, quotedMs: 0, spread: 0, leastSpread: 0, mostSpread: 0 }

export function followQuotes(
  transport: Transport,
  chart: QuoteChart,
  { view, instrument, interval }: ChartQuery,
  decimals: number,
): Following {
  let asked: OpenRange | null = null
  let rows: PriceRows | null = null
  let isRead = false
  let bars = new Map<number, Quotes>()
  let unread: readonly Span[] = []
  let close = (): void => undefined

  /** Whether a bar without quotes may have had some. */
  const isUnread = (startMs: number): boolean =>
    unread.some(({ fromMs, toMs }) => fromMs < startMs + msOf(interval) && toMs > startMs)
  const show = (): void => {
    const range = asked
    if (!isRead || rows === null || range === null) return chart.setQuoteMap(null)
    chart.setQuoteMap({
      rows,
      quotesOf: (startMs) =>
        startMs < range.fromMs || (range.toMs !== null && startMs >= range.toMs)
          ? undefined
          : (bars.get(startMs) ?? (isUnread(startMs) ? undefined : NOTHING)),
    })
  }
  const take = ({ reset, bars: columns, unread: spans }: QuoteMapValue): void => {
    unread = spans
    if (reset !== null) bars = new Map()
    isRead = true
    const { startMs, cells, quotedMs, spread, leastSpread, mostSpread } = columns
    for (const [i, start] of startMs.entries())
      bars.set(start, {
        cells: cells[i],
        quotedMs: quotedMs[i],
        spread: spread[i],
        leastSpread: leastSpread[i],
        mostSpread: mostSpread[i],
      })
    show()
  }
  const look = (): void => {
    const shown = chart.visibleBars().slice(-MAX_BARS)
    const range = rangeAround(chart, shown)
    if (range === null) return
    const span = Math.max(...shown.map(({ high }) => high)) - Math.min(...shown.map(({ low }) => low))
    const group = groupFor(span, decimals, LEVELS)
    if (asked !== null && contains(asked, range.needed) && areRowsNear(rows, group, MAX_MISFIT)) return
    asked = range.read
    rows = { decimals, group }
    isRead = false
    close()
    show()
    const { fromMs, toMs } = asked
    const to = toMs === null ? null : unixMs(toMs)
    const args = { view, instrument, interval, fromMs: unixMs(fromMs), toMs: to, rows }
    close = keepStream(transport, 'quoteMap', args, take, () => undefined)
  }
  const offView = chart.onView(look)
  look()
  return {
    stop() {
      offView()
      close()
      chart.setQuoteMap(null)
    },
    // The stream of a replay begins again; until then, a bar may have quotes from after the clock.
    cut() {
      isRead = false
      show()
    },
  }
}
