/** The volume-weighted average price of trades and its deviation, as parts that can be merged. Pure. */

/** Trades of a period. `mean`: their VWAP, NaN without volume. `squares`: volume times squared distance from it, summed. */
export interface VwapPart {
  readonly volume: number
  readonly mean: number
  readonly squares: number
}
export const NO_VWAP: VwapPart = { volume: 0, mean: NaN, squares: 0 }

/** Both periods together (Chan, Golub and LeVeque, 1979): no difference of large sums, so no digits are lost. */
export function mergeVwap(a: VwapPart, b: VwapPart): VwapPart {
  if (b.volume === 0) return a
  if (a.volume === 0) return b
  const volume = a.volume + b.volume
  const apart = b.mean - a.mean
  return {
    volume,
    mean: a.mean + (apart * b.volume) / volume,
    squares: a.squares + b.squares + (apart * apart * a.volume * b.volume) / volume,
  }
}

/** The part with one more trade. A trade without size doesn't count. */
export const addToVwap = (part: VwapPart, price: number, size: number): VwapPart =>
  size > 0 && size < Infinity ? mergeVwap(part, { volume: size, mean: price, squares: 0 }) : part

/** The standard deviation of prices, weighted by volume; NaN without volume. */
export const vwapDeviation = ({ volume, squares }: VwapPart): number =>
  volume > 0 ? Math.sqrt(Math.max(0, squares / volume)) : NaN
