/**
 * The time up to which everything that the service sent is known to have been received: where the gap of a lost
 * connection starts.
 */
import { unixMs, type UnixMs } from '../../../../shared/base/units.ts'
import { DelayWindow, earliestLost, movedStamp } from '../../../../shared/core/recording/delay-window.ts'

/**
 * This isn't the receipt time of the last frame. Frames wait in a socket while the computer is busy, and frames that
 * are lost with the connection were sent before the last one was read. So a frame proves reception only up to its own
 * event time, and a response (pong, acknowledgment, close) up to its request.
 */
export class ReceivedUpTo {
  readonly #dated = new DelayWindow()
  #heardMs: UnixMs | null = null
  #respondedMs = -Infinity

  /** A frame, ping or pong was received. */
  heard(atMs: UnixMs): void {
    this.#heardMs = atMs
  }

  /** A message with an event time was received; both times UTC ms. */
  dated(eventMs: number, recvMs: number): void {
    this.#dated.seen(eventMs, recvMs)
  }

  /** The service responded to a request sent at `requestedMs`: everything that it sent before has arrived. */
  responded(requestedMs: number): void {
    this.#respondedMs = Math.max(this.#respondedMs, requestedMs)
  }

  /** The wall clock was set by `shiftMs`. */
  clockMoved(shiftMs: number, nowMs: UnixMs): void {
    if (this.#heardMs !== null) this.#heardMs = unixMs(movedStamp(this.#heardMs, shiftMs, nowMs))
    this.#respondedMs = movedStamp(this.#respondedMs, shiftMs, nowMs)
    this.#dated.clockMoved(shiftMs, nowMs)
  }

  /** UTC ms by the local clock; null: nothing was received yet. `skewMs` as for `earliestLost`. */
  at(skewMs: number): UnixMs | null {
    const heardMs = this.#heardMs
    if (heardMs === null) return null
    const dated = this.#dated.isEmpty ? -Infinity : earliestLost(this.#dated, skewMs, heardMs)
    const proven = Math.max(dated, this.#respondedMs)
    // Without event times and responses, only the receipt time is known.
    return proven === -Infinity ? heardMs : unixMs(Math.min(heardMs, proven))
  }
}
