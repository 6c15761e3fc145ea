/** The gaps of a team's shards as the hub shows them, and what changes of them. */
import type { SessionId } from '../../../../../shared/base/units.ts'
import { EDGE_MS } from '../../../../../shared/core/recording/merged-sessions.ts'
import type { HubSink } from '../../../../core/market/hub-types.ts'
import { isLater, type SessionInfo } from '../../session-info.ts'
import type { LaneFacts } from './lane-facts.ts'
import { findGapChanges, gapsOfShard, type ShardGap } from './shard-gaps.ts'

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

interface EndedLane {
  readonly info: SessionInfo
  readonly facts: LaneFacts
  readonly untilMs: number
}

interface ShownShard {
  /** What the gaps follow from. */
  readonly version: string
  readonly gaps: readonly ShardGap[]
}

export class TeamGaps {
  readonly #lanes: () => Iterable<GapLane>
  readonly #isGone: (session: SessionId) => boolean
  readonly #ended = new Map<number, readonly EndedLane[]>()
  /** Of shards that sessions were forgotten of: what was before isn't known any more, by the service's clock, UTC ms. */
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
    const all = [...(this.#ended.get(shard) ?? []), { info, facts, untilMs: untilMs ?? timeMs }]
    // The store has the gaps of ended sessions. Those of sessions that go on depend on what was received beside them.
    const open = [...this.#lanes()].filter((lane) => lane.info.shard === shard)
    const sinceMs = Math.min(...open.map((lane) => lane.facts.facts(Infinity).running.fromMs)) - EDGE_MS
    const counts = all.slice(-MAX_ENDED).filter((one) => open.length === 0 || endOf(one) > sinceMs)
    this.#ended.set(shard, counts)
    for (const one of all)
      if (!counts.includes(one)) this.#floors.set(shard, Math.max(this.#floorOf(shard), endOf(one)))
  }

  /** What gaps are to be widened by, ms. */
  get skewMs(): number {
    return Math.max(0, ...[...this.#lanes()].map(({ facts }) => facts.skewMs))
  }

  /** All of them, which the hub shows from now on. */
  showAll(): readonly ShardGap[] {
    this.#shown = new Map([...this.#shards()].map(([shard, lanes]) => [shard, this.#shownOf(shard, lanes)]))
    return [...this.#shown.values()].flatMap(({ gaps }) => gaps)
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
      for (const { feed, cause, symbols, fromMs } of changes.opened) sink.gapOpened(feed, cause, symbols, fromMs)
      for (const { feed, fromMs, toMs } of changes.closed) sink.gapClosed(feed, fromMs, toMs)
    }
    return true
  }

  #floorOf(shard: number): number {
    return this.#floors.get(shard) ?? -Infinity
  }

  #shownOf(shard: number, lanes: readonly EndedLane[]): ShownShard {
    return { version: versionOf(lanes), gaps: gapsOfShard(lanes, this.#floorOf(shard)) }
  }

  /** The sessions of each shard, the latest lease last. */
  #shards(): ReadonlyMap<number, readonly EndedLane[]> {
    const open = [...this.#lanes()].map((lane) => {
      const { info, facts, isBehind, timeMs } = lane
      // One that is there receives until it says otherwise. Nobody knows what another one has received since.
      const isThere = !isBehind && !this.#isGone(info.session)
      return { info, facts, untilMs: isThere ? Infinity : timeMs }
    })
    const ended = [...this.#ended.values()].flat()
    const ordered = [...ended, ...open].sort((a, b) => (isLater(a.info, b.info) ? 1 : -1))
    return Map.groupBy(ordered, ({ info }) => info.shard)
  }
}

/** By the service's clock, UTC ms. */
const endOf = ({ facts, untilMs }: EndedLane): number => facts.facts(untilMs).running.toMs

const versionOf = (lanes: readonly EndedLane[]): string =>
  lanes.map(({ info, facts, untilMs }) => `${info.session} ${facts.version} ${untilMs === Infinity}`).join()
