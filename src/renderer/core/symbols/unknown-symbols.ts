/** Suggests symbols that haven't been seen yet but that a service may have. */
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import { ASSET_CLASSES, instrumentId } from '../../../shared/base/units.ts'

/** Symbol formats by asset class: a six-letter forex pair, a crypto pair, a ticker. */
const SHAPES = {
  crypto: /^(X:)?[A-Z0-9]{2,10}[-/_]?(USD|USDT|USDC|EUR|GBP|JPY|BTC|ETH)$/,
  forex: /^(C:)?[A-Z]{3}[-/_]?[A-Z]{3}$/,
  stocks: /^[A-Z]{1,5}([.-][A-Z]{1,2})?$/,
} as const

/** Further candidates for a typed text: one per asset class whose symbol format it matches. */
export function unknownSymbols(query: string, hits: readonly SymbolHit[]): readonly SymbolHit[] {
  const symbol = query.trim().toUpperCase()
  const known = new Set(hits.map((hit) => hit.instrument))
  return ASSET_CLASSES.filter((asset) => SHAPES[asset].test(symbol))
    .map((asset) => ({
      instrument: instrumentId(asset, symbol),
      symbol,
      asset,
      name: null,
      watched: false,
      isGuess: true as const,
    }))
    .filter((hit) => !known.has(hit.instrument))
}
