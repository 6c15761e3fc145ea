/**
 * Compares the clocks about once a second, to distinguish a machine or process that slept from a wall clock that was
 * set. On Linux the monotonic clock stops during sleep, so sleep looks like a clock that was set forward; the time
 * since boot keeps running.
 */
import { CLOCK_SHIFT_MS, COARSE_BOOT_MS, readBracketed, type Clock } from '../../../base/clock.ts'

/** If a check is this late, the process was suspended, ms. */
const PAUSE_MS = 5_000

export interface ClockFinding {
  /** How far the wall clock moved against the monotonic clock since the last check, ms; 0: within tolerance. */
  readonly shiftMs: number
  /** The check was seconds late: the machine slept or the process was stopped. */
  readonly paused: boolean
  /** How far the wall clock was set relative to the elapsed time, ms; 0: it wasn't set. */
  readonly steppedMs: number
  /** Time since the last check including sleep, ms. */
  readonly elapsedMs: number
}

/** Milliseconds of the three clocks; `boot` counts since the machine booted; NaN: unknown. */
export interface Instants {
  readonly wall: number
  readonly mono: number
  readonly boot: number
}

const readTwo = (clock: Clock) => ({ wall: clock.wallMs(), boot: clock.bootMs?.() ?? NaN })

/** The three clocks at one instant; null if the process was suspended at every attempt to read them. */
export function readInstants(clock: Clock): Instants | null {
  const { value, fromNs, isExact } = readBracketed(clock, readTwo)
  return isExact ? { ...value, mono: fromNs / 1e6 } : null
}

/** Returns the check, to be called every `everyMs`. */
export function createClockWatch(start: Instants): (now: Instants, everyMs: number) => ClockFinding {
  let last = start
  return ({ wall, mono, boot }, everyMs) => {
    const awake = mono - last.mono
    const slept = boot - last.boot - awake
    const asleep = slept > COARSE_BOOT_MS ? slept : 0
    const elapsedMs = awake + asleep
    const shift = wall - last.wall - awake
    const step = shift - asleep
    const shifted = Math.abs(shift) > CLOCK_SHIFT_MS
    const stepped = Math.abs(step) > (asleep > 0 ? COARSE_BOOT_MS : CLOCK_SHIFT_MS)
    // Small differences add up, so that a slow drift is detected too.
    last = { wall: shifted ? wall : last.wall + awake, mono, boot }
    return {
      shiftMs: shifted ? shift : 0,
      paused: elapsedMs - everyMs > PAUSE_MS,
      steppedMs: stepped ? step : 0,
      elapsedMs,
    }
  }
}
