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

/** Bars that are read on each side of those in view, and at most in view. */
const AROUND_BARS = 60
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
  let asked: { readonly fromMs: number; readonly toMs: number | null } | null = null
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
    const [first, last] = [shown.at(0), shown.at(-1)]
    if (first === undefined || last === undefined) return
    const after = chart.barsBetween(last.endMs, Infinity)
    const needed = { fromMs: first.startMs, toMs: after.length === 0 ? null : last.endMs }
    const span = Math.max(...shown.map(({ high }) => high)) - Math.min(...shown.map(({ low }) => low))
    const group = groupFor(span, decimals, LEVELS)
    const fits = rows !== null && group <= rows.group * MAX_MISFIT && rows.group <= group * MAX_MISFIT
    const covers =
      asked !== null &&
      asked.fromMs <= needed.fromMs &&
      (asked.toMs === null || (needed.toMs !== null && needed.toMs <= asked.toMs))
    if (covers && fits) return
    const around = chart.barsBetween(-Infinity, first.startMs).slice(-AROUND_BARS)
    asked = {
      fromMs: around.at(0)?.startMs ?? first.startMs,
      toMs: after.length <= AROUND_BARS ? null : after[AROUND_BARS].startMs,
    }
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
