/**
 * Compares the wall clock with the monotonic one about once a second, and both with when they should
 * have been compared: finds a clock that was set, and a machine or a process that slept.
 */

/** Shifts above this are written down (settled rule 8). */
export const SHIFT_MS = 100
/** A check that comes so much too late means that everything stood still. */
export const PAUSE_MS = 5_000

export interface ClockFinding {
  /** Wall against monotonic since the last check; 0 where it is within the tolerance. */
  readonly shiftMs: number
  /** The check came seconds too late by either clock: a sleep, or a process that was stopped. */
  readonly paused: boolean
}

/** A check of both clocks against the last one, which was due `everyMs` ago. */
export function createClockWatch(
  wallMs: number,
  monoMs: number,
): (wall: number, mono: number, everyMs: number) => ClockFinding {
  let lastWall = wallMs
  let lastMono = monoMs
  return (wall, mono, everyMs) => {
    const elapsed = mono - lastMono
    const shift = wall - lastWall - elapsed
    const shifted = Math.abs(shift) > SHIFT_MS
    const paused = elapsed - everyMs > PAUSE_MS || shift > PAUSE_MS
    // Small differences are kept, so that a slow drift adds up and is found.
    if (shifted) lastWall = wall
    else lastWall += elapsed
    lastMono = mono
    return { shiftMs: shifted ? shift : 0, paused }
  }
}
