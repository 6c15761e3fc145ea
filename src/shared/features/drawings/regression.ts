/**
 * Linear regression of closes by least squares over the number of the bar, and the standard deviation of what remains:
 * NIST/SEMATECH e-Handbook of Statistical Methods, 4.1.4.1. Pure.
 */

export interface Regression {
  /** The line's price at the first and at the last bar. */
  readonly first: number
  readonly last: number
  /** Standard deviation of the closes from the line, of the population. */
  readonly deviation: number
}

/** How many deviations the channel is wide, on each side. */
export const REGRESSION_DEVIATIONS = 2

/** Null for fewer than two closes. */
export function regressionOf(closes: readonly number[]): Regression | null {
  const n = closes.length
  if (n < 2) return null
  // Relative to the first close and the middle bar, which keeps the sums small.
  const base = closes[0]
  const middle = (n - 1) / 2
  let sum = 0
  let product = 0
  closes.forEach((close, i) => {
    sum += close - base
    product += (i - middle) * (close - base)
  })
  const slope = product / ((n * (n * n - 1)) / 12)
  const mean = base + sum / n
  let squares = 0
  closes.forEach((close, i) => {
    squares += (close - mean - slope * (i - middle)) ** 2
  })
  return { first: mean - slope * middle, last: mean + slope * middle, deviation: Math.sqrt(squares / n) }
}
