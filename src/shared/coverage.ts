/**
 * How much of the time in which a feed was wanted it was received: from the entries of recordings and
 * their gaps. Time in which nothing of a feed was wanted is neither covered nor missing.
 */
import { GAP_CAUSES, type Gap, type GapCause, type LedgerEntry } from './recording.ts'
import { commonSpans, mergeSpans, spansMs, withoutSpans, type Span } from './spans.ts'
import { FEED_IDS, type FeedId, type RecordingId } from './units.ts'

/** What of a recording decides when its feeds were wanted. */
export interface CoverageRecording {
  readonly recording: RecordingId
  readonly startedMs: number
  /** Its end, or now while it goes on. */
  readonly endedMs: number
  /** `subscribe`, `unsubscribe`, `released`, `disconnected`, in their order; others are passed by. */
  readonly entries: readonly { readonly wallMs: number; readonly entry: LedgerEntry }[]
  readonly gaps: readonly Gap[]
}

export interface FeedCoverage {
  readonly feed: FeedId
  /** Time in which at least one symbol of the feed was wanted. */
  readonly wantedMs: number
  /** Of that, the time in which something that was wanted was not received. Overlapping gaps count once. */
  readonly gapMs: number
  /** 0 to 1; null: it was not wanted. */
  readonly covered: number | null
  readonly gaps: number
  /** Most time first. `ms` of two causes may overlap. */
  readonly causes: readonly { readonly cause: GapCause; readonly gaps: number; readonly ms: number }[]
}

/** A gap as it counts. */
export interface CountedGap extends Gap {
  /** How much of it lies in time that was wanted, within what was asked for. */
  readonly ms: number
}

export interface Coverage {
  readonly feeds: readonly FeedCoverage[]
  /** Over the time of all feeds; null: none was wanted. */
  readonly covered: number | null
  /** Newest first; also those of an end that was asked for, which count for nothing. */
  readonly gaps: readonly CountedGap[]
}

/** Causes that nobody was waiting in: the user ended the recording. */
export const isUnwanted = (cause: GapCause): boolean => cause === 'quit'

/** Times at which something of a feed was subscribed to, by feed. Wall clock, never going back. */
export function subscribedSpans({ startedMs, endedMs, entries }: CoverageRecording): Map<FeedId, Span[]> {
  const holding = new Map<string, { readonly feed: FeedId; readonly symbols: Set<string> }>()
  const since = new Map<FeedId, number>()
  const spans = new Map<FeedId, Span[]>()
  let now = startedMs
  const settle = (feed: FeedId): void => {
    const held = [...holding.values()].some((one) => one.feed === feed && one.symbols.size > 0)
    const from = since.get(feed)
    if (held && from === undefined) since.set(feed, now)
    if (held || from === undefined) return
    since.delete(feed)
    const list = spans.get(feed) ?? []
    list.push({ fromMs: from, toMs: now })
    spans.set(feed, list)
  }
  for (const { wallMs, entry } of entries) {
    now = Math.min(endedMs, Math.max(now, wallMs))
    if (!('conn' in entry)) continue
    const key = `${entry.feed} ${entry.conn}`
    const one = holding.get(key) ?? { feed: entry.feed, symbols: new Set<string>() }
    holding.set(key, one)
    if (entry.type === 'subscribe') for (const symbol of entry.symbols) one.symbols.add(symbol)
    else if (entry.type === 'unsubscribe' || entry.type === 'released')
      for (const symbol of entry.symbols) one.symbols.delete(symbol)
    else if (entry.type === 'disconnected') holding.delete(key)
    else continue
    settle(entry.feed)
  }
  now = endedMs
  holding.clear()
  for (const feed of [...since.keys()]) settle(feed)
  return spans
}

/** Coverage of recordings of one source within [fromMs, toMs). `nowMs` ends gaps that are still open. */
export function coverageOf(
  recordings: readonly CoverageRecording[],
  range: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): Coverage {
  const within = [{ fromMs: range.fromMs, toMs: Math.min(range.toMs, nowMs) }]
  const wanted = new Map<FeedId, Span[]>()
  const unwanted = new Map<FeedId, Span[]>()
  const missing = new Map<FeedId, { readonly gap: Gap; readonly span: Span }[]>()
  const push = <T>(map: Map<FeedId, T[]>, feed: FeedId, ...more: readonly T[]): void => {
    const list = map.get(feed)
    if (list === undefined) map.set(feed, [...more])
    else list.push(...more)
  }
  for (const recording of recordings) {
    for (const [feed, spans] of subscribedSpans(recording)) push(wanted, feed, ...spans)
    for (const gap of recording.gaps) {
      // An end that nobody has told yet is now; one before its start comes of a clock set back.
      const span = { fromMs: gap.fromMs, toMs: Math.max(gap.fromMs, gap.toMs ?? nowMs) }
      push(missing, gap.feed, { gap, span })
      push(isUnwanted(gap.cause) ? unwanted : wanted, gap.feed, span)
    }
  }
  const feeds: FeedCoverage[] = []
  const counted: CountedGap[] = []
  for (const feed of FEED_IDS) {
    const mine = missing.get(feed) ?? []
    const held = withoutSpans(commonSpans(wanted.get(feed) ?? [], within), unwanted.get(feed) ?? [])
    const inRange = mine.filter(({ span }) => span.toMs >= within[0].fromMs && span.fromMs < within[0].toMs)
    if (held.length === 0 && inRange.length === 0) continue
    const msOf = (spans: readonly Span[]): number => spansMs(commonSpans(mergeSpans(spans), held))
    const real = inRange.filter(({ gap }) => !isUnwanted(gap.cause))
    const wantedMs = spansMs(held)
    const gapMs = msOf(real.map(({ span }) => span))
    for (const { gap, span } of inRange) counted.push({ ...gap, ms: isUnwanted(gap.cause) ? 0 : msOf([span]) })
    const causes = GAP_CAUSES.flatMap((cause) => {
      const of = real.filter(({ gap }) => gap.cause === cause)
      return of.length === 0 ? [] : [{ cause, gaps: of.length, ms: msOf(of.map(({ span }) => span)) }]
    })
    feeds.push({
      feed,
      wantedMs,
      gapMs,
      covered: wantedMs > 0 ? 1 - gapMs / wantedMs : null,
      gaps: real.length,
      causes: causes.sort((a, b) => b.ms - a.ms),
    })
  }
  const sum = (of: (one: FeedCoverage) => number): number => feeds.reduce((ms, one) => ms + of(one), 0)
  const all = sum((one) => one.wantedMs)
  return {
    feeds,
    covered: all > 0 ? 1 - sum((one) => one.gapMs) / all : null,
    gaps: counted.sort((a, b) => b.fromMs - a.fromMs),
  }
}

/**
 * Times at which a feed brought an instrument: acknowledged, and in no gap that concerns it, each widened by
 * the clocks' difference. Where a recording holds no acknowledgement of it, reception is taken for granted.
 * `mine` says whether a spelling is the instrument's.
 */
export function receivedSpans(
  { startedMs, endedMs, entries, gaps }: CoverageRecording,
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
  const holes = gaps
    .filter((gap) => gap.feed === feed && (gap.symbols.length === 0 || gap.symbols.some(mine)))
    .map(({ fromMs, toMs, skewMs = 0 }) => ({
      fromMs: fromMs - Math.abs(skewMs),
      toMs: Math.max(fromMs, toMs ?? endedMs) + Math.abs(skewMs),
    }))
  return withoutSpans(known ? spans : [{ fromMs: startedMs, toMs: endedMs }], holes)
}

/** Whether [fromMs, toMs) lies in one of merged spans whole. */
export const liesIn = (spans: readonly Span[], fromMs: number, toMs: number): boolean =>
  spans.some((span) => span.fromMs <= fromMs && span.toMs >= toMs)
