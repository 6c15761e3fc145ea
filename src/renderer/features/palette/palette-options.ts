/** The options the palette lists for a text: a classic entry, symbols and items, ranked by match. Pure. */
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { ChartSpread } from '../../../shared/features/chart/chart-settings.ts'
import { instrumentId, parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { unknownSymbols } from '../../core/symbols/unknown-symbols.ts'
import { codeRow } from './codes.ts'
import type { Entry } from './entry.ts'
import type { PaletteItem } from './items.ts'
import { rank, type Candidate } from '../../text/fuzzy-rank.ts'

export type PaletteOption =
  | { readonly is: 'hit'; readonly id: string; readonly hit: SymbolHit }
  | { readonly is: 'item'; readonly id: string; readonly item: PaletteItem }
  | {
      readonly is: 'ratio'
      readonly id: string
      readonly of: SymbolHit
      readonly by: SymbolHit
      /** Null: the interval on screen. */
      readonly interval: Interval | null
    }
  /** `hit` null: the symbol on screen. `unresolved`: the entry names an unknown symbol. */
  | {
      readonly is: 'entry'
      readonly id: string
      readonly entry: Entry
      readonly hit: SymbolHit | null
      readonly unresolved: boolean
    }

export interface PaletteSection {
  /** Null: a single list without headings. */
  readonly title: 'recent' | 'symbols' | 'commands' | null
  readonly options: readonly PaletteOption[]
}

const MAX_HITS = 12
const MAX_RECENT = 8
/** Ranks a symbol above an item that matches equally well. */
const SYMBOL_BONUS = 150
/** Minimum rank of a symbol the terminal found by something other than its letters. */
const FOUND = 120
/** Rank of an unknown symbol: after exact names, before partial matches. */
const GUESS = 300

const bare = (symbol: string) =>
  symbol
    .toUpperCase()
    .replace(/^[XC]:/, '')
    .replace(/[-/_]/g, '')
export const symbolItemId = (hit: Pick<SymbolHit, 'asset' | 'symbol'>): string => `symbol:${hit.asset}:${hit.symbol}`

const hitOption = (hit: SymbolHit): PaletteOption => ({ is: 'hit', id: symbolItemId(hit), hit })
const itemOption = (item: PaletteItem): PaletteOption => ({ is: 'item', id: item.id, item })

/** The symbol of a recent item's id; undefined if the id isn't a symbol's. */
function recentHit(id: string): SymbolHit | undefined {
  const match = /^symbol:(crypto|forex|stocks):(.+)$/.exec(id)
  const [, asset, symbol] = match ?? []
  if ((asset !== 'crypto' && asset !== 'forex' && asset !== 'stocks') || symbol === undefined) return undefined
  return { instrument: instrumentId(asset, symbol), asset, symbol, name: null, watched: false }
}

/** The symbol an entry names: an exact match, else the first with that prefix, else one a service may have. */
export function resolveSymbol(symbol: string, hits: readonly SymbolHit[]): SymbolHit | null {
  const wanted = bare(symbol)
  return (
    hits.find((hit) => bare(hit.symbol) === wanted) ??
    hits.find((hit) => bare(hit.symbol).startsWith(wanted)) ??
    unknownSymbols(symbol, hits)[0] ??
    null
  )
}

/** The symbol that a text names exactly; undefined if none is known. */
export const knownSymbol = (symbol: string, hits: readonly SymbolHit[]): SymbolHit | undefined =>
  hits.find((hit) => hit.isGuess !== true && bare(hit.symbol) === bare(symbol))

export interface PaletteInput {
  readonly text: string
  readonly entry: Entry | null
  /** The terminal's search results for the text, or for the entry's symbol. */
  readonly hits: readonly SymbolHit[]
  /** The two symbols of the ratio that the text names, each undefined if unknown; null if it names none. */
  readonly ratio?: readonly (SymbolHit | undefined)[] | null
  /** Whether `hits` belong to the current text. */
  readonly answered: boolean
  readonly items: readonly PaletteItem[]
  readonly recent: readonly string[]
  /** The symbol on screen. */
  readonly instrument: InstrumentId
  /** The ratio or difference that the chart shows for its first side; null: none. */
  readonly spread: Pick<ChartSpread, 'of'> | null
}

interface Ranked extends Candidate {
  readonly option: PaletteOption
}
const rankedItem = (item: PaletteItem): Ranked => ({ ...item, option: itemOption(item) })

/** The entry without ticks where the chart can't show any: forex has no trades, and a ratio has two symbols. */
function withoutMissingTicks({ entry, hits, instrument, spread }: PaletteInput): Entry | null {
  if (entry?.interval !== 'ticks') return entry
  const shown = entry.symbol === null ? instrument : resolveSymbol(entry.symbol, hits)?.instrument
  if (shown === undefined || (parseInstrument(shown)?.asset !== 'forex' && spread?.of !== shown)) return entry
  return entry.symbol === null && entry.code === null ? null : { ...entry, interval: null }
}

/** The sections to list. With a text, a single list without headings. */
export function paletteOptions(input: PaletteInput): readonly PaletteSection[] {
  const { text, hits, ratio = null, answered, items, recent } = input
  const entry = withoutMissingTicks(input)
  const typed = text.trim()
  if (typed.startsWith('>')) {
    const commands = items.filter((item) => item.kind === 'command')
    return [{ title: null, options: rank(typed.slice(1), commands, recent).map(itemOption) }]
  }
  if (typed === '') return withoutText(hits, items, recent)
  if (ratio?.some((one) => one !== undefined) === true) {
    // Two symbols, even if one is unknown: never a symbol to ask the service for.
    const [of, by] = ratio
    if (!of || !by) return []
    // Each tick has one symbol.
    const interval = input.entry && input.entry.interval !== 'ticks' ? input.entry.interval : null
    return [{ title: null, options: [{ is: 'ratio', id: 'ratio', of, by, interval }] }]
  }

  const options: PaletteOption[] = []
  if (entry) {
    const hit = entry.symbol === null ? null : resolveSymbol(entry.symbol, hits)
    const row = entry.code === null ? undefined : codeRow(entry.code)
    // A code on its own is already listed as an item, and may also be the start of a symbol.
    const alone = row !== undefined && entry.symbol === null && entry.interval === null && entry.argument === ''
    if (!alone)
      options.push({ is: 'entry', id: 'entry', entry, hit, unresolved: entry.symbol !== null && answered && !hit })
  }
  const symbols: Ranked[] = hits.slice(0, MAX_HITS).map((hit) => {
    const guessed = !hit.watched && hit.name === null && hit.symbol === typed.toUpperCase()
    if (guessed) return { id: symbolItemId(hit), title: '', least: GUESS, option: hitOption(hit) }
    return {
      id: symbolItemId(hit),
      title: hit.symbol,
      words: [bare(hit.symbol), ...(hit.name === null ? [] : [hit.name])],
      bonus: SYMBOL_BONUS,
      least: FOUND,
      option: hitOption(hit),
    }
  })
  const ranked = rank(typed, [...symbols, ...items.map(rankedItem)], recent).map(({ option }) => option)
  const unknown = answered && !input.entry ? unknownSymbols(typed, hits).map((hit) => hitOption(hit)) : []
  // A title typed in full, like "One-minute tour", is meant, even where it also reads as an entry: symbol and code.
  const isTyped = (option: PaletteOption) =>
    option.is === 'item' && option.item.title.toLowerCase() === typed.toLowerCase()
  const exact = options.length > 0 ? ranked.filter(isTyped) : []
  const others = ranked.filter((option) => !exact.includes(option))
  return [{ title: null, options: [...exact, ...options, ...others, ...unknown] }]
}

function withoutText(
  hits: readonly SymbolHit[],
  items: readonly PaletteItem[],
  recent: readonly string[],
): readonly PaletteSection[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  const chosen = recent.flatMap((id): PaletteOption[] => {
    const item = byId.get(id)
    if (item) return [itemOption(item)]
    const hit = recentHit(id)
    if (!hit) return []
    return [hitOption(hits.find((one) => one.instrument === hit.instrument) ?? hit)]
  })
  const lately = chosen.slice(0, MAX_RECENT)
  const there = new Set(lately.map(({ id }) => id))
  const sections: PaletteSection[] = [
    { title: 'recent', options: lately },
    {
      title: 'symbols',
      options: hits
        .slice(0, MAX_HITS)
        .map((hit) => hitOption(hit))
        .filter(({ id }) => !there.has(id)),
    },
    {
      title: 'commands',
      options: items.filter((item) => item.kind === 'command' && !there.has(item.id)).map(itemOption),
    },
  ]
  return sections.filter(({ options }) => options.length > 0)
}
