/**
 * A feed's usual message rate, which determines how long a silence makes it stale. Silence affects only freshness: it
 * is never a gap. Times are milliseconds on the monotonic clock.
 */

const WEIGHT = 0.05
/** A silence of this many average intervals is unusual. */
const UNUSUAL_INTERVALS = 8
const FLOOR_MS = 5_000
const CAP_MS = 120_000
const FIRST_MS = 30_000

export interface MessageRate {
  message(monoMs: number): void
  /** How long a silence makes the feed stale; at least half a minute before the first message. */
  staleAfterMs(): number
  /** No message has ever been received. */
  readonly isMute: boolean
  /** Time since the last message or `start`. */
  silentMs(monoMs: number): number
  /** Starts counting silence, on a new connection. The learned rate stays. */
  start(monoMs: number): void
}

/** `barMs`: the length of the feed's bars, which arrive in bursts; null if it sends no bars. */
export function createMessageRate(barMs: number | null): MessageRate {
  const floor = Math.max(FLOOR_MS, (barMs ?? 0) * 2.5)
  let lastMs = 0
  let averageMs = NaN
  let begun = false
  let ever = false
  return {
    message(monoMs) {
      if (begun) {
        const interval = monoMs - lastMs
        averageMs = Number.isNaN(averageMs) ? interval : averageMs + WEIGHT * (interval - averageMs)
      }
      begun = true
      ever = true
      lastMs = monoMs
    },
    staleAfterMs() {
      if (Number.isNaN(averageMs)) return Math.max(ever ? CAP_MS : FIRST_MS, floor)
      return Math.max(floor, Math.min(CAP_MS, averageMs * UNUSUAL_INTERVALS))
    },
    get isMute() {
      return !ever
    },
    silentMs: (monoMs) => monoMs - lastMs,
    start(monoMs) {
      lastMs = monoMs
      begun = false
    },
  }
}
