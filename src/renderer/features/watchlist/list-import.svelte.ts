/** A list of symbols that is being imported: its text, what Tapedeck knows of it, and what the user decided. */
import type { ListText } from '../../../shared/features/watchlist/list-text.ts'
import { parseListText } from '../../../shared/features/watchlist/list-text.ts'
import type { ResolvedSymbol, SymbolHit } from '../../../shared/core/status/status.ts'
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { AssetClass } from '../../../shared/base/units.ts'

/** A symbol of the list as it would be imported. */
export interface ImportedSymbol {
  /** Unique among the unknown ones: the best hit. */
  readonly key: string
  readonly typed: string
  /** Best first; empty: it can't be a symbol of any market. */
  readonly hits: readonly SymbolHit[]
  readonly isKnown: boolean
}

export interface ImportedSection {
  readonly name: string | null
  readonly symbols: readonly ImportedSymbol[]
}

/**
 * Joins what a list says with what the terminal knows: an exchange in front decides the market. A symbol that is listed
 * with and without its exchange appears once. Pure.
 */
export function joinResolved(read: ListText, resolved: readonly ResolvedSymbol[]): readonly ImportedSection[] {
  let at = 0
  const seen: Record<string, true> = {}
  return read.sections.map(({ name, symbols }) => ({
    name,
    symbols: symbols.flatMap(({ symbol, asset }) => {
      const found = resolved[at++] ?? { hits: [], isKnown: false }
      const ofAsset = asset === null ? found.hits : found.hits.filter((hit) => hit.asset === asset)
      const isOfAsset = ofAsset.length > 0 || asset === null
      const hits = isOfAsset ? ofAsset : found.hits
      const isKnown = isOfAsset && found.isKnown
      const key = hits.length > 0 ? hits[0].instrument : symbol
      const once = `${isKnown} ${key}`
      if (once in seen) return []
      seen[once] = true
      return [{ key, typed: symbol, hits, isKnown }]
    }),
  }))
}

/** What to import: the known symbols, and the unknown ones whose keys the user asks the service for. Pure. */
export function chosenSymbols(
  { symbols }: ImportedSection,
  asked: ReadonlySet<string>,
  assets: Readonly<Record<string, AssetClass>>,
): readonly WatchSymbol[] {
  return symbols.flatMap(({ key, hits, isKnown }) => {
    if (!isKnown && !asked.has(key)) return []
    const hit = hits.find(({ asset }) => asset === assets[key]) ?? hits[0]
    return hit === undefined ? [] : [{ asset: hit.asset, symbol: hit.symbol }]
  })
}

export class ListImport {
  /** The text to open the dialog with, such as what was pasted into a list. */
  text = $state('')
  sections = $state.raw<readonly ImportedSection[]>([])
  read = $state.raw<ListText>({ sections: [], refused: [], beyond: 0 })
  busy = $state(false)
  problem = $state('')
  readonly #transport: Transport
  #asked = 0
  #readText = ''

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Whether `sections` are those of `text` as it is now. */
  isRead(): boolean {
    return !this.busy && this.text === this.#readText
  }

  /** Reads `text` and asks the terminal which of its symbols are known. */
  async resolve(): Promise<void> {
    const mine = ++this.#asked
    const read = parseListText(this.text)
    this.#readText = this.text
    const symbols = read.sections.flatMap((section) => section.symbols.map(({ symbol }) => symbol))
    if (symbols.length === 0) {
      this.#take(read, [], '')
      return
    }
    this.busy = true
    const result = await this.#transport.invoke('symbols.resolve', { symbols })
    if (mine !== this.#asked) return
    if (result.ok) this.#take(read, joinResolved(read, result.value), '')
    else this.#take(read, [], result.error.message)
  }
  #take(read: ListText, sections: readonly ImportedSection[], problem: string): void {
    this.read = read
    this.sections = sections
    this.problem = problem
    this.busy = false
  }
}
