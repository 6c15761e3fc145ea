/**
 * Turns of the event loop, as the sockets use them. All frames of one read share a timestamp, and the time that reads
 * may block the loop is limited: Node reads a saturated socket again and again before anything else runs, so a
 * connection that exceeds the limit pauses its socket until the next turn.
 */
import { clockOffsetMs, readClocks, type Clock } from '../../../base/clock.ts'
import type { Stamp } from './frame-sink.ts'

export const TURN_NS = 4_000_000

export interface LoopTurn {
  /** The receipt time of the current read. The clocks are read once for all its frames, which arrived together. */
  arrived(): Stamp
  /** The current instant. Later timestamps of the same read are not earlier. */
  now(): Stamp
  /** Whether this turn has exceeded its time limit. Call it for each message. */
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
