/**
 * Measures how long before its receipt each message of a feed was dated. Frames can wait in a socket or at the
 * service, so messages lost to a crash or a disconnect are assumed to be dated as far back as those just received.
 */

/** The messages of the last one to two windows count, ms. */
export const DELAY_WINDOW_MS = 1_000
/** A message dated longer than this before its receipt doesn't show how far the service had got, ms. */
export const LONGEST_DELAY_MS = 6 * 3_600_000
/**
 * A connection without a frame or pong for this long has been closed by the heartbeat, ms. So while its connection is
 * alive, a quiet feed has received everything sent up to this long ago.
 */
export const SILENT_AT_MOST_MS = 60_000

/** What is known about a feed's last messages. */
export interface LastReceived {
  /** When the last one was received, UTC ms. */
  readonly recvMs: number
  /** The longest delay (receipt minus event time) of recent messages, ms; -Infinity if none is dated. */
  readonly delayMs: number
}

/**
 * The earliest local time, UTC ms, at which a message lost after `untilMs` can be dated. `skewMs` is service clock
 * minus local clock as stored with the gap. A gap that begins here and is widened by the skew covers the message.
 */
export function earliestLost({ recvMs, delayMs }: LastReceived, skewMs: number, untilMs: number): number {
  const silentMs = untilMs - SILENT_AT_MOST_MS
  return recvMs < silentMs ? silentMs : Math.min(untilMs, recvMs - Math.max(0, delayMs + skewMs))
}

/** Tracks the delays of one feed, with one comparison per message and no allocation. */
export class DelayWindow implements LastReceived {
  recvMs = NaN
  #sinceMs = NaN
  #longest = -Infinity
  #before = -Infinity

  /** Adds a dated message: event time by the service's clock, receipt by ours, both UTC ms. */
  seen(eventMs: number, recvMs: number): void {
    this.recvMs = recvMs
    const age = recvMs - this.#sinceMs
    if (!(age >= 0 && age < DELAY_WINDOW_MS)) {
      this.#before = age >= 0 && age < 2 * DELAY_WINDOW_MS ? this.#longest : -Infinity
      this.#longest = -Infinity
      this.#sinceMs = recvMs
    }
    const delay = recvMs - eventMs
    if (delay > this.#longest && delay <= LONGEST_DELAY_MS) this.#longest = delay
  }

  get delayMs(): number {
    return Math.max(this.#before, this.#longest)
  }

  /** Whether no dated message was seen. */
  get isEmpty(): boolean {
    return Number.isNaN(this.recvMs)
  }

  /** Moves earlier stamps after the wall clock was set by `shiftMs`; the time is now `nowMs`. */
  clockMoved(shiftMs: number, nowMs: number): void {
    const moved = movedStamp(this.recvMs, shiftMs, nowMs)
    if (moved === this.recvMs) return
    this.recvMs = moved
    this.#sinceMs += shiftMs
    this.#longest += shiftMs
    this.#before += shiftMs
  }
}

/** A stamp moved by `shiftMs` after the wall clock was set. A stamp already in the new time is unchanged. */
export const movedStamp = (ms: number, shiftMs: number, nowMs: number): number =>
  shiftMs > 0 || ms > nowMs ? Math.min(ms + shiftMs, nowMs) : ms
