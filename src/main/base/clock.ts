/** The clocks of a process, injected so that tests control the time. */
import { uptime } from 'node:os'
import { monoNs, unixMs, type MonoNs, type UnixMs } from '../../shared/base/units.ts'

export interface Clock {
  wallMs(): UnixMs
  /** Monotonic nanoseconds since an arbitrary start of this process's clock. */
  monoNs(): MonoNs
  /**
   * Milliseconds since the machine booted, including sleep, which the monotonic clock may leave out. Coarse: on some
   * systems only to the second. Absent: unknown.
   */
  bootMs?(): number
  /** Calls back once after `ms`; returns a function that cancels it. */
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
 * Calls `read` between two readings of the monotonic clock. If the process is suspended between reading two clocks,
 * they seem to move apart although neither was set, so a slow reading is repeated up to three times. `isExact` is
 * false if the last one was slow, too.
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

/** Smaller shifts of the wall clock against the monotonic clock are ignored, ms. */
export const CLOCK_SHIFT_MS = 100

/** Some systems report the time since boot only this precisely, so a smaller difference doesn't indicate sleep, ms. */
export const COARSE_BOOT_MS = 2_000

/** How far the wall clock is ahead of the monotonic clock, ms. */
export const clockOffsetMs = ({ wallMs, monoNs }: ClockPair): number => wallMs - monoNs / 1e6

const readWall = (clock: Clock): UnixMs => clock.wallMs()

/**
 * The wall clock and the monotonic clock at one instant. `offsetMs` is the last known `clockOffsetMs`, or NaN. If no
 * reading was exact, returns the pair within the last reading that is closest to this offset.
 */
export function readClocks(clock: Clock, offsetMs: number): ClockPair {
  const { value: wallMs, fromNs, toNs, isExact } = readBracketed(clock, readWall)
  if (isExact) return { wallMs, monoNs: fromNs }
  const expectedNs = Number.isNaN(offsetMs) ? (fromNs + toNs) / 2 : (wallMs - offsetMs) * 1e6
  return { wallMs, monoNs: monoNs(Math.min(toNs, Math.max(fromNs, expectedNs))) }
}

/** The longest wait of a timer of Node, about 25 days. A longer one ends at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

const origin = process.hrtime.bigint()

export const systemClock: Clock = {
  wallMs: () => unixMs(Date.now()),
  monoNs: () => monoNs(Number(process.hrtime.bigint() - origin)),
  bootMs: () => uptime() * 1_000,
  after(ms, then) {
    let timer: NodeJS.Timeout
    const wait = (leftMs: number): void => {
      const isLong = leftMs > MAX_TIMER_MS
      timer = setTimeout(isLong ? () => wait(leftMs - MAX_TIMER_MS) : then, isLong ? MAX_TIMER_MS : leftMs)
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves `time` after `ms` (null: never) or `signal` once aborted. */
export function waitUntil(
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
  ms: number | null,
): Promise<'time' | 'signal'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('signal')
    const undo = ms === null ? () => {} : clock.after(ms, () => done('time'))
    const aborted = () => done('signal')
    const done = (why: 'time' | 'signal') => {
      undo()
      signal.removeEventListener('abort', aborted)
      resolve(why)
    }
    signal.addEventListener('abort', aborted)
  })
}
