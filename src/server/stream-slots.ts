/** Limits how many streams a server sends at once, so that clients that don't read can't use up its memory. */
import type { Duplex } from 'node:stream'
import { CodedError } from '../shared/base/errors.ts'

/** A stream whose client has read nothing for this long gives up its slot if another one needs it, ms. */
export const STALLED_MS = 30_000

export interface StreamSlot {
  /** Aborts when the connection closes. Then the slot is free. */
  readonly signal: AbortSignal
  /** The client read something. */
  moved(): void
  /** The stream has ended. The connection may go on. */
  free(): void
}

interface Held {
  readonly socket: Duplex
  movedMs: number
  readonly slot: StreamSlot
}

export class StreamSlots {
  readonly #most: number
  readonly #nowMs: () => number
  readonly #held = new Map<Duplex, Held>()

  /** `nowMs`: a clock that never goes back. */
  constructor(most: number, nowMs: () => number) {
    this.#most = most
    this.#nowMs = nowMs
  }

  /**
   * Takes a slot for a stream on a connection. If none is free, ends the connection that has stalled for longest. Throws
   * `busy` if every stream is being read, and for the second stream of a connection, which would have to wait in memory.
   */
  take(socket: Duplex): StreamSlot {
    if (this.#held.has(socket)) {
      throw new CodedError('busy', 'This connection is still receiving another stream.', {
        hint: 'Read it to its end first, or use another connection.',
      })
    }
    if (this.#held.size >= this.#most) this.#endStalled()
    const closed = new AbortController()
    const onClose = (): void => {
      held.slot.free()
      closed.abort()
    }
    const held: Held = {
      socket,
      movedMs: this.#nowMs(),
      slot: {
        signal: closed.signal,
        moved: () => void (held.movedMs = this.#nowMs()),
        free: () => {
          socket.off('close', onClose)
          if (this.#held.get(socket) === held) this.#held.delete(socket)
        },
      },
    }
    this.#held.set(socket, held)
    socket.once('close', onClose)
    if (socket.destroyed) onClose()
    return held.slot
  }

  #endStalled(): void {
    const [first] = [...this.#held.values()].sort((a, b) => a.movedMs - b.movedMs)
    if (this.#nowMs() - first.movedMs < STALLED_MS) {
      throw new CodedError('busy', `At most ${this.#most} streams can be read at once.`, {
        hint: 'Read one of them to its end or close it, then try again.',
      })
    }
    this.#held.delete(first.socket)
    first.socket.destroy()
  }
}
