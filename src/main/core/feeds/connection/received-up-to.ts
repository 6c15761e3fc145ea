/** Up to when everything the service sent is known to have been received: where the gap of a lost connection begins. */
import { unixMs, type UnixMs } from '../../../../shared/base/units.ts'
import { DelayWindow, earliestLost, movedStamp } from '../../../../shared/core/recording/delay-window.ts'

/**
 * Hearing something is not enough. Frames wait in a socket while the computer is busy; when the connection is lost, those
 * behind the last one read were sent before that one was read. So a frame proves reception up to its own event time, and
 * an answer (pong, acknowledgement, close) up to when it was asked for.
 */
export class ReceivedUpTo {
  readonly #dated = new DelayWindow()
  #heardMs: UnixMs | null = null
  #answeredMs = -Infinity

  /** Any frame, ping or pong came. */
  heard(atMs: UnixMs): void {
    this.#heardMs = atMs
  }

  /** A message came that says when it happened; event time UTC ms. */
  dated(eventMs: number, recvMs: number): void {
    this.#dated.seen(eventMs, recvMs)
  }

  /** The service answered what was sent at `askedMs`: all it sent before has come. */
  answered(askedMs: number): void {
    this.#answeredMs = Math.max(this.#answeredMs, askedMs)
  }

  /** The wall clock was set by `shiftMs`. */
  clockMoved(shiftMs: number, nowMs: UnixMs): void {
    if (this.#heardMs !== null) this.#heardMs = unixMs(movedStamp(this.#heardMs, shiftMs, nowMs))
    this.#answeredMs = movedStamp(this.#answeredMs, shiftMs, nowMs)
    this.#dated.clockMoved(shiftMs, nowMs)
  }

  /** UTC ms by the local clock; null: nothing was heard yet. `skewMs` as for `earliestLost`. */
  at(skewMs: number): UnixMs | null {
    const heardMs = this.#heardMs
    if (heardMs === null) return null
    const dated = this.#dated.isEmpty ? -Infinity : earliestLost(this.#dated, skewMs, heardMs)
    const proven = Math.max(dated, this.#answeredMs)
    // A feed that dates nothing and has answered nothing: its messages are dated by their receipt.
    return proven === -Infinity ? heardMs : unixMs(Math.min(heardMs, proven))
  }
}
