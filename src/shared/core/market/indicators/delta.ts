/** Delta and cumulative volume delta of bars whose trades have sides (docs/decisions/0071-sides-of-trades.md). */
import { DAY_MS } from '../../../base/durations.ts'
import { ABSENT, type BarValues, type Indicator } from './indicator.ts'
import type { DayOf } from './indicators.ts'

/** Buying less selling volume, and the volume without a side; null if the bar's sides aren't read. */
function deltaOf({
  flow,
  volume,
}: Pick<BarValues, 'flow' | 'volume'>): { readonly delta: number; readonly unknown: number } | null {
  if (!flow) return null
  const rest = (volume ?? 0) - flow.buy - flow.sell
  // Sums of decimal sizes can differ in their last bits.
  return { delta: flow.buy - flow.sell, unknown: rest > (volume ?? 0) * 1e-9 ? rest : 0 }
}

const NONE = [ABSENT, ABSENT, ABSENT] as const
const within = (delta: number, unknown: number): readonly number[] => [delta, delta - unknown, delta + unknown]

/** [delta, least, most]: the delta, and its bounds if all volume without a side had been sold or bought. */
export function delta(): Indicator {
  const values = (bar: BarValues): readonly number[] => {
    const found = deltaOf(bar)
    return found === null ? NONE : within(found.delta, found.unknown)
  }
  return { peek: values, push: values }
}

/** When a sum of bars is reset. */
export const RESETS = ['day', 'week', 'gap', 'never', 'anchor'] as const
export type Reset = (typeof RESETS)[number]

/**
 * The period that a bar belongs to, as a number that differs between periods; NaN: before the anchor (UTC ms). Weeks
 * begin on Monday.
 */
export function periodOf(reset: Reset, startMs: number, dayOf: DayOf, anchorMs: number): number {
  switch (reset) {
    case 'day':
      return dayOf(startMs)
    case 'week':
      // 1970 began on a Thursday.
      return Math.floor((Math.floor(dayOf(startMs) / DAY_MS) + 3) / 7)
    case 'gap':
    case 'never':
      return 0
    case 'anchor':
      return startMs >= anchorMs ? 0 : NaN
  }
}

/**
 * [sum, least, most] of the deltas since the start of the period. Once the sides of a bar aren't read, values are
 * absent to the end of its period; without periods, the sum begins again with the next bar that is read. A gap has no
 * bar. After it, the sum continues or is reset.
 */
export function cumulativeDelta(dayOf: DayOf, reset: Reset = 'day', anchorMs = 0): Indicator {
  const isEndless = reset === 'gap' || reset === 'never'
  let state = { period: ABSENT, sum: 0, unknown: 0 }
  const next = (bar: Pick<BarValues, 'startMs' | 'flow' | 'volume'>): typeof state => {
    const period = bar.startMs === undefined ? 0 : periodOf(reset, bar.startMs, dayOf, anchorMs)
    if (Number.isNaN(period)) return { period, sum: ABSENT, unknown: 0 }
    const hasBegun = period === state.period && !(isEndless && Number.isNaN(state.sum))
    const from = hasBegun ? state : { sum: 0, unknown: 0 }
    const found = deltaOf(bar)
    return { period, sum: from.sum + (found?.delta ?? ABSENT), unknown: from.unknown + (found?.unknown ?? 0) }
  }
  const values = ({ sum, unknown }: typeof state): readonly number[] =>
    Number.isNaN(sum) ? NONE : within(sum, unknown)
  return {
    peek: (bar) => values(next(bar)),
    push(bar) {
      state = next(bar)
      return values(state)
    },
    lead(trades) {
      // Without periods, the sum begins with the first bar.
      if (!isEndless) state = next(trades)
    },
    gap() {
      if (reset === 'gap') state = { period: ABSENT, sum: 0, unknown: 0 }
    },
  }
}
