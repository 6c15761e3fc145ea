/** Periodic work of a terminal. */
import type { UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'

const STATUS_MS = 250
const SWEEP_MS = 1_000

export interface Beats {
  /** Four times a second. */
  readonly status: () => void
  /** Once a second; `nowMs` in UTC. */
  readonly sweep: (nowMs: UnixMs) => void
}

/** Starts at once; returns a function that stops it. */
export function keepTime(clock: Clock, { status, sweep }: Beats): () => void {
  let undoStatus = () => {}
  let undoSweep = () => {}
  const tick = () => {
    undoStatus = clock.after(STATUS_MS, tick)
    status()
  }
  const second = () => {
    undoSweep = clock.after(SWEEP_MS, second)
    sweep(clock.wallMs())
  }
  tick()
  second()
  return () => {
    undoStatus()
    undoSweep()
  }
}
