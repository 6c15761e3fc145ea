/** Converts event times as services send them to UTC ms, judging the unit by magnitude. */

/** 2000-01-01 and 2100-01-01, UTC ms. Times outside this range aren't event times. */
export const EARLIEST_MS = 946_684_800_000
export const LATEST_MS = 4_102_444_800_000

export type TimeUnit = 's' | 'ms' | 'µs' | 'ns' | 'ISO'

export interface ReadTime {
  readonly ms: number
  readonly unit: TimeUnit
}

/** Whether a time in UTC ms is in the years 2000 to 2099. */
export function inRange(ms: number): boolean {
  return ms >= EARLIEST_MS && ms < LATEST_MS
}

/**
 * Reads a time in seconds, ms, µs or ns since 1970 (a number or numeric text) or as ISO 8601 text. Returns undefined
 * for anything else and outside the years 2000 to 2099. The four magnitudes of that century don't overlap, so the unit
 * isn't a guess. ISO text without a zone is UTC, like every time the service sends. Fractions are exact to the µs,
 * which is all a double can hold.
 */
export function readTime(value: unknown): ReadTime | undefined {
  if (typeof value === 'number') return byMagnitude(value)
  if (typeof value !== 'string') return undefined
  if (/^\d{9,19}(\.\d{1,9})?$/.test(value)) return byMagnitude(Number(value))
  const ms = isoMs(value)
  return ms !== undefined && inRange(ms) ? { ms, unit: 'ISO' } : undefined
}

function byMagnitude(n: number): ReadTime | undefined {
  if (inRange(n)) return { ms: n, unit: 'ms' }
  if (inRange(n * 1_000)) return { ms: Math.round(n * 1_000_000) / 1_000, unit: 's' }
  if (inRange(n / 1_000)) return { ms: n / 1_000, unit: 'µs' }
  if (inRange(n / 1_000_000)) return { ms: Math.round(n / 1_000) / 1_000, unit: 'ns' }
  return undefined
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(?:(Z)|([+-])(\d\d):?(\d\d)?)?$/i

function isoMs(text: string): number | undefined {
  const m = ISO.exec(text)
  if (m === null) return undefined
  const n = (i: number): number => Number(m[i] ?? 0)
  const day = Date.UTC(n(1), n(2) - 1, n(3))
  // Date rolls a day that the month doesn't have over to the next month.
  if (new Date(day).getUTCDate() !== n(3) || new Date(day).getUTCMonth() !== n(2) - 1) return undefined
  if (n(4) > 23 || n(5) > 59 || n(6) > 59 || n(10) > 23 || n(11) > 59) return undefined
  const fraction = Number((m[7] ?? '').padEnd(6, '0').slice(0, 6)) / 1_000
  const offset = (n(10) * 60 + n(11)) * 60_000 * (m[9] === '-' ? -1 : 1)
  return day + ((n(4) * 60 + n(5)) * 60 + n(6)) * 1_000 + fraction - offset
}
