/** Computes round axis ticks. Pure. */

export interface Axis {
  readonly least: number
  readonly most: number
  readonly ticks: readonly number[]
}

/**
 * An axis that includes every value and `base`, if it is a number, with about `count` ticks at multiples of 1, 2 or 5
 * times a power of ten. Without a finite value, the axis is 0 to 1.
 */
export function ticksOf(values: readonly number[], base: number | null, count: number): Axis {
  const all = base === null ? values : [...values, base]
  let low = Infinity
  let high = -Infinity
  for (const value of all) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (values.length === 0) return { least: 0, most: 1, ticks: [] }
  // Values too close for doubles to divide into round steps count as one value.
  if (high - low <= Math.max(1e-300, Math.max(Math.abs(low), Math.abs(high)) * 1e-12)) low = high
  if (low === high) {
    const room = Math.abs(low) > 1e-300 ? Math.abs(low) * 0.1 : 1
    if (base === null || low !== base) high += room
    if (base === null || low === base) low -= base === null ? room : 0
    if (low === high) high += room
  }
  const rough = (high - low) / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10) * power
  const least = Math.floor(low / step) * step
  const most = Math.ceil(high / step) * step
  const ticks: number[] = []
  // Multiply instead of adding: repeated addition of 0.1 drifts.
  for (let i = Math.round(least / step); i * step <= most + step / 2; i++) {
    const tick = i * step
    ticks.push(Math.abs(tick) < step / 1e6 ? 0 : Number(tick.toPrecision(12)))
  }
  return { least, most, ticks }
}
