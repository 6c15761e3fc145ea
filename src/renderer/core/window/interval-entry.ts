/** Digits typed anywhere change the chart's interval: "5" is 5m, "15s" is 15s, "250ms" is 250ms, "1d" is 1D. */
import { INTERVAL_LABELS, INTERVALS, type Interval } from '../../../shared/core/market/market.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a typed interval; the unit defaults to minutes. Undefined if there is no such interval. */
export function parseInterval(text: string): Interval | undefined {
  const match = /^(\d{1,4})(ms|[smhd])?$/i.exec(text.trim())
  if (!match?.[1]) return undefined
  const unit = UNITS[(match[2] ?? 'm').toLowerCase()]
  return INTERVAL_LABELS.find((label) => INTERVALS[label] === Number(match[1]) * unit)
}

/** Whether the text isn't an interval yet but would be with one more letter, such as 250m for 250ms. */
export const isBegun = (typed: string): boolean =>
  parseInterval(typed) === undefined && /m$/i.test(typed) && parseInterval(`${typed}s`) !== undefined
