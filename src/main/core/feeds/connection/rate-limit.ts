/**
 * A feed's usual pace: an average of the time between its messages, from which follows how much
 * silence is unusual. This is freshness only: silence is never a gap. Milliseconds, monotonic.
 */

const WEIGHT = 0.05
/** Silences of so many average intervals are unusual. */
const PATIENCE = 8
const FLOOR_MS = 5_000
const CAP_MS = 120_000
const FIRST_MS = 30_000

export interface Pace {
  message(monoMs: number): void
  /** Silence that makes the feed stale. Before the first message: half a minute or more. */
  staleAfterMs(): number
  /** No message ever came. */
  readonly mute: boolean
  /** Since the last message, or since `start`. */
  silentMs(monoMs: number): number
  /** A new connection: silence counts from here, the learnt pace stays. */
  start(monoMs: number): void
}

/** The pace of a feed; `barMs` is the length of its bars where it sends bars, which come in bursts. */
export function createPace(barMs: number | null): Pace {
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
      return Math.max(floor, Math.min(CAP_MS, averageMs * PATIENCE))
    },
    get mute() {
      return !ever
    },
    silentMs: (monoMs) => monoMs - lastMs,
    start(monoMs) {
      lastMs = monoMs
      begun = false
    },
  }
}
