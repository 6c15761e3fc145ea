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

/** One instant on two clocks. */
export interface ClockPair {
  readonly wallMs: UnixMs
  readonly monoNs: MonoNs
}

/** A reading that took longer than this is repeated. */
const MAX_SPREAD_NS = 5_000_000
const MAX_READINGS = 4

/**
 * Calls `read` between two looks at the monotonic clock. A process that is suspended between reading two clocks sees
 * them move apart although neither was set, so a slow reading is repeated up to three times; `isExact` is false if the
 * last one was slow, too.
 */
export function readBracketed<T>(clock: Clock, read: (clock: Clock) => T) {
  let fromNs = clock.monoNs()
  for (let readings = 1; ; readings++) {
    const value = read(clock)
    const toNs = clock.monoNs()
    const isExact = toNs - fromNs <= MAX_SPREAD_NS
    if (isExact || readings === MAX_READINGS) return { value, fromNs, toNs, isExact }
    fromNs = toNs
  }
}

/** How far the wall clock is ahead of the monotonic clock, ms. */
export const clockOffsetMs = ({ wallMs, monoNs }: ClockPair): number => wallMs - monoNs / 1e6

const readWall = (clock: Clock): UnixMs => clock.wallMs()

/**
 * The wall clock and the monotonic clock at one instant. `offsetMs` is the `clockOffsetMs` last seen, NaN if none was:
 * if no reading was exact, the instant within the last one that moves the clocks apart the least is taken.
 */
export function readClocks(clock: Clock, offsetMs: number): ClockPair {
  const { value: wallMs, fromNs, toNs, isExact } = readBracketed(clock, readWall)
  if (isExact) return { wallMs, monoNs: fromNs }
  const expectedNs = Number.isNaN(offsetMs) ? (fromNs + toNs) / 2 : (wallMs - offsetMs) * 1e6
  return { wallMs, monoNs: monoNs(Math.min(toNs, Math.max(fromNs, expectedNs))) }
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
