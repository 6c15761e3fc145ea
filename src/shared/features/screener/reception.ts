/** When the symbols of feeds were subscribed, and which gaps they have, from the sessions of a span. Pure. */
import { instrumentKey, feedAsset, type FeedId } from '../../base/units.ts'
import { mergeSpans, withoutSpans, type Span } from '../../base/spans.ts'
import { isUnwanted } from '../evidence/coverage.ts'
import { subscribedSpans, type CoveredSession } from '../evidence/session-spans.ts'

/** A symbol's reception from one feed. */
export interface SymbolReception {
  /** When it was subscribed. Nothing was received at any other time. Merged. */
  readonly subscribed: readonly Span[]
  readonly gaps: readonly Span[]
}

/** Spans of single symbols, by key, and of every symbol of a feed. */
class FeedSpans {
  readonly ofAll: Span[] = []
  readonly #byKey = new Map<string, Span[]>()

  add(span: Span, keys: readonly string[]): void {
    if (keys.length === 0) this.ofAll.push(span)
    for (const key of keys) {
      const known = this.#byKey.get(key) ?? []
      known.push(span)
      this.#byKey.set(key, known)
    }
  }
  of(key: string): readonly Span[] {
    return this.#byKey.get(key) ?? []
  }
}

export class Reception {
  readonly #feeds = new Map<FeedId, { subscribed: FeedSpans; gaps: FeedSpans; unwanted: FeedSpans }>()

  /** Open gaps end at `nowMs`, UTC. */
  constructor(sessions: readonly CoveredSession[], nowMs: number) {
    for (const session of sessions) this.#add(session, nowMs)
    for (const { gaps } of this.#feeds.values()) gaps.ofAll.sort((a, b) => a.fromMs - b.fromMs)
  }

  /** The reception of a symbol; `key`: see `instrumentKey`. */
  of(feed: FeedId, key: string): SymbolReception {
    const found = this.#feeds.get(feed)
    if (found === undefined) return { subscribed: [], gaps: [] }
    const held = mergeSpans(found.subscribed.of(key))
    return {
      // The time after an intended end counts as not subscribed.
      subscribed: withoutSpans(held, [...found.unwanted.of(key), ...found.unwanted.ofAll]),
      gaps: [...found.gaps.of(key), ...touching(found.gaps.ofAll, held)],
    }
  }

  #of(feed: FeedId) {
    const known = this.#feeds.get(feed)
    if (known !== undefined) return known
    const made = { subscribed: new FeedSpans(), gaps: new FeedSpans(), unwanted: new FeedSpans() }
    this.#feeds.set(feed, made)
    return made
  }

  #add(session: CoveredSession, nowMs: number): void {
    const subscribed = subscribedSpans(session)
    for (const [feed, symbols] of subscribed) {
      for (const [key, { spans }] of symbols) for (const span of spans) this.#of(feed).subscribed.add(span, [key])
    }
    for (const { feed, symbol, ...span } of session.extents ?? []) {
      if (!subscribed.has(feed)) this.#of(feed).subscribed.add(span, [instrumentKey(feedAsset(feed), symbol)])
    }
    for (const { feed, cause, symbols, fromMs, toMs } of session.gaps) {
      const span = { fromMs, toMs: Math.max(fromMs, toMs ?? nowMs) }
      const keys = symbols.map((symbol) => instrumentKey(feedAsset(feed), symbol))
      this.#of(feed)[isUnwanted(cause) ? 'unwanted' : 'gaps'].add(span, keys)
    }
  }
}

/**
 * The gaps of a whole feed that are gaps of a symbol: those that begin or end while it is subscribed, since a
 * subscription ends with its connection. `gaps` are sorted, `held` is merged.
 */
function touching(gaps: readonly Span[], held: readonly Span[]): readonly Span[] {
  let at = 0
  return gaps.filter(({ fromMs, toMs }) => {
    while (at < held.length && held[at].toMs < fromMs) at++
    return at < held.length && held[at].fromMs <= toMs
  })
}
