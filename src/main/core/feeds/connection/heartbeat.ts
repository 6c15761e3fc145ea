/** Pings that detect a dead connection. Times are milliseconds on the monotonic clock. */

export const PING_EVERY_MS = 15_000
/** A socket that receives nothing for this long after a ping counts as dead. */
export const PONG_WITHIN_MS = 10_000
/** The same limit after a sleep or a change of network. */
export const PROBE_WITHIN_MS = 4_000

export interface Heartbeat {
  /** A frame, ping or pong was received. */
  heard(monoMs: number): void
  /** What to do now: send a ping, drop the socket, or nothing. */
  beat(monoMs: number): 'ping' | 'dead' | 'fine'
  /** The socket may be dead: the next beat pings and waits only `PROBE_WITHIN_MS`. */
  doubt(): void
}

/** Creates the heartbeat of a socket that opened at `openedMs`. */
export function createHeartbeat(openedMs: number): Heartbeat {
  let heardMs = openedMs
  let pingedMs = openedMs
  let within = PONG_WITHIN_MS
  let pending = false
  let doubted = false
  return {
    heard(monoMs) {
      heardMs = monoMs
      if (pending) {
        pending = false
        within = PONG_WITHIN_MS
      }
    },
    beat(monoMs) {
      if (pending && heardMs <= pingedMs && monoMs - pingedMs >= within) return 'dead'
      if (doubted || (!pending && monoMs - pingedMs >= PING_EVERY_MS)) {
        if (doubted) within = PROBE_WITHIN_MS
        doubted = false
        pending = true
        pingedMs = monoMs
        return 'ping'
      }
      return 'fine'
    },
    doubt() {
      doubted = true
    },
  }
}
