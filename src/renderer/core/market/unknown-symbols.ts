/** Symbols that nobody has seen yet, but that a service may have. */
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import { ASSET_CLASSES, instrumentId } from '../../../shared/base/units.ts'

/** How symbols of an asset class look: six letters in two halves, a pair, a ticker. */
const SHAPES = {
  crypto: /^(X:)?[A-Z0-9]{2,10}[-/_]?(USD|USDT|USDC|EUR|GBP|JPY|BTC|ETH)$/,
  forex: /^(C:)?[A-Z]{3}[-/_]?[A-Z]{3}$/,
  stocks: /^[A-Z]{1,5}([.-][A-Z]{1,2})?$/,
} as const

/** What a typed text could be besides the hits: one candidate for each asset class whose symbols look so. */
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
    }))
    .filter((hit) => !known.has(hit.instrument))
}
