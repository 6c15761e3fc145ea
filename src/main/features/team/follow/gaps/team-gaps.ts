/** The gaps of a team's shards as the hub shows them, and what changes of them. */
import { feedAsset, instrumentId, instrumentKey, type SessionId } from '../../../../../shared/base/units.ts'
import { EDGE_MS } from '../../../../../shared/core/recording/merged-sessions.ts'
import { outliving, receptionOf, wantedFrom } from '../../../../../shared/core/recording/reception.ts'
import type { HubSink } from '../../../../core/market/hub-types.ts'
import { isLater, type SessionInfo } from '../../session-info.ts'
import type { LaneFacts, LaneGap } from './lane-facts.ts'
import { findGapChanges, gapsOfShard, type ShardGap, type ShardLane } from './shard-gaps.ts'

/** Sessions of a shard that have ended and still count, at most. */
const MAX_ENDED = 50

/** A session that is followed. */
export interface GapLane {
  readonly info: SessionInfo
  readonly facts: LaneFacts
  /** What it shows isn't the present yet. */
  readonly isBehind: boolean
  /** Replay time of the last seq, UTC ms. */
  readonly timeMs: number
}

/** A session of a shard, ended or not. */
interface Member {
  readonly info: SessionInfo
  readonly facts: LaneFacts
  readonly untilMs: number
  /** Null: it hasn't ended. */
  readonly ending: Ending | null
}

/** What a session had left open when it ended. */
interface Ending {
  readonly gaps: readonly LaneGap[]
  /** When a gap of them ended for a symbol, because another shard receives it: remembered, as that session may end, too. */
  readonly moved: Map<string, number>
}

interface ShownShard {
  /** Versions of the facts that the gaps were computed from. */
  readonly version: string
  readonly gaps: readonly ShardGap[]
}

export class TeamGaps {
  readonly #lanes: () => Iterable<GapLane>
  readonly #isGone: (session: SessionId) => boolean
  readonly #ended = new Map<number, readonly Member[]>()
  /** By shard: the time before which sessions have been forgotten, by the service's clock, UTC ms. */
  readonly #floors = new Map<number, number>()
  #shown = new Map<number, ShownShard>()

  constructor(lanes: () => Iterable<GapLane>, isGone: (session: SessionId) => boolean) {
    this.#lanes = lanes
    this.#isGone = isGone
  }

  /**
   * A session has ended: what it received and missed still counts beside the others. `untilMs`: when, by its clock, UTC ms;
   * null: unknown.
   */
  end({ info, facts, timeMs }: GapLane, untilMs: number | null): void {
    const { shard } = info
    const gaps = facts.gaps().filter(({ toMs }) => toMs === Infinity)
    const ended: Member = { info, facts, untilMs: untilMs ?? timeMs, ending: { gaps, moved: new Map() } }
    const all = [...(this.#ended.get(shard) ?? []), ended]
    // The store has the gaps of ended sessions. Those of sessions still recorded depend on what was received beside them.
    const open = [...this.#lanes()].filter((lane) => lane.info.shard === shard)
    const sinceMs = Math.min(...open.map((lane) => lane.facts.facts(Infinity).running.fromMs)) - EDGE_MS
    const counts = all.slice(-MAX_ENDED).filter((one) => open.length === 0 || endOf(one) > sinceMs)
    this.#ended.set(shard, counts)
    for (const one of all)
      if (!counts.includes(one)) this.#floors.set(shard, Math.max(this.#floorOf(shard), endOf(one)))
  }

  /** All of them, oldest first, which the hub shows from now on. */
  showAll(): readonly ShardGap[] {
    this.#shown = new Map([...this.#shards()].map(([shard, lanes]) => [shard, this.#shownOf(shard, lanes)]))
    return [...this.#shown.values()].flatMap(({ gaps }) => gaps).sort((a, b) => a.fromMs - b.fromMs)
  }

  /** Shows what changed. False: everything has to be shown again, because something isn't a gap any more. */
  update(sink: Pick<HubSink, 'gapOpened' | 'gapClosed'>): boolean {
    for (const [shard, lanes] of this.#shards()) {
      const before = this.#shown.get(shard)
      if (before?.version === versionOf(lanes)) continue
      const now = this.#shownOf(shard, lanes)
      const floorMs = this.#floorOf(shard)
      const known = before?.gaps.filter(({ toMs }) => toMs === null || toMs > floorMs) ?? []
      const others = [...this.#shown].flatMap(([other, { gaps }]) => (other === shard ? [] : gaps))
      const changes = findGapChanges(known, now.gaps, others)
      if (changes === null) return false
      this.#shown.set(shard, now)
      for (const { feed, cause, symbols, fromMs, skewMs } of changes.opened)
        sink.gapOpened(feed, cause, symbols, fromMs, skewMs)
      for (const { feed, fromMs, toMs } of changes.closed) sink.gapClosed(feed, fromMs, toMs)
    }
    return true
  }

  #floorOf(shard: number): number {
    return this.#floors.get(shard) ?? -Infinity
  }

  #shownOf(shard: number, lanes: readonly Member[]): ShownShard {
    const all = lanes.map((lane, i) => ({ ...lane, endOfOpen: endOfOpen(lane, lanes.at(i + 1), lanes) }))
    return { version: versionOf(lanes), gaps: gapsOfShard(all, this.#floorOf(shard)) }
  }

  /** Finds out which instruments a shard whose last session has ended has lost to others, as when the plan moves them. */
  #findMoved(shards: ReadonlyMap<number, readonly Member[]>): void {
    const all = [...shards.values()].flat()
    for (const [shard, lanes] of shards) {
      const ending = lanes.at(-1)?.ending ?? null
      if (ending === null) continue
      const others = all.filter((lane) => lane.ending === null && lane.info.shard !== shard)
      for (const gap of ending.gaps)
        for (const symbol of gap.symbols) {
          const key = keyOf(gap, symbol)
          const endMs = ending.moved.has(key)
            ? Infinity
            : Math.min(...others.map((lane) => receivedFrom(lane, gap, symbol)))
          if (endMs < Infinity) ending.moved.set(key, endMs)
        }
    }
  }

  /** The sessions of each shard, the latest lease last. */
  #shards(): ReadonlyMap<number, readonly Member[]> {
    const open = [...this.#lanes()].map((lane) => {
      const { info, facts, isBehind, timeMs } = lane
      // One that is there receives until it says otherwise. Nobody knows what another one has received since.
      const isThere = !isBehind && !this.#isGone(info.session)
      return { info, facts, untilMs: isThere ? Infinity : timeMs, ending: null }
    })
    const ended = [...this.#ended.values()].flat()
    const ordered = [...ended, ...open].sort((a, b) => (isLater(a.info, b.info) ? 1 : -1))
    const shards = Map.groupBy(ordered, ({ info }) => info.shard)
    this.#findMoved(shards)
    return shards
  }
}

/** By the service's clock, UTC ms. The gap of a recorder that was killed lasts longer than its session. */
function endOf({ facts, untilMs }: Member): number {
  const { running, gaps } = facts.facts(untilMs)
  return gaps.reduce((end, { dated }) => (dated.toMs === Infinity ? end : Math.max(end, dated.toMs)), running.toMs)
}

const versionOf = (lanes: readonly Member[]): string =>
  lanes
    .map(
      ({ info, facts, untilMs, ending }) =>
        `${info.session} ${facts.version} ${untilMs === Infinity} ${ending?.moved.size}`,
    )
    .join()

const keyOf = ({ feed, fromMs }: LaneGap, symbol: string): string =>
  `${feed} ${fromMs} ${instrumentId(feedAsset(feed), symbol)}`

/**
 * A recorder that stops leaves a gap open. As in the store, it lasts until the next session of the shard begins, which has
 * a gap of its own until it receives the symbol; or no longer than until another one that runs on has the symbol.
 */
function endOfOpen(
  { ending, facts, untilMs }: Member,
  next: Member | undefined,
  all: readonly Member[],
): ShardLane['endOfOpen'] {
  if (ending === null || ending.gaps.length === 0) return undefined
  const nextMs = next === undefined ? Infinity : next.facts.facts(next.untilMs).running.fromMs
  const after = outliving(
    facts.facts(untilMs),
    all.map((one) => one.facts.facts(one.untilMs)),
  )
  return (gap, symbol) => {
    const key = instrumentKey(feedAsset(gap.feed), symbol)
    const takenMs = Math.min(...after.map((one) => wantedFrom(one, gap.feed, key, gap.fromMs)))
    return Math.min(Math.max(nextMs, gap.fromMs), takenMs, ending.moved.get(keyOf(gap, symbol)) ?? Infinity)
  }
}

/**
 * From when on a session of another shard received what a gap misses, by the service's clock, UTC ms. Infinity: it doesn't;
 * -Infinity: it did before.
 */
function receivedFrom({ facts, untilMs }: Member, { feed, fromMs }: LaneGap, symbol: string): number {
  const asset = feedAsset(feed)
  if (!facts.isSubscribed(feed, symbol)) return Infinity
  const { covered } = receptionOf(facts.facts(untilMs), feed, instrumentKey(asset, symbol))
  const sinceMs = (covered.find(({ toMs }) => toMs > fromMs)?.fromMs ?? Infinity) + EDGE_MS
  return sinceMs > fromMs ? sinceMs : -Infinity
}
