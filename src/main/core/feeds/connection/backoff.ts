/**
 * How long to wait before the next attempt to connect: exponential backoff with full jitter and no limit on attempts.
 */

export const BACKOFF_MIN_MS = 500
export const BACKOFF_MAX_MS = 30_000

/**
 * Milliseconds to wait before attempt number `attempt` (from 0), spread evenly between 0.5 s and a limit that
 * doubles from 1 s to 30 s. `roll` is a random number in [0, 1).
 */
export function backoffMs(attempt: number, roll: number): number {
  const limit = Math.min(BACKOFF_MAX_MS, 1_000 * 2 ** Math.min(attempt, 16))
  return BACKOFF_MIN_MS + roll * (limit - BACKOFF_MIN_MS)
}
