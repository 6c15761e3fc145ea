/** An indicator: a fold over bars that can also be evaluated for the forming bar without adding it. */

/** The values of a bar that indicators read. */
export interface BarValues {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Absent for bars of quotes. */
  readonly volume: number | null
  /** Start, UTC ms, for indicators that restart each day. Absent: all bars are of one day. */
  readonly startMs?: number
}

/**
 * An indicator over one series. `peek` returns the values as if the bar came next and changes nothing, so a forming bar
 * can be evaluated repeatedly. `push` adds a closed bar and returns the same values. Both cost O(1). NaN means absent:
 * before the warm-up, or undefined for a flat market.
 */
export interface Indicator {
  peek(bar: BarValues): readonly number[]
  push(bar: BarValues): readonly number[]
}

/** One value in, one value out. Indicators are built from these. NaN in gives NaN out and isn't added. */
export interface Smoother {
  peek(value: number): number
  push(value: number): number
}

export const ABSENT = NaN
