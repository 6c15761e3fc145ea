/**
 * Limits the aliases of an instrument. A service normally writes a ticker in one or two ways; one that keeps inventing
 * new ways would grow every map by symbol without bound. Messages under any further alias are stored and marked
 * `unasked`; a replay reads the mark, so it leaves out the same messages.
 */
import { MAX_ALIASES } from '../../../../shared/core/recording/session.ts'

export class AcceptedAliases {
  readonly #byKey = new Map<string, Set<string>>()
  readonly #onFull: (key: string) => void

  /** Calls `onFull` once for each instrument that reaches the limit. */
  constructor(onFull: (key: string) => void) {
    this.#onFull = onFull
  }

  /** Whether a symbol is an accepted alias of the instrument with this key. Accepts a new one if there is room. */
  accept(key: string, symbol: string): boolean {
    let known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, (known = new Set()))
    if (known.has(symbol)) return true
    if (known.size < MAX_ALIASES) {
      known.add(symbol)
      return true
    }
    if (known.size === MAX_ALIASES) {
      // The empty string isn't a symbol; here it records that `onFull` was called.
      known.add('')
      this.#onFull(key)
    }
    return false
  }
}
