/** Digits typed anywhere change the chart's interval: "5" is 5m, "15s" is 15s, "1d" is 1D. */
import { INTERVAL_LABELS, type Interval } from '../../shared/market.ts'

/** The interval that a typed text names; minutes where it names no unit; undefined when there is none. */
export function parseInterval(text: string): Interval | undefined {
  const match = /^(\d{1,4})([smhd])?$/i.exec(text.trim())
  if (!match?.[1]) return undefined
  const count = Number(match[1])
  const unit = (match[2] ?? 'm').toLowerCase()
  const exact = `${count}${unit === 'd' ? 'D' : unit}`
  const inHours = unit === 'm' && count % 60 === 0 ? `${count / 60}h` : undefined
  return INTERVAL_LABELS.find((label) => label === exact || label === inHours)
}
