/** Durations as users type them. */

/** Parses "30s", "5m", "1h 30m" or "250ms" to ms. A bare number means seconds. NaN if the text isn't a duration. */
export function parseDuration(typed: string): number {
  const text = typed.trim().toLowerCase()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)\s*/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return NaN
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit === 'min' ? 'm' : unit], 0)
}

/** Formats ms the way `parseDuration` reads them: "5m", "1h 30m". */
export function durationText(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
    ['ms', 1],
  ] as const
  let left = Math.round(ms)
  const parts: string[] = []
  for (const [unit, length] of units) {
    const whole = Math.floor(left / length)
    if (whole > 0) parts.push(`${whole}${unit}`)
    left -= whole * length
  }
  return parts.join(' ') || '0s'
}
