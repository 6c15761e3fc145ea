/** Running figures of the status line: frame rate, clock skew, growth of the store. */

const RATE_NS = 1e9

/** Frames a second, measured over the last second or more. */
export class FrameRate {
  #atNs = 0
  #received = 0
  #perSecond = 0

  /** Takes the frames received up to `nowNs`, monotonic ns; returns frames a second. */
  measure(received: number, nowNs: number): number {
    const elapsedNs = nowNs - this.#atNs
    if (elapsedNs >= RATE_NS) {
      this.#perSecond = ((received - this.#received) * 1e9) / elapsedNs
      this.#atNs = nowNs
      this.#received = received
    }
    return this.#perSecond
  }
}

/** Service clock minus local clock. */
export interface Skew {
  /** Takes the event time and receipt of a dated message, both UTC ms. */
  seen(eventMs: number, recvMs: number): void
  /** Over the last two minutes, ms; null: not measured yet. */
  readonly ms: number | null
  /** Starts over, because the clock was set or the service changed. */
  forget(): void
}

const SPAN_MS = 5_000
const WINDOW_MS = 120_000
const MIN_MESSAGES = 20
/** From this many messages on, the second greatest lead of a span is used. */
const MIN_FOR_SECOND = 4

/** The greatest leads (event time minus receipt) of a few seconds. */
interface Span {
  readonly since: number
  most: number
  second: number
  count: number
}

/**
 * A network only delays messages, so the greatest lead is nearest to the skew. One message that is dated far ahead must
 * not decide: the result is the median over spans of a few seconds of the second greatest lead.
 */
export function createSkew(): Skew {
  let spans: readonly Span[] = []
  let now: Span | null = null
  let count = 0
  return {
    seen(eventMs, recvMs) {
      if (now === null || !(recvMs - now.since < SPAN_MS) || recvMs < now.since) {
        now = { since: recvMs, most: -Infinity, second: -Infinity, count: 0 }
        spans = [...spans.filter(({ since }) => since <= recvMs && recvMs - since < WINDOW_MS), now]
      }
      const lead = eventMs - recvMs
      if (lead > now.most) {
        now.second = now.most
        now.most = lead
      } else if (lead > now.second) now.second = lead
      now.count += 1
      count += 1
    },
    get ms() {
      if (count < MIN_MESSAGES) return null
      const leads = spans.map((span) => (span.count < MIN_FOR_SECOND ? span.most : span.second)).sort((a, b) => a - b)
      // The lower of the two in the middle.
      return leads[Math.floor((leads.length - 1) / 2)]
    },
    forget() {
      spans = []
      now = null
      count = 0
    },
  }
}

/** How fast the store grows. */
export interface Growth {
  /** Takes the size in bytes at `atMs`, UTC. */
  sized(bytes: number, atMs: number): void
  /** Over up to the last hour; null for the first five minutes. */
  readonly bytesPerHour: number | null
}

const HOUR = 3_600_000
const SAMPLE_MS = 60_000
const MIN_MS = 300_000

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
      if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_MS) return null
      return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * HOUR
    },
  }
}
