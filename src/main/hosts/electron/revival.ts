/** What is done about a window whose process died: pure, from when it did. */

/** As many within this long are no accident: what the window shows may be what kills it. */
const DEATHS = 3
const WITHIN_MS = 120_000

/** `ask`: coming back as before would only go on; the user is offered safe mode. */
export type Revival = 'reload' | 'ask'

export interface Revivals {
  /** Notes a death, in ms of any clock that does not go back. */
  died(nowMs: number): Revival
  /** The user chose: what was counts no more. */
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
