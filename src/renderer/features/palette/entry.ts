/**
 * Parses classic terminal entries: `[SYMBOL] [INTERVAL] [CODE [ARGUMENT]]`, such as `BTC-USD 5m`, `AAPL FA`,
 * `EURUSD REPLAY 09:30`, `SPY ticks`, `5m` or `TAS`. Pure.
 */
import { parseInterval, type Interval } from '../../../shared/core/market/market.ts'

/** What the parser needs to know about a code. */
export interface CodeForm {
  readonly code: string
  /** Whether the text after the code is its argument. */
  readonly takes: 'nothing' | 'text'
}

export interface Entry {
  /** In upper case; null means the symbol on screen. */
  readonly symbol: string | null
  readonly interval: Interval | 'ticks' | null
  /** The code; null if none. */
  readonly code: string | null
  /** The text after the code; '' if none. */
  readonly argument: string
}

const SYMBOL = /^(?=.*[A-Z])[A-Z0-9][A-Z0-9:._/-]{0,31}$/

/** The two symbols of a ratio such as `ETH-USD/BTC-USD`, in upper case; null if the text isn't one. */
export function parseRatio(text: string): readonly [string, string] | null {
  const sides = text.toUpperCase().split('/')
  const [of, by] = sides.map((one) => one.trim())
  return sides.length === 2 && SYMBOL.test(of) && SYMBOL.test(by) ? [of, by] : null
}

/** Parses an entry. Null if the text isn't one, or is only a symbol, which is searched for instead. */
export function parseEntry(text: string, codes: readonly CodeForm[]): Entry | null {
  const tokens = text.trim().split(/\s+/)
  if (tokens[0] === '') return null
  const codeOf = (token: string | undefined) => codes.find(({ code }) => code === token?.toUpperCase())
  const intervalOf = (token = ''): Interval | 'ticks' | undefined =>
    token.toLowerCase() === 'ticks' ? 'ticks' : parseInterval(token)

  // "FA FA" opens the company of the symbol FA; in "FA" and "REPLAY 09:30" the first word is a code.
  const second = tokens[1]
  const leading = codeOf(tokens[0])
  // Text after a code that takes an argument belongs to it, even if it looks like an interval: "REPLAY 1 Jan 09:30".
  const startsWithCode =
    leading !== undefined && codeOf(second) === undefined && (leading.takes === 'text' || !intervalOf(second))
  let at = 0
  let symbol: string | null = null
  if (!startsWithCode && !intervalOf(tokens[0])) {
    symbol = (tokens[0] ?? '').toUpperCase()
    if (!SYMBOL.test(symbol)) return null
    at = 1
  }

  let interval: Interval | 'ticks' | null = null
  while (at < tokens.length) {
    const token = tokens[at] ?? ''
    const code = codeOf(token)
    const rest = tokens.slice(at + 1)
    if (code) {
      if (rest.length > 0 && code.takes === 'nothing') return null
      return { symbol, interval, code: code.code, argument: rest.join(' ') }
    }
    const found = intervalOf(token)
    if (!found || interval !== null) return null
    interval = found
    at++
  }
  return interval === null ? null : { symbol, interval, code: null, argument: '' }
}
