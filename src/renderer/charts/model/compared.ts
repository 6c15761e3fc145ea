/** Compared symbols, each in percent from the left edge of the view. Pure. */
import { firstAfter } from '../../../shared/base/search.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import type { ComparedSeries } from './chart.ts'
import { lastLineStyle, lineColor, lineDash, type LineDash } from './line-style.ts'

/** A compared symbol, scaled to the chart's own prices. */
export interface ComparedLine {
  readonly colour: string
  readonly dash: LineDash
  /** The row of the first of `prices`. */
  readonly from: number
  /** By row; null: not known, so the line is interrupted. */
  readonly prices: readonly (number | null)[]
}

/**
 * Percent at each instant (UTC ms, ascending) from the close at the first one; null before the symbol's first bar, and
 * from a gap until it has a bar again. If the first close comes later than the left edge, percent counts from it.
 * Between its bars, the last close applies.
 */
export function comparedPercents(
  instants: readonly number[],
  bars: readonly Bar[],
  gaps: readonly GapSpan[],
): (number | null)[] {
  let at = instants.length === 0 ? -1 : firstAfter(bars, ({ startMs }) => startMs <= instants[0]) - 1
  let base: number | null = null
  const isMissed = (ms: number, { startMs, endMs }: Bar): boolean =>
    ms > startMs && gaps.some(({ fromMs, toMs }) => fromMs <= ms && (toMs ?? Infinity) > endMs)
  return instants.map((ms) => {
    while (at + 1 < bars.length && bars[at + 1].startMs <= ms) at++
    if (at < 0 || isMissed(ms, bars[at])) return null
    base ??= bars[at].close
    return (bars[at].close / base - 1) * 100
  })
}

/**
 * Compared symbols as lines over a chart's bars, at the same percent from `base`, the chart's price in row `from`, as
 * they are from their own. `instants`: starts of the rows from `from` on; `taken`: line styles already in use.
 */
export function comparedLines(
  compared: readonly ComparedSeries[],
  { instants, from, base }: { readonly instants: readonly number[]; readonly from: number; readonly base: number },
  taken: ReadonlySet<number>,
  colors: readonly string[],
): readonly ComparedLine[] {
  const styles = new Set(taken)
  return compared.map(({ bars, gaps }) => {
    const style = lastLineStyle(styles)
    styles.add(style)
    const prices = comparedPercents(instants, bars, gaps).map((percent) =>
      percent === null ? null : base * (1 + percent / 100),
    )
    return { colour: lineColor(style, colors), dash: lineDash(style), from, prices }
  })
}
