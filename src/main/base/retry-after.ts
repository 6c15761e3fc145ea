/** The `Retry-After` header of a response, and the hint that it gives the user. */
import { MINUTE_MS } from '../../shared/base/durations.ts'
import { durationLabel } from '../../shared/base/duration-label.ts'

/** The delay in a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date), ms; null: absent or invalid. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = /^[a-z]{3}/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/** When to try again, as a sentence. Delays above a minute are rounded up to minutes. */
export function callAgainHint(askedMs: number): string {
  const wait = askedMs < MINUTE_MS ? Math.max(1_000, askedMs) : Math.ceil(askedMs / MINUTE_MS) * MINUTE_MS
  return `The service asks to wait ${durationLabel(wait)}.`
}
