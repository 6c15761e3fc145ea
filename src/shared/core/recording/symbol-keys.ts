/** The instrument keys of lists of symbols, found once. */
import { instrumentKey, type AssetClass } from '../../base/units.ts'

interface Keys {
  readonly asset: AssetClass
  readonly list: readonly string[]
  readonly set: ReadonlySet<string>
}

/** Of a gap or subscription, by its list of symbols: every instrument is looked for in all of them. */
const KEYS = new WeakMap<readonly string[], Keys>()

/** The instrument keys of a list of symbols that never changes, in its order. */
export function keysOf(asset: AssetClass, symbols: readonly string[]): Omit<Keys, 'asset'> {
  let keys = KEYS.get(symbols)
  if (keys?.asset !== asset) {
    const list = symbols.map((symbol) => instrumentKey(asset, symbol))
    KEYS.set(symbols, (keys = { asset, list, set: new Set(list) }))
  }
  return keys
}
