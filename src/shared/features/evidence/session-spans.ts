/** When a session had a symbol subscribed, and when it received an instrument. */
import { type Gap, type LedgerEntry } from '../../core/recording/session.ts'
import { withoutSpans, type Span } from '../../base/spans.ts'
import { feedAsset, instrumentKey, type FeedId, type SessionId } from '../../base/units.ts'

/** The parts of a session that decide when its feeds were subscribed. */
export interface CoveredSession {
  readonly session: SessionId
  readonly startedMs: number
  /** Its end, or now if it is still running. */
  readonly endedMs: number
  /** `subscribe`, `unsubscribe`, `released` and `disconnected`, in order. Others are ignored. */
  readonly entries: readonly { readonly wallMs: number; readonly entry: LedgerEntry }[]
  readonly gaps: readonly Gap[]
  /**
   * For an import without subscriptions: the first and last message of each symbol, which counts as subscribed in
   * between. Its gaps don't add to that.
   */
  readonly extents?: readonly SymbolExtent[]
}

/** From a symbol's first message to its last. */
export interface SymbolExtent extends Span {
  readonly feed: FeedId
  readonly symbol: string
}

export interface SymbolSpans {
  readonly symbol: string
  readonly spans: Span[]
}

/** When each symbol of a feed was subscribed, by feed and symbol key. By wall clock, which never goes back here. */
export function subscribedSpans({
  startedMs,
  endedMs,
  entries,
}: CoveredSession): ReadonlyMap<FeedId, ReadonlyMap<string, SymbolSpans>> {
  /** Since when a connection holds each symbol, by its key. */
  const holding = new Map<string, { readonly feed: FeedId; readonly since: Map<string, number> }>()
  const spans = new Map<FeedId, Map<string, SymbolSpans>>()
  let now = startedMs
  const end = (feed: FeedId, since: Map<string, number>, key: string): void => {
    const fromMs = since.get(key)
    if (fromMs === undefined) return
    since.delete(key)
    spans.get(feed)?.get(key)?.spans.push({ fromMs, toMs: now })
  }
  for (const { wallMs, entry } of entries) {
    now = Math.min(endedMs, Math.max(now, wallMs))
    if (!('conn' in entry)) continue
    const { feed } = entry
    const name = `${feed} ${entry.conn}`
    const { since } = holding.get(name) ?? { since: new Map<string, number>() }
    if (entry.type === 'subscribe') {
      const known = spans.get(feed) ?? new Map<string, SymbolSpans>()
      spans.set(feed, known)
      for (const symbol of entry.symbols) {
        const key = instrumentKey(feedAsset(feed), symbol)
        if (!known.has(key)) known.set(key, { symbol, spans: [] })
        if (!since.has(key)) since.set(key, now)
      }
      holding.set(name, { feed, since })
    } else if (entry.type === 'unsubscribe' || entry.type === 'released') {
      for (const symbol of entry.symbols) end(feed, since, instrumentKey(feedAsset(feed), symbol))
    } else if (entry.type === 'disconnected') {
      for (const key of [...since.keys()]) end(feed, since, key)
      holding.delete(name)
    }
  }
  now = endedMs
  for (const { feed, since } of holding.values()) for (const key of [...since.keys()]) end(feed, since, key)
  return spans
}

/**
 * When a feed received an instrument: acknowledged, and without a gap that affects it, each interval widened by the
 * clock difference. Without an acknowledgement in a session, reception is assumed. `mine`: whether a symbol is an
 * alias of the instrument.
 */
export function receivedSpans(
  { startedMs, endedMs, entries, gaps }: CoveredSession,
  feed: FeedId,
  mine: (symbol: string) => boolean,
): readonly Span[] {
  const acknowledged = new Map<number, number>()
  const spans: Span[] = []
  let known = false
  const end = (conn: number, ms: number): void => {
    const from = acknowledged.get(conn)
    if (from !== undefined) spans.push({ fromMs: from, toMs: ms })
    acknowledged.delete(conn)
  }
  for (const { wallMs, entry } of entries) {
    if (!('conn' in entry) || entry.feed !== feed) continue
    if (entry.type === 'disconnected') end(entry.conn, wallMs)
    else if (entry.type === 'acknowledged' && entry.symbols.some(mine)) {
      known = true
      if (!acknowledged.has(entry.conn)) acknowledged.set(entry.conn, wallMs)
    } else if (entry.type === 'released' && entry.symbols.some(mine)) end(entry.conn, wallMs)
  }
  for (const conn of [...acknowledged.keys()]) end(conn, endedMs)
  const missing = gaps
    .filter((gap) => gap.feed === feed && (gap.symbols.length === 0 || gap.symbols.some(mine)))
    .map(({ fromMs, toMs, skewMs = 0 }) => ({
      fromMs: fromMs - Math.abs(skewMs),
      toMs: Math.max(fromMs, toMs ?? endedMs) + Math.abs(skewMs),
    }))
  return withoutSpans(known ? spans : [{ fromMs: startedMs, toMs: endedMs }], missing)
}

/** Whether [fromMs, toMs) lies within one of these merged spans. */
export const liesIn = (spans: readonly Span[], fromMs: number, toMs: number): boolean =>
  spans.some((span) => span.fromMs <= fromMs && span.toMs >= toMs)
