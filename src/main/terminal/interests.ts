/**
 * What windows and the recorder want of the feeds, over changes of the source: the feeds of one
 * service are closed and those of another begin, and every interest is asked for again.
 */
import { TICK_FEEDS } from '../../service/feeds.ts'
import { parseInstrument, type FeedId, type InstrumentId } from '../../shared/units.ts'
import type { Feeds, Want } from '../feeds/port.ts'

/** Symbols by feed, in the spelling to ask for. */
export type Wishes = ReadonlyMap<FeedId, readonly string[]>

export interface Interests {
  /** Wants these until released; idempotent. */
  add(wishes: Wishes): Want
  /** The feeds to ask from now on; null: none, interests wait. */
  attach(feeds: Feeds | null): void
}

/** No interests, no feeds. */
export function createInterests(): Interests {
  const held = new Map<symbol, { readonly wishes: Wishes; wants: readonly Want[] }>()
  let feeds: Feeds | null = null
  const ask = (wishes: Wishes): readonly Want[] => {
    const to = feeds
    return to === null
      ? []
      : [...wishes].filter(([, symbols]) => symbols.length > 0).map(([feed, symbols]) => to.want(feed, symbols))
  }
  return {
    add(wishes) {
      const key = Symbol('interest')
      held.set(key, { wishes, wants: ask(wishes) })
      return {
        release() {
          for (const want of held.get(key)?.wants ?? []) want.release()
          held.delete(key)
        },
      }
    },
    attach(next) {
      feeds = next
      for (const interest of held.values()) interest.wants = ask(interest.wishes)
    },
  }
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
