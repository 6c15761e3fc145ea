/** The watched instruments, found by a feed's symbol with a few comparisons. */
import { feedAsset, instrumentId, type FeedId, type InstrumentId } from '../../../base/units.ts'
import type { Watch } from './watch.ts'

/** The most symbols to remember per feed. */
const MAX_SYMBOLS = 10_000
/** The most slots to remember, which is at least the size of the decoder's symbol table. */
const MAX_SLOTS = 16_384

/** What is watched under the symbol in a slot. Feeds of one asset class share it. */
interface Slot {
  /** A feed of the asset class. */
  readonly feed: FeedId | null
  /** First letter of the asset class. No two start with the same letter. */
  readonly initial: number
  readonly symbol: string
  readonly watch: Watch | null
}
const EMPTY: Slot = { feed: null, initial: NaN, symbol: '', watch: null }

export class Watches {
  readonly #byId = new Map<InstrumentId, Watch>()
  /** By feed and symbol, including symbols that nothing watches, so that each of their records costs one lookup. */
  #bySymbol: Partial<Record<FeedId, Map<string, Watch | null>>> = {}
  readonly #slots: Slot[] = []

  get(id: InstrumentId): Watch | undefined {
    return this.#byId.get(id)
  }
  all(): Iterable<Watch> {
    return this.#byId.values()
  }
  ids(): readonly InstrumentId[] {
    return [...this.#byId.keys()]
  }

  add(watch: Watch): void {
    this.#byId.set(watch.id, watch)
    this.#forget()
  }
  delete(watch: Watch): void {
    this.#byId.delete(watch.id)
    this.#forget()
  }

  /** The watch of a feed's symbol, or null. `slot`: see `Scratch.symbolPlace`; -1 if there is none. */
  find(feed: FeedId, symbol: string, slot: number): Watch | null {
    const slots = this.#slots
    if (slot >= 0 && slot < slots.length) {
      const entry = slots[slot]
      if (entry.symbol === symbol && (entry.feed === feed || entry.initial === feed.charCodeAt(0))) return entry.watch
    }
    return this.#search(feed, symbol, slot)
  }

  #search(feed: FeedId, symbol: string, slot: number): Watch | null {
    let known = this.#bySymbol[feed]
    if (known === undefined || known.size > MAX_SYMBOLS) {
      known = new Map<string, Watch | null>()
      this.#bySymbol[feed] = known
    }
    let watch = known.get(symbol)
    if (watch === undefined) {
      watch = symbol === '' ? null : (this.#byId.get(instrumentId(feedAsset(feed), symbol)) ?? null)
      known.set(symbol, watch)
    }
    if (slot < 0 || slot >= MAX_SLOTS) return watch
    while (this.#slots.length <= slot) this.#slots.push(EMPTY)
    this.#slots[slot] = { feed, initial: feed.charCodeAt(0), symbol, watch }
    return watch
  }

  #forget(): void {
    this.#bySymbol = {}
    this.#slots.length = 0
  }
}
