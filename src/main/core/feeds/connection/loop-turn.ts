/**
 * The event loop's turns as sockets use them: one stamp for everything that arrived in one read, and a limit on how
 * long reads may hold the loop. Node reads a saturated socket again and again before anything else runs, so a
 * connection that finds the turn overspent pauses its socket until the next one.
 */
import { clockOffsetMs, readClocks, type Clock } from '../../../base/clock.ts'
import type { Stamp } from './frame-sink.ts'

export const TURN_NS = 4_000_000

export interface LoopTurn {
  /** Receipt of the current read. The clocks are read once for all its frames, which arrived together. */
  arrived(): Stamp
  /** The current instant; later stamps of the same read are not earlier. */
  now(): Stamp
  /** Whether the turn has taken too long. Call at each message. */
  isOverspent(nowNs: number): boolean
}

export function createLoopTurn(clock: Clock, limitNs = TURN_NS): LoopTurn {
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
    isOverspent(nowNs) {
      if (startNs < 0) {
        startNs = nowNs
        setImmediate(nextTurn)
        return false
      }
      return nowNs - startNs > limitNs
    },
  }
}
