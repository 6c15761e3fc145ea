/**
 * A reader's cache of the list of sessions. A closed session never changes, so what lists, bar pages and gap queries
 * need of it is read once, and a store of thousands of sessions costs little more than one of a few.
 */
import { inTurn } from '../../../../shared/features/sessions/overlaps.ts'
import type { FeedId, InstrumentId } from '../../../../shared/base/units.ts'
import type { Lead } from '../../../../shared/core/recording/reception.ts'
import { ClockShifts } from '../format/clock-shifts.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import type { BeginRecord, StoredSession } from '../schema/records.ts'

/** The time range of a session's gaps, UTC ms. */
export interface GapExtent {
  readonly leastMs: number
  readonly mostMs: number
  /** Some gaps have no end of their own. */
  readonly open: boolean
  /** Largest measured difference between the clocks of service and computer, ms. */
  readonly skewMs: number
}

/** What a session has sealed of one instrument of a feed. */
export interface SeriesExtent {
  readonly id: number
  readonly rolledSeq: number
  /** Event times of its blocks, UTC ms; Infinity and -Infinity if it has none. */
  readonly leastMs: number
  readonly mostMs: number
}

/** Caches a value per closed session. Values of open sessions are read each time. */
export class ClosedSessionCache<T> {
  readonly #values = new Map<string, T>()

  of(row: StoredSession, read: () => T): T {
    if (row.summary === null) return read()
    const known = this.#values.get(row.key)
    if (known !== undefined) return known // a cached value may be null, never undefined
    const value = read()
    this.#values.set(row.key, value)
    return value
  }

  clear(): void {
    this.#values.clear()
  }
}

/** Cached instruments. Over thousands of sessions each takes a few hundred KB. */
export const MAX_INSTRUMENTS = 64

export class Catalog {
  readonly #sql
  /** The newest store log row. Opening, closing, erasing and importing each add one. */
  #newest = -1
  #rows: readonly StoredSession[] = []
  /** Indexes of the open sessions in the list. */
  #open: readonly number[] = []
  #next: ReadonlyMap<number, number> | null = null
  /** Numbers of leases by session key. */
  readonly #epochs = new Map<string, number>()
  readonly #caches: ClosedSessionCache<unknown>[] = []
  readonly #gaps = this.createCache<GapExtent | null>()
  readonly #shiftsOf: ClockShifts
  readonly #shifts = this.createCache<readonly Lead[]>()
  readonly #receives = new Map<FeedId, ClosedSessionCache<boolean>>()
  readonly #series = new Map<string, ClosedSessionCache<SeriesExtent | null>>()

  constructor(db: Db) {
    this.#shiftsOf = new ClockShifts(db)
    this.#sql = lazyStatements({
      newest: () => db.prepare<[], number | null>('SELECT max(n) FROM store_log').pluck(),
      erased: () =>
        db.prepare<[number], number>("SELECT 1 FROM store_log WHERE n > ? AND kind = 'delete' LIMIT 1").pluck(),
      begun: () =>
        db
          .prepare<[number], string>(
            `SELECT body FROM store_log WHERE n > ? AND kind = 'begin' AND body LIKE '%"epoch":%' ORDER BY n`,
          )
          .pluck(),
      all: () => db.prepare<[], StoredSession>('SELECT * FROM recording ORDER BY id'),
      sealed: () => db.prepare<[number], number>('SELECT sealed_seq FROM recording WHERE id = ?').pluck(),
      receives: () =>
        db
          .prepare<[number, string], number>('SELECT 1 FROM connection WHERE recording = ? AND feed = ? LIMIT 1')
          .pluck(),
      gaps: () =>
        db.prepare<[number], { least: number | null; most: number; open: number; skew: number | null }>(
          `SELECT min(from_ms) AS least, max(max(from_ms, coalesce(to_ms, from_ms))) AS most,
           sum(to_ms IS NULL) AS open, max(abs(skew_ms)) AS skew FROM gap WHERE recording = ?`,
        ),
      series: () =>
        db.prepare<[number, string, string], { id: number; rolled: number }>(
          'SELECT id, rolled_seq AS rolled FROM series WHERE recording = ? AND feed = ? AND instrument = ?',
        ),
      span: () =>
        db.prepare<[number], { least: number | null; most: number | null }>(
          'SELECT min(min_ms) AS least, max(max_ms) AS most FROM block INDEXED BY block_order WHERE series = ?',
        ),
    })
  }

  /** In the order they were added to the store. Call within a read transaction. */
  storedSessions(): readonly StoredSession[] {
    const newest = this.#sql.newest.get() ?? 0
    if (newest !== this.#newest) {
      // An erased session may come back by an import, with the same name.
      if (this.#sql.erased.get(this.#newest) !== undefined) this.#forget()
      for (const body of this.#sql.begun.iterate(this.#newest)) {
        const { recording: session, epoch } = JSON.parse(body) as BeginRecord // written by the engine
        if (epoch !== undefined) this.#epochs.set(session, epoch)
      }
      this.#newest = newest
      this.#next = null
      this.#rows = this.#sql.all.all()
      this.#open = this.#rows.flatMap((row, i) => (row.summary === null ? [i] : []))
      return this.#rows
    }
    const sealed = this.#open.map((i) => this.#sql.sealed.get(this.#rows[i].id) ?? 0)
    if (this.#open.some((i, n) => this.#rows[i].sealed_seq !== sealed[n])) {
      const rows = [...this.#rows]
      for (const [n, i] of this.#open.entries()) rows[i] = { ...rows[i], sealed_seq: sealed[n] }
      this.#rows = rows
    }
    return this.#rows
  }

  /** Changes whenever a session began, was closed, imported or erased. */
  get version(): number {
    return this.#newest
  }

  /** The lease of a team's session; 0 without one. Call after `storedSessions`. */
  epochOf({ key }: StoredSession): number {
    return this.#epochs.get(key) ?? 0
  }

  /** Whether a session had a connection of a feed. */
  receives(row: StoredSession, feed: FeedId): boolean {
    let cached = this.#receives.get(feed)
    if (cached === undefined) this.#receives.set(feed, (cached = this.createCache()))
    return cached.of(row, () => this.#sql.receives.get(row.id, feed) !== undefined)
  }

  /** When the next session of the same source began, UTC ms; null if there is none. */
  nextStart(row: StoredSession): number | null {
    this.#next ??= nextStarts(this.#rows, (one) => this.epochOf(one))
    return this.#next.get(row.id) ?? null
  }

  /** Time range of its gaps; null if it has none. */
  gaps(row: StoredSession): GapExtent | null {
    return this.#gaps.of(row, () => {
      const found = this.#sql.gaps.get(row.id)
      if (found === undefined || found.least === null) return null
      const setBackMs = this.clockShifts(row).reduce((sum, { ms }) => sum + Math.max(0, -ms), 0)
      return { leastMs: found.least, mostMs: found.most + setBackMs, open: found.open > 0, skewMs: found.skew ?? 0 }
    })
  }

  /** How far its clock was set while gaps were open, by seq. */
  clockShifts(row: StoredSession): readonly Lead[] {
    return this.#shifts.of(row, () => this.#shiftsOf.inGaps(row.id))
  }

  /** Whether a session may have a gap in a range, UTC ms. */
  hasGaps(row: StoredSession, fromMs: number, toMs: number): boolean {
    const extent = this.gaps(row)
    if (extent === null || extent.leastMs >= toMs) return false
    const end = !extent.open ? -Infinity : row.ended_ms === null ? Infinity : (this.nextStart(row) ?? Infinity)
    return Math.max(extent.mostMs, end) >= fromMs
  }

  /** What a session has sealed of an instrument; null if nothing. */
  series(row: StoredSession, feed: FeedId, instrument: InstrumentId): SeriesExtent | null {
    const name = `${feed} ${instrument}`
    let cache = this.#series.get(name)
    if (cache === undefined) {
      if (this.#series.size >= MAX_INSTRUMENTS) this.#series.clear()
      this.#series.set(name, (cache = new ClosedSessionCache()))
    }
    return cache.of(row, () => {
      const found = this.#sql.series.get(row.id, feed, instrument)
      if (found === undefined) return null
      const { least, most } = this.#sql.span.get(found.id) ?? { least: null, most: null }
      return { id: found.id, rolledSeq: found.rolled, leastMs: least ?? Infinity, mostMs: most ?? -Infinity }
    })
  }

  /** Creates a cache that is cleared together with this one. */
  createCache<T>(): ClosedSessionCache<T> {
    const cache = new ClosedSessionCache<T>()
    this.#caches.push(cache)
    return cache
  }

  #forget(): void {
    for (const cache of this.#caches) cache.clear()
    this.#series.clear()
  }
}

/** When the next session of the same source began, by session number. */
function nextStarts(
  rows: readonly StoredSession[],
  epochOf: (row: StoredSession) => number,
): ReadonlyMap<number, number> {
  const next = new Map<number, number>()
  for (const [source, ofSource] of Map.groupBy(rows, (row) => row.source)) {
    const turn = inTurn(
      ofSource.map((row) => {
        const { id, started_ms: startedMs } = row
        return { id, source, startedMs, endedMs: null, imported: id < 0, epoch: epochOf(row) }
      }),
    ).map(({ of }) => of)
    for (let i = 1; i < turn.length; i++) next.set(turn[i - 1].id, turn[i].startedMs)
  }
  return next
}
