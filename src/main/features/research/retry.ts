/** When a call is tried again: pure, with chance and time as arguments. */

/** Tries of one call, the first included. */
export const MAX_TRIES = 3
/** A pane does not wait longer than so for a service that asks for patience. */
export const LONGEST_WAIT_MS = 20_000
const FIRST_WAIT_MS = 400

/**
 * Milliseconds to wait before try `next` (2, 3, …), or null when it makes no sense: enough tries, or
 * the service wants more patience than a pane has. Full jitter over 0.4 s · 2^n, but never before the
 * `Retry-After` that the service asked for.
 * @param chance in [0, 1)
 */
export function waitBefore(next: number, retryAfterMs: number | null, chance: number): number | null {
  if (next > MAX_TRIES) return null
  if (retryAfterMs !== null && retryAfterMs > LONGEST_WAIT_MS) return null
  const spread = chance * FIRST_WAIT_MS * 2 ** (next - 1)
  return Math.round((retryAfterMs ?? 0) + spread)
}
