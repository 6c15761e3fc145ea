/** The gaps of overlapping sessions that no other session fills. */
import { partsIn, type Span } from '../../../../shared/base/spans.ts'
import { skewAt } from '../../../../shared/core/recording/merged-sessions.ts'
import { symbolsWanted } from '../../../../shared/core/recording/reception.ts'
import type { Gap } from '../../../../shared/core/recording/session.ts'
import { feedAsset, instrumentId, unixMs } from '../../../../shared/base/units.ts'
import type { SeriesName } from '../format/classify.ts'
import type { Overlapping } from './merged-reader.ts'

/**
 * The parts of a gap in which nothing was received, with the symbols for which that is so. `id`: number of its session,
 * which is one of `group`.
 */
export function unfilledGaps(gap: Gap, id: number, group: Overlapping): readonly Gap[] {
  const { feed, symbols, fromMs, toMs, fromSeq, toSeq } = gap
  const asset = feedAsset(feed)
  const facts = group.factsOf(id)
  const skewMs = skewAt(facts, fromSeq)
  const span = { fromMs: fromMs + skewMs, toMs: (toMs ?? Infinity) + skewMs }
  const concerned = symbols.length > 0 ? symbols : symbolsWanted(facts.subscriptions, feed, fromSeq, toSeq)
  const instruments: readonly (readonly [string, SeriesName])[] =
    concerned.length === 0 ? [['', '']] : concerned.map((symbol) => [symbol, instrumentId(asset, symbol)])
  // A gap of every symbol would be one of those that came later, too.
  const isOfAll = symbols.length > 0 || concerned.length === symbolsWanted(facts.subscriptions, feed, 0, null).length
  /** By where they weren't received. */
  const lacking = Map.groupBy(instruments, ([, instrument]) =>
    JSON.stringify(endless(partsIn(span, group.uncovered(feed, instrument)))),
  )
  return [...lacking].flatMap(([text, of]) => {
    const spans = JSON.parse(text) as [number, number | null][] // written above
    const isAll = isOfAll && of.length === instruments.length
    return spans.map(([from, to]): Gap => {
      const isWhole = from === span.fromMs && (to ?? Infinity) === span.toMs
      const named = isAll ? symbols : of.map(([symbol]) => symbol)
      if (isWhole) return { ...gap, symbols: named }
      const end = to === null ? null : unixMs(to - skewMs)
      return { ...gap, symbols: named, fromMs: unixMs(from - skewMs), toMs: end }
    })
  })
}

/** Spans as [from, to] with null for Infinity, which JSON doesn't have. */
const endless = (spans: readonly Span[]): readonly (readonly [number, number | null])[] =>
  spans.map(({ fromMs, toMs }) => [fromMs, toMs === Infinity ? null : toMs])
