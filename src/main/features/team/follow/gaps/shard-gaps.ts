/**
 * The gaps of a shard: what none of its sessions received. Several recorders may record one shard, and what one of them
 * missed isn't missing where another one received it. The same rule as the store's (decision 61).
 */
import type { Span } from '../../../../../shared/base/spans.ts'
import { feedAsset, unixMs, type FeedId } from '../../../../../shared/base/units.ts'
import { GapParts, orderOfClaims } from '../../../../../shared/core/recording/gap-parts.ts'
import { uncovered } from '../../../../../shared/core/recording/merged-sessions.ts'
import { receptionOf, type SessionFacts } from '../../../../../shared/core/recording/reception.ts'
import { keysOf } from '../../../../../shared/core/recording/symbol-keys.ts'
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
  const claims = new GapParts(rememberUncovered(facts))
  const gaps: ShardGap[] = []
  const ofLanes = lanes.map((lane) => lane.facts.gaps().map((gap) => ({ ...gap, lane })))
  for (const gap of orderOfClaims(ofLanes)) {
    const { feed, cause, symbols: all, skewMs, fromMs, lane } = gap
    const parts = claims.take({
      feed,
      keys: keysOf(feedAsset(feed), all).list,
      fromMs: Math.max(fromMs, floorMs),
      toMs: (at) => (gap.toMs === Infinity ? (lane.endOfOpen?.(gap, all[at]) ?? Infinity) : gap.toMs),
    })
    for (const { span, of } of parts) {
      // The same list again, so that it is known to be the same gap as before.
      const symbols = of.length === all.length ? all : of.map((at) => all[at])
      const toMs = span.toMs === Infinity ? null : unixMs(span.toMs - skewMs)
      gaps.push({ feed, cause, symbols, fromMs: unixMs(span.fromMs - skewMs), toMs, skewMs: lane.facts.skewMs })
    }
  }
  return gaps.sort((a, b) => a.fromMs - b.fromMs)
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
    // Another recorder's gap for the same time can become known later, for example that it was killed.
    if (same?.cause !== gap.cause || (gap.toMs !== null && gap.toMs !== same.toMs)) return null
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
    const isSame =
      of.length === 1 &&
      same.length === 1 &&
      same[0].symbols === one.symbols &&
      same[0].cause === one.cause &&
      same[0].toMs === one.toMs
    return isSame ? [] : of
  })
}

const keyOf = ({ feed, fromMs }: ShardGap, symbol: string): string => `${feed} ${fromMs} ${symbol}`

const bySymbol = (gaps: readonly ShardGap[]): ReadonlyMap<string, ShardGap> =>
  new Map(gaps.flatMap((gap) => gap.symbols.map((symbol) => [keyOf(gap, symbol), gap] as const)))
