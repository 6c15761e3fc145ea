/** The gaps of overlapping sessions that no other session fills. */
import type { Span } from '../../../../shared/base/spans.ts'
import { GapParts, orderOfClaims } from '../../../../shared/core/recording/gap-parts.ts'
import { skewAt } from '../../../../shared/core/recording/merged-sessions.ts'
import { symbolsWanted, wantedFrom } from '../../../../shared/core/recording/reception.ts'
import { keysOf } from '../../../../shared/core/recording/symbol-keys.ts'
import type { Gap } from '../../../../shared/core/recording/session.ts'
import { feedAsset, instrumentId, unixMs, type FeedId } from '../../../../shared/base/units.ts'
import type { Overlapping } from './merged-reader.ts'

/**
 * The parts of gaps in which nothing was received, with the symbols for which that is so, each instant once. `sessions`: the
 * gaps of each session of `group`, by its number and in reading order.
 */
export function unfilledGaps(sessions: ReadonlyMap<number, readonly Gap[]>, group: Overlapping): readonly Gap[] {
  const claims = new GapParts(rememberUncovered(group))
  const everWanted = rememberEverWanted([...sessions.keys()], group)
  const unfilled = new Map<Gap, readonly Gap[]>()
  const all = [...sessions].map(([id, gaps]) => gaps.map((gap) => ({ id, gap, cause: gap.cause })))
  for (const { id, gap } of orderOfClaims(all)) unfilled.set(gap, partsOf(gap, id, group, claims, everWanted))
  return [...sessions.values()].flatMap((gaps) => gaps.flatMap((gap) => unfilled.get(gap) ?? []))
}

function partsOf(
  gap: Gap,
  id: number,
  group: Overlapping,
  claims: GapParts,
  everWanted: (feed: FeedId, id: number) => number,
): readonly Gap[] {
  const { feed, symbols, fromMs, toMs, fromSeq, toSeq } = gap
  const asset = feedAsset(feed)
  const facts = group.factsOf(id)
  const skewMs = skewAt(facts, fromSeq)
  // Its clock may have been set while it lasted.
  const known = toSeq === null ? undefined : facts.gaps.find(({ seq }) => seq === fromSeq)?.dated
  const endMs = known?.toMs ?? (toMs ?? Infinity) + skewMs
  const span = { fromMs: fromMs + skewMs, toMs: Math.max(endMs, fromMs + skewMs) }
  const isSameClock = toSeq === null || skewAt(facts, toSeq) === skewMs
  const concerned = symbols.length > 0 ? symbols : symbolsWanted(facts, feed, fromSeq, toSeq)
  // Without a list, a gap would also concern symbols that were wanted later, or only by other sessions.
  const isOfAll = symbols.length > 0 || concerned.length === everWanted(feed, id)
  // Nothing was wanted yet, and the gap must not concern what was wanted later.
  if (concerned.length === 0 && !isOfAll) return []
  const keys = concerned.length === 0 ? [''] : keysOf(asset, concerned).list
  // What a session leaves open when it ends is for another one that runs on to say, if that has the symbol.
  const after = toSeq === null && !facts.isOpen ? group.outliving(id) : []
  const endOf = (at: number): number =>
    Math.min(span.toMs, ...after.map((one) => wantedFrom(one, feed, keys[at], span.fromMs)))
  return claims
    .take({ feed, keys, fromMs: span.fromMs, toMs: endOf })
    .map(({ span: { fromMs: from, toMs: to }, of }): Gap => {
      const named = isOfAll && of.length === keys.length ? symbols : of.flatMap((at) => concerned.at(at) ?? [])
      if (from === span.fromMs && to === span.toMs && isSameClock) return { ...gap, symbols: named }
      const end = to === Infinity ? null : unixMs(to - skewMs)
      return { ...gap, symbols: named, fromMs: unixMs(from - skewMs), toMs: end }
    })
}

/** How many instruments of a feed sessions have ever wanted. One with entries that can't be read may have wanted any. */
function rememberEverWanted(ids: readonly number[], group: Overlapping): (feed: FeedId, id: number) => number {
  const all = ids.map((id) => group.factsOf(id))
  const unreadable = new Set(ids.filter((_, i) => all[i].subscriptions.some(({ of }) => of === null)))
  const known = new Map<string, number>()
  return (feed, id) => {
    const sessions = unreadable.has(id) ? [group.factsOf(id)] : all
    const name = unreadable.has(id) ? `${feed} ${id}` : feed
    const found = known.get(name)
    if (found !== undefined) return found
    const keys = sessions.flatMap((one) => keysOf(feedAsset(feed), symbolsWanted(one, feed, 0, null)).list)
    const { size } = new Set(keys)
    known.set(name, size)
    return size
  }
}

/** When no session received an instrument, by its key. Most instruments of a feed are received at the same times. */
function rememberUncovered(group: Overlapping): (feed: FeedId, key: string) => readonly Span[] {
  const known = new Map<string, readonly Span[]>()
  return (feed, key) => {
    const asset = feedAsset(feed)
    const spans = group.uncovered(feed, key === '' ? '' : instrumentId(asset, key))
    const name = spans.map(({ fromMs, toMs }) => `${fromMs} ${toMs}`).join()
    const found = known.get(name) ?? spans
    known.set(name, found)
    return found
  }
}
