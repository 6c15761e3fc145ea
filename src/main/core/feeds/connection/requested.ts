/** What one socket has asked for: decides which of its messages were asked for (settled rule 9). */
import { instrumentKey, type AssetClass } from '../../../../shared/base/units.ts'

/** Verdicts remembered; hostile variety beyond it only costs the time to judge again. */
const REMEMBERED = 4_096

/**
 * The window of each ticker: from the subscribe that was sent to the acknowledgement of its
 * unsubscribe. Spellings are one instrument.
 */
export class AskedFor {
  readonly #asset: AssetClass
  readonly #subscribed = new Set<string>()
  readonly #leaving = new Set<string>()
  readonly #verdicts = new Map<string, boolean>()
  /** Whether a ticker's key belongs to this connection, or to nobody else. */
  readonly #owns: (key: string) => boolean
  readonly #takes: (key: string, symbol: string) => boolean

  /** `takes`: whether this spelling of an instrument that was asked for is one of those that count. */
  constructor(asset: AssetClass, owns: (key: string) => boolean, takes: (key: string, symbol: string) => boolean) {
    this.#asset = asset
    this.#owns = owns
    this.#takes = takes
  }

  subscribed(symbols: readonly string[]): void {
    for (const symbol of symbols) {
      const key = instrumentKey(this.#asset, symbol)
      this.#leaving.delete(key)
      this.#subscribed.add(key)
    }
    this.#verdicts.clear()
  }

  unsubscribed(symbols: readonly string[]): void {
    for (const symbol of symbols) {
      const key = instrumentKey(this.#asset, symbol)
      if (this.#subscribed.delete(key)) this.#leaving.add(key)
    }
    this.#verdicts.clear()
  }

  /** The unsubscribe was acknowledged. */
  released(symbols: readonly string[]): void {
    for (const symbol of symbols) this.#leaving.delete(instrumentKey(this.#asset, symbol))
    this.#verdicts.clear()
  }

  /** The planner moved tickers between connections. */
  ownersChanged(): void {
    this.#verdicts.clear()
  }

  /**
   * Of what an acknowledgement lists, what was asked for over this socket and isn't released yet, each instrument once in
   * its first spelling. Unlike `has`, it doesn't matter who owns it by now: this socket's release of it still counts.
   */
  among(symbols: readonly string[]): readonly string[] {
    const first = new Map<string, string>()
    for (const symbol of symbols) {
      const key = instrumentKey(this.#asset, symbol)
      const isOurs = this.#subscribed.has(key) || this.#leaving.has(key)
      if (isOurs && !first.has(key)) first.set(key, symbol)
    }
    return [...first.values()]
  }

  has(symbol: string): boolean {
    const known = this.#verdicts.get(symbol)
    if (known !== undefined) return known
    const key = instrumentKey(this.#asset, symbol)
    const verdict = (this.#subscribed.has(key) || this.#leaving.has(key)) && this.#owns(key) && this.#takes(key, symbol)
    if (this.#verdicts.size >= REMEMBERED) this.#verdicts.clear()
    this.#verdicts.set(symbol, verdict)
    return verdict
  }
}
