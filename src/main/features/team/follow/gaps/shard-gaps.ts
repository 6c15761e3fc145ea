/**
 * The gaps of a shard: what none of its sessions received. Several recorders may record one shard, and what one of them
 * missed isn't missing where another one received it. The same rule as the store's (decision 61).
 */
import { partsIn, withoutSpans, type Span } from '../../../../../shared/base/spans.ts'
import { feedAsset, unixMs, type FeedId } from '../../../../../shared/base/units.ts'
import { uncovered } from '../../../../../shared/core/recording/merged-sessions.ts'
import { keysOf, receptionOf, type SessionFacts } from '../../../../../shared/core/recording/reception.ts'
import type { MarketContext } from '../../../../core/market/hub-types.ts'
import type { LaneFacts, LaneGap } from './lane-facts.ts'

/** Its times are by the clock of the session that noticed it. */
export type ShardGap = MarketContext['gaps'][number]

/** A session of the shard. */
export interface ShardLane {
  readonly facts: LaneFacts
  /** When its reception ended, by its clock, UTC ms; Infinity: it still receives, as far as known. */
  readonly untilMs: number
  /**
   * When a gap that it left open ended for a symbol, by the service's clock, UTC ms; -Infinity: it was received all along.
   * Absent: the session hasn't ended.
   */
  readonly endOfOpen?: ((gap: LaneGap, symbol: string) => number) | undefined
}

/**
 * The gaps of a shard, oldest first. `lanes`: its sessions, the latest lease last. `sinceMs`: what was before isn't known,
 * by the service's clock, UTC ms.
 */
export function gapsOfShard(lanes: readonly ShardLane[], sinceMs = -Infinity): readonly ShardGap[] {
  const facts = lanes.map((lane) => lane.facts.facts(lane.untilMs))
  const floorMs = Math.max(sinceMs, ...lanes.map((lane) => lane.facts.floorMs))
  const findUncovered = rememberUncovered(facts)
  /** Spans that are in a gap already, by feed and instrument. Most instruments of a feed share them. */
  const counted = new Map<string, readonly Span[]>()
  const gaps: ShardGap[] = []
  for (const { gap, lane } of lanes.toReversed().flatMap((lane) => lane.facts.gaps().map((gap) => ({ gap, lane })))) {
    const { feed, cause, skewMs } = gap
    const finders = new Map<number, ReturnType<typeof rememberParts>>()
    /** Symbols by the part of the gap that is theirs. */
    const parts = new Map<string, { readonly span: Span; readonly symbols: string[] }>()
    const keys = keysOf(feedAsset(feed), gap.symbols).list
    for (const [i, symbol] of gap.symbols.entries()) {
      const key = `${feed} ${keys[i]}`
      const toMs = gap.toMs === Infinity ? (lane.endOfOpen?.(gap, symbol) ?? Infinity) : gap.toMs
      const find = finders.get(toMs) ?? rememberParts({ fromMs: Math.max(gap.fromMs, floorMs), toMs })
      finders.set(toMs, find)
      const { found, all } = find(findUncovered(feed, keys[i]), counted.get(key) ?? NOTHING)
      counted.set(key, all)
      for (const span of found) {
        const name = `${span.fromMs} ${span.toMs}`
        const part = parts.get(name) ?? { span, symbols: [] }
        parts.set(name, part)
        part.symbols.push(symbol)
      }
    }
    for (const { span, symbols: some } of parts.values()) {
      // The same list again, so that it is known to be the same gap as before.
      const symbols = some.length === gap.symbols.length ? gap.symbols : some
      const toMs = span.toMs === Infinity ? null : unixMs(span.toMs - skewMs)
      gaps.push({ feed, cause, symbols, fromMs: unixMs(span.fromMs - skewMs), toMs, skewMs: lane.facts.skewMs })
    }
  }
  return gaps.sort((a, b) => a.fromMs - b.fromMs)
}

const NOTHING: readonly Span[] = []

interface Counted {
  /** The parts of the gap that no session received and that aren't counted yet. */
  readonly found: readonly Span[]
  /** Everything that is counted now. */
  readonly all: readonly Span[]
}

/** Finds what of a gap no session received, once for all symbols of which the same is known. */
function rememberParts(gap: Span): (none: readonly Span[], counted: readonly Span[]) => Counted {
  const known = new Map<readonly Span[], Map<readonly Span[], Counted>>()
  return (none, counted) => {
    const ofNone = known.get(none) ?? new Map<readonly Span[], Counted>()
    known.set(none, ofNone)
    let result = ofNone.get(counted)
    if (result === undefined) {
      const parts =
        gap.fromMs > gap.toMs
          ? []
          : partsIn(
              gap,
              none.filter((one) => isNear(one, gap)),
            )
      const found = parts.flatMap((part) => uncounted(part, counted))
      ofNone.set(counted, (result = { found, all: found.length === 0 ? counted : [...counted, ...found] }))
    }
    return result
  }
}

const isNear = (one: Span, other: Span): boolean => one.fromMs <= other.toMs && other.fromMs <= one.toMs

/** What of a gap isn't in those that count already. */
function uncounted(part: Span, counted: readonly Span[]): readonly Span[] {
  const others = counted.filter((one) => isNear(one, part))
  if (others.length === 0) return [part]
  return part.fromMs < part.toMs ? withoutSpans([part], others) : []
}

/** When none of the sessions received an instrument, by its key. Most instruments of a feed are received at the same times. */
function rememberUncovered(facts: readonly SessionFacts[]): (feed: FeedId, key: string) => readonly Span[] {
  const ofKeys = new Map<string, readonly Span[]>()
  const known = new Map<string, readonly Span[]>()
  const find = (feed: FeedId, key: string): readonly Span[] => {
    const receptions = facts.map((one) => receptionOf(one, feed, key))
    const name = receptions
      .map(({ covered }) => covered.map(({ fromMs, toMs }) => `${fromMs} ${toMs}`).join())
      .join(';')
    const found = known.get(name) ?? uncovered(receptions)
    known.set(name, found)
    return found
  }
  return (feed, key) => {
    const found = ofKeys.get(`${feed} ${key}`) ?? find(feed, key)
    ofKeys.set(`${feed} ${key}`, found)
    return found
  }
}

/** What changed since gaps were shown. */
export interface GapChanges {
  readonly opened: readonly ShardGap[]
  /** Open gaps are known by their feed and start. */
  readonly closed: readonly {
    readonly feed: FeedId
    readonly fromMs: ShardGap['fromMs']
    readonly toMs: ShardGap['fromMs']
  }[]
}

/**
 * What to show so that `shown` becomes `now`. Null: a gap isn't one any more, has other limits, or was over before anybody
 * knew of it, so everything has to be shown again. `others`: gaps that stay as they are.
 */
export function findGapChanges(
  shown: readonly ShardGap[],
  now: readonly ShardGap[],
  others: readonly ShardGap[],
): GapChanges | null {
  const before = bySymbol(without(shown, now))
  const changed = without(now, shown)
  const after = bySymbol(changed)
  const ends = new Map<string, Set<ShardGap['toMs']>>()
  for (const { feed, fromMs, toMs } of [...now, ...others]) {
    const key = `${feed} ${fromMs}`
    ends.set(key, (ends.get(key) ?? new Set()).add(toMs))
  }
  const closed = new Map<string, GapChanges['closed'][number]>()
  const close = ({ feed, fromMs }: ShardGap, toMs: ShardGap['fromMs']): void => void closed.set(`${feed} ${fromMs}`, { feed, fromMs, toMs }) // oxfmt-ignore
  for (const [key, gap] of before) {
    const same = after.get(key)
    if (same === undefined || (gap.toMs !== null && gap.toMs !== same.toMs)) return null
    if (gap.toMs === null && same.toMs !== null) close(gap, same.toMs)
  }
  const opened = changed.flatMap((gap): ShardGap[] => {
    const symbols = gap.symbols.filter((symbol) => !before.has(keyOf(gap, symbol)))
    return symbols.length === 0 ? [] : [{ ...gap, symbols }]
  })
  // Opening a gap that is over would discard prices received since.
  if (opened.some(({ toMs }) => toMs !== null)) return null
  // Gaps are closed by their start, so all that began then must be closed.
  for (const key of closed.keys()) if ((ends.get(key)?.size ?? 0) > 1) return null
  return { opened, closed: [...closed.values()] }
}

/** Most gaps stay as they are. Leaves out those whose start nothing else shares, so that they are the same for certain. */
function without(gaps: readonly ShardGap[], others: readonly ShardGap[]): readonly ShardGap[] {
  const [mine, theirs] = [gaps, others].map((all) => Map.groupBy(all, ({ feed, fromMs }) => `${feed} ${fromMs}`))
  return [...mine].flatMap(([name, of]) => {
    const [one] = of
    const same = theirs.get(name) ?? []
    const isSame = of.length === 1 && same.length === 1 && same[0].symbols === one.symbols && same[0].toMs === one.toMs
    return isSame ? [] : of
  })
}

const keyOf = ({ feed, fromMs }: ShardGap, symbol: string): string => `${feed} ${fromMs} ${symbol}`

const bySymbol = (gaps: readonly ShardGap[]): ReadonlyMap<string, ShardGap> =>
  new Map(gaps.flatMap((gap) => gap.symbols.map((symbol) => [keyOf(gap, symbol), gap] as const)))
