/** Whether the other end still lives. Times are milliseconds on the monotonic clock. */

export const PING_EVERY_MS = 15_000
/** How long a ping may stay without any sign of life before the socket counts as half-open. */
export const PONG_WITHIN_MS = 10_000
/** The same, where there is reason to doubt: after a sleep or a change of network. */
export const PROBE_WITHIN_MS = 4_000

export interface Heartbeat {
  /** Anything was heard: a frame, a ping or a pong. */
  heard(monoMs: number): void
  /** What to do now: send a ping, give the socket up, or nothing. */
  beat(monoMs: number): 'ping' | 'dead' | 'fine'
  /** Doubts the socket: the next beat pings, and the answer has less time. */
  doubt(): void
}

/** A heartbeat of a socket that opened at `openedMs`. */
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
