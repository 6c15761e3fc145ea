/** Other symbols beside a chart's own: each in percent from the left edge of what is in view. Pure. */
import type { Bar } from '../../../shared/core/market/market.ts'

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
