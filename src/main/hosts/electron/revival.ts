/** Decides what to do about a window whose process crashed. Pure. */

/** This many crashes within `WITHIN_MS` are no accident: what the window shows may cause them. */
const DEATHS = 3
const WITHIN_MS = 120_000

/** `ask`: reloading would likely crash again, so the user is offered safe mode. */
export type Revival = 'reload' | 'ask'

export interface Revivals {
  /** Records a crash at monotonic ms. */
  died(nowMs: number): Revival
  /** Clears the count after the user has chosen. */
  forget(): void
}

export function createRevivals(): Revivals {
  let deaths: readonly number[] = []
  return {
    died(nowMs) {
      deaths = [...deaths.filter((at) => nowMs - at < WITHIN_MS), nowMs]
      return deaths.length >= DEATHS ? 'ask' : 'reload'
    },
    forget() {
      deaths = []
    },
  }
}
