/** Decides when to retry a request. Pure: randomness and waits are passed in. */

/** Maximum attempts per request, including the first. */
export const MAX_TRIES = 3
/** Longest `Retry-After` that a pane waits for, ms. */
export const LONGEST_WAIT_MS = 20_000
const FIRST_WAIT_MS = 400

/**
 * Returns the ms to wait before attempt `next` (2, 3, …), or null to give up: after MAX_TRIES, or if the service asks
 * for more than LONGEST_WAIT_MS. The wait is `Retry-After` plus a random part of up to 0.4 s · 2^(next - 1).
 * @param chance in [0, 1)
 */
export function waitBefore(next: number, retryAfterMs: number | null, chance: number): number | null {
  if (next > MAX_TRIES) return null
  if (retryAfterMs !== null && retryAfterMs > LONGEST_WAIT_MS) return null
  const spread = chance * FIRST_WAIT_MS * 2 ** (next - 1)
  return Math.round((retryAfterMs ?? 0) + spread)
}
