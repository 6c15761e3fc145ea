/** The symbols that one socket has subscribed to. They determine which of its messages enter the market. */
import { instrumentKey, type AssetClass } from '../../../../shared/base/units.ts'

/** Limit of cached results. Beyond it they are recomputed, so hostile symbols cost time but no memory. */
const MAX_VERDICTS = 4_096

/**
 * A ticker counts as requested, under all its aliases, from when its subscribe is sent until its unsubscribe is
 * acknowledged.
 */
export class RequestedSymbols {
  readonly #asset: AssetClass
  readonly #subscribed = new Set<string>()
  readonly #releasing = new Set<string>()
  readonly #verdicts = new Map<string, boolean>()
  readonly #owns: (key: string) => boolean
  readonly #accepts: (key: string, symbol: string) => boolean

  /**
   * `owns`: whether a ticker's key is assigned to this connection or to none. `accepts`: whether a symbol is an
   * accepted alias of its instrument.
   */
  constructor(asset: AssetClass, owns: (key: string) => boolean, accepts: (key: string, symbol: string) => boolean) {
    this.#asset = asset
    this.#owns = owns
    this.#accepts = accepts
  }

  subscribed(symbols: readonly string[]): void {
    for (const symbol of symbols) {
      const key = instrumentKey(this.#asset, symbol)
      this.#releasing.delete(key)
      this.#subscribed.add(key)
    }
    this.#verdicts.clear()
  }

  unsubscribed(symbols: readonly string[]): void {
    for (const symbol of symbols) {
      const key = instrumentKey(this.#asset, symbol)
      if (this.#subscribed.delete(key)) this.#releasing.add(key)
    }
    this.#verdicts.clear()
  }

  /** The unsubscribe was acknowledged. */
  released(symbols: readonly string[]): void {
    for (const symbol of symbols) this.#releasing.delete(instrumentKey(this.#asset, symbol))
    this.#verdicts.clear()
  }

  /** The planner moved tickers between connections. */
  ownersChanged(): void {
    this.#verdicts.clear()
  }

  /**
   * The symbols of an acknowledgment that this socket has subscribed to and not yet released, each instrument once
   * under its first alias. Unlike `has`, this ignores the owner, because a ticker that moved to another connection is
   * still released on this one.
   */
  among(symbols: readonly string[]): readonly string[] {
    const first = new Map<string, string>()
    for (const symbol of symbols) {
      const key = instrumentKey(this.#asset, symbol)
      const isOurs = this.#subscribed.has(key) || this.#releasing.has(key)
      if (isOurs && !first.has(key)) first.set(key, symbol)
    }
    return [...first.values()]
  }

  /** Whether messages of a symbol enter the market. */
  has(symbol: string): boolean {
    const known = this.#verdicts.get(symbol)
    if (known !== undefined) return known
    const key = instrumentKey(this.#asset, symbol)
    const verdict =
      (this.#subscribed.has(key) || this.#releasing.has(key)) && this.#owns(key) && this.#accepts(key, symbol)
    if (this.#verdicts.size >= MAX_VERDICTS) this.#verdicts.clear()
    this.#verdicts.set(symbol, verdict)
    return verdict
  }
}
