/** The symbols that the terminal knows (watched, received, or in the demo market), and the search over them. */
import { DEMO_SYMBOLS } from '../../../service/demo-symbols.ts'
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { ResolvedSymbol, SymbolHit } from '../../../shared/core/status/status.ts'
import {
  ASSET_CLASSES,
  instrumentId,
  instrumentKey,
  parseInstrument,
  type AssetClass,
  type InstrumentId,
} from '../../../shared/base/units.ts'

/** What the hub and the settings know; injected, so that the search is pure. */
export interface SymbolFacts {
  settings(): Settings
  /** Instruments received so far, with the service's symbol if confirmed. */
  seen(): Iterable<{ readonly id: InstrumentId; readonly symbol: string; readonly isSymbolConfirmed: boolean }>
  /** The service's symbol of an instrument; undefined: not received yet. */
  alias(id: InstrumentId): string | undefined
  guessSymbol(id: InstrumentId): string
  guessAssets(typed: string): readonly AssetClass[]
  /** Whether the demo market's symbols are offered. */
  demo(): boolean
}

export interface Symbols {
  /** The symbol to subscribe to: as watched, as typed, as the service writes it, else a guess. */
  symbolOf(id: InstrumentId): string
  nameOf(id: InstrumentId): string | null
  /** Best first: exact match, watched, prefix of symbol or name, anywhere; then new symbols that the text may mean. */
  search(query: string, limit: number): readonly SymbolHit[]
  /** What each text means if it is a whole symbol, under any alias. */
  resolve(texts: readonly string[]): readonly ResolvedSymbol[]
}

interface Entry {
  readonly hit: SymbolHit
  readonly key: string
  readonly words: string
}

const MAX_TYPED = 500

const NAMES: ReadonlyMap<InstrumentId, string> = new Map(
  DEMO_SYMBOLS.map(({ asset, symbol, name }) => [instrumentId(asset, symbol), name]),
)
const DEMO_SYMBOL_OF: ReadonlyMap<InstrumentId, string> = new Map(
  DEMO_SYMBOLS.map(({ asset, symbol }) => [instrumentId(asset, symbol), symbol]),
)

export function createSymbols(facts: SymbolFacts): Symbols {
  /** Guesses that were offered: the symbols of instruments that are not watched yet. */
  const typed = new Map<InstrumentId, string>()

  let watchedIn: Settings['watchlists'] | null = null
  let found = new Map<InstrumentId, string>()

  const watched = (): Map<InstrumentId, string> => {
    const { watchlists } = facts.settings()
    if (watchlists === watchedIn) return found
    watchedIn = watchlists
    found = new Map()
    for (const { symbols } of watchlists) {
      for (const { asset, symbol } of symbols) {
        const id = instrumentId(asset, symbol)
        if (!found.has(id)) found.set(id, symbol)
      }
    }
    return found
  }
  const entries = (mine: Map<InstrumentId, string>): Map<InstrumentId, Entry> => {
    const all = new Map<InstrumentId, Entry>()
    const add = (id: InstrumentId, symbol: string) => {
      const parsed = parseInstrument(id)
      if (!parsed || all.has(id)) return
      const name = NAMES.get(id) ?? null
      const hit = { instrument: id, symbol, asset: parsed.asset, name, watched: mine.has(id) }
      all.set(id, { hit, key: parsed.key, words: (name ?? '').toUpperCase() })
    }
    for (const [id, symbol] of mine) add(id, symbol)
    for (const { id, symbol, isSymbolConfirmed } of facts.seen()) if (isSymbolConfirmed) add(id, symbol)
    if (facts.demo()) for (const { asset, symbol } of DEMO_SYMBOLS) add(instrumentId(asset, symbol), symbol)
    return all
  }

  /** The unknown symbols that a text may mean. */
  const guessesOf = (text: string, known: ReadonlyMap<InstrumentId, unknown>): readonly SymbolHit[] => {
    const guesses = facts
      .guessAssets(text)
      .map((asset): SymbolHit => {
        const instrument = instrumentId(asset, text)
        return { instrument, symbol: text, asset, name: null, watched: false, isGuess: true }
      })
      .filter(({ instrument }) => !known.has(instrument))
    for (const { instrument, symbol } of guesses) {
      if (typed.size >= MAX_TYPED) typed.clear()
      typed.set(instrument, symbol)
    }
    return guesses
  }

  return {
    symbolOf: (id) =>
      watched().get(id) ?? typed.get(id) ?? facts.alias(id) ?? DEMO_SYMBOL_OF.get(id) ?? facts.guessSymbol(id),
    nameOf: (id) => NAMES.get(id) ?? null,
    search(query, limit) {
      const text = query.trim().toUpperCase()
      const mine = watched()
      const all = entries(mine)
      const ranked = [...all.values()]
        .map((entry) => ({ entry, rank: rankOf(entry, text) }))
        .filter(({ rank }) => rank < Infinity)
        .sort((a, b) => a.rank - b.rank || a.entry.hit.symbol.localeCompare(b.entry.hit.symbol, 'en'))
        .map(({ entry }) => entry.hit)
      const guesses = guessesOf(text, all)
      // A guess must not be crowded out: it is the only way to a new symbol.
      return [...ranked.slice(0, Math.max(1, limit - guesses.length)), ...guesses].slice(0, limit)
    },
    resolve(texts) {
      const all = entries(watched())
      return texts.map((one) => {
        const text = one.trim().toUpperCase()
        const known = ASSET_CLASSES.flatMap((asset) => all.get(instrumentId(asset, text))?.hit ?? [])
        if (known.length > 0) {
          return { hits: known.toSorted((a, b) => Number(b.watched) - Number(a.watched)), isKnown: true }
        }
        // A list of another tool writes BTCUSD where the service writes BTC-USD.
        const hits = guessesOf(text, all).map((hit) => {
          const isWritten = hit.asset !== 'crypto' || /[-/_:]/.test(text)
          return isWritten ? hit : { ...hit, symbol: facts.guessSymbol(hit.instrument) }
        })
        return { hits, isKnown: false }
      })
    },
  }
}

function rankOf({ hit, key, words }: Entry, text: string): number {
  if (text === '') return hit.watched ? 0 : 1
  const wanted = instrumentKey(hit.asset, text)
  const ofMine = hit.watched ? 0 : 0.5
  if (key === wanted) return 0
  if (wanted !== '' && key.startsWith(wanted)) return 1 + ofMine
  if (words.split(/[^A-Z0-9]+/).some((word) => word.startsWith(text))) return 2 + ofMine
  if (wanted !== '' && key.includes(wanted)) return 3 + ofMine
  return words.includes(text) ? 4 + ofMine : Infinity
}
