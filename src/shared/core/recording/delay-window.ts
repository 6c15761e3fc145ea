/**
 * How long before their receipt the messages of a feed were dated. A frame may have waited in a socket or at the service:
 * those behind it, which a crash or a lost connection takes away, are dated as far back as those just received were.
 */

/** Messages of the last one to two windows count, ms. */
export const DELAY_WINDOW_MS = 1_000
/** A message dated longer than this before its receipt says nothing about how far the service had got, ms. */
export const LONGEST_DELAY_MS = 6 * 3_600_000
/**
 * A connection that brought neither a frame nor a pong for this long was closed long ago (`feeds/heartbeat.ts`), ms.
 * While anything else is received, a feed without messages has everything that was sent up to so long before.
 */
export const SILENT_AT_MOST_MS = 60_000

/** What is known of a feed's last messages. */
export interface LastReceived {
  /** Receipt of the last one, UTC ms. */
  readonly recvMs: number
  /** The longest delay (receipt minus event time) of those received shortly before it, ms; -Infinity: none is dated. */
  readonly delayMs: number
}

/**
 * The earliest local time, UTC ms, that a message lost after `untilMs` may be dated at. `skewMs` is service clock minus
 * local clock, as it will stand in the gap: widened by it, a gap that begins here covers the message.
 */
export function earliestLost({ recvMs, delayMs }: LastReceived, skewMs: number, untilMs: number): number {
  const silentMs = untilMs - SILENT_AT_MOST_MS
  return recvMs < silentMs ? silentMs : Math.min(untilMs, recvMs - Math.max(0, delayMs + skewMs))
}

/** Follows the delays of one feed. One comparison a message, no allocation. */
export class DelayWindow implements LastReceived {
  recvMs = NaN
  #sinceMs = NaN
  #longest = -Infinity
  #before = -Infinity

  /** Takes a dated message: event time by the service's clock, receipt by ours, both UTC ms. */
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

  /** Whether anything dated was seen. */
  get isEmpty(): boolean {
    return Number.isNaN(this.recvMs)
  }

  /** The wall clock was set by `shiftMs`: stamps up to then are moved to the new time, which is now `nowMs`. */
  clockMoved(shiftMs: number, nowMs: number): void {
    const moved = movedStamp(this.recvMs, shiftMs, nowMs)
    if (moved === this.recvMs) return
    this.recvMs = moved
    this.#sinceMs += shiftMs
    this.#longest += shiftMs
    this.#before += shiftMs
  }
}

/** A stamp after the wall clock was set by `shiftMs`; one that is of the new time already stays. */
export const movedStamp = (ms: number, shiftMs: number, nowMs: number): number =>
  shiftMs > 0 || ms > nowMs ? Math.min(ms + shiftMs, nowMs) : ms
