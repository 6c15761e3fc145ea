/** When a session received an instrument, from its acknowledgements and gaps, and how far its clock is from the service's. */
import { mergeSpans, withoutSpans, type Span } from '../../base/spans.ts'
import { feedAsset, instrumentKey, type FeedId } from '../../base/units.ts'
import { keysOf } from './symbol-keys.ts'
import { LONGEST_DELAY_MS } from './delay-window.ts'
import type { Reception, Share } from './merged-sessions.ts'
import type { SubscriptionChange } from './subscription-tracker.ts'
import { WantedSymbols, wantedUntilKilled, type NumberedGap, type WantedChange } from './wanted-symbols.ts'

/** What the ledger of a session says about its reception. Times are by the service's clock, UTC ms. */
export interface SessionFacts {
  readonly clock: Share['clock']
  /** To its end, or to the last thing received while it is open. */
  readonly running: Span
  /** Whether it may receive more than is read. */
  readonly isOpen: boolean
  /** Feeds that it had a connection of. */
  readonly feeds: ReadonlySet<string>
  readonly gaps: readonly KnownGap[]
  readonly subscriptions: readonly Subscription[]
  /** Whether it has acknowledgements at all. */
  readonly isAcknowledged: boolean
}

/** Without a feed or cause, it can't be read, and may be of any feed. No symbols: every symbol. `seq`: where it was noticed. */
export interface KnownGap extends NumberedGap {
  readonly dated: Span
  /** From when it was noticed. */
  readonly arrived: Span
}

/** When symbols began to be subscribed, or ended to be on every connection. `of` is null if that can't be read. */
export interface Subscription extends Pick<SubscriptionChange, 'is' | 'isLost'> {
  readonly seq: number
  readonly atMs: number
  readonly of: Pick<SubscriptionChange, 'feed' | 'symbols'> | null
}

/** When a session received a symbol of a feed, by any alias; null: any symbol. */
export function receptionOf(facts: SessionFacts, feed: FeedId, key: string | null): Reception {
  const { running, feeds, gaps, subscriptions, isAcknowledged } = facts
  if (!feeds.has(feed)) return { covered: [], connected: [], running }
  const asset = feedAsset(feed)
  const isMine = (symbols: readonly string[]): boolean => key === null || keysOf(asset, symbols).set.has(key)
  const subscribed: Span[] = []
  let sinceMs: number | null = isAcknowledged ? null : running.fromMs
  for (const { atMs, is, of } of subscriptions) {
    // What can't be read may have ended this subscription, and proves no other one.
    if (of === null ? is : of.feed !== feed || !isMine(of.symbols)) continue
    // The end of one symbol doesn't end the others.
    if (key === null && !is) continue
    if (is) sinceMs ??= atMs
    else if (sinceMs !== null) {
      subscribed.push({ fromMs: sinceMs, toMs: atMs })
      sinceMs = null
    }
  }
  if (sinceMs !== null) subscribed.push({ fromMs: sinceMs, toMs: running.toMs })
  const mine = gaps.filter(
    (gap) =>
      gap.feed === null || (gap.feed === feed && (gap.symbols.length === 0 || (key !== null && isMine(gap.symbols)))),
  )
  const received = mergeSpans(subscribed)
  return {
    covered: withoutSpans(
      received,
      mine.map(({ dated }) => dated),
    ),
    connected: withoutSpans(
      received,
      mine.map(({ arrived }) => arrived),
    ),
    running,
  }
}

/**
 * The symbols that a gap of every symbol of a feed concerns: those that the session wanted when it was noticed or while it was
 * open. `toSeq` is null while it is open.
 */
export function symbolsWanted(
  facts: SessionFacts,
  feed: FeedId,
  fromSeq: number,
  toSeq: number | null,
): readonly string[] {
  const symbols = new Map<string, string>()
  for (const [key, spans] of wantedSpans(facts, feed))
    for (const span of spans)
      if (span.fromSeq <= (toSeq ?? Infinity) && span.toSeq > fromSeq) symbols.set(key, span.symbol)
  for (const symbol of wantedUntilKilled(facts.gaps, feed, fromSeq)) {
    const key = instrumentKey(feedAsset(feed), symbol)
    if (!symbols.has(key)) symbols.set(key, symbol)
  }
  return [...symbols.values()]
}

/** The sessions that ran longer than one of them. */
export const outliving = (one: SessionFacts, all: readonly SessionFacts[]): readonly SessionFacts[] =>
  all.filter(({ running }) => running.toMs > one.running.toMs)

/**
 * The first time from `fromMs` on at which a session has subscribed to an instrument or says that it misses it, UTC ms; Infinity:
 * none. What is missing from then on is in its gaps.
 */
export function wantedFrom(facts: SessionFacts, feed: FeedId, key: string, fromMs: number): number {
  const spans = wantedSpans(facts, feed).get(key) ?? []
  const times = spans.filter(({ toMs }) => toMs > fromMs).map((span) => Math.max(span.fromMs, fromMs))
  return Math.min(Infinity, ...times.filter((ms) => ms < facts.running.toMs))
}

/** When a session wanted an instrument. */
interface WantedSpan extends Span {
  readonly symbol: string
  readonly fromSeq: number
  /** Infinity: it still did when it ended. */
  readonly toSeq: number
}

type WantedSpans = ReadonlyMap<string, readonly WantedSpan[]>

/** By the facts, which never change: each symbol of a gap asks for its own. */
const WANTED = new WeakMap<SessionFacts, Map<FeedId, WantedSpans>>()

/** When a session wanted each instrument of a feed, by its key. */
function wantedSpans(facts: SessionFacts, feed: FeedId): WantedSpans {
  const ofFacts = WANTED.get(facts) ?? new Map<FeedId, WantedSpans>()
  WANTED.set(facts, ofFacts)
  const spans = ofFacts.get(feed) ?? findWantedSpans(facts, feed)
  ofFacts.set(feed, spans)
  return spans
}

function findWantedSpans({ gaps, subscriptions, running }: SessionFacts, feed: FeedId): WantedSpans {
  const wanted = new WantedSymbols()
  const steps: { readonly seq: number; readonly atMs: number; readonly apply: () => readonly WantedChange[] }[] = []
  for (const { seq, atMs, is, isLost, of } of subscriptions) {
    if (of?.feed !== feed) continue
    const { symbols } = of
    steps.push({ seq, atMs, apply: () => wanted.subscribe({ is, isLost, feed, symbols }) })
  }
  for (const { seq, toSeq, feed: of, symbols, dated } of gaps) {
    if (of !== feed || symbols.length === 0) continue
    steps.push({ seq, atMs: dated.fromMs, apply: () => wanted.openGap(seq, feed, symbols) })
    if (toSeq !== null) steps.push({ seq: toSeq, atMs: dated.toMs, apply: () => wanted.closeGap(seq) })
  }
  const spans = new Map<string, WantedSpan[]>()
  const since = new Map<string, WantedSpan>()
  const add = (key: string, span: WantedSpan): void => {
    const ofKey = spans.get(key) ?? []
    spans.set(key, ofKey)
    ofKey.push(span)
  }
  for (const { seq, atMs, apply } of steps.sort((a, b) => a.seq - b.seq))
    for (const { is, key, symbol } of apply()) {
      const begun = since.get(key)
      if (is) since.set(key, { symbol, fromSeq: seq, toSeq: Infinity, fromMs: atMs, toMs: running.toMs })
      else if (begun !== undefined) {
        since.delete(key)
        add(key, { ...begun, toSeq: seq, toMs: atMs })
      }
    }
  for (const [key, begun] of since) add(key, begun)
  return spans
}

/** By how much the service's clock was ahead of a message's receipt, ms, and the message's seq; or a shift of the clock. */
export interface Lead {
  readonly seq: number
  readonly ms: number
}

/** Messages after which more wouldn't change the comparison of clocks much. */
export const ENOUGH_LEADS = 64

/**
 * A clock that seems off by no more than this counts as right, ms, because the way of a message is in the comparison,
 * too.
 */
const TRUSTED_MS = 250

/** Service clock minus a session's clock at its start, ms, from its first messages; null: none of them says it. */
export function skewAtStart(leads: readonly Lead[], shifts: readonly Lead[]): number | null {
  const found = leads
    .filter(({ ms }) => Math.abs(ms) <= LONGEST_DELAY_MS)
    .map(({ seq, ms }) => shifts.reduce((sum, shift) => (shift.seq <= seq ? sum + shift.ms : sum), ms))
    .sort((a, b) => b - a)
  // A network can only delay messages, so a great lead is closest. A few may have a date in the future.
  return found.length === 0 ? null : found[Math.ceil((found.length - 1) / 32)]
}

/** Service clock minus a session's clock, in steps: as it was at the start, then after each shift of the clock. */
export function clockFrom(startMs: number, shifts: readonly Lead[]): Share['clock'] {
  let skewMs = startMs
  const clock = [{ fromSeq: 0, skewMs }]
  for (const { seq, ms } of shifts) clock.push({ fromSeq: seq, skewMs: (skewMs -= ms) })
  return clock.map((step) => (Math.abs(step.skewMs) <= TRUSTED_MS ? { ...step, skewMs: 0 } : step))
}
