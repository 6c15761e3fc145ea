/**
 * Compares the clocks about once a second, and with when they should have been compared: tells a machine or a
 * process that slept from a wall clock that was set. The monotonic clock may stand still in a sleep (on Linux
 * it does), so that a sleep looks like a clock set forward; what the machine counts since it was started goes on.
 */
import { readBracketed, type Clock } from '../../../base/clock.ts'

/** Shifts above this are written down (settled rule 8). */
export const SHIFT_MS = 100
/** A check that comes so much too late means that everything stood still. */
export const PAUSE_MS = 5_000
/** How coarse some systems count the time since their start: less says nothing of a sleep. */
const COARSE_MS = 2_000

export interface ClockFinding {
  /** Wall against monotonic since the last check; 0 where it is within the tolerance. */
  readonly shiftMs: number
  /** The check came seconds too late: a sleep, or a process that was stopped. */
  readonly paused: boolean
  /** The wall clock was set by this against the time that passed, sleep included; 0: it was not. */
  readonly steppedMs: number
  /** Time that passed since the last check, sleep included. */
  readonly elapsedMs: number
}

/** Milliseconds of the three clocks; `boot` counts since the machine was started, NaN where nobody knows. */
export interface Instants {
  readonly wall: number
  readonly mono: number
  readonly boot: number
}

const readTwo = (clock: Clock) => ({ wall: clock.wallMs(), boot: clock.bootMs?.() ?? NaN })

/** The three clocks at one instant; null: the process was suspended whenever they were read. */
export function readInstants(clock: Clock): Instants | null {
  const { value, fromNs, isExact } = readBracketed(clock, readTwo)
  return isExact ? { ...value, mono: fromNs / 1e6 } : null
}

/** A check of the clocks against the last one, which was due `everyMs` ago. */
export function createClockWatch(start: Instants): (now: Instants, everyMs: number) => ClockFinding {
  let last = start
  return ({ wall, mono, boot }, everyMs) => {
    const awake = mono - last.mono
    const slept = boot - last.boot - awake
    const asleep = slept > COARSE_MS ? slept : 0
    const elapsedMs = awake + asleep
    const shift = wall - last.wall - awake
    const step = shift - asleep
    const shifted = Math.abs(shift) > SHIFT_MS
    const stepped = Math.abs(step) > (asleep > 0 ? COARSE_MS : SHIFT_MS)
    // Small differences are kept, so that a slow drift adds up and is found.
    last = { wall: shifted ? wall : last.wall + awake, mono, boot }
    return {
      shiftMs: shifted ? shift : 0,
      paused: elapsedMs - everyMs > PAUSE_MS,
      steppedMs: stepped ? step : 0,
      elapsedMs,
    }
  }
}
