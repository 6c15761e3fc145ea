/** The cells of a hub, found by instrument or by the symbol that a feed sends. */
import { MAX_ALIASES } from '../../../shared/core/recording/session.ts'
import { FEED_IDS, feedAsset, instrumentId, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'
import { createCell, type Cell } from './cell.ts'
import { guessSymbol } from './instruments.ts'

/** Most aliases saved per instrument over all its feeds. */
const MAX_INDEXED_ALIASES = FEED_IDS.length * MAX_ALIASES

export class CellIndex {
  readonly #byId = new Map<InstrumentId, Cell>()
  readonly #byAlias = new Map<FeedId, Map<string, Cell>>(FEED_IDS.map((feed) => [feed, new Map<string, Cell>()]))
  readonly #aliasCounts = new Map<Cell, number>()

  /** The cell of an instrument, created if it is new. */
  get(id: InstrumentId): Cell {
    const known = this.#byId.get(id)
    if (known !== undefined) return known
    const cell = createCell(id, guessSymbol(id))
    this.#byId.set(id, cell)
    return cell
  }

  find(id: InstrumentId): Cell | undefined {
    return this.#byId.get(id)
  }

  all(): IterableIterator<Cell> {
    return this.#byId.values()
  }

  /** The cell of a symbol as the service writes it, created if it is new. Sets the cell's symbol. */
  ofSymbol(feed: FeedId, symbol: string): Cell {
    const aliases = this.#byAlias.get(feed)!
    const known = aliases.get(symbol)
    if (known !== undefined) return known
    const cell = this.get(instrumentId(feedAsset(feed), symbol))
    // Aliases beyond the limit are looked up by instrument each time, so that a hostile service can't grow the map.
    const count = this.#aliasCounts.get(cell) ?? 0
    if (count >= MAX_INDEXED_ALIASES) return cell
    this.#aliasCounts.set(cell, count + 1)
    cell.symbol = symbol
    cell.isSymbolConfirmed = true
    aliases.set(symbol, cell)
    return cell
  }

  clearAliases(): void {
    for (const aliases of this.#byAlias.values()) aliases.clear()
    this.#aliasCounts.clear()
  }

  /** Every alias as a snapshot stores it. */
  aliases(): readonly (readonly [FeedId, string, InstrumentId])[] {
    return [...this.#byAlias].flatMap(([feed, aliases]) =>
      [...aliases].map(([symbol, { id }]) => [feed, symbol, id] as const),
    )
  }

  /** Restores what `aliases` returned; the cells keep their symbols. */
  restoreAliases(saved: readonly (readonly [FeedId, string, InstrumentId])[]): void {
    for (const [feed, symbol, id] of saved) {
      const cell = this.get(id)
      this.#byAlias.get(feed)!.set(symbol, cell)
      this.#aliasCounts.set(cell, (this.#aliasCounts.get(cell) ?? 0) + 1)
    }
  }
}
