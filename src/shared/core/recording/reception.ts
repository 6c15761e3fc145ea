/** When a session received an instrument, from its acknowledgements and gaps, and how far its clock is from the service's. */
import { mergeSpans, withoutSpans, type Span } from '../../base/spans.ts'
import { feedAsset, instrumentKey, type AssetClass, type FeedId } from '../../base/units.ts'
import { LONGEST_DELAY_MS } from './delay-window.ts'
import type { Reception, Share } from './merged-sessions.ts'
import type { SubscriptionChange } from './subscription-tracker.ts'

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

export interface KnownGap {
  /** Where it was noticed. */
  readonly seq: number
  /** Null: it can't be read, and may be of any feed. */
  readonly feed: string | null
  /** Empty: every symbol. */
  readonly symbols: readonly string[]
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

interface Keys {
  readonly asset: AssetClass
  readonly list: readonly string[]
  readonly set: ReadonlySet<string>
}

/** Of a gap or subscription, by its list of symbols: every instrument is looked for in all of them. */
const KEYS = new WeakMap<readonly string[], Keys>()

/** The instrument keys of a list of symbols that never changes, in its order. */
export function keysOf(asset: AssetClass, symbols: readonly string[]): Omit<Keys, 'asset'> {
  let keys = KEYS.get(symbols)
  if (keys?.asset !== asset) {
    const list = symbols.map((symbol) => instrumentKey(asset, symbol))
    KEYS.set(symbols, (keys = { asset, list, set: new Set(list) }))
  }
  return keys
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
 * The symbols that a gap of every symbol of a feed concerns: those that the session wanted when it was noticed, and those
 * acknowledged while it was open. Ascending by seq. `toSeq` is null while it is open.
 */
export function symbolsWanted(
  subscriptions: readonly Subscription[],
  feed: FeedId,
  fromSeq: number,
  toSeq: number | null,
): readonly string[] {
  const asset = feedAsset(feed)
  const wanted = new Map<string, string>()
  for (const { seq, is, isLost, of } of subscriptions) {
    if (seq > (toSeq ?? Infinity)) break
    if (of?.feed !== feed || (!is && (isLost || seq > fromSeq))) continue
    for (const [i, key] of keysOf(asset, of.symbols).list.entries())
      if (is) wanted.set(key, of.symbols[i])
      else wanted.delete(key)
  }
  return [...wanted.values()]
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

/** By the facts, which never change: each symbol of a gap asks for its own. */
const WANTED = new WeakMap<SessionFacts, Map<FeedId, ReadonlyMap<string, readonly Span[]>>>()

/** When a session has subscribed to each instrument of a feed or says that it misses it, by its key. */
function wantedSpans(facts: SessionFacts, feed: FeedId): ReadonlyMap<string, readonly Span[]> {
  const ofFacts = WANTED.get(facts) ?? new Map<FeedId, ReadonlyMap<string, readonly Span[]>>()
  WANTED.set(facts, ofFacts)
  const known = ofFacts.get(feed)
  if (known !== undefined) return known
  const asset = feedAsset(feed)
  const spans = new Map<string, Span[]>()
  const add = (key: string, span: Span): void => {
    const ofKey = spans.get(key) ?? []
    spans.set(key, ofKey)
    ofKey.push(span)
  }
  const since = new Map<string, number>()
  for (const { atMs, is, isLost, of } of facts.subscriptions) {
    if (isLost || of?.feed !== feed) continue
    for (const key of keysOf(asset, of.symbols).list) {
      const sinceMs = since.get(key)
      if (is) since.set(key, sinceMs ?? atMs)
      else if (sinceMs !== undefined) {
        since.delete(key)
        add(key, { fromMs: sinceMs, toMs: atMs })
      }
    }
  }
  for (const [key, fromMs] of since) add(key, { fromMs, toMs: facts.running.toMs })
  for (const { feed: of, symbols, dated } of facts.gaps)
    if (of === feed) for (const key of keysOf(asset, symbols).list) add(key, dated)
  ofFacts.set(feed, spans)
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
