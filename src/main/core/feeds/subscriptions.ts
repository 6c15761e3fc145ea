/** What a window's instruments mean for the feeds: which to ask, in which spelling. */
import { TICK_FEEDS } from '../../../service/feeds.ts'
import { parseInstrument, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'
import type { Feeds, Want } from './port.ts'

/** Symbols by feed, in the spelling to ask for. */
export type Wishes = ReadonlyMap<FeedId, readonly string[]>

/** Wants all of it until released; idempotent. */
export function wantAll(feeds: Pick<Feeds, 'want'>, wishes: Wishes): Want {
  const wants = [...wishes]
    .filter(([, symbols]) => symbols.length > 0)
    .map(([feed, symbols]) => feeds.want(feed, symbols))
  return { release: () => wants.forEach((want) => want.release()) }
}

/** The tick feeds of instruments (and `more` feeds of each), spelt by `spell`. */
export function tickWishes(
  ids: readonly InstrumentId[],
  spell: (id: InstrumentId) => string,
  more: readonly FeedId[] = [],
): Wishes {
  const wishes = new Map<FeedId, Set<string>>()
  for (const id of ids) {
    const asset = parseInstrument(id)?.asset
    if (asset === undefined) continue
    const symbol = spell(id)
    for (const feed of [...TICK_FEEDS[asset], ...more]) {
      const symbols = wishes.get(feed) ?? new Set()
      wishes.set(feed, symbols.add(symbol))
    }
  }
  return new Map([...wishes].map(([feed, symbols]) => [feed, [...symbols]]))
}
