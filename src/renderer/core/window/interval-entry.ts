/** Digits typed anywhere change the chart's interval: "5" is 5m, "15s" is 15s, "250ms" is 250ms, "1d" is 1D. */
import { INTERVAL_LABELS, INTERVALS, type Interval } from '../../../shared/core/market/market.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The interval that a typed text names; minutes where it names no unit; undefined when there is none. */
export function parseInterval(text: string): Interval | undefined {
  const match = /^(\d{1,4})(ms|[smhd])?$/i.exec(text.trim())
  if (!match?.[1]) return undefined
  const unit = UNITS[(match[2] ?? 'm').toLowerCase()]
  return INTERVAL_LABELS.find((label) => INTERVALS[label] === Number(match[1]) * unit)
}

/** Whether what was typed names none yet, though one more letter would make it one: 250m of 250ms. */
export const isBegun = (typed: string): boolean =>
  parseInterval(typed) === undefined && /m$/i.test(typed) && parseInterval(`${typed}s`) !== undefined
