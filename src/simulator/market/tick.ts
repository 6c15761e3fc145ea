/** An event of one instrument in the demo market, with prices as integers of its decimals. */
export interface Tick {
  /** Event time, whole UTC ms of the market's clock. */
  readonly ms: number
  readonly kind: 'trade' | 'quote'
  readonly price: number
  readonly size: number
  readonly bid: number
  readonly ask: number
  readonly bidSize: number
  readonly askSize: number
}

/** The market of one instrument as a pure function of time. */
export interface TickSource {
  readonly decimals: number
  readonly sizeDecimals: number
  /** Events with `from <= ms < to`, in order of time. */
  ticks(from: number, to: number): Tick[]
}

export function tradeTick(ms: number, price: number, size: number): Tick {
  return { ms, kind: 'trade', price, size, bid: NaN, ask: NaN, bidSize: NaN, askSize: NaN }
}

export function quoteTick(ms: number, bid: number, ask: number, bidSize = NaN, askSize = NaN): Tick {
  return { ms, kind: 'quote', price: NaN, size: NaN, bid, ask, bidSize, askSize }
}

/**
 * Powers of ten that turn integer ticks into prices. Division gives the shortest literal (167.41, not
 * 167.41000000000001).
 */
const TEN = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8] as const

/** 10 to the power of a count of decimals between 0 and 8. */
export function tickScale(decimals: number): number {
  const scale = TEN[decimals]
  if (scale === undefined) throw new RangeError(`decimals out of range: ${decimals}`)
  return scale
}
