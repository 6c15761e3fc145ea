/**
 * Verifies one session: every message, entry, gap, rollup and index row, and the close record. Small tables are read at
 * once, as of one seq. Blocks are then read one by one in separate reads, so that the writer can always empty its log.
 * Blocks merged or compacted in the meantime are looked up again.
 */
import { countText } from '../../../../shared/base/count-text.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import { mayShareSeries } from '../write/buckets.ts'
import { applyToBars, barSources, Classifier, hasRollups } from '../format/classify.ts'
import { countEntries, entriesUpTo, EntryCursor } from '../read/entry-pages.ts'
import { genesis, type EntryRow } from '../format/ledger.ts'
import type { DigestFolds } from '../types/reader.ts'
import type { MessageColumns } from '../types/messages.ts'
import type { StoreQueries } from '../read/queries.ts'
import { dropHead, pushHead, sinkHead, nextStreamSeq } from '../format/seq-heap.ts'
import { encodeSymbols } from '../write/sealer.ts'
import { CheckedSession, type Report } from './checked-session.ts'
import { checkedBlocks } from './verify-blocks.ts'
import { checkClose } from './verify-close.ts'
import { ChainWalk, walkEntries, type ChainFault } from './verify-chain.ts'
import { DigestWalk } from './verify-digests.ts'
import { checkGaps } from './verify-gaps.ts'
import { SnapshotCheck } from '../write/snapshots.ts'
import { checkRollups, rollupRows } from './verify-rollups.ts'
import { SessionTables, type CheckedSeries, type JournalFlush } from './verify-tables.ts'
import type { CloseRecord, StoredSession } from '../schema/records.ts'

/** Messages between two progress calls; each is a chance to cancel. */
const PROGRESS_ROWS = 4_096

/** Inputs of a session's verification besides the session. */
export interface SessionCheckOptions {
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

/** Verifies one session. Create it in the read that returned its row, because all results are as of that read. */
export class StoredSessionCheck {
  readonly #session: CheckedSession
  readonly #tables: SessionTables
  readonly #close: CloseRecord | null
  readonly #walks = new Map<number, ChainWalk>()
  readonly #classifier = new Classifier()
  readonly #digests: DigestWalk | null
  /** When the check began. Entries that a live session adds later aren't checked. */
  readonly #entryCount: ReturnType<typeof countEntries>
  readonly #entries: EntryCursor
  readonly #snapshots: SnapshotCheck
  #nextSeq = 1
  #messages = 0

  constructor(queries: StoreQueries, row: StoredSession, { close, report, folds }: SessionCheckOptions) {
    const { db } = queries
    const { id } = row
    const session = new CheckedSession(db, row, report)
    this.#session = session
    this.#close = close
    this.#tables = new SessionTables(session, close === null)
    this.#snapshots = new SnapshotCheck(db, id)
    this.#entryCount = countEntries(db, id)
    this.#entries = new EntryCursor(this.#entryRows())
    this.#digests =
      folds === undefined
        ? null
        : new DigestWalk(folds, this.#entryRows(), (minuteMs, detail) =>
            session.problem('digest', detail, undefined, minuteMs),
          )
    checkGaps(db, id, this.#entryRows(), (...problem) => session.problem(...problem))
  }

  /**
   * Reads the messages in many short reads and compares them. Returns their number. `progress` gets a fraction from 0
   * to 1 and the messages so far; if it throws, the check ends. Throws ErasedDuringCheck.
   */
  run(progress: (done: number, messages: number) => void): number {
    const { id } = this.#session.row
    const { journal, feeds, runs } = this.#tables
    for (const [conn, feed] of feeds) {
      this.#walks.set(conn, new ChainWalk(genesis(this.#session.key, conn, feed), runs.get(conn) ?? []))
    }
    const total = Math.max(1, this.#close?.lastSeq ?? journal.at(-1)?.last ?? this.#session.row.sealed_seq)
    for (const { m, at, series } of this.#messagesInOrder(journal)) {
      this.#message(m, at, series)
      if (this.#messages % PROGRESS_ROWS === 0) progress(Math.min(1, this.#nextSeq / total), this.#messages)
    }
    this.#skipEntries()
    if (this.#isPart) this.#skipToLastEntry()
    this.#digests?.upTo(Infinity)
    this.#finish(id, journal)
    return this.#messages
  }

  /** The entries at the beginning of the check, each page in a separate read. */
  #entryRows(): Iterable<EntryRow> {
    return entriesUpTo(this.#session.db, this.#session.row.id, this.#entryCount.lastSeq, (run) =>
      this.#session.read(run),
    )
  }

  /** All messages by seq: the blocks of every series, then the journal. */
  *#messagesInOrder(
    journal: readonly JournalFlush[],
  ): Generator<{ m: MessageColumns; at: number; series: CheckedSeries | null }> {
    const heap: {
      seq: number
      m: MessageColumns
      at: number
      blocks: Iterator<MessageColumns>
      series: CheckedSeries
    }[] = []
    for (const series of this.#tables.series.values()) {
      const blocks = checkedBlocks(this.#session, series.row, series.blocks)
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

  #skipEntries(): void {
    for (let entry = this.#entries.next; entry !== undefined; entry = this.#entries.next) {
      if (entry.seq > this.#nextSeq) return
      if (entry.seq < this.#nextSeq)
        this.#session.problem('doubled', `seq ${entry.seq} is stored as both an entry and a message`)
      else this.#nextSeq++
      this.#entries.take()
    }
  }

  /** An import of a part keeps the seqs of the whole. Its chains tell what it lacks itself. */
  get #isPart(): boolean {
    return this.#session.row.source.startsWith('import:')
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
    const feed = this.#tables.feeds.get(conn)
    this.#messages++
    this.#skipEntries()
    if (seq < this.#nextSeq)
      this.#session.problem('doubled', `seq ${seq} is stored twice or out of order`, feed, m.recvMs[i])
    else {
      while (seq > this.#nextSeq) {
        const to = Math.min(seq, this.#entries.next?.seq ?? Infinity)
        if (!this.#isPart)
          this.#session.problem('missing', `seq ${this.#nextSeq} to ${to - 1} is missing`, feed, m.recvMs[i])
        this.#nextSeq = to
        this.#skipEntries()
      }
      this.#nextSeq = seq + 1
    }
    if (feed === undefined) {
      this.#session.problem(
        'structure',
        `seq ${seq} belongs to connection ${conn}, which isn’t stored`,
        undefined,
        m.recvMs[i],
      )
      return
    }
    if (this.#walks.get(conn)?.take(m, i) !== true)
      this.#session.problem('count', `the ledger doesn’t cover seq ${seq}`, feed, m.recvMs[i])
    const flags = m.flags[i]
    if (series === null && this.#digests === null) return
    const placed = this.#classifier.classify(feed, flags, m.bytes, m.offsets[i], m.offsets[i + 1])
    if ((flags & STORED_ONLY) === 0) this.#digests?.message(seq, feed, m.recvMs[i], placed.record)
    if (series === null) return
    const isInSharedSeries =
      series.row.instrument === '' && mayShareSeries(flags, this.#tables.named.get(series.row.feed) ?? 0)
    if ((placed.series !== series.row.instrument && !isInSharedSeries) || feed !== series.row.feed) {
      this.#session.problem(
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
      const feed = this.#tables.feeds.get(conn)
      const { missing, head } = walk.finish()
      heads.set(conn, head)
      if (missing > 0)
        this.#session.problem(
          'missing',
          `${countText(missing, 'message')} of connection ${conn} ${missing === 1 ? 'is' : 'are'} missing`,
          feed,
        )
      for (const { kind, from, to, atMs } of walk.faults) {
        const which = from === to ? `message ${from}` : `messages ${from} to ${to}`
        this.#session.problem(
          kind,
          `${which} of connection ${conn}: ${FAULT_TEXT[kind]}`,
          feed,
          Number.isNaN(atMs) ? undefined : atMs,
        )
      }
    }
    const entries = walkEntries(genesis(this.#session.key, 0, ''), this.#tables.runs.get(0) ?? [], this.#entryRows())
    heads.set(0, entries.head)
    if (!entries.ok) this.#session.problem('entry', 'the entries don’t match the ledger')
    const lastSeq = Math.max(this.#session.row.sealed_seq, journal.at(-1)?.last ?? 0)
    if (this.#nextSeq - 1 !== lastSeq)
      this.#session.problem('missing', `the session ends at seq ${this.#nextSeq - 1} instead of ${lastSeq}`)
    for (const snapshot of this.#snapshots.ids) {
      this.#session.read(() =>
        this.#snapshots.check(snapshot, lastSeq, (seq, wallMs, what) =>
          this.#session.problem('changed', `the snapshot after seq ${seq} ${what}`, undefined, wallMs),
        ),
      )
    }
    for (const series of this.#tables.series.values()) this.#checkSeries(series)
    const close = this.#close
    if (close !== null) {
      const found = {
        messages: this.#messages,
        entries: this.#entryCount.count,
        sealedSeq: this.#session.row.sealed_seq,
        feeds: this.#tables.feeds,
        heads,
      }
      this.#session.read(() =>
        checkClose(this.#session.db, id, close, found, (...problem) => this.#session.problem(...problem)),
      )
    }
  }

  #checkSeries({ row, rollups, symbols, minutes }: CheckedSeries): void {
    if (row.symbols !== encodeSymbols([...symbols]))
      this.#session.problem('structure', `the symbols of ${row.instrument} don’t match its messages`, row.feed)
    if (row.rolled_seq > this.#session.row.sealed_seq)
      this.#session.problem('rollup', `the bars of ${row.instrument} include messages that aren’t sealed yet`, row.feed)
    const hours = rollups ?? this.#session.read(() => rollupRows(this.#session.db, row.id))
    checkRollups(hours, row.instrument, minutes, (detail, atMs) =>
      this.#session.problem('rollup', detail, row.feed, atMs),
    )
  }
}
