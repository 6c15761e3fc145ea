/** The instruments that are watched, found by the spelling of a feed at the cost of a few comparisons. */
import { feedAsset, instrumentId, type FeedId, type InstrumentId } from '../../../base/units.ts'
import type { Watch } from './condition.ts'

/** Spellings of a feed that are remembered. */
const FEW = 10_000
/** Places of spellings that are remembered; a table of spellings is no larger. */
const PLACES = 16_384

/** What is watched under a spelling that stands at a place; feeds of an asset class share it. */
interface Seat {
  /** A feed of the asset class. */
  readonly feed: FeedId | null
  /** First letter of the asset class: no two begin alike. */
  readonly initial: number
  readonly symbol: string
  readonly watch: Watch | null
}
const EMPTY: Seat = { feed: null, initial: NaN, symbol: '', watch: null }

export class Watches {
  readonly #byId = new Map<InstrumentId, Watch>()
  /** By feed and spelling: so that a record of nobody's interest costs one look. */
  #bySymbol: Partial<Record<FeedId, Map<string, Watch | null>>> = {}
  readonly #seats: Seat[] = []

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

  /** What is watched under a spelling of a feed; null: nothing. `place`: see `Scratch.symbolPlace`; -1: none. */
  of(feed: FeedId, symbol: string, place: number): Watch | null {
    const seats = this.#seats
    if (place >= 0 && place < seats.length) {
      const seat = seats[place]
      if (seat.symbol === symbol && (seat.feed === feed || seat.initial === feed.charCodeAt(0))) return seat.watch
    }
    return this.#search(feed, symbol, place)
  }

  #search(feed: FeedId, symbol: string, place: number): Watch | null {
    let known = this.#bySymbol[feed]
    if (known === undefined || known.size > FEW) {
      known = new Map<string, Watch | null>()
      this.#bySymbol[feed] = known
    }
    let watch = known.get(symbol)
    if (watch === undefined) {
      watch = symbol === '' ? null : (this.#byId.get(instrumentId(feedAsset(feed), symbol)) ?? null)
      known.set(symbol, watch)
    }
    if (place < 0 || place >= PLACES) return watch
    while (this.#seats.length <= place) this.#seats.push(EMPTY)
    this.#seats[place] = { feed, initial: feed.charCodeAt(0), symbol, watch }
    return watch
  }

  #forget(): void {
    this.#bySymbol = {}
    this.#seats.length = 0
  }
}
