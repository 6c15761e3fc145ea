/**
 * Which symbols a session wants. A gap of every symbol concerns them. No entry says it directly: a symbol is wanted while a
 * connection has it subscribed, while an open gap names it, and after its connection was lost until its gap ends.
 */
import { feedAsset, type FeedId } from '../../base/units.ts'
import type { GapCause } from './session.ts'
import type { SubscriptionChange } from './subscription-tracker.ts'
import { keysOf } from './symbol-keys.ts'

/** A symbol that begins or ceases to be wanted. */
export interface WantedChange {
  readonly is: boolean
  readonly key: string
  readonly symbol: string
}

interface Wanted {
  symbol: string
  is: 'subscribed' | 'lost' | 'waiting'
  /** Open gaps that name it. */
  gaps: number
}

interface NamedGap {
  readonly feed: FeedId
  readonly symbols: readonly string[]
}

/** Changes are applied in the order of their seqs. */
export class WantedSymbols {
  readonly #wanted = new Map<FeedId, Map<string, Wanted>>()
  readonly #gaps = new Map<number, NamedGap>()

  subscribe({ is, isLost, feed, symbols }: SubscriptionChange): readonly WantedChange[] {
    return this.#change({ feed, symbols }, (one) => {
      one.is = is ? 'subscribed' : isLost ? 'lost' : 'waiting'
    })
  }

  /** `symbols` is empty for every symbol, which names none. */
  openGap(seq: number, feed: FeedId, symbols: readonly string[]): readonly WantedChange[] {
    const gap = { feed, symbols }
    if (symbols.length > 0) this.#gaps.set(seq, gap)
    return this.#change(gap, (one) => void one.gaps++)
  }

  /** `seq`: where the gap was opened. */
  closeGap(seq: number): readonly WantedChange[] {
    const gap = this.#gaps.get(seq)
    if (gap === undefined) return []
    this.#gaps.delete(seq)
    return this.#change(gap, (one) => {
      one.gaps--
      // Its connection isn't back, so it was given up.
      if (one.is === 'lost') one.is = 'waiting'
    })
  }

  has(feed: FeedId, key: string): boolean {
    return this.#wanted.get(feed)?.has(key) === true
  }

  /** As written last. */
  list(feed: FeedId): readonly string[] {
    return [...(this.#wanted.get(feed)?.values() ?? [])].map(({ symbol }) => symbol)
  }

  #change({ feed, symbols }: NamedGap, apply: (one: Wanted) => void): readonly WantedChange[] {
    const ofFeed = this.#wanted.get(feed) ?? new Map<string, Wanted>()
    this.#wanted.set(feed, ofFeed)
    const keys = keysOf(feedAsset(feed), symbols).list
    return symbols.flatMap((symbol, i): WantedChange[] => {
      const key = keys[i]
      const known = ofFeed.get(key)
      const one = known ?? { symbol, is: 'waiting', gaps: 0 }
      one.symbol = symbol
      apply(one)
      const is = one.is !== 'waiting' || one.gaps > 0
      if (is) ofFeed.set(key, one)
      else ofFeed.delete(key)
      return is === (known !== undefined) ? [] : [{ is, key, symbol }]
    })
  }
}

/** A gap of a session, by the seqs of its entries. */
export interface NumberedGap {
  readonly cause: GapCause | null
  readonly feed: string | null
  readonly symbols: readonly string[]
  readonly seq: number
  /** Null while it is open. */
  readonly toSeq: number | null
  /** Stamps of these entries, by the session's clock, UTC ms. */
  readonly openedMs: number
  readonly closedMs: number | null
}

/**
 * The symbols that a session still wanted when it was killed although no gap of them is open: recovery ends every gap directly
 * before it opens its own, all with the same stamp. `seq`: where that one, of a feed, was opened.
 */
export function wantedUntilKilled(gaps: readonly NumberedGap[], feed: FeedId, seq: number): readonly string[] {
  const own = gaps.find((gap) => gap.seq === seq)
  if (own === undefined || !isOfRecovery(own.cause)) return []
  const ended = gaps.filter(({ closedMs }) => closedMs === own.openedMs)
  const closed = Map.groupBy(ended, ({ toSeq }) => toSeq)
  const opened = new Set(gaps.filter(({ cause }) => isOfRecovery(cause)).map((gap) => gap.seq))
  const found: string[] = []
  for (let at = seq - 1; closed.has(at) || opened.has(at); at--)
    found.push(...(closed.get(at) ?? []).flatMap((gap) => (gap.feed === feed ? gap.symbols : [])))
  return found
}

const isOfRecovery = (cause: GapCause | null): boolean => cause === 'crash' || cause === 'worker'
