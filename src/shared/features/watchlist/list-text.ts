/** Reads lists of symbols as people paste them and as TradingView exports them. Pure. */
import type { AssetClass } from '../../base/units.ts'

export interface ListedSymbol {
  /** Without the exchange in front: "AAPL" of "NASDAQ:AAPL". */
  readonly symbol: string
  /** What the exchange in front says; null: nothing. */
  readonly asset: AssetClass | null
}

export interface ListSection {
  /** Null: symbols before the first section, or a list without sections. */
  readonly name: string | null
  readonly symbols: readonly ListedSymbol[]
}

export interface ListText {
  /** Each with at least one symbol, in order. A symbol is in the first section that names it. */
  readonly sections: readonly ListSection[]
  /** Words that can't be symbols, such as prices of a table. */
  readonly refused: readonly string[]
  /** Symbols beyond the limit. */
  readonly beyond: number
}

/** As many as one watchlist holds. */
const MAX_SYMBOLS = 2_000
const MAX_SECTION_NAME = 80
const SYMBOL = /^[A-Z0-9^=][A-Z0-9.:/_^=!-]{0,31}$/
const NUMBER = /^[+-]?[\d.,]+%?$/

/** Exchanges of TradingView's and other tools' symbols, by what they trade. Stocks are the rest. */
const CRYPTO =
  /^(BINANCE(US)?|BITFINEX|BITGET|BITMEX|BITSTAMP|BYBIT|COINBASE|CRYPTO(CAP)?|GEMINI|HUOBI|KRAKEN|KUCOIN|MEXC|OKX|POLONIEX)$/
const FOREX = /^(FX|FX_IDC|FOREXCOM|FXCM|ICMARKETS|OANDA|PEPPERSTONE|SAXO)$/

/**
 * Reads symbols separated by commas, semicolons, spaces or lines. `###NAME` begins a section, as in TradingView's files.
 * Quotes around a word and a byte order mark don't count.
 */
export function parseListText(text: string): ListText {
  const sections: { name: string | null; symbols: ListedSymbol[] }[] = [{ name: null, symbols: [] }]
  const refused: string[] = []
  const seen = new Set<string>()
  let beyond = 0
  const read = (word: string): void => {
    const listed = readSymbol(word)
    if (listed === null) {
      if (refused.length < MAX_SYMBOLS) refused.push(word)
      return
    }
    const key = `${listed.asset ?? ''} ${listed.symbol}`
    if (seen.has(key)) return
    if (seen.size >= MAX_SYMBOLS) {
      beyond += 1
      return
    }
    seen.add(key)
    sections[sections.length - 1].symbols.push(listed)
  }
  // A section's name may have spaces, so it ends at a comma or a line.
  for (const part of text.replace(/^\uFEFF/, '').split(/[,;\r\n\t]+/)) {
    const trimmed = part.trim()
    const name = /^###\s*(.*)$/.exec(trimmed)?.[1]
    if (name !== undefined) sections.push({ name: name.trim().slice(0, MAX_SECTION_NAME) || null, symbols: [] })
    else for (const word of trimmed.split(/\s+/)) if (word !== '') read(word)
  }
  return { sections: sections.filter(({ symbols }) => symbols.length > 0), refused, beyond }
}

function readSymbol(word: string): ListedSymbol | null {
  const bare = word.replace(/^["'$]+|["']+$/g, '').toUpperCase()
  if (!SYMBOL.test(bare) || NUMBER.test(bare) || !/[A-Z]/.test(bare)) return null
  const [, exchange, symbol] = /^([A-Z0-9_]+):(.+)$/.exec(bare) ?? []
  if (exchange === undefined || symbol === undefined) return { symbol: bare, asset: null }
  // The service's own prefixes belong to its symbols.
  if (exchange === 'X') return { symbol: bare, asset: 'crypto' }
  if (exchange === 'C') return { symbol: bare, asset: 'forex' }
  return { symbol, asset: CRYPTO.test(exchange) ? 'crypto' : FOREX.test(exchange) ? 'forex' : 'stocks' }
}

/** Whether a text names more than one symbol, so that it is a list. */
export function isListText(text: string): boolean {
  return /[,;\s]/.test(text.trim())
}
