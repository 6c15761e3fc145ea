/**
 * Limits the aliases of an instrument. A service writes a ticker in one or two ways; one that writes it in endless
 * ways would grow every map by symbol without bound. Messages under further aliases are stored and marked `unasked`,
 * so that a replay, which reads the mark, leaves out the same messages.
 */
import { MAX_ALIASES } from '../../../../shared/core/recording/recording.ts'

export class AcceptedAliases {
  readonly #byKey = new Map<string, Set<string>>()
  readonly #onFull: (key: string) => void

  /** Calls `onFull` once for each instrument with too many aliases. */
  constructor(onFull: (key: string) => void) {
    this.#onFull = onFull
  }

  /** Whether a symbol is an accepted alias of an instrument, given by its key; accepts it if there is room. */
  accept(key: string, symbol: string): boolean {
    let known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, (known = new Set()))
    if (known.has(symbol)) return true
    if (known.size < MAX_ALIASES) {
      known.add(symbol)
      return true
    }
    if (known.size === MAX_ALIASES) {
      // The empty string, which is no symbol, marks that `onFull` was called.
      known.add('')
      this.#onFull(key)
    }
    return false
  }
}
