/** The gaps of overlapping sessions that no other session fills. */
import type { Span } from '../../../../shared/base/spans.ts'
import { GapParts, orderOfClaims } from '../../../../shared/core/recording/gap-parts.ts'
import { skewAt } from '../../../../shared/core/recording/merged-sessions.ts'
import { keysOf, symbolsWanted, wantedFrom } from '../../../../shared/core/recording/reception.ts'
import type { Gap } from '../../../../shared/core/recording/session.ts'
import { feedAsset, instrumentId, unixMs, type FeedId } from '../../../../shared/base/units.ts'
import type { Overlapping } from './merged-reader.ts'

/**
 * The parts of gaps in which nothing was received, with the symbols for which that is so, each instant once. `sessions`: the
 * gaps of each session of `group`, by its number and in reading order.
 */
export function unfilledGaps(sessions: ReadonlyMap<number, readonly Gap[]>, group: Overlapping): readonly Gap[] {
  const claims = new GapParts(rememberUncovered(group))
  const unfilled = new Map<Gap, readonly Gap[]>()
  const all = [...sessions].map(([id, gaps]) => gaps.map((gap) => ({ id, gap, cause: gap.cause })))
  for (const { id, gap } of orderOfClaims(all)) unfilled.set(gap, partsOf(gap, id, group, claims))
  return [...sessions.values()].flatMap((gaps) => gaps.flatMap((gap) => unfilled.get(gap) ?? []))
}

function partsOf(gap: Gap, id: number, group: Overlapping, claims: GapParts): readonly Gap[] {
  const { feed, symbols, fromMs, toMs, fromSeq, toSeq } = gap
  const asset = feedAsset(feed)
  const facts = group.factsOf(id)
  const skewMs = skewAt(facts, fromSeq)
  // Its clock may have been set while it lasted.
  const known = toSeq === null ? undefined : facts.gaps.find(({ seq }) => seq === fromSeq)?.dated
  const endMs = known?.toMs ?? (toMs ?? Infinity) + skewMs
  const span = { fromMs: fromMs + skewMs, toMs: Math.max(endMs, fromMs + skewMs) }
  const isSameClock = toSeq === null || skewAt(facts, toSeq) === skewMs
  const concerned = symbols.length > 0 ? symbols : symbolsWanted(facts.subscriptions, feed, fromSeq, toSeq)
  // A gap of every symbol would be one of those that came later, too.
  const isOfAll = symbols.length > 0 || concerned.length === symbolsWanted(facts.subscriptions, feed, 0, null).length
  // It was before anything was wanted, and must not be one of what was wanted later.
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
