/**
 * The classic entry of a terminal: `[SYMBOL] [INTERVAL] [CODE [ARGUMENT]]`, such as `BTC-USD 5m`,
 * `AAPL FA`, `EURUSD REPLAY 09:30`, `5m`, `TAS`. Pure.
 */
import type { Interval } from '../../../shared/core/market/market.ts'
import { parseInterval } from '../../core/window/interval-entry.ts'

/** What the grammar has to know of a code. */
export interface CodeForm {
  readonly code: string
  /** Whether what follows belongs to it. */
  readonly takes: 'nothing' | 'text'
}

export interface Entry {
  /** As typed, in capitals; null: the one looked at. */
  readonly symbol: string | null
  readonly interval: Interval | null
  /** Of the table; null: none. */
  readonly code: string | null
  /** What followed the code; '' where nothing did. */
  readonly argument: string
}

const SYMBOL = /^(?=.*[A-Z])[A-Z0-9][A-Z0-9:._/-]{0,31}$/

/** Reads an entry; null where the text is none, or only a symbol, which is searched for instead. */
export function parseEntry(text: string, codes: readonly CodeForm[]): Entry | null {
  const tokens = text.trim().split(/\s+/)
  if (tokens[0] === '') return null
  const codeOf = (token: string | undefined) => codes.find(({ code }) => code === token?.toUpperCase())
  const intervalOf = (token: string | undefined) => (token === undefined ? undefined : parseInterval(token))

  // "FA FA" is the company of the symbol FA; "FA" and "REPLAY 09:30" are codes.
  const second = tokens[1]
  const leading = codeOf(tokens[0])
  // What follows a code that takes text is its text, also where it could be an interval: "REPLAY 1 Jan 09:30".
  const startsWithCode =
    leading !== undefined && codeOf(second) === undefined && (leading.takes === 'text' || !intervalOf(second))
  let at = 0
  let symbol: string | null = null
  if (!startsWithCode && !intervalOf(tokens[0])) {
    symbol = (tokens[0] ?? '').toUpperCase()
    if (!SYMBOL.test(symbol)) return null
    at = 1
  }

  let interval: Interval | null = null
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
