/** Figures for the status line: frame rate, clock skew, growth of the store. */
import { HOUR_MS } from '../../../shared/base/durations.ts'

const RATE_NS = 1e9

/** Frames per second, averaged over at least the last second. */
export class FrameRate {
  #atNs = 0
  #received = 0
  #perSecond = 0

  /** Takes the number of frames received up to `nowNs`, monotonic ns; returns frames per second. */
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
  /** Takes the event time and receipt time of a message, both UTC ms. */
  seen(eventMs: number, recvMs: number): void
  /** The skew over the last two minutes, ms; null: not measured yet. */
  readonly ms: number | null
  /** Starts over, because the clock was set or the service changed. */
  forget(): void
}

const SPAN_MS = 5_000
const WINDOW_MS = 120_000
const MIN_MESSAGES = 20
/** With at least this many messages, the second greatest lead of a span is used. */
const MIN_FOR_SECOND = 4

/** The two greatest leads (event time minus receipt time) of a few seconds. */
interface Span {
  readonly since: number
  most: number
  second: number
  count: number
}

/**
 * A network can only delay messages, so the greatest lead is closest to the skew. To be robust against single messages
 * with an event time far ahead, the result is the median over short spans of each span's second greatest lead.
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
      // the lower of the two middle values
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
  /** Takes the size of the store in bytes at `atMs`, UTC. */
  sized(bytes: number, atMs: number): void
  /** Bytes per hour over at most the last hour; null during the first five minutes. */
  readonly bytesPerHour: number | null
}

const SAMPLE_MS = 60_000
const MIN_MS = 300_000

export function createGrowth(): Growth {
  let samples: { readonly atMs: number; readonly bytes: number }[] = []
  return {
    sized(bytes, atMs) {
      const last = samples.at(-1)
      if (last !== undefined && atMs - last.atMs < SAMPLE_MS) return
      samples = [...samples.filter((one) => atMs - one.atMs <= HOUR_MS), { atMs, bytes }]
    },
    get bytesPerHour() {
      const first = samples[0]
      const last = samples.at(-1)
      if (first === undefined || last === undefined || last.atMs - first.atMs < MIN_MS) return null
      return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * HOUR_MS
    },
  }
}
