/** What a path's symbol stands for, where nothing but its spelling tells. */
import type { AssetClass } from '../../shared/base/units.ts'

/** `BTC-USD` is crypto, six letters are a pair of currencies, all else is a stock. */
export const assetOf = (symbol: string): AssetClass =>
  /[-/]/.test(symbol) ? 'crypto' : /^[A-Z]{6}$/.test(symbol) ? 'forex' : 'stocks'
