/** Durations as users type them. */
import { UNIT_MS, type DurationUnit } from '../../../../shared/base/durations.ts'

/** Parses "30s", "5m", "1h 30m" or "250ms" to ms. A bare number means seconds. NaN if the text isn't a duration. */
export function parseDuration(typed: string): number {
  const text = typed.trim().toLowerCase()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return NaN
  return parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit === 'min' ? 'm' : (unit as DurationUnit)],
    0,
  )
}

/** Formats ms the way `parseDuration` reads them: "5m", "1h 30m". */
export function durationText(ms: number): string {
  let left = Math.round(ms)
  const parts: string[] = []
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const whole = Math.floor(left / UNIT_MS[unit])
    if (whole > 0) parts.push(`${whole}${unit}`)
    left -= whole * UNIT_MS[unit]
  }
  return parts.join(' ') || '0s'
}
