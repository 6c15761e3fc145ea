/**
 * Turns of the event loop as sockets see them: one stamp for all that arrived in one read, and a limit
 * on how long they may hold the loop. A saturated socket is read again and again before anything else
 * runs, so whoever finds the turn overspent pauses its socket until the next.
 */
import { clockOffsetMs, readClocks, type Clock } from '../../../base/clock.ts'
import type { Stamp } from './frame-sink.ts'

export const TURN_NS = 4_000_000

export interface Turn {
  /** When this read came in: the clocks are asked once for all its frames, which arrived together. */
  arrived(): Stamp
  /** This instant; what follows in the same read is not earlier. */
  now(): Stamp
  /** Called at each message; true once the turn has taken too long. */
  overspent(nowNs: number): boolean
}

export function createTurn(clock: Clock, limitNs = TURN_NS): Turn {
  let startNs = -1
  let stamp: Stamp | null = null
  let offsetMs = NaN
  const nextTurn = (): void => {
    startNs = -1
  }
  const nextRead = (): void => {
    stamp = null
  }
  const take = (): Stamp => {
    const taken = readClocks(clock, offsetMs)
    offsetMs = clockOffsetMs(taken)
    return taken
  }
  return {
    arrived() {
      if (stamp === null) {
        stamp = take()
        queueMicrotask(nextRead)
      }
      return stamp
    },
    now() {
      const instant = take()
      if (stamp !== null) stamp = instant
      return instant
    },
    overspent(nowNs) {
      if (startNs < 0) {
        startNs = nowNs
        setImmediate(nextTurn)
        return false
      }
      return nowNs - startNs > limitNs
    },
  }
}
