/** Paints how long bid, ask and mid stayed at each price. */
import { priceOfRow } from '../../../shared/core/market/flow/cells.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import { timeAtPrices } from '../model/quote-map.ts'
import type { Painter } from './paint-context.ts'

const LEAST_ALPHA = 0.12
const MOST_ALPHA = 0.75
/** Greatest width of the time at price, as a share of the plot. */
const TIME_SHARE = 0.18

const barsOf = (p: Painter): readonly { readonly bar: Bar; readonly x: number }[] => {
  const found: { readonly bar: Bar; readonly x: number }[] = []
  for (let i = Math.max(0, p.from); i < Math.min(p.rows.length, p.to); i++) {
    const { bar } = p.rows[i]
    if (bar !== null) found.push({ bar, x: p.x(i) })
  }
  return found
}

/** A column for each bar: the longer a price was the bid or the ask, the stronger. Rows without a quote stay blank. */
export function paintQuoteMap(p: Painter): void {
  const { quoteMap, plot, theme } = p.context
  if (quoteMap === null || !plot.quoteMap) return
  const { ctx } = p
  const width = Math.max(1, Math.ceil(p.half * 2))
  ctx.save()
  for (const { bar, x } of barsOf(p)) {
    const quotes = quoteMap.quotesOf(bar.startMs)
    if (quotes === undefined || quotes.quotedMs === 0) continue
    const { row, bid, ask } = quotes.cells
    for (const [color, list] of [
      [theme.up, bid],
      [theme.down, ask],
    ] as const) {
      ctx.fillStyle = color
      const most = Math.max(...list)
      for (let i = 0; i < row.length; i++) {
        if (list[i] === 0) continue
        const [a, b] = [p.y(priceOfRow(row[i], quoteMap.rows)), p.y(priceOfRow(row[i] + 1, quoteMap.rows))]
        ctx.globalAlpha = LEAST_ALPHA + (MOST_ALPHA - LEAST_ALPHA) * (list[i] / most)
        ctx.fillRect(Math.round(x - width / 2), Math.min(a, b), width, Math.max(1.5, Math.abs(a - b)))
      }
    }
  }
  ctx.restore()
}

/** Bars from the left edge: how long the mid stayed in each row during the bars in view. */
export function paintTimeAtPrice(p: Painter): void {
  const { quoteMap, plot, theme } = p.context
  if (quoteMap === null || !plot.timeAtPrice) return
  const found = timeAtPrices(
    quoteMap,
    barsOf(p).map(({ bar }) => bar.startMs),
  )
  const { ctx } = p
  ctx.save()
  for (const { row, ms, isMost } of found) {
    const [a, b] = [p.y(priceOfRow(row, quoteMap.rows)), p.y(priceOfRow(row + 1, quoteMap.rows))]
    const most = found.find((one) => one.isMost)?.ms ?? ms
    ctx.fillStyle = isMost ? theme.warn : theme.accent
    ctx.globalAlpha = isMost ? 0.6 : 0.35
    ctx.fillRect(0, Math.min(a, b), (ms / most) * p.width * TIME_SHARE, Math.max(1, Math.abs(a - b) - 1))
  }
  ctx.restore()
}
