/** Running figures of the status line: clock skew, growth of the store. */

/** Service clock minus local clock. */
export interface Skew {
  /** Of a dated message: when it says it happened, and when it came. */
  seen(eventMs: number, recvMs: number): void
  /** ms; null until measured. The fastest message of the last one to two minutes decides. */
  readonly ms: number | null
}

const SKEW_WINDOW_MS = 60_000
const MIN_MESSAGES = 20

/** The way of a message only ever delays it, so the greatest (event − receipt) is nearest to the skew. */
export function createSkew(): Skew {
  let since = NaN
  let now = -Infinity
  let before = -Infinity
  let count = 0
  return {
    seen(eventMs, recvMs) {
      if (!(recvMs - since < SKEW_WINDOW_MS) || recvMs < since) {
        before = now
        now = -Infinity
        since = recvMs
      }
      const lead = eventMs - recvMs
      if (lead > now) now = lead
      count += 1
    },
    get ms() {
      const most = Math.max(now, before)
      return count < MIN_MESSAGES || most === -Infinity ? null : most
    },
  }
}

/** How fast a file grows. */
export interface Growth {
  sized(bytes: number, atMs: number): void
  /** Over up to the last hour; null for the first five minutes. */
  readonly bytesPerHour: number | null
}

const HOUR = 3_600_000
const SAMPLE_MS = 60_000
const LEAST_MS = 300_000

/** Nothing known yet. */
export function createGrowth(): Growth {
  let samples: { readonly atMs: number; readonly bytes: number }[] = []
  return {
    sized(bytes, atMs) {
      const last = samples.at(-1)
      if (last !== undefined && atMs - last.atMs < SAMPLE_MS) return
      samples = [...samples.filter((one) => atMs - one.atMs <= HOUR), { atMs, bytes }]
    },
    get bytesPerHour() {
      const first = samples[0]
      const last = samples.at(-1)
      if (first === undefined || last === undefined || last.atMs - first.atMs < LEAST_MS) return null
      return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * HOUR
    },
  }
}
