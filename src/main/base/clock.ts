/** The clocks of a process, injected so that tests own time. */
import { uptime } from 'node:os'
import { monoNs, unixMs, type MonoNs, type UnixMs } from '../../shared/base/units.ts'

export interface Clock {
  wallMs(): UnixMs
  /** Monotonic nanoseconds since an arbitrary start of this process's clock. */
  monoNs(): MonoNs
  /**
   * Milliseconds since the machine was started, those of its sleep counted, which the monotonic clock may
   * leave out; coarse, to the second on some systems. Absent: not known.
   */
  bootMs?(): number
  /** Calls back once after `ms`; returns its own undo. */
  after(ms: number, then: () => void): () => void
}

const origin = process.hrtime.bigint()

/** The machine's clocks. */
export const systemClock: Clock = {
  wallMs: () => unixMs(Date.now()),
  monoNs: () => monoNs(Number(process.hrtime.bigint() - origin)),
  bootMs: () => uptime() * 1_000,
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
