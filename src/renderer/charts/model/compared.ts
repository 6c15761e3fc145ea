/** Other symbols beside a chart's own: each in percent from the left edge of what is in view. Pure. */
import type { Bar } from '../../../shared/core/market/market.ts'
import type { ComparedSeries } from './chart.ts'
import { lastLineStyle, lineColor, lineDash, type LineDash } from './line-style.ts'

/** A compared symbol in the chart's own prices. */
export interface ComparedLine {
  readonly colour: string
  readonly dash: LineDash
  /** The row of its first price. */
  readonly from: number
  readonly prices: readonly (number | null)[]
}

/** Index of the last bar that starts at or before `ms`; -1: none. */
function lastBefore(bars: readonly Bar[], ms: number): number {
  let low = 0
  let high = bars.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (bars[middle].startMs <= ms) low = middle + 1
    else high = middle
  }
  return low - 1
}

/**
 * Percent of each instant (UTC ms, rising) from the close at the first of them; null before the symbol's
 * first bar. Where its first bar comes later than the left edge, it counts from there. Between its bars the
 * last close stands: a line, not a bar, says nothing of what was traded.
 */
export function comparedPercents(instants: readonly number[], bars: readonly Bar[]): (number | null)[] {
  let at = instants.length === 0 ? -1 : lastBefore(bars, instants[0])
  let base: number | null = null
  return instants.map((ms) => {
    while (at + 1 < bars.length && bars[at + 1].startMs <= ms) at++
    if (at < 0) return null
    base ??= bars[at].close
    return (bars[at].close / base - 1) * 100
  })
}

/**
 * Compared symbols as lines over a chart's bars: as many percent from `base`, the chart's own price in row `from`, as they
 * are from theirs. `instants`: starts of the rows from there on; `taken`: line styles that the chart has already.
 */
export function comparedLines(
  compared: readonly ComparedSeries[],
  { instants, from, base }: { readonly instants: readonly number[]; readonly from: number; readonly base: number },
  taken: ReadonlySet<number>,
  colors: readonly string[],
): readonly ComparedLine[] {
  const styles = new Set(taken)
  return compared.map(({ bars }) => {
    const style = lastLineStyle(styles)
    styles.add(style)
    const prices = comparedPercents(instants, bars).map((percent) =>
      percent === null ? null : base * (1 + percent / 100),
    )
    return { colour: lineColor(style, colors), dash: lineDash(style), from, prices }
  })
}
