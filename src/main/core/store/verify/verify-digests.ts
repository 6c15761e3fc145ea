/** Verifies a session's digests: repeats the fold over its messages and compares the results with those stored. */
import { cutsOrder, type LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { Scratch } from '../../../../service/codec.ts'
import { EntryCursor } from '../read/entry-pages.ts'
import type { EntryRow } from '../format/ledger.ts'
import type { DigestFold, DigestFolds } from '../types/reader.ts'

/** Reports a differing digest and its minute, UTC ms. */
type ReportDifference = (minuteMs: number, detail: string) => void

/** Walks entries and messages in seq order. After a difference it waits for the next cut. */
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

  /** Adds a subscribed, readable message. */
  message(seq: number, feed: FeedId, recvMs: number, record: Scratch): void {
    this.upTo(seq)
    if (!this.#isDesynced) this.#taken = this.#fold.apply(feed, recvMs, record) ?? this.#taken
  }

  /** Adds the entries before a seq. */
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
      return // reported when the entries are checked
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
      const why = taken === null ? 'no minute ended before it' : 'its messages produce a different one'
      this.#report(entry.minuteMs, `the digest at seq ${seq} doesn’t match: ${why}`)
    }
  }
}
