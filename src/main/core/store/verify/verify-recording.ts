/**
 * Verifies one session: every message, entry, gap, rollup and index row, and the close record. Small tables are read at
 * once, as of one seq. Blocks are then read one by one in separate reads, so that the writer can always empty its log.
 * Blocks merged or compacted in the meantime are looked up again.
 */
import { countText } from '../../../../shared/base/count-text.ts'
import { MAX_ALIASES, STORED_ONLY } from '../../../../shared/core/recording/recording.ts'
import { isFeedId, recordingId, unixMs, type FeedId, type RecordingId } from '../../../../shared/base/units.ts'
import { openBlock } from '../blocks/open.ts'
import { mayShareSeries } from '../write/buckets.ts'
import { applyToBars, barSources, Classifier, hasRollups, type MinuteBars } from '../format/classify.ts'
import { sliceColumns } from '../format/message-columns.ts'
import { Journal } from '../format/journal.ts'
import { countEntries, entriesUpTo, EntryCursor } from '../read/entry-pages.ts'
import { genesis, rowChecksum, equalBytes, unpackRuns, type EntryRow } from '../format/ledger.ts'
import type { DigestFolds } from '../types/reader.ts'
import type { MessageColumns } from '../types/messages.ts'
import type { StoreQueries } from '../read/queries.ts'
import { dropHead, pushHead, sinkHead, nextStreamSeq } from '../format/seq-heap.ts'
import { summarizeBlock, blockChecksumFields, encodeSymbols } from '../write/sealer.ts'
import type { Db } from '../schema/sqlite.ts'
import { upperBound } from '../types/upper-bound.ts'
import type { Report } from './verify-report.ts'
import { checkClose } from './verify-close.ts'
import { ChainWalk, walkEntries, type ChainFault, type FlushRun } from './verify-chain.ts'
import { DigestWalk } from './verify-digests.ts'
import { checkGaps } from './verify-gaps.ts'
import { SnapshotCheck } from '../write/snapshots.ts'
import type { RollupRow } from '../format/rollup.ts'
import { checkRollups, rollupRows } from './verify-rollups.ts'
import type { CloseRecord, RecordingRow } from '../schema/records.ts'

/** Messages between two progress calls; each is a chance to cancel. */
const PROGRESS_ROWS = 4_096

interface SeriesRow {
  readonly id: number
  readonly feed: FeedId
  readonly instrument: string
  readonly symbols: string
  readonly rolled_seq: number
}

interface BlockRow {
  readonly id: number
  readonly series: number
  readonly min_seq: number
  readonly max_seq: number
  readonly min_ms: number
  readonly max_ms: number
  readonly count: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  readonly size: number
  readonly sum: Buffer
  readonly data: Buffer
}

interface BlockPlace {
  readonly id: number
  readonly min_seq: number
  readonly max_seq: number
}

interface JournalFlush {
  readonly last: number
  /** Null if it is corrupt. */
  readonly m: MessageColumns | null
}

interface CheckedSeries {
  readonly row: SeriesRow
  /** Its blocks when the check began, by seq. */
  readonly blocks: readonly BlockPlace[]
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

/** Inputs of a session's verification besides the session. */
export interface RecordingCheckOptions {
  /** Its store log row; null if the log doesn't close it. */
  readonly close: CloseRecord | null
  readonly report: Report
  /** Without folds, digests are checked as entries only. */
  readonly folds: DigestFolds | undefined
}

const FAULT_TEXT: Readonly<Record<ChainFault['kind'], string>> = {
  changed: 'content doesn’t match the ledger',
  reordered: 'out of order',
  doubled: 'stored more than once',
}

/** Thrown if a session is erased during its verification. */
export class ErasedDuringCheck extends Error {}

/** Verifies one session. Create it in the read that returned its row, because all results are as of that read. */
export class RecordingCheck {
  readonly #db: Db
  readonly #row: RecordingRow
  readonly #key: RecordingId
  readonly #close: CloseRecord | null
  readonly #report: Report
  readonly #feeds = new Map<number, FeedId>()
  readonly #runs = new Map<number, FlushRun[]>()
  readonly #walks = new Map<number, ChainWalk>()
  readonly #series = new Map<number, CheckedSeries>()
  /** How many series of each feed name an instrument. */
  readonly #named = new Map<FeedId, number>()
  readonly #classifier = new Classifier()
  readonly #folds: DigestFolds | undefined
  #digests: DigestWalk | null = null
  /** When the check began. Entries that a live session adds later aren't checked. */
  readonly #entryCount: ReturnType<typeof countEntries>
  readonly #entries: EntryCursor
  #journal: readonly JournalFlush[] = []
  #snapshots: SnapshotCheck
  #nextSeq = 1
  #messages = 0

  constructor(queries: StoreQueries, row: RecordingRow, { close, report, folds }: RecordingCheckOptions) {
    this.#folds = folds
    this.#db = queries.db
    this.#row = row
    this.#key = recordingId(row.key)
    this.#close = close
    this.#report = report
    const { id } = row
    this.#readConnections(id)
    this.#readChains(id)
    this.#journal = this.#readJournal(id)
    this.#readSeries(id)
    this.#snapshots = new SnapshotCheck(this.#db, id)
    this.#entryCount = countEntries(this.#db, id)
    this.#entries = new EntryCursor(this.#entryRows())
    if (this.#folds !== undefined) {
      this.#digests = new DigestWalk(this.#folds, this.#entryRows(), (minuteMs, detail) =>
        this.#problem('digest', detail, undefined, minuteMs),
      )
    }
    checkGaps(this.#db, id, this.#entryRows(), (...names) => this.#problem(...names))
  }

  /**
   * Reads the messages in many short reads and compares them. Returns their number. `progress` gets a fraction from 0
   * to 1 and the messages so far; if it throws, the check ends. Throws ErasedDuringCheck.
   */
  run(progress: (done: number, messages: number) => void): number {
    const { id } = this.#row
    const journal = this.#journal
    for (const [conn, feed] of this.#feeds) {
      this.#walks.set(conn, new ChainWalk(genesis(this.#key, conn, feed), this.#runs.get(conn) ?? []))
    }
    const total = Math.max(1, this.#close?.lastSeq ?? journal.at(-1)?.last ?? this.#row.sealed_seq)
    for (const { m, at, series } of this.#inOrder(journal)) {
      this.#message(m, at, series)
      if (this.#messages % PROGRESS_ROWS === 0) progress(Math.min(1, this.#nextSeq / total), this.#messages)
    }
    this.#skipEntries()
    if (this.#isPart) this.#skipToLastEntry()
    this.#digests?.upTo(Infinity)
    this.#finish(id, journal)
    return this.#messages
  }

  /** Runs a short read. Throws ErasedDuringCheck if the session is gone. */
  #read<T>(run: () => T): T {
    return this.#db
      .transaction(() => {
        const { id, key } = this.#row
        if (this.#db.prepare('SELECT 1 FROM recording WHERE id = ? AND key = ?').get(id, key) === undefined)
          throw new ErasedDuringCheck()
        return run()
      })
      .deferred()
  }

  /** The entries at the beginning of the check, each page in a separate read. */
  #entryRows(): Iterable<EntryRow> {
    return entriesUpTo(this.#db, this.#row.id, this.#entryCount.lastSeq, (run) => this.#read(run))
  }

  #problem(kind: Parameters<Report>[1], detail: string, feed?: FeedId, atMs?: number): void {
    this.#report(this.#key, kind, detail, { feed: feed ?? null, atMs: atMs === undefined ? null : unixMs(atMs) })
  }

  #readConnections(id: number): void {
    const rows = this.#db.prepare<[number], { conn: number; feed: string }>(
      'SELECT conn, feed FROM connection WHERE recording = ?',
    )
    for (const { conn, feed } of rows.all(id)) {
      if (isFeedId(feed) && conn > 0) this.#feeds.set(conn, feed)
      else this.#problem('structure', `connection ${conn} has no feed`)
    }
  }

  #readChains(id: number): void {
    const rows = this.#db.prepare<[number], { conn: number; part: number; flushes: Buffer; head: Buffer }>(
      'SELECT conn, part, flushes, head FROM chain WHERE recording = ? ORDER BY conn, part',
    )
    const parts = new Map<number, number>()
    for (const { conn, part, flushes, head } of rows.all(id)) {
      if (conn !== 0 && !this.#feeds.has(conn))
        this.#problem('structure', `the ledger lists connection ${conn}, which isn’t stored`)
      if (part !== (parts.get(conn) ?? 0)) this.#problem('missing', `a ledger row of connection ${conn} is missing`)
      parts.set(conn, part + 1)
      const runs = unpackRuns(flushes)
      runs.forEach(([size, repeats], i) =>
        this.#addRun(conn, { size, repeats, head: i === runs.length - 1 ? head : null }),
      )
    }
  }

  #addRun(conn: number, run: FlushRun): void {
    const runs = this.#runs.get(conn)
    if (runs === undefined) this.#runs.set(conn, [run])
    else runs.push(run)
  }

  /** The journal's flushes after the watermark, in order. */
  #readJournal(id: number): readonly JournalFlush[] {
    const flushes: JournalFlush[] = []
    for (const flush of new Journal(this.#db).from(id, -Infinity)) {
      const { id: rowId, firstSeq: first, lastSeq: last } = flush
      const blob = flush.read()
      if (blob === null) {
        this.#problem('torn', `journal row ${rowId} (seq ${first} to ${last}) is corrupt`)
        if (first > this.#row.sealed_seq) flushes.push({ last, m: null })
        continue
      }
      if (first <= this.#row.sealed_seq) {
        this.#problem(
          'doubled',
          `journal row ${rowId} is still stored although everything up to seq ${this.#row.sealed_seq} is sealed`,
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
    const rows = this.#db.prepare<[number], SeriesRow & { feed: string }>(
      'SELECT id, feed, instrument, symbols, rolled_seq FROM series WHERE recording = ? ORDER BY id',
    )
    for (const row of rows.all(id)) {
      if (!isFeedId(row.feed)) {
        this.#problem('structure', `series ${row.id} has no feed`)
        continue
      }
      const maxSymbols = Math.max(MAX_ALIASES, countListed(row.symbols))
      const rollups = this.#close === null ? rollupRows(this.#db, row.id) : null
      const blocks = this.#blockRanges(row.id)
      if (row.instrument !== '') this.#named.set(row.feed, (this.#named.get(row.feed) ?? 0) + 1)
      this.#series.set(row.id, { row, blocks, rollups, symbols: new Set(), maxSymbols, minutes: new Map() })
    }
  }

  #blockRanges(series: number): readonly BlockPlace[] {
    return this.#db
      .prepare<[number], BlockPlace>('SELECT id, min_seq, max_seq FROM block WHERE series = ? ORDER BY min_seq')
      .all(series)
  }

  /** All messages by seq: the blocks of every series, then the journal. */
  *#inOrder(
    journal: readonly JournalFlush[],
  ): Generator<{ m: MessageColumns; at: number; series: CheckedSeries | null }> {
    const heap: {
      seq: number
      m: MessageColumns
      at: number
      blocks: Iterator<MessageColumns>
      series: CheckedSeries
    }[] = []
    for (const series of this.#series.values()) {
      const blocks = this.#blocks(series)
      const first = blocks.next()
      if (first.done !== true) pushHead(heap, { seq: first.value.seq[0], m: first.value, at: 0, blocks, series })
    }
    while (heap.length > 0) {
      const head = heap[0]
      const until = nextStreamSeq(heap)
      const { m, series } = head
      do yield { m, at: head.at++, series }
      while (head.at < m.count && m.seq[head.at] <= until)
      if (head.at === m.count) {
        const next = head.blocks.next()
        if (next.done === true) {
          dropHead(heap)
          continue
        }
        head.m = next.value
        head.at = 0
      }
      head.seq = head.m.seq[head.at]
      sinkHead(heap)
    }
    for (const { m } of journal) if (m !== null) for (let at = 0; at < m.count; at++) yield { m, at, series: null }
  }

  /** The messages of a series' blocks up to the watermark, oldest first. Each block is checked against its row. */
  *#blocks({ row: series, blocks }: CheckedSeries): Generator<MessageColumns> {
    const read = this.#db.prepare<[number], BlockRow>('SELECT * FROM block WHERE id = ?')
    let ranges = blocks
    /** Everything up to this seq was read. Merged blocks start before it. */
    let reached = 0
    let refreshed = false
    for (let n = 0; n < ranges.length; n++) {
      const place = ranges[n]
      const found = this.#read(() => {
        const row = read.get(place.id)
        const isSame = row?.series === series.id && row.min_seq === place.min_seq && row.max_seq === place.max_seq
        if (isSame) return { row, places: null }
        const current = this.#blockRanges(series.id)
        const stands = current.some(
          ({ id, min_seq, max_seq }) => id === place.id && min_seq === place.min_seq && max_seq === place.max_seq,
        )
        return stands ? { row, places: null } : { row: undefined, places: current }
      })
      if (found.places !== null) {
        // It was merged with others, so its messages are in blocks that weren't listed.
        ranges = found.places.filter(({ max_seq: last }) => last > reached)
        n = -1
        refreshed = true
        continue
      }
      const { row } = found
      if (row === undefined) {
        this.#problem('structure', `block ${place.id} is in the index but isn’t stored`, series.feed)
        continue
      }
      if (refreshed && row.min_seq > this.#row.sealed_seq) return
      const { id } = place
      const expected = {
        minSeq: row.min_seq,
        maxSeq: row.max_seq,
        minMs: row.min_ms,
        maxMs: row.max_ms,
        count: row.count,
        control: row.control,
        undecodable: row.undecodable,
        unasked: row.unasked,
      }
      if (
        row.series !== series.id ||
        row.size !== row.data.length ||
        !equalBytes(rowChecksum([series.id, ...blockChecksumFields(expected)], row.data), row.sum)
      ) {
        this.#problem(
          'changed',
          `block ${id} of ${series.instrument || 'no instrument'} fails its checksum`,
          series.feed,
          row.min_ms,
        )
      }
      let block
      let m
      try {
        block = openBlock(row.data)
        m = block.messages()
      } catch {
        this.#problem('torn', `block ${id} (seq ${row.min_seq} to ${row.max_seq}) is corrupt`, series.feed, row.min_ms)
        continue
      }
      const seals = blockChecksumFields(summarizeBlock(m, block.eventMs))
      if (block.feed !== series.feed || seals.some((n, i) => n !== blockChecksumFields(expected)[i])) {
        this.#problem('structure', `the index of block ${id} doesn’t match its messages`, series.feed, row.min_ms)
      }
      const cut = refreshed ? rowsWithin(m, reached, this.#row.sealed_seq) : m
      reached = Math.max(reached, row.max_seq)
      if (cut.count > 0) yield cut
    }
  }

  #skipEntries(): void {
    for (let entry = this.#entries.next; entry !== undefined; entry = this.#entries.next) {
      if (entry.seq > this.#nextSeq) return
      if (entry.seq < this.#nextSeq)
        this.#problem('doubled', `seq ${entry.seq} is stored as both an entry and a message`)
      else this.#nextSeq++
      this.#entries.take()
    }
  }

  /** An import of a part keeps the seqs of the whole. Its chains tell what it lacks itself. */
  get #isPart(): boolean {
    return this.#row.source.startsWith('import:')
  }

  /** Gap edges can follow the last message, with seqs in between that were other entries of the whole session. */
  #skipToLastEntry(): void {
    for (let entry = this.#entries.next; entry !== undefined; entry = this.#entries.next) {
      this.#nextSeq = Math.max(this.#nextSeq, entry.seq)
      this.#skipEntries()
    }
  }

  #message(m: MessageColumns, i: number, series: CheckedSeries | null): void {
    const seq = m.seq[i]
    const conn = m.conn[i]
    const feed = this.#feeds.get(conn)
    this.#messages++
    this.#skipEntries()
    if (seq < this.#nextSeq) this.#problem('doubled', `seq ${seq} is stored twice or out of order`, feed, m.recvMs[i])
    else {
      while (seq > this.#nextSeq) {
        const to = Math.min(seq, this.#entries.next?.seq ?? Infinity)
        if (!this.#isPart) this.#problem('missing', `seq ${this.#nextSeq} to ${to - 1} is missing`, feed, m.recvMs[i])
        this.#nextSeq = to
        this.#skipEntries()
      }
      this.#nextSeq = seq + 1
    }
    if (feed === undefined) {
      this.#problem('structure', `seq ${seq} belongs to connection ${conn}, which isn’t stored`, undefined, m.recvMs[i])
      return
    }
    if (this.#walks.get(conn)?.take(m, i) !== true)
      this.#problem('count', `the ledger doesn’t cover seq ${seq}`, feed, m.recvMs[i])
    const flags = m.flags[i]
    if (series === null && this.#digests === null) return
    const placed = this.#classifier.classify(feed, flags, m.bytes, m.offsets[i], m.offsets[i + 1])
    if ((flags & STORED_ONLY) === 0) this.#digests?.message(seq, feed, m.recvMs[i], placed.record)
    if (series === null) return
    const isInSharedSeries =
      series.row.instrument === '' && mayShareSeries(flags, this.#named.get(series.row.feed) ?? 0)
    if ((placed.series !== series.row.instrument && !isInSharedSeries) || feed !== series.row.feed) {
      this.#problem(
        'structure',
        `seq ${seq} is stored under ${series.row.instrument || 'no instrument'} instead of ${placed.series || 'none'}`,
        feed,
        m.recvMs[i],
      )
    }
    if (placed.series === '' || series.row.instrument === '') return
    if (series.symbols.size < series.maxSymbols) series.symbols.add(placed.symbol)
    if (seq > series.row.rolled_seq || (flags & STORED_ONLY) !== 0 || !hasRollups(feed)) return
    applyToBars(
      series.minutes,
      barSources(feed),
      seq,
      Number.isNaN(placed.eventMs) ? m.recvMs[i] : placed.eventMs,
      placed.record,
    )
  }

  #finish(id: number, journal: readonly JournalFlush[]): void {
    const heads = new Map<number, Uint8Array | null>()
    for (const [conn, walk] of this.#walks) {
      const feed = this.#feeds.get(conn)
      const { missing, head } = walk.finish()
      heads.set(conn, head)
      if (missing > 0)
        this.#problem(
          'missing',
          `${countText(missing, 'message')} of connection ${conn} ${missing === 1 ? 'is' : 'are'} missing`,
          feed,
        )
      for (const { kind, from, to, atMs } of walk.faults) {
        const which = from === to ? `message ${from}` : `messages ${from} to ${to}`
        this.#problem(
          kind,
          `${which} of connection ${conn}: ${FAULT_TEXT[kind]}`,
          feed,
          Number.isNaN(atMs) ? undefined : atMs,
        )
      }
    }
    const entries = walkEntries(genesis(this.#key, 0, ''), this.#runs.get(0) ?? [], this.#entryRows())
    heads.set(0, entries.head)
    if (!entries.ok) this.#problem('entry', 'the entries don’t match the ledger')
    const lastSeq = Math.max(this.#row.sealed_seq, journal.at(-1)?.last ?? 0)
    if (this.#nextSeq - 1 !== lastSeq)
      this.#problem('missing', `the session ends at seq ${this.#nextSeq - 1} instead of ${lastSeq}`)
    for (const snapshot of this.#snapshots.ids) {
      this.#read(() =>
        this.#snapshots.check(snapshot, lastSeq, (seq, wallMs, what) =>
          this.#problem('changed', `the snapshot after seq ${seq} ${what}`, undefined, wallMs),
        ),
      )
    }
    for (const series of this.#series.values()) this.#checkSeries(series)
    const close = this.#close
    if (close !== null) {
      const found = {
        messages: this.#messages,
        entries: this.#entryCount.count,
        sealedSeq: this.#row.sealed_seq,
        feeds: this.#feeds,
        heads,
      }
      this.#read(() => checkClose(this.#db, id, close, found, (...problem) => this.#problem(...problem)))
    }
  }

  #checkSeries({ row, rollups, symbols, minutes }: CheckedSeries): void {
    if (row.symbols !== encodeSymbols([...symbols]))
      this.#problem('structure', `the symbols of ${row.instrument} don’t match its messages`, row.feed)
    if (row.rolled_seq > this.#row.sealed_seq)
      this.#problem('rollup', `the bars of ${row.instrument} include messages that aren’t sealed yet`, row.feed)
    const hours = rollups ?? this.#read(() => rollupRows(this.#db, row.id))
    checkRollups(hours, row.instrument, minutes, (detail, atMs) => this.#problem('rollup', detail, row.feed, atMs))
  }
}

/** The rows with a seq in (after, upTo]. */
function rowsWithin(m: MessageColumns, after: number, upTo: number): MessageColumns {
  const from = upperBound(m.seq, after)
  const to = upperBound(m.seq, upTo)
  return from === 0 && to === m.count ? m : sliceColumns(m, from, to)
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
