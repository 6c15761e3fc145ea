/** The size from which trades are large: the 99.5th percentile of a day's sizes. Pure. */

const SHARE = 0.995

/** The size that at least 99.5 % of these don't exceed (nearest rank); null without any. */
export function largeSize(sizes: readonly number[]): number | null {
  if (sizes.length === 0) return null
  const sorted = Float64Array.from(sizes).sort()
  return sorted[Math.ceil(sorted.length * SHARE) - 1]
}
