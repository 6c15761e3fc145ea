/**
 * How many spellings of one instrument are taken. A service writes a ticker in one or two ways; one that
 * writes it in endless ways would grow what is kept by spelling without bound. What is over stays stored as
 * it came and is marked `unasked`, so that a replay, which reads the mark, leaves out the same messages.
 */
import { MOST_SPELLINGS } from '../../../../shared/core/recording/recording.ts'

export class Spellings {
  readonly #byKey = new Map<string, Set<string>>()
  readonly #full: (key: string) => void

  /** `full` is told once of each instrument that came in too many spellings. */
  constructor(full: (key: string) => void) {
    this.#full = full
  }

  /** Whether a spelling of an instrument (its key) that was asked for is taken; takes it where there is room. */
  take(key: string, symbol: string): boolean {
    let known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, (known = new Set()))
    if (known.has(symbol)) return true
    if (known.size < MOST_SPELLINGS) {
      known.add(symbol)
      return true
    }
    if (known.size === MOST_SPELLINGS) {
      // One that can be no spelling marks that it was told.
      known.add('')
      this.#full(key)
    }
    return false
  }
}
