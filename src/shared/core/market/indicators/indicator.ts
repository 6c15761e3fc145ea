/** An indicator: a fold over bars that can also be evaluated for the forming bar without adding it. */
import type { VwapPart } from '../flow/vwap.ts'

/** Volume of the trades of a bar by aggressor. What is left of the bar's volume has no known side. */
export interface BarFlow {
  readonly buy: number
  readonly sell: number
  /** Of its trades; absent: not read. */
  readonly vwap?: VwapPart
}

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
  /** Its volume by side, for indicators that need sides; absent: not read. */
  readonly flow?: BarFlow | undefined
}

/** Trades of the time before a chart's first bar. */
export interface EarlierTrades {
  /** UTC ms. */
  readonly startMs: number
  readonly volume: number
  /** Absent: not read. */
  readonly flow?: BarFlow | undefined
}

/**
 * An indicator over one series. `peek` returns the values as if the bar came next and changes nothing, so a forming bar
 * can be evaluated repeatedly. `push` adds a closed bar and returns the same values. Both cost O(1). NaN means absent:
 * before the warm-up, or undefined for a flat market.
 */
export interface Indicator {
  peek(bar: BarValues): readonly number[]
  push(bar: BarValues): readonly number[]
  /** Bars are missing here, because nothing was received. */
  gap?(): void
  /** Adds trades of before the first bar to a sum that begins earlier than the bars. */
  lead?(trades: EarlierTrades): void
}

/** One value in, one value out. Indicators are built from these. NaN in gives NaN out and isn't added. */
export interface Smoother {
  peek(value: number): number
  push(value: number): number
}

export const ABSENT = NaN

/** Whether a bar is only looked at or added. */
export type Take = 'peek' | 'push'

/** Both ways of an indicator or smoother from one step. */
export const stepping = <Input, Output>(step: (input: Input, take: Take) => Output) => ({
  peek: (input: Input): Output => step(input, 'peek'),
  push: (input: Input): Output => step(input, 'push'),
})

/** Both ways of what looks at its past without changing it and then adds a value with what was found. */
export const lookingBack = <Input, Output>(
  look: (input: Input) => Output,
  add: (input: Input, found: Output) => void,
) => ({
  peek: look,
  push(input: Input): Output {
    const found = look(input)
    add(input, found)
    return found
  },
})

/** An indicator of smoothers that also needs the bar before; null for the first one. */
export function comparing(
  step: (bar: BarValues, before: BarValues | null, take: Take) => readonly number[],
): Indicator {
  let before: BarValues | null = null
  return stepping((bar, take) => {
    const values = step(bar, before, take)
    if (take === 'push') before = bar
    return values
  })
}

/** An indicator of a state: `next` returns the state with a bar added, `values` what it shows. */
export function folding<S>(
  first: S,
  next: (state: S, bar: BarValues, take: Take) => S,
  values: (state: S, bar: BarValues) => readonly number[],
): Indicator {
  let state = first
  return stepping((bar, take) => {
    const after = next(state, bar, take)
    if (take === 'push') state = after
    return values(after, bar)
  })
}
