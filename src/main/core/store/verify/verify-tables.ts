/** The small tables of a session, read at once as of one seq. */
import { MAX_ALIASES } from '../../../../shared/core/recording/session.ts'
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import type { MinuteBars } from '../format/classify.ts'
import { Journal } from '../format/journal.ts'
import { unpackRuns } from '../format/ledger.ts'
import type { RollupRow } from '../format/rollup.ts'
import type { MessageColumns } from '../types/messages.ts'
import type { CheckedSession } from './checked-session.ts'
import { blockRanges, type BlockRange } from './verify-blocks.ts'
import type { FlushRun } from './verify-chain.ts'
import { rollupRows } from './verify-rollups.ts'

interface SeriesRow {
  readonly id: number
  readonly feed: FeedId
  readonly instrument: string
  readonly symbols: string
  readonly rolled_seq: number
}

export interface JournalFlush {
  readonly last: number
  /** Null if it is corrupt. */
  readonly m: MessageColumns | null
}

export interface CheckedSeries {
  readonly row: SeriesRow
  /** Its blocks when the check began, by seq. */
  readonly blocks: readonly BlockRange[]
  /**
   * Its hours of bars when the check began; null if the session is closed, because they no longer change and can be
   * read later.
   */
  readonly rollups: readonly RollupRow[] | null
  readonly symbols: Set<string>
  /** Limit on listed symbols. Earlier versions of Tapedeck had none. */
  readonly maxSymbols: number
  readonly minutes: MinuteBars
}

export class SessionTables {
  readonly #session: CheckedSession
  /** The session isn't closed, so its bars still change. */
  readonly #isOpen: boolean
  /** Feeds by connection. */
  readonly feeds = new Map<number, FeedId>()
  /** The ledger's flushes by connection. */
  readonly runs = new Map<number, FlushRun[]>()
  readonly series = new Map<number, CheckedSeries>()
  /** How many series of each feed name an instrument. */
  readonly named = new Map<FeedId, number>()
  readonly journal: readonly JournalFlush[]

  constructor(session: CheckedSession, isOpen: boolean) {
    this.#session = session
    this.#isOpen = isOpen
    const { id } = session.row
    this.#readConnections(id)
    this.#readChains(id)
    this.journal = this.#readJournal(id)
    this.#readSeries(id)
  }

  #readConnections(id: number): void {
    const rows = this.#session.db.prepare<[number], { conn: number; feed: string }>(
      'SELECT conn, feed FROM connection WHERE recording = ?',
    )
    for (const { conn, feed } of rows.all(id)) {
      if (isFeedId(feed) && conn > 0) this.feeds.set(conn, feed)
      else this.#session.problem('structure', `connection ${conn} has no feed`)
    }
  }

  #readChains(id: number): void {
    const rows = this.#session.db.prepare<[number], { conn: number; part: number; flushes: Buffer; head: Buffer }>(
      'SELECT conn, part, flushes, head FROM chain WHERE recording = ? ORDER BY conn, part',
    )
    const parts = new Map<number, number>()
    for (const { conn, part, flushes, head } of rows.all(id)) {
      if (conn !== 0 && !this.feeds.has(conn))
        this.#session.problem('structure', `the ledger lists connection ${conn}, which isn’t stored`)
      if (part !== (parts.get(conn) ?? 0))
        this.#session.problem('missing', `a ledger row of connection ${conn} is missing`)
      parts.set(conn, part + 1)
      const runs = unpackRuns(flushes)
      runs.forEach(([size, repeats], i) =>
        this.#addRun(conn, { size, repeats, head: i === runs.length - 1 ? head : null }),
      )
    }
  }

  #addRun(conn: number, run: FlushRun): void {
    const runs = this.runs.get(conn)
    if (runs === undefined) this.runs.set(conn, [run])
    else runs.push(run)
  }

  /** The journal's flushes after the watermark, in order. */
  #readJournal(id: number): readonly JournalFlush[] {
    const flushes: JournalFlush[] = []
    for (const flush of new Journal(this.#session.db).from(id, -Infinity)) {
      const { id: rowId, firstSeq: first, lastSeq: last } = flush
      const blob = flush.read()
      if (blob === null) {
        this.#session.problem('torn', `journal row ${rowId} (seq ${first} to ${last}) is corrupt`)
        if (first > this.#session.row.sealed_seq) flushes.push({ last, m: null })
        continue
      }
      if (first <= this.#session.row.sealed_seq) {
        this.#session.problem(
          'doubled',
          `journal row ${rowId} is still stored although everything up to seq ${this.#session.row.sealed_seq} is sealed`,
        )
        continue
      }
      const { leaves, messages } = blob
      for (const { conn, count, head } of leaves) this.#addRun(conn, { size: count, repeats: 1, head })
      flushes.push({ last, m: messages })
    }
    return flushes
  }

  #readSeries(id: number): void {
    const rows = this.#session.db.prepare<[number], SeriesRow & { feed: string }>(
      'SELECT id, feed, instrument, symbols, rolled_seq FROM series WHERE recording = ? ORDER BY id',
    )
    for (const row of rows.all(id)) {
      if (!isFeedId(row.feed)) {
        this.#session.problem('structure', `series ${row.id} has no feed`)
        continue
      }
      const maxSymbols = Math.max(MAX_ALIASES, countListed(row.symbols))
      const rollups = this.#isOpen ? rollupRows(this.#session.db, row.id) : null
      const blocks = blockRanges(this.#session.db, row.id)
      if (row.instrument !== '') this.named.set(row.feed, (this.named.get(row.feed) ?? 0) + 1)
      this.series.set(row.id, { row, blocks, rollups, symbols: new Set(), maxSymbols, minutes: new Map() })
    }
  }
}

/** Number of symbols a row lists; 0 if it is unreadable, which is reported separately. */
function countListed(symbols: string): number {
  try {
    const list: unknown = JSON.parse(symbols)
    return Array.isArray(list) ? list.length : 0
  } catch {
    return 0
  }
}
