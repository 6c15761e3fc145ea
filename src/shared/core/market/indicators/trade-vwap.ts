/** The VWAP of trades, not of bars' typical prices, with bands of one to three standard deviations. */
import { mergeVwap, NO_VWAP, vwapDeviation } from '../flow/vwap.ts'
import { periodOf, type Reset } from './delta.ts'
import { ABSENT, type BarValues, type Indicator } from './indicator.ts'
import type { DayOf } from './indicators.ts'

const BANDS = [1, -1, 2, -2, 3, -3] as const
const NONE = [ABSENT, ...BANDS.map(() => ABSENT)]

/**
 * [VWAP, +1, -1, +2, -2, +3, -3] of the trades since the start of the period. Absent before the anchor (UTC ms). Once
 * the trades of a bar aren't read, also absent to the end of its period.
 */
export function tradeVwap(dayOf: DayOf, reset: Extract<Reset, 'day' | 'week' | 'anchor'>, anchorMs = 0): Indicator {
  let state = { period: ABSENT, part: NO_VWAP, isWhole: true }
  const next = ({ startMs = 0, flow }: Pick<BarValues, 'startMs' | 'flow'>): typeof state => {
    const period = periodOf(reset, startMs, dayOf, anchorMs)
    const from = period === state.period ? state : { part: NO_VWAP, isWhole: true }
    if (!flow?.vwap) return { period, part: from.part, isWhole: false }
    return { period, part: mergeVwap(from.part, flow.vwap), isWhole: from.isWhole }
  }
  const values = ({ period, part, isWhole }: typeof state): readonly number[] => {
    if (!isWhole || Number.isNaN(period) || part.volume === 0) return NONE
    const deviation = vwapDeviation(part)
    return [part.mean, ...BANDS.map((times) => part.mean + times * deviation)]
  }
  return {
    peek: (bar) => values(next(bar)),
    push(bar) {
      state = next(bar)
      return values(state)
    },
    lead(trades) {
      state = next(trades)
    },
  }
}
