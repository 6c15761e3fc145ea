/**
 * How long sockets may hold the event loop in one turn. A saturated socket is read again and again
 * before anything else runs, so whoever finds the turn overspent pauses its socket until the next.
 */

export const TURN_NS = 4_000_000

export interface TurnBudget {
  /** Called at each message, monotonic ns; true once the turn has taken too long. */
  overspent(nowNs: number): boolean
}

export function createTurnBudget(limitNs = TURN_NS): TurnBudget {
  let startNs = -1
  const reset = (): void => {
    startNs = -1
  }
  return {
    overspent(nowNs) {
      if (startNs < 0) {
        startNs = nowNs
        setImmediate(reset)
        return false
      }
      return nowNs - startNs > limitNs
    },
  }
}
