/** Queries over a read-only connection: sessions, gaps and the short reads of ticks. Synchronous. */
import { CodedError } from '../../../../shared/base/errors.ts'
import {
  isGapCause,
  matchesSource,
  isTeamKey,
  isWholeTeam,
  type Gap,
  type LedgerEntry,
  type SessionRow,
} from '../../../../shared/core/recording/session.ts'
import { countsFrom, shareSince, type SessionShares } from '../../../../shared/core/recording/merged-sessions.ts'
import { inTurn, type InTurn, type Recorded } from '../../../../shared/features/sessions/overlaps.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  isFeedId,
  parseInstrument,
  sessionId,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../../shared/base/units.ts'
import { Catalog } from './catalog.ts'
import { unfilledGaps } from './filled-gaps.ts'
import { MergedReader, type Overlapping } from './merged-reader.ts'
import type { Positions } from './reception-reader.ts'
import { erasedError, VERIFY_HINT } from '../types/corruption.ts'
import { findLive, summarizeGaps, SessionList } from './session-rows.ts'
import { endOfGap } from '../format/clock-shifts.ts'
import { Journal } from '../format/journal.ts'
import { findLastStamp } from '../format/last-received.ts'
import type { InstrumentQuery, StoredInstrument, GapQuery } from '../types/reader.ts'
import type { TickQuery } from '../types/ticks.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import type { BlockQuery, ListedBlock, TickPlan, TickSource, TickWindow } from '../types/ticks.ts'
import type { BeginRecord, CloseRecord, StoredSession, GapRow } from '../schema/records.ts'
import { CorruptFlushes, type SeqRange } from '../format/corrupt-flushes.ts'

const WINDOW_BYTES = 4 << 20

/** A session and its relation to a feed. */
interface Received extends Recorded {
  readonly row: StoredSession
  /** Whether it had a connection of the feed. */
  readonly receives: boolean
}

/** A gap with only a readable time. */
export interface UnreadableGap extends Pick<Gap, 'fromMs' | 'toMs' | 'fromSeq' | 'toSeq'> {
  readonly cause: 'unreadable'
}

export class StoreQueries implements TickSource {
  readonly db: Db
  /** For queries that can use cached facts of closed sessions. */
  readonly catalog: Catalog
  /** For queries over sessions that overlap. */
  readonly merged: MergedReader
  readonly #journal: Journal
  readonly #corruptFlushes: CorruptFlushes
  readonly #sql
  readonly #sessions: SessionList
  readonly #isWritten: () => boolean

  /** Whether a writer in any process has the store open. */
  isWritten(): boolean {
    return this.#isWritten()
  }

  /** `isWritten`: whether a writer holds the store. Without one, open sessions were left by a crash. */
  constructor(db: Db, isWritten: () => boolean, positions: Positions) {
    this.db = db
    this.catalog = new Catalog(db)
    this.merged = new MergedReader(db, this.catalog, positions)
    this.#sessions = new SessionList(db, this.catalog)
    this.#isWritten = isWritten
    this.#journal = new Journal(db)
    this.#corruptFlushes = new CorruptFlushes(db)
    this.#sql = lazyStatements({
      sessions: () => db.prepare<[], StoredSession>('SELECT * FROM recording ORDER BY id'),
      gaps: () =>
        db.prepare<[{ id: number; feed: string | null; fromMs: number; toMs: number }], GapRow>(
          // A gap that ends before it begins (a clock was set back) counts where it begins. A gap without a feed can
          // concern any.
          `SELECT * FROM gap WHERE recording = @id
         AND (@feed IS NULL OR feed = @feed OR feed NOT IN (${FEED_NAMES})) AND from_ms < @toMs
         AND (to_ms IS NULL OR to_ms > @fromMs OR from_ms >= @fromMs) ORDER BY from_seq`,
        ),
      binned: () => db.prepare<[], number>('SELECT recording FROM label WHERE binned_ms IS NOT NULL').pluck(),
      stored: () => db.prepare<[number, string], number>('SELECT 1 FROM recording WHERE id = ? AND key = ?').pluck(),
      conns: () =>
        db.prepare<[number, string], number>('SELECT conn FROM connection WHERE recording = ? AND feed = ?').pluck(),
      seriesSymbols: () =>
        db.prepare<[number, string], { instrument: string; symbols: string }>(
          'SELECT instrument, symbols FROM series WHERE recording = ? AND feed = ?',
        ),
      acks: () =>
        db
          .prepare<[number], string>(
            `SELECT body FROM entry WHERE recording = ? AND body LIKE '{"type":"acknowledged"%' ORDER BY seq`,
          )
          .pluck(),
      log: () =>
        db.prepare<[], { body: string; hash: Buffer }>(
          "SELECT body, hash FROM store_log WHERE kind IN ('begin', 'close') ORDER BY n DESC",
        ),
      series: () =>
        db.prepare<[number, string], { id: number; instrument: string }>(
          'SELECT id, instrument FROM series WHERE recording = ? AND feed = ?',
        ),
      blocks: () =>
        db.prepare<[number, number, number, number, number, number], ListedBlock>(
          `SELECT data, min_ms AS minMs, max_ms AS maxMs FROM block WHERE id IN (
           SELECT id FROM block INDEXED BY block_order
           WHERE series = ? AND max_seq > ? AND min_seq <= ? AND max_ms >= ? AND min_ms < ? ORDER BY min_seq LIMIT ?)
         ORDER BY min_seq`,
        ),
    })
  }

  /** In the order they were added to the store, which is that of the wall clock unless it was changed. */
  storedSessions(): readonly StoredSession[] {
    return this.#sql.sessions.all()
  }

  /** Sessions of one source, or of the shards of a team, in the order in which a feed is read. */
  inTurn(rows: readonly StoredSession[], feed: FeedId): readonly InTurn<Received>[] {
    return inTurn(
      rows.map((row): Received => {
        const receives = this.catalog.receives(row, feed)
        // A session that received nothing of the feed doesn't hide others.
        const endedMs = receives ? (row.ended_ms ?? this.#endSoFar(row, rows)) : row.started_ms
        return { ...this.#recordedOf(row, endedMs), receives }
      }),
    )
  }

  #recordedOf(row: StoredSession, endedMs: number | null): Omit<Received, 'receives'> {
    const { id, source, started_ms: startedMs } = row
    return { row, source, startedMs, endedMs, imported: id < 0, epoch: this.catalog.epochOf(row) }
  }

  /**
   * When an open replica ends for a later session of its shard, UTC ms: at its last message, since its recorder may
   * have died. Null: there is no later one.
   */
  #endSoFar(row: StoredSession, rows: readonly StoredSession[]): number | null {
    if (!isTeamKey(row.source)) return null
    const isFollowed = rows.some(
      ({ id, source, started_ms: startedMs }) => id !== row.id && source === row.source && startedMs >= row.started_ms,
    )
    return isFollowed ? (findLastStamp(this.db, row.id)?.wallMs ?? row.started_ms) : null
  }

  /** Whether an open session is being recorded, here or by the team. If not, a crash left it. */
  isLive(row: StoredSession): boolean {
    return this.#liveAmong(this.catalog.storedSessions()).has(row.id)
  }

  #liveAmong(rows: readonly StoredSession[]): ReadonlySet<number> {
    return this.#isWritten() ? findLive(rows, Date.now()) : new Set()
  }

  sessions(brief = false): readonly SessionRow[] {
    return this.#read(() => {
      const rows = this.catalog.storedSessions()
      return this.#sessions.list(rows, brief ? null : summarizeGaps(this.gaps({})), this.#liveAmong(rows))
    })
  }

  /** With a source: of sessions that overlap, only what none of them received. */
  gaps(query: GapQuery): readonly Gap[] {
    return this.#read(() => {
      const gaps = this.allGaps(query).filter((gap): gap is Gap => {
        if (gap.cause === 'unreadable' && query.skipCorrupt !== true) throw corruptGapError()
        return gap.cause !== 'unreadable'
      })
      const { source, session, sessions } = query
      if (source === undefined || !isTeamKey(source) || session !== undefined || gaps.length === 0) return gaps
      const { fromMs = -Infinity, toMs = Infinity } = query
      return this.#unfilled(gaps, source, sessions).filter((gap) => isWithin(gap, fromMs, toMs))
    })
  }

  /** The shares of sessions, as if no others existed; see `StoreReader.shares`. */
  shares(sessions: readonly SessionId[], source: string): readonly SessionShares[] {
    return this.#read(() => {
      const rows = this.selectSessions({ sessions, source })
      const turns = inTurn(rows.map((row) => this.#recordedOf(row, row.ended_ms)))
      const overlapping = this.merged.find(turns.map(({ of: { row } }) => ({ row, limit: Infinity })))
      return turns.map(({ of: { row } }): SessionShares => {
        const session = sessionId(row.key)
        const group = overlapping.get(row.id)
        return group?.shares(row.id, session) ?? { session, clock: this.merged.clockOf(row), feeds: new Map() }
      })
    })
  }

  #unfilled(gaps: readonly Gap[], source: string, sessions: readonly SessionId[] | undefined): readonly Gap[] {
    const rows = this.selectSessions({ source, sessions })
    const ids = new Map(rows.map(({ key, id }) => [key, id]))
    const turns = inTurn(rows.map((row) => this.#recordedOf(row, row.ended_ms)))
    const overlapping = this.merged.find(turns.map(({ of: { row } }) => ({ row, limit: Infinity })))
    const bySession = Map.groupBy(gaps, ({ session }) => session)
    const unfilled = new Map<Overlapping, readonly Gap[]>()
    for (const group of new Set(overlapping.values())) {
      const sessions = turns.map(({ of: { row } }) => row).filter(({ id }) => overlapping.get(id) === group)
      const ofSessions = sessions.map(({ id, key }) => [id, bySession.get(sessionId(key)) ?? []] as const)
      unfilled.set(group, unfilledGaps(new Map(ofSessions), group))
    }
    const parts = Map.groupBy([...unfilled.values()].flat(), ({ session }) => session)
    return [...bySession].flatMap(([session, ofSession]) => {
      const id = ids.get(session)
      const isAlone = id === undefined || !overlapping.has(id)
      return isAlone ? ofSession : (parts.get(session) ?? [])
    })
  }

  /** Like `gaps`, with those that can't be read. */
  allGaps(query: GapQuery): readonly (Gap | UnreadableGap)[] {
    const { session, sessions, source, feed, fromMs = -Infinity, toMs = Infinity } = query
    const named = sessions === undefined ? null : new Set<string>(sessions)
    return this.#read(() => {
      const gaps: (Gap | UnreadableGap)[] = []
      for (const row of this.catalog.storedSessions()) {
        if (session !== undefined && row.key !== session) continue
        if (named !== null && !named.has(row.key)) continue
        if (source !== undefined && !matchesSource(row.source, source)) continue
        if (!this.catalog.hasGaps(row, fromMs, toMs)) continue
        // A gap still open at the end of a session lasts until the next session of its source begins.
        const next = this.catalog.nextStart(row)
        const shifts = this.catalog.clockShifts(row)
        const sinceMs = shifts.length === 0 ? fromMs : -Number.MAX_VALUE
        for (const one of this.#sql.gaps.iterate({ id: row.id, feed: feed ?? null, fromMs: sinceMs, toMs })) {
          const endMs = endOfGap(one, shifts) ?? (this.#goesOn(row, one, next) ? null : next)
          const gap = toGap(row, one, endMs)
          if (isWithin(gap, fromMs, toMs)) gaps.push(gap)
        }
      }
      return gaps
    })
  }

  /** Whether an open gap lasts although a later session of its shard has begun, because its recorder is there, too. */
  #goesOn(row: StoredSession, gap: GapRow, nextMs: number | null): boolean {
    if (!isTeamKey(row.source) || row.ended_ms !== null || nextMs === null) return false
    return nextMs <= gap.from_ms || (findLastStamp(this.db, row.id)?.wallMs ?? -Infinity) > nextMs
  }

  /** The sessions a query selects, in the order they were added. Throws `ambiguous-source` or `not-found`. */
  selectSessions(query: {
    readonly session?: SessionId | undefined
    readonly sessions?: readonly SessionId[] | undefined
    readonly source?: string | undefined
  }): readonly StoredSession[] {
    const { session, source } = query
    const named = query.sessions ?? (session === undefined ? undefined : [session])
    const selected = named === undefined ? null : new Set<string>(named)
    // Sessions in the bin are read only if named.
    const binned = new Set(selected === null ? this.#sql.binned.all() : [])
    const rows = this.catalog
      .storedSessions()
      .filter(
        (row) =>
          !binned.has(row.id) &&
          (selected === null || selected.has(row.key)) &&
          (source === undefined || matchesSource(row.source, source)),
      )
    const missing = named?.find((one) => !rows.some((row) => row.key === one))
    if (missing !== undefined) {
      throw new CodedError('not-found', `There is no session ${missing}.`, {
        hint: 'List them with "tapedeck sessions".',
      })
    }
    const sources = [...new Set(rows.map((row) => row.source))]
    if (sources.length > 1 && (source === undefined || !isWholeTeam(source))) {
      throw new CodedError(
        'ambiguous-source',
        `The store has sessions from ${sources.length} sources: ${sources.join(', ')}.`,
        {
          hint: 'Name one with --source.',
        },
      )
    }
    return rows
  }

  instruments(query: InstrumentQuery): readonly StoredInstrument[] {
    return this.#read(() => {
      const found = new Map<InstrumentId, Set<string>>()
      const add = (instrument: InstrumentId, symbol: string): void => {
        const symbols = found.get(instrument) ?? new Set()
        symbols.delete(symbol) // moves the latest symbol to the end
        found.set(instrument, symbols.add(symbol))
      }
      for (const row of this.selectSessions(query)) {
        // Journal messages were acknowledged, or enter no bar.
        for (const body of this.#sql.acks.iterate(row.id)) {
          const entry = JSON.parse(body) as LedgerEntry // written from a LedgerEntry
          if (entry.type !== 'acknowledged' || entry.feed !== query.feed) continue
          for (const symbol of entry.symbols) add(instrumentId(feedAsset(query.feed), symbol), symbol)
        }
        for (const { instrument, symbols } of this.#sql.seriesSymbols.iterate(row.id, query.feed)) {
          if (parseInstrument(instrument) === undefined) continue // control messages, and messages without an instrument
          const texts = JSON.parse(symbols) as string[] // written from a string[]
          for (const symbol of texts) add(instrument as InstrumentId, symbol) // parsed above
        }
      }
      return [...found].map(([instrument, symbols]) => ({ instrument, symbols: [...symbols] }))
    })
  }

  ledgerHead(sessions: readonly SessionId[]): string | null {
    const selected = new Set(sessions)
    for (const { body, hash } of this.#sql.log.iterate()) {
      const { recording: session } = JSON.parse(body) as BeginRecord | CloseRecord // written from one of them
      if (selected.has(session)) return hash.toString('hex')
    }
    return null
  }

  plan(query: TickQuery): readonly TickPlan[] {
    return this.#read(() => {
      const { feed, session, sessions, source } = query
      const named = this.selectSessions({ session, sessions, source })
      const isNamed = new Set(named.map(({ id }) => id))
      // What counts of a team's session in the view of its whole shard depends on the other ones.
      const shards = new Set(query.asInSource === true ? named.map((row) => row.source).filter(isTeamKey) : [])
      const others = [...shards].flatMap((shard) => this.selectSessions({ source: shard }))
      const rows = [...named, ...others.filter(({ id }) => !isNamed.has(id))]
      const turns = this.inTurn(rows, feed)
      const overlapping = this.merged.find(turns.map(({ of: { row } }) => ({ row, limit: Infinity })))
      return turns
        .filter(({ of: { row } }) => isNamed.has(row.id))
        .map(({ of: { row }, notBeforeMs }): TickPlan => {
          const group = overlapping.get(row.id)
          const share = group?.share(row.id, feed, '') ?? shareSince(notBeforeMs)
          const instruments = group === undefined ? [] : (query.instruments ?? group.instruments(feed))
          return {
            id: row.id,
            session: sessionId(row.key),
            maxSeq: this.#journal.lastSeq(row.id),
            share,
            shares: new Map(instruments.map((one) => [one, group?.share(row.id, feed, one) ?? share])),
          }
        })
    })
  }

  window(query: TickQuery, plan: TickPlan, after: number): TickWindow {
    return this.#read(() => {
      this.#requireStored(plan)
      const sealedSeq = this.#journal.sealedSeq(plan.id)
      const series = this.#sql.series
        .all(plan.id, query.feed)
        .filter(
          ({ instrument }) =>
            query.instruments === null || (query.instruments as readonly string[]).includes(instrument),
        )
      for (const seqs of this.#corruptFlushes.sealed(plan.id, after, sealedSeq))
        this.#rejectCorruptFlush(query, plan, after, seqs)
      const journal: Uint8Array[] = []
      let upToSeq = after
      if (sealedSeq <= after) {
        let bytes = 0
        for (const { firstSeq, lastSeq, data, isIntact } of this.#journal.after(plan.id, after)) {
          upToSeq = lastSeq
          bytes += data.length
          if (isIntact) journal.push(data)
          else this.#rejectCorruptFlush(query, plan, after, [firstSeq, lastSeq])
          if (bytes >= WINDOW_BYTES) break
        }
      }
      return { sealedSeq, series, journal, upToSeq, conns: this.#sql.conns.all(plan.id, query.feed) }
    })
  }

  /** Throws `store-damaged` if a corrupt flush may have held queried messages, judged by its seqs and event times. */
  #rejectCorruptFlush(query: TickQuery, plan: TickPlan, after: number, seqs: SeqRange): void {
    const [first, last] = seqs
    if (first > Math.min(plan.maxSeq, query.upToSeq ?? Infinity) || last <= after) return
    const { fromMs, toMs } = this.#corruptFlushes.eventTimesWithin(plan.id, seqs)
    const isBefore = (toMs ?? Infinity) < Math.max(countsFrom(plan.share), query.fromMs ?? -Infinity)
    if (!isBefore && fromMs < (query.toMs ?? Infinity)) throw this.#corruptFlushes.refusal(plan.id, seqs)
  }

  blocks({ plan, series, after, upTo, fromMs, toMs, limit }: BlockQuery): readonly ListedBlock[] {
    return this.#read(() => {
      this.#requireStored(plan)
      return this.#sql.blocks.all(series, after, upTo, fromMs, toMs, limit)
    })
  }

  #requireStored({ id, session }: BlockQuery['plan']): void {
    if (this.#sql.stored.get(id, session) === undefined) throw erasedError(session)
  }

  #read<T>(run: () => T): T {
    return this.db.transaction(run).deferred()
  }
}

const FEED_NAMES = FEED_IDS.map((feed) => `'${feed}'`).join(', ')

/** Ranges are half open; a gap of no length counts at its instant. */
const isWithin = (gap: Pick<Gap, 'fromMs' | 'toMs'>, fromMs: number, toMs: number): boolean =>
  gap.fromMs < toMs && (gap.toMs === null || gap.toMs > fromMs || gap.fromMs >= fromMs)

/** The error of a corrupt gap for a reader that needs all gaps. */
export const corruptGapError = (): CodedError =>
  new CodedError('store-damaged', 'A gap in the store is corrupt.', { hint: VERIFY_HINT })

function toGap({ key }: StoredSession, row: GapRow, toMs: number | null): Gap | UnreadableGap {
  const range = {
    fromMs: unixMs(row.from_ms),
    // The next session can have begun by a clock that was set back.
    toMs: toMs === null ? null : unixMs(Math.max(toMs, row.from_ms)),
    fromSeq: row.from_seq,
    toSeq: row.to_seq,
  }
  const symbols = symbolsOf(row.symbols)
  if (symbols === null || !isFeedId(row.feed) || !isGapCause(row.cause)) return { ...range, cause: 'unreadable' }
  return {
    ...range,
    session: sessionId(key),
    feed: row.feed,
    symbols,
    cause: row.cause,
    ...(row.skew_ms === null ? {} : { skewMs: row.skew_ms }),
  }
}

/** Null if the text is corrupt. */
function symbolsOf(text: string): readonly string[] | null {
  try {
    return JSON.parse(text) as string[] // written from a string[]
  } catch {
    return null
  }
}
