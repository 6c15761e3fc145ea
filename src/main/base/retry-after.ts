/** The `Retry-After` header of a response, and the hint for it. */
import { durationLabel } from '../../shared/features/alerts/labels.ts'

const MINUTE_MS = 60_000

/** The wait of a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date), ms; null: absent or unreadable. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = /^[a-z]{3}/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/** When to try again, as a sentence. Waits above a minute are rounded up to minutes. */
export function callAgainHint(askedMs: number): string {
  const wait = askedMs < MINUTE_MS ? Math.max(1_000, askedMs) : Math.ceil(askedMs / MINUTE_MS) * MINUTE_MS
  return `The service asks to wait ${durationLabel(wait)}.`
}
