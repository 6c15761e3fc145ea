/** Finds sessions of a shard that overlap, and what each of them adds to the view of all (decision 61). */
import {
  feedAsset,
  instrumentId,
  isFeedId,
  parseInstrument,
  sessionId,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../../shared/base/units.ts'
import {
  EDGE_MS,
  WHOLE,
  leaveOut,
  skewAt,
  uncovered,
  type FeedShares,
  type Reception,
  type SessionShares,
  type Share,
} from '../../../../shared/core/recording/merged-sessions.ts'
import { outliving, receptionOf, type SessionFacts } from '../../../../shared/core/recording/reception.ts'
import { isTeamKey } from '../../../../shared/core/recording/session.ts'
import type { Span } from '../../../../shared/base/spans.ts'
import type { SeriesName } from '../format/classify.ts'
import type { StoredSession } from '../schema/records.ts'
import type { Db } from '../schema/sqlite.ts'
import type { Catalog, ClosedSessionCache } from './catalog.ts'
import { ReceptionReader, type Positions, type ReadSession } from './reception-reader.ts'

/** Sessions whose clocks differ by more than this are taken for sessions of different times, ms. */
const MAX_CLOCK_DIFFERENCE_MS = 6 * 3_600_000

/** Sessions of a shard that overlap, in reading order. */
export class Overlapping {
  readonly #facts: readonly SessionFacts[]
  readonly #indexes: ReadonlyMap<number, number>
  readonly #receptions = new Map<string, readonly Reception[]>()
  readonly #shares = new Map<string, readonly Share[]>()

  /** `ids`: numbers of the sessions. */
  constructor(ids: readonly number[], facts: readonly SessionFacts[]) {
    this.#facts = facts
    this.#indexes = new Map(ids.map((id, i) => [id, i]))
  }

  /** What a session adds. `instrument` '': messages without one. */
  share(id: number, feed: FeedId, instrument: SeriesName): Share {
    const name = `${feed} ${instrument}`
    let shares = this.#shares.get(name)
    if (shares === undefined) {
      const leftOut = leaveOut(this.receptions(feed, instrument))
      shares = this.#facts.map(({ clock }, i) => ({ clock, leftOut: leftOut[i] }))
      this.#shares.set(name, shares)
    }
    return shares[this.#indexes.get(id) ?? -1] ?? WHOLE
  }

  /** The time that none of them received, by the service's clock, UTC ms. */
  uncovered(feed: FeedId, instrument: SeriesName): readonly Span[] {
    const latestMs = Math.max(...this.#facts.map(({ running }) => running.toMs))
    const goOn = ({ covered }: Reception, i: number): Pick<Reception, 'covered'> => {
      const last = covered.at(-1)
      const { isOpen, running } = this.#facts[i]
      // The session heard of last is receiving what comes next.
      const goesOn = isOpen && running.toMs === latestMs && last?.toMs === latestMs
      return { covered: goesOn ? [...covered.slice(0, -1), { ...last, toMs: Infinity }] : covered }
    }
    return uncovered(this.receptions(feed, instrument).map(goOn))
  }

  /** When each of them received. */
  receptions(feed: FeedId, instrument: SeriesName): readonly Reception[] {
    const name = `${feed} ${instrument}`
    let receptions = this.#receptions.get(name)
    if (receptions === undefined) {
      const key = instrument === '' ? null : (parseInstrument(instrument)?.key ?? null)
      receptions = this.#facts.map((facts) => receptionOf(facts, feed, key))
      this.#receptions.set(name, receptions)
    }
    return receptions
  }

  /** Every instrument that they subscribed to a feed. */
  instruments(feed: FeedId): readonly InstrumentId[] {
    const asset = feedAsset(feed)
    const symbols = this.#facts.flatMap(({ subscriptions }) =>
      subscriptions.flatMap(({ of }) => (of?.feed === feed ? of.symbols : [])),
    )
    return [...new Set(symbols.map((symbol) => instrumentId(asset, symbol)))]
  }

  /** What a session adds to each feed. */
  shares(id: number, session: SessionId): SessionShares {
    const { clock, feeds } = this.factsOf(id)
    const ofFeed = (feed: FeedId): FeedShares => ({
      share: this.share(id, feed, ''),
      instruments: new Map(this.instruments(feed).map((one) => [one, this.share(id, feed, one)])),
    })
    const known = [...feeds].filter((feed) => isFeedId(feed))
    return { session, clock, feeds: new Map(known.map((feed) => [feed, ofFeed(feed)])) }
  }

  /** Those that ran longer than one of them. */
  outliving(id: number): readonly SessionFacts[] {
    return outliving(this.factsOf(id), this.#facts)
  }

  /** Of one of them. */
  factsOf(id: number): SessionFacts {
    return this.#facts[this.#indexes.get(id) ?? 0]
  }
}

export class MergedReader {
  readonly #catalog: Catalog
  readonly #receptions: ReceptionReader
  readonly #closed: ClosedSessionCache<SessionFacts>
  readonly #positions: Positions

  constructor(db: Db, catalog: Catalog, positions: Positions) {
    this.#catalog = catalog
    this.#receptions = new ReceptionReader(db, positions)
    this.#closed = catalog.createCache()
    this.#positions = positions
  }

  /** Service clock minus a session's clock. */
  clockOf(row: StoredSession): Share['clock'] {
    return this.#receptions.clockOf(row)
  }

  /**
   * Limits sessions without a limit to what had been received when the overlapping ones were at theirs, so that nothing
   * later is seen. `find` with the result finds the same sessions.
   */
  limited(sessions: readonly ReadSession[]): readonly ReadSession[] {
    if (sessions.every(({ limit }) => limit === Infinity)) return sessions
    const overlapping = this.find(sessions)
    return sessions.map((one) => {
      const group = overlapping.get(one.row.id)
      if (group === undefined || one.limit < Infinity) return one
      const now = sessions.filter(({ row, limit }) => limit < Infinity && overlapping.get(row.id) === group)
      if (now.length === 0) return one
      const nowMs = Math.max(...now.map(({ row }) => group.factsOf(row.id).running.toMs))
      const { running, clock } = group.factsOf(one.row.id)
      if (nowMs >= running.toMs) return one
      const session = sessionId(one.row.key)
      const ms = nowMs - skewAt({ clock }, Infinity)
      return { ...one, limit: this.#positions.seqAt(session, ms) }
    })
  }

  /**
   * The overlapping sessions that each session is one of, by its number; sessions that overlap no other one are
   * missing. Sessions are given in reading order. Only a team's can overlap. Call within a read transaction.
   */
  find(sessions: readonly ReadSession[]): ReadonlyMap<number, Overlapping> {
    const found = new Map<number, Overlapping>()
    const ofTeam = sessions.filter(({ row }) => isTeamKey(row.source))
    for (const shard of Map.groupBy(ofTeam, ({ row }) => row.source).values()) {
      if (shard.length === 1) continue
      const facts = new Facts(this.#receptions, this.#closed, this.#catalog)
      for (const group of this.#groups(shard, facts)) {
        const ids = group.map(({ row }) => row.id)
        const overlapping = new Overlapping(
          ids,
          group.map((one) => facts.of(one)),
        )
        for (const id of ids) found.set(id, overlapping)
      }
    }
    return found
  }

  /** Groups of two or more sessions that overlap one another. */
  #groups(shard: readonly ReadSession[], facts: Facts): readonly (readonly ReadSession[])[] {
    const groups: ReadSession[][] = []
    /** Sessions that can still overlap a later one, with their groups. */
    let near: { readonly one: ReadSession; readonly group: ReadSession[] }[] = []
    for (const one of shard) {
      near = near.filter(({ one: before }) => facts.endOf(before) > one.row.started_ms - 2 * MAX_CLOCK_DIFFERENCE_MS)
      const joined = new Set(
        near.filter(({ one: before }) => this.#overlap(before, one, facts)).map(({ group }) => group),
      )
      const group = [...[...joined].flat(), one]
      for (const other of joined) other.length = 0
      near = near.map((each) => (joined.has(each.group) ? { ...each, group } : each))
      near.push({ one, group })
      groups.push(group)
    }
    return groups.filter(({ length }) => length > 1).map((group) => inOrderOf(shard, group))
  }

  #overlap(a: ReadSession, b: ReadSession, facts: Facts): boolean {
    const [epochA, epochB] = [this.#catalog.epochOf(a.row), this.#catalog.epochOf(b.row)]
    const startMs = Math.max(a.row.started_ms, b.row.started_ms)
    const overlapMs = Math.min(facts.endOf(a), facts.endOf(b)) - startMs
    // Without leases only the clocks tell, and a session can begin a moment before the one before it is closed.
    if (epochA === 0 || epochB === 0) return overlapMs > EDGE_MS
    // Sessions under one lease are of one recorder, and follow each other.
    if (epochA === epochB || overlapMs < -MAX_CLOCK_DIFFERENCE_MS) return false
    const [first, second] = [facts.of(a), facts.of(b)]
    // The next session of a shard ends the gap of the one before it, which is by another clock then.
    if (skewAt(first, Infinity) !== skewAt(second, 0)) return true
    return first.running.fromMs < reachOf(second) && second.running.fromMs < reachOf(first)
  }
}

/**
 * The end of what a session says, by the service's clock, UTC ms: a crash is a gap until its recorder is back, and another
 * one may have received meanwhile.
 */
const reachOf = ({ running, gaps }: SessionFacts): number =>
  Math.max(running.toMs, ...gaps.flatMap(({ dated }) => (dated.toMs < Infinity ? [dated.toMs] : [])))

/** What one query reads of sessions, each of them once. */
class Facts {
  readonly #reader: ReceptionReader
  readonly #closed: ClosedSessionCache<SessionFacts>
  readonly #catalog: Catalog
  readonly #read = new Map<number, SessionFacts>()

  constructor(reader: ReceptionReader, closed: ClosedSessionCache<SessionFacts>, catalog: Catalog) {
    this.#reader = reader
    this.#closed = closed
    this.#catalog = catalog
  }

  of(session: ReadSession): SessionFacts {
    const { row, limit } = session
    let facts = this.#read.get(row.id)
    if (facts === undefined) {
      const read = (): SessionFacts => this.#reader.read(session)
      facts = limit < Infinity ? read() : this.#closed.of(row, read)
      this.#read.set(row.id, facts)
    }
    return facts
  }

  /**
   * When a session and its gaps end, by its own clock, UTC ms. An open session counts up to the last thing that it received.
   */
  endOf(session: ReadSession): number {
    const { ended_ms: endedMs } = session.row
    if (endedMs !== null) return Math.max(endedMs, this.#catalog.gaps(session.row)?.mostMs ?? -Infinity)
    const { running, clock } = this.of(session)
    return running.toMs - skewAt({ clock }, Infinity)
  }
}

const inOrderOf = (all: readonly ReadSession[], some: readonly ReadSession[]): readonly ReadSession[] =>
  all.filter((one) => some.includes(one))
