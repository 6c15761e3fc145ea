/**
 * Connections that haven't shown a token or secret. Anyone on this computer can open them, so there are few, and
 * they get little: when there are too many, the oldest one goes. A page shows its secret as soon as it is
 * connected, so it is let in however many idle connections someone else opens.
 */
import type { Duplex } from 'node:stream'

/**
 * Connections that wait at a time, of whatever kind. A browser opens about six for a page; the rest is the time a page
 * has to show its secret before a flood of others makes it the oldest.
 */
export const MAX_STRANGERS = 256
/** Bytes of WebSocket frames before the first message: a greeting takes about a hundred. */
export const MAX_GREETING_BYTES = 4 * 1024

export interface Strangers {
  readonly size: number
  /** Counts a connection until it closes or is admitted; the oldest one beyond the bound is destroyed. */
  add(socket: Duplex): void
  /** From here on, frames of this connection count against `MAX_GREETING_BYTES`. `head`: what came with the upgrade. */
  limit(socket: Duplex, head: Buffer): void
  /** Lifts both limits: the connection showed a token or secret. */
  admit(socket: Duplex): void
}

/** Starts empty. `evicted` is told each time a connection goes early, with the reason. */
export function createStrangers(evicted: (why: 'too many were waiting' | 'it sent too much data') => void): Strangers {
  const waiting = new Set<Duplex>()
  const counters = new Map<Duplex, (piece: Buffer) => void>()

  function forget(socket: Duplex): void {
    waiting.delete(socket)
    const count = counters.get(socket)
    if (count) socket.off('data', count)
    counters.delete(socket)
  }

  return {
    get size() {
      return waiting.size
    },
    add(socket) {
      waiting.add(socket)
      socket.once('close', () => forget(socket))
      const [oldest] = waiting
      if (waiting.size <= MAX_STRANGERS || oldest === undefined) return
      forget(oldest)
      oldest.destroy()
      evicted('too many were waiting')
    },
    limit(socket, head) {
      let bytes = 0
      const count = (piece: Buffer): void => {
        bytes += piece.length
        if (bytes <= MAX_GREETING_BYTES) return
        forget(socket)
        socket.destroy()
        evicted('it sent too much data')
      }
      if (socket.destroyed) return
      counters.set(socket, count)
      socket.on('data', count)
      count(head)
    },
    admit: forget,
  }
}
