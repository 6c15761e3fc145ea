/** The digests of a recording: the fold over its messages is run again, and must give what live wrote. */
import { cutsOrder, type LedgerEntry } from '../../../../shared/core/recording/recording.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { Scratch } from '../../../../service/codec.ts'
import { EntryCursor } from '../read/entry-pages.ts'
import type { EntryRow } from '../format/ledger.ts'
import type { DigestFold, DigestFolds } from '../types/store.ts'

/** A digest that differs: the minute it is of, UTC ms. */
type ReportDifference = (minuteMs: number, detail: string) => void

/** Walks entries and messages in the order of their seqs. After a difference it waits for the next cut. */
export class DigestWalk {
  readonly #folds: DigestFolds
  readonly #fold: DigestFold
  readonly #entries: EntryCursor
  readonly #report: ReportDifference
  #taken: ReturnType<DigestFold['apply']> = null
  #isDesynced = false

  constructor(folds: DigestFolds, entries: Iterable<EntryRow>, differs: ReportDifference) {
    this.#folds = folds
    this.#fold = folds.create()
    this.#entries = new EntryCursor(entries)
    this.#report = differs
  }

  /** Takes a message that was asked for and could be read. */
  message(seq: number, feed: FeedId, recvMs: number, record: Scratch): void {
    this.upTo(seq)
    if (!this.#isDesynced) this.#taken = this.#fold.apply(feed, recvMs, record) ?? this.#taken
  }

  /** Takes the entries before a seq. */
  upTo(seq: number): void {
    for (let row = this.#entries.next; row !== undefined && row.seq < seq; row = this.#entries.next) {
      this.#entries.take()
      if (row.body.startsWith('{"type":"gap-open"') || row.body.startsWith('{"type":"digest"')) this.#entry(row)
    }
  }

  #entry({ seq, body }: EntryRow): void {
    let entry: LedgerEntry
    try {
      entry = JSON.parse(body) as LedgerEntry // written from a LedgerEntry
    } catch {
      return // named where the entries are checked
    }
    if (entry.type === 'gap-open' && cutsOrder(entry.cause)) {
      this.#fold.reset()
      this.#taken = null
      this.#isDesynced = false
    } else if (entry.type === 'digest' && entry.fold === this.#folds.version && !this.#isDesynced) {
      const taken = this.#taken
      this.#taken = null
      if (taken?.minuteMs === entry.minuteMs && taken.sha256 === entry.sha256) return
      this.#isDesynced = true
      const why = taken === null ? 'no minute ended before it' : 'the messages give another'
      this.#report(entry.minuteMs, `the digest at seq ${seq} differs: ${why}`)
    }
  }
}
