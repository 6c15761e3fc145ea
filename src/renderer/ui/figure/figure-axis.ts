/** Round ticks of an axis. Pure. */

export interface Axis {
  readonly least: number
  readonly most: number
  readonly ticks: readonly number[]
}

/**
 * An axis that holds every value and, where `base` is a number, that too; about `count` ticks at
 * multiples of 1, 2 or 5 of a power of ten. Without a finite value: 0 to 1.
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
  // Closer than doubles can part by round steps counts as one value.
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
  // Multiples, not sums: a sum of 0.1 drifts.
  for (let i = Math.round(least / step); i * step <= most + step / 2; i++) {
    const tick = i * step
    ticks.push(Math.abs(tick) < step / 1e6 ? 0 : Number(tick.toPrecision(12)))
  }
  return { least, most, ticks }
}
