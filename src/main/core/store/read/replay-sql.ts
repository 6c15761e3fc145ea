/** The short reads of a replay: blocks by seq, journal, entries, snapshots and bookmarks. Synchronous. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import { FEED_IDS, isFeedId, sessionId, unixMs, type SessionId } from '../../../../shared/base/units.ts'
import { BlockCache } from './block-cache.ts'
import { erasedError, readDated, VERIFY_HINT } from '../types/corruption.ts'
import type { OpenBlock } from '../blocks/open-block.ts'
import { openBlock } from '../blocks/open.ts'
import { Journal } from '../format/journal.ts'
import type { EntryQuery } from '../types/replay.ts'
import type { StoredEntry } from '../types/messages.ts'
import { connectionFeeds } from '../schema/connection-feeds.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import { CorruptFlushes } from '../format/corrupt-flushes.ts'

export interface ReplaySession {
  readonly id: number
  readonly key: SessionId
  readonly startedMs: number
}

export interface ReplaySeries {
  readonly id: number
  /** Index into FEED_IDS. */
  readonly feed: number
}

/** The seq range and id of a block. */
export interface BlockRange {
  readonly id: number
  readonly min_seq: number
  readonly max_seq: number
  /** Event times, UTC ms. */
  readonly min_ms: number
  readonly max_ms: number
  readonly count: number
}

interface EntryRow {
  readonly seq: number
  readonly wall_ms: number
  readonly mono_ns: number
  readonly body: string
}

export class ReplaySql {
  readonly db: Db
  readonly journal: Journal
  readonly corruptFlushes: CorruptFlushes
  readonly #cache = new BlockCache<OpenBlock>(64 << 20)
  readonly #feeds
  readonly #sql

  constructor(db: Db) {
    this.db = db
    this.journal = new Journal(db)
    this.corruptFlushes = new CorruptFlushes(db)
    this.#feeds = connectionFeeds(db)
    const place =
      'SELECT id, min_seq, max_seq, min_ms, max_ms, count FROM block INDEXED BY block_order WHERE series = ?'
    this.#sql = lazyStatements({
      session: () =>
        db.prepare<[string], { id: number; started_ms: number }>('SELECT id, started_ms FROM recording WHERE key = ?'),
      series: () =>
        db.prepare<[number], { id: number; feed: string }>('SELECT id, feed FROM series WHERE recording = ?'),
      covering: () =>
        db.prepare<[number, number], BlockRange>(`${place} AND min_seq <= ? ORDER BY min_seq DESC LIMIT 1`),
      following: () => db.prepare<[number, number], BlockRange>(`${place} AND min_seq > ? ORDER BY min_seq LIMIT 1`),
      within: () =>
        db.prepare<[number, number, number], BlockRange>(`${place} AND min_seq > ? AND min_seq <= ? ORDER BY min_seq`),
      data: () => db.prepare<[number], Buffer>('SELECT data FROM block WHERE id = ?').pluck(),
      entries: () =>
        db.prepare<[number, number, number], EntryRow>(
          'SELECT seq, wall_ms, mono_ns, body FROM entry WHERE recording = ? AND seq > ? AND seq <= ? ORDER BY seq',
        ),
      entriesOf: () =>
        db.prepare<[number, number, string], EntryRow>(
          `SELECT seq, wall_ms, mono_ns, body FROM entry
         WHERE recording = ? AND seq > ? AND body LIKE '{"type":"%'
           AND substr(body, 10, instr(substr(body, 10, 40), '"') - 1) IN (SELECT value FROM json_each(?)) ORDER BY seq`,
        ),
      stamps: () =>
        db.prepare<[number, number], { seq: number; wall_ms: number; clock: string | null }>(
          `SELECT seq, wall_ms, CASE WHEN body LIKE '{"type":"clock"%' THEN body END AS clock
         FROM entry WHERE recording = ? AND seq > ? ORDER BY seq`,
        ),
      bookmarks: () =>
        db.prepare<[string | null], { id: number; key: string; at_ms: number; seq: number | null; text: string }>(
          `SELECT b.id, r.key, b.at_ms, b.seq, b.text FROM bookmark b JOIN recording r ON r.id = b.recording
         WHERE r.key = coalesce(?, r.key) ORDER BY b.at_ms, b.id`,
        ),
    })
  }

  /** Runs several reads on one snapshot of the file. */
  read<T>(run: () => T): T {
    return this.db.transaction(run).deferred()
  }

  /** Throws `not-found`. */
  session(key: SessionId): ReplaySession {
    const row = this.#sql.session.get(key)
    if (row === undefined) {
      throw new CodedError('not-found', `There is no session ${key}.`, { hint: 'List them with "tapedeck sessions".' })
    }
    return { id: row.id, key, startedMs: row.started_ms }
  }

  /** Throws `not-found` once a session was erased, because what is left of it looks like its end. */
  requireStored({ id, key }: Pick<ReplaySession, 'id' | 'key'>): void {
    if (this.#sql.session.get(key)?.id !== id) throw erasedError(key)
  }

  series(session: number): readonly ReplaySeries[] {
    const known: ReplaySeries[] = []
    for (const { id, feed } of this.#sql.series.all(session)) {
      if (isFeedId(feed)) known.push({ id, feed: FEED_IDS.indexOf(feed) })
    }
    return known
  }

  /** Index into FEED_IDS, by connection. */
  connections(session: number): ReadonlyMap<number, number> {
    return new Map(Array.from(this.#feeds(session), ([conn, feed]) => [conn, FEED_IDS.indexOf(feed)]))
  }

  /** The first block of a series that ends after a seq. */
  blockAfter(series: number, seq: number): BlockRange | undefined {
    const covering = this.#sql.covering.get(series, seq + 1)
    if (covering !== undefined && covering.max_seq > seq) return covering
    return this.#sql.following.get(series, seq + 1)
  }

  /** Blocks of a series that hold a seq in (after, upTo]. */
  blocksWithin(series: number, after: number, upTo: number): readonly BlockRange[] {
    const first = this.blockAfter(series, after)
    if (first === undefined || first.min_seq > upTo) return []
    return [first, ...this.#sql.within.all(series, first.min_seq, upTo)]
  }

  /** Opens a block found in the same read. `keep` caches it for further seeks. */
  open(session: SessionId, series: number, place: BlockRange, keep: boolean): OpenBlock {
    const name = `${session} ${series} ${place.min_seq} ${place.max_seq}`
    const known = this.#cache.get(name)
    if (known !== undefined) return known
    const data = this.#sql.data.get(place.id)
    if (data === undefined) throw new TypeError(`block ${place.id} is gone`)
    const block = readDated({ what: 'messages', fromMs: place.min_ms, toMs: place.max_ms }, () => openBlock(data))
    if (keep) this.#cache.put(name, block, block.bytes)
    return block
  }

  /** Entries in (after, upTo]. */
  entries(session: number, afterSeq: number, upToSeq: number): StoredEntry[] {
    return this.#sql.entries.all(session, afterSeq, upToSeq).map(toEntry)
  }

  entriesOf(session: number, { afterSeq = 0, types }: EntryQuery): readonly StoredEntry[] {
    if (types === undefined) return this.entries(session, afterSeq, Number.MAX_SAFE_INTEGER)
    return this.#sql.entriesOf.all(session, afterSeq, JSON.stringify(types)).map(toEntry)
  }

  /** Stamps of entries after a seq; `shiftMs` is set for clock shifts. */
  *stamps(
    session: number,
    afterSeq: number,
  ): Generator<{ readonly seq: number; readonly wallMs: number; readonly shiftMs: number }, void, void> {
    for (const { seq, wall_ms: wallMs, clock } of this.#sql.stamps.iterate(session, afterSeq)) {
      const entry = clock === null ? null : parseEntry(clock)
      yield { seq, wallMs, shiftMs: entry?.type === 'clock' ? entry.shiftMs : 0 }
    }
  }

  bookmarks(session: SessionId | null): readonly ReplayBookmark[] {
    return this.#sql.bookmarks.all(session).map(({ id, key, at_ms: atMs, seq, text }) => ({
      id,
      session: sessionId(key),
      atMs: unixMs(atMs),
      seq,
      text,
    }))
  }
}

function parseEntry(body: string): LedgerEntry {
  try {
    return JSON.parse(body) as LedgerEntry // written from a LedgerEntry
  } catch {
    throw new CodedError('store-damaged', 'An entry in the store is corrupt.', { hint: VERIFY_HINT })
  }
}

const toEntry = ({ seq, wall_ms: wallMs, mono_ns: monoNs, body }: EntryRow): StoredEntry => ({
  seq,
  wallMs,
  monoNs,
  entry: parseEntry(body),
})
