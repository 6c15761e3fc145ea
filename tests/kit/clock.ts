/** Clocks that tests own. */
import { systemClock, type Clock } from '../../src/main/base/clock.ts'
import { monoNs, unixMs, type MonoNs, type UnixMs } from '../../src/shared/base/units.ts'

export interface ManualClock extends Clock {
  /** Moves both clocks ahead, ms; timers that fall due run in their order, each at its time. */
  advance(ms: number): void
  /** The same, with a turn of the event loop after each timer, so that what it started can go on. */
  pass(ms: number): Promise<void>
  /** Moves the wall clock alone, ms, as a person or a time server does. */
  shift(ms: number): void
  /** What a message that arrives now is stamped with. */
  readonly stamp: { readonly wallMs: UnixMs; readonly monoNs: MonoNs }
  /** Timers that wait. */
  readonly timers: number
}

/** A clock that stands still at `startMs`, UTC, until a test moves it. Its monotonic clock starts at 5 s. */
export function manualClock(startMs: number): ManualClock {
  let wall = startMs
  let mono = 5_000
  let timers: { readonly at: number; readonly then: () => void }[] = []
  function* run(ms: number): Generator<void> {
    const until = mono + ms
    for (;;) {
      const [next] = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      wall += Math.max(0, next.at - mono)
      mono = Math.max(mono, next.at)
      timers = timers.filter((other) => other !== next)
      next.then()
      yield
    }
    wall += until - mono
    mono = until
  }
  return {
    wallMs: () => unixMs(wall),
    monoNs: () => monoNs(mono * 1e6),
    after(ms, then) {
      const timer = { at: mono + ms, then }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    advance(ms) {
      const steps = run(ms)
      while (steps.next().done !== true);
    },
    async pass(ms) {
      for (const _ of run(ms)) await new Promise((resolve) => setImmediate(resolve))
    },
    shift: (ms) => void (wall += ms),
    get stamp() {
      return { wallMs: unixMs(wall), monoNs: monoNs(mono * 1e6) }
    },
    get timers() {
      return timers.length
    },
  }
}

/** The machine's clock with shorter waits: `shorten` gets what was asked for and returns what is waited, ms. */
export const hurriedClock = (shorten: (ms: number) => number): Clock => ({
  ...systemClock,
  after: (ms, then) => systemClock.after(shorten(ms), then),
})

/** How much time passes with each step of a stepped clock, ms. */
const STEP_MS = 250

/**
 * A clock whose time passes in steps between the turns of the event loop: minutes pass in seconds, and however slow the
 * machine is, what arrived is read before a wait ends.
 */
export function steppedClock(): Clock {
  const startMs = Date.now()
  let passedMs = 0
  let isStepping = false
  const waits = new Set<{ readonly untilMs: number; readonly then: () => void }>()
  const step = (): void => {
    passedMs += STEP_MS
    const due = [...waits].filter(({ untilMs }) => untilMs <= passedMs).sort((a, b) => a.untilMs - b.untilMs)
    // One of them may cancel another.
    for (const wait of due) if (waits.delete(wait)) wait.then()
    isStepping = waits.size > 0
    if (isStepping) setTimeout(step, 2)
  }
  return {
    monoNs: () => monoNs(1e9 + passedMs * 1e6),
    wallMs: () => unixMs(startMs + passedMs),
    bootMs: () => 1_000 + passedMs,
    after(ms, then) {
      const wait = { untilMs: passedMs + ms, then }
      waits.add(wait)
      if (!isStepping) setTimeout(step, 2)
      isStepping = true
      return () => void waits.delete(wait)
    },
  }
}
