/** The asset class of a path's symbol, judged by the symbol alone. */
import type { AssetClass } from '../../shared/base/units.ts'

/** `BTC-USD` is crypto, six letters are a currency pair, everything else is a stock. */
export const assetOf = (symbol: string): AssetClass =>
  /[-/]/.test(symbol) ? 'crypto' : /^[A-Z]{6}$/.test(symbol) ? 'forex' : 'stocks'
