/** What an indicator is: a fold over bars that can look at the forming bar without taking it. */

/** What indicators read of a bar. */
export interface BarValues {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Absent for bars of quotes. */
  readonly volume: number | null
  /** Start, UTC ms, for those that begin anew with each day; absent: all bars are of one day. */
  readonly startMs?: number
}

/**
 * One instance over one series. `peek` answers the values as if the bar were the next, and changes
 * nothing: a forming bar is replaced by peeking again. `push` takes a closed bar and answers the same
 * values. Both cost O(1). NaN: absent (before the warm-up, or not defined for a flat market).
 */
export interface Indicator {
  peek(bar: BarValues): readonly number[]
  push(bar: BarValues): readonly number[]
}

/** One value in, one value out: what the others are made of. NaN in gives NaN out and is not taken. */
export interface Smoother {
  peek(value: number): number
  push(value: number): number
}

export const ABSENT = NaN
