/** Properties that follow from a symbol alone: pip, initial decimals, the symbol to subscribe to, asset class. */
import type { AssetClass, InstrumentId } from '../../../shared/base/units.ts'
import { parseInstrument } from '../../../shared/base/units.ts'

/** Quote currencies and metals whose pip is not 0.0001. */
const PIPS: readonly (readonly [test: RegExp, pip: number])[] = [
  [/^XAG/, 0.001],
  [/^XAU|(JPY|HUF|KRW|THB|INR)$/, 0.01],
]

/** Quote currencies of crypto pairs, longest first. */
const CRYPTO_QUOTES = ['USDT', 'USDC', 'BUSD', 'USD', 'EUR', 'GBP', 'JPY', 'BTC', 'ETH'] as const

const CURRENCIES = new Set(
  'USD EUR JPY GBP CHF AUD NZD CAD SEK NOK DKK PLN CZK HUF TRY ZAR MXN BRL SGD HKD CNH CNY INR KRW THB ILS RON XAU XAG'.split(
    ' ',
  ),
)
const COINS = new Set(
  'BTC ETH SOL XRP ADA DOGE LTC BNB DOT AVAX LINK MATIC SHIB BCH XLM UNI ATOM TRX ETC XMR FIL NEAR APT ARB OP'.split(
    ' ',
  ),
)

/** One pip of an instrument; null: none (only forex has pips). */
export function pipOf(asset: AssetClass, key: string): number | null {
  if (asset !== 'forex') return null
  return PIPS.find(([test]) => test.test(key))?.[1] ?? 0.0001
}

/** Decimals to show before the first price: enough for a pip, or else two. */
export function startDecimals(asset: AssetClass, key: string): number {
  const pip = pipOf(asset, key)
  return pip === null ? 2 : Math.round(-Math.log10(pip))
}

/** The symbol to subscribe to when neither the user nor the service has written one: "BTC-USD", "EURUSD", "AAPL". */
export function guessSymbol(id: InstrumentId): string {
  const parsed = parseInstrument(id)
  if (!parsed) return id
  const { asset, key } = parsed
  if (asset !== 'crypto') return key
  const quote = CRYPTO_QUOTES.find((text) => key.endsWith(text) && key.length > text.length)
  return quote === undefined ? key : `${key.slice(0, -quote.length)}-${quote}`
}

/** The asset classes that a typed text may mean, most likely first; empty if it can't be a symbol. */
export function guessAssets(typed: string): readonly AssetClass[] {
  const text = typed.trim().toUpperCase()
  if (!/^[A-Z0-9][A-Z0-9.:/_-]{0,23}$/.test(text)) return []
  if (text.startsWith('X:')) return ['crypto']
  if (text.startsWith('C:')) return ['forex']
  const bare = text.replace(/[/_-]/g, '')
  if (bare.length === 6 && CURRENCIES.has(bare.slice(0, 3)) && CURRENCIES.has(bare.slice(3))) return ['forex', 'crypto']
  const quote = CRYPTO_QUOTES.find((end) => bare.endsWith(end) && bare.length > end.length)
  if (COINS.has(bare)) return ['crypto', 'stocks']
  if (quote !== undefined && (bare !== text || COINS.has(bare.slice(0, -quote.length)))) return ['crypto', 'stocks']
  return ['stocks', 'crypto']
}
