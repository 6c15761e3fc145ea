/** The simulator's clock, injected so that tests control it. The program's clocks fit, too. */
export interface SimulatorClock {
  /** UTC ms. */
  wallMs(): number
  /** Calls back once after `ms`. Returns a function that cancels it. */
  after(ms: number, then: () => void): () => void
}

export const machineClock: SimulatorClock = {
  wallMs: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

/** Waits on a clock. */
export function pause(clock: SimulatorClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve)
  })
}
