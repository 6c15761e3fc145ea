/**
 * How much of what was subscribed was received, by symbol and time, from the entries and gaps of sessions. Time in
 * which a symbol wasn't subscribed is neither covered nor missing.
 */
import { GAP_CAUSES, isEdge, type Gap, type GapCause } from '../../core/recording/session.ts'
import { commonSpans, mergeSpans, spansMs, withoutSpans, type Span } from '../../base/spans.ts'
import { FEED_IDS, feedAsset, instrumentKey, type FeedId } from '../../base/units.ts'
import { type CoveredSession, type SymbolSpans, subscribedSpans } from './session-spans.ts'

/** A symbol of a feed. */
export interface SymbolCoverage {
  /** '' if the feed was subscribed but no symbol of it is known. */
  readonly symbol: string
  readonly wantedMs: number
  readonly gapMs: number
  /** 0 to 1; null if it wasn't subscribed. */
  readonly covered: number | null
  /** The number of missing intervals. Gaps that touch count as one. */
  readonly gaps: number
}

export interface FeedCoverage {
  readonly feed: FeedId
  /** Time in which at least one symbol of the feed was subscribed. */
  readonly wantedMs: number
  /** The part of it in which at least one subscribed symbol wasn't received. Overlapping gaps count once. */
  readonly gapMs: number
  /** The share of symbol-time that was received, 0 to 1; null if none was subscribed. */
  readonly covered: number | null
  readonly gaps: number
  /** Longest first. The `ms` of two causes can overlap. */
  readonly causes: readonly { readonly cause: GapCause; readonly gaps: number; readonly ms: number }[]
  readonly symbols: number
  /** Part of it is an import without subscriptions; see CoveredSession.extents. */
  readonly assumed: boolean
}

/** The gaps that lists of sessions and the status count: without the time until a feed was connected. */
export const reportedGaps = ({ causes }: Pick<FeedCoverage, 'causes'>): number =>
  causes.reduce((sum, { cause, gaps }) => sum + (isEdge({ cause }) ? 0 : gaps), 0)

/** A gap with the time it counts for. */
export interface CountedGap extends Gap {
  /** How much of it, within the range, one of its symbols was subscribed. */
  readonly ms: number
}

export interface Coverage {
  readonly feeds: readonly FeedCoverage[]
  /** Over the symbols and time of all feeds; null if none was subscribed. */
  readonly covered: number | null
  /** Newest first, including intended ends, which don't count. */
  readonly gaps: readonly CountedGap[]
  /** The symbols of the requested feed, least covered first. */
  readonly symbols: readonly SymbolCoverage[]
}

/** Causes that lose nothing, because the user ended the session. */
export const isUnwanted = (cause: GapCause): boolean => cause === 'quit'

/** What is known of a symbol of a feed over all sessions. */
interface Tally {
  readonly symbol: string
  readonly wanted: Span[]
  readonly unwanted: Span[]
  readonly missing: Span[]
  held: readonly Span[]
}

class FeedTally {
  readonly symbols = new Map<string, Tally>()
  /** With the keys of the affected symbols; null: every symbol of the feed. */
  readonly gaps: { readonly gap: Gap; readonly span: Span; readonly keys: readonly string[] | null }[] = []
  readonly unwanted: Span[] = []
  readonly missing: Span[] = []
  /** Time before a session started in which its messages were received, but couldn't be stored. */
  readonly unstored: Span[] = []
  assumed = false

  of(key: string, symbol: string): Tally {
    let one = this.symbols.get(key)
    if (one === undefined) this.symbols.set(key, (one = { symbol, wanted: [], unwanted: [], missing: [], held: [] }))
    return one
  }

  add(
    gap: Gap,
    span: Span,
    { startedMs }: CoveredSession,
    subscribed: ReadonlyMap<string, SymbolSpans> | undefined,
    assumed: boolean,
  ): void {
    const asset = feedAsset(gap.feed)
    const named = gap.symbols.map((symbol) => [instrumentKey(asset, symbol), symbol] as const)
    const keys = named.length === 0 ? null : named.map(([key]) => key)
    this.gaps.push({ gap, span, keys })
    // As while the store was moved. The session before ended, but nobody had asked for that.
    if (gap.cause === 'disk' && span.fromMs < startedMs)
      this.unstored.push({ fromMs: span.fromMs, toMs: Math.min(span.toMs, startedMs) })
    const lost = isUnwanted(gap.cause) ? 'unwanted' : 'missing'
    if (keys === null) this[lost].push(span)
    else for (const [key, symbol] of named) if (!assumed || this.symbols.has(key)) this.of(key, symbol)[lost].push(span)
    if (assumed || lost === 'unwanted') return
    if (keys !== null) for (const [key, symbol] of named) this.of(key, symbol).wanted.push(span)
    else for (const [key, { symbol }] of waiting(subscribed, span)) this.of(key, symbol).wanted.push(span)
  }
}

/**
 * The symbols affected by a gap of a whole feed: those held when it began, else when it ended, else all of the
 * session.
 */
function waiting(
  subscribed: ReadonlyMap<string, SymbolSpans> | undefined,
  gap: Span,
): Iterable<readonly [string, { readonly symbol: string }]> {
  if (subscribed === undefined || subscribed.size === 0) return [['', { symbol: '' }]]
  const heldAt = (ms: number) =>
    [...subscribed].filter(([, { spans }]) => spans.some(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs))
  const before = heldAt(gap.fromMs)
  if (before.length > 0) return before
  const after = heldAt(gap.toMs)
  return after.length > 0 ? after : subscribed
}

/** What the sessions say of each feed. `nowMs` ends open gaps. */
function tallyFeeds(sessions: readonly CoveredSession[], nowMs: number): ReadonlyMap<FeedId, FeedTally> {
  const tallies = new Map<FeedId, FeedTally>()
  const tally = (feed: FeedId): FeedTally => {
    let one = tallies.get(feed)
    if (one === undefined) tallies.set(feed, (one = new FeedTally()))
    return one
  }
  for (const session of sessions) {
    const subscribed = subscribedSpans(session)
    for (const [feed, symbols] of subscribed) {
      const ofFeed = tally(feed)
      for (const [key, { symbol, spans }] of symbols) ofFeed.of(key, symbol).wanted.push(...spans)
    }
    const assumed = new Set<FeedId>()
    for (const { feed, symbol, fromMs, toMs } of session.extents ?? []) {
      if (subscribed.has(feed)) continue
      assumed.add(feed)
      const ofFeed = tally(feed)
      ofFeed.assumed = true
      ofFeed.of(instrumentKey(feedAsset(feed), symbol), symbol).wanted.push({ fromMs, toMs })
    }
    for (const gap of session.gaps) {
      // An open gap ends now. An end before its start comes from a clock that was set back.
      const span = { fromMs: gap.fromMs, toMs: Math.max(gap.fromMs, gap.toMs ?? nowMs) }
      // An import without messages of the feed doesn't show whether it was subscribed.
      const guessed = assumed.has(gap.feed) || (session.extents !== undefined && !subscribed.has(gap.feed))
      tally(gap.feed).add(gap, span, session, subscribed.get(gap.feed), guessed)
    }
  }
  return tallies
}

/** The symbols of a feed that were subscribed within a span. Notes when each was. */
function coverageOfSymbols(tally: FeedTally, within: Span): { covered: SymbolCoverage[]; lost: readonly Span[] } {
  const everyMissing = mergeSpans(tally.missing)
  const covered: SymbolCoverage[] = []
  const allLost: Span[] = []
  for (const one of tally.symbols.values()) {
    const unwanted = withoutSpans([...tally.unwanted, ...one.unwanted], tally.unstored)
    one.held = withoutSpans(commonSpans(one.wanted, [within]), unwanted)
    if (one.held.length === 0) continue
    const lost = commonSpans([...everyMissing, ...one.missing], one.held)
    allLost.push(...lost)
    const wantedMs = spansMs(one.held)
    const gapMs = spansMs(lost)
    covered.push({ symbol: one.symbol, wantedMs, gapMs, covered: 1 - gapMs / wantedMs, gaps: lost.length })
  }
  return { covered, lost: allLost }
}

/** The gaps of a feed within a span, with the time for which each counts, and that time by cause. */
function countGaps(tally: FeedTally, within: Span, held: readonly Span[]) {
  const msOf = gapMeasure(tally, held)
  const inRange = tally.gaps
    .filter(({ span }) => span.toMs >= within.fromMs && span.fromMs < within.toMs)
    .map(({ gap, span, keys }) => ({ gap, spans: isUnwanted(gap.cause) ? [] : msOf(span, keys) }))
  const real = inRange.filter(({ gap }) => !isUnwanted(gap.cause))
  const causes = [...Map.groupBy(real, ({ gap }) => gap.cause)].map(([cause, of]) => {
    return { cause, gaps: of.length, ms: spansMs(of.flatMap(({ spans }) => spans)) }
  })
  const order = (cause: GapCause): number => GAP_CAUSES.indexOf(cause)
  return {
    counted: inRange.map(({ gap, spans }): CountedGap => ({ ...gap, ms: spansMs(spans) })),
    gaps: real.length,
    causes: causes.sort((a, b) => b.ms - a.ms || order(a.cause) - order(b.cause)),
  }
}

/**
 * Coverage of the sessions of one source within [fromMs, toMs). `nowMs` ends open gaps. The symbols of `symbolsOf`
 * are listed one by one.
 */
export function coverageOf(
  sessions: readonly CoveredSession[],
  range: Span,
  nowMs: number,
  symbolsOf: FeedId | null = null,
): Coverage {
  const within = { fromMs: range.fromMs, toMs: Math.min(range.toMs, nowMs) }
  const tallies = tallyFeeds(sessions, nowMs)
  const feeds: FeedCoverage[] = []
  const all: CountedGap[] = []
  let symbols: SymbolCoverage[] = []
  let allMs = 0
  let allMissing = 0
  for (const feed of FEED_IDS) {
    const mine = tallies.get(feed)
    if (mine === undefined) continue
    const { covered, lost } = coverageOfSymbols(mine, within)
    const held = mergeSpans([...mine.symbols.values()].flatMap((one) => one.held))
    const { counted, gaps, causes } = countGaps(mine, within, held)
    if (covered.length === 0 && counted.length === 0) continue
    all.push(...counted)
    const symbolMs = covered.reduce((sum, one) => sum + one.wantedMs, 0)
    const missingMs = covered.reduce((sum, one) => sum + one.gapMs, 0)
    allMs += symbolMs
    allMissing += missingMs
    feeds.push({
      feed,
      wantedMs: spansMs(held),
      gapMs: spansMs(lost),
      covered: symbolMs > 0 ? 1 - missingMs / symbolMs : null,
      gaps,
      causes,
      symbols: covered.length,
      assumed: mine.assumed,
    })
    if (feed === symbolsOf)
      symbols = covered.sort((a, b) => (a.covered ?? 1) - (b.covered ?? 1) || a.symbol.localeCompare(b.symbol))
  }
  return {
    feeds,
    covered: allMs > 0 ? 1 - allMissing / allMs : null,
    gaps: all.sort((a, b) => b.fromMs - a.fromMs),
    symbols,
  }
}

/** The part of a gap in which one of its symbols was subscribed. */
function gapMeasure(
  { symbols }: FeedTally,
  everyHeld: readonly Span[],
): (span: Span, keys: readonly string[] | null) => readonly Span[] {
  // Gaps name the same symbols repeatedly.
  const heldOf = new Map<string, readonly Span[]>()
  return (span, keys) => {
    if (keys === null) return commonSpans([span], everyHeld)
    const name = keys.join(' ')
    const held = heldOf.get(name) ?? mergeSpans(keys.flatMap((key) => symbols.get(key)?.held ?? []))
    heldOf.set(name, held)
    return commonSpans([span], held)
  }
}
