/** Reading for review, in the thread of the file or across to it: the same answers by the same names. */
import { countActivity } from './activity.ts'
import { findPlace } from './seek-index.ts'
import type {
  ActivityQuery,
  EntryQuery,
  PlaceQuery,
  ReplayBatch,
  ReplayQuery,
  SnapshotQuery,
  StoreReader,
} from '../types/store.ts'
import { ReplayCursor, replayBuffers } from './replay-cursor.ts'
import { ReviewSql } from '../read/replay-sql.ts'
import { SnapshotReader } from '../write/snapshots.ts'
import type { Db } from '../schema/sqlite.ts'
import { MarksCache } from './time-index.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'

export type ReviewReader = Pick<StoreReader, 'replay' | 'place' | 'activity' | 'snapshot' | 'entries' | 'bookmarks'>

/** Of replays: a cursor stays open in the thread between its batches, by a number that the asker gives. */
export type ReviewRequest =
  | { readonly is: 'replay'; readonly cursor: number; readonly query: ReplayQuery }
  | { readonly is: 'replay-next'; readonly cursor: number }
  | { readonly is: 'replay-end'; readonly cursor: number }
  | { readonly is: 'place'; readonly query: PlaceQuery }
  | { readonly is: 'activity'; readonly query: ActivityQuery }
  | { readonly is: 'snapshot'; readonly query: SnapshotQuery }
  | { readonly is: 'entries'; readonly query: EntryQuery }
  | { readonly is: 'bookmarks'; readonly recording: RecordingId | null }

/** An answer, and what of it is handed over instead of copied. */
export interface ReviewAnswer {
  readonly value: unknown
  readonly give: readonly ArrayBuffer[]
}

/** Answers questions of review from an open file. */
export class Reviewer {
  readonly #sql: ReviewSql
  readonly #marks: MarksCache
  readonly #snapshots: SnapshotReader
  readonly #cursors = new Map<number, ReplayCursor>()

  constructor(db: Db) {
    this.#sql = new ReviewSql(db)
    this.#marks = new MarksCache(this.#sql)
    this.#snapshots = new SnapshotReader(db)
  }

  cursor(query: ReplayQuery): ReplayCursor {
    return new ReplayCursor(this.#sql, query)
  }

  answer(request: ReviewRequest): ReviewAnswer {
    switch (request.is) {
      case 'replay':
        this.#cursors.set(request.cursor, this.cursor(request.query))
        return this.#next(request.cursor)
      case 'replay-next':
        return this.#next(request.cursor)
      case 'replay-end':
        this.#cursors.delete(request.cursor)
        return { value: null, give: [] }
      case 'place':
        return { value: findPlace(this.#sql, this.#marks, request.query), give: [] }
      case 'activity':
        return { value: countActivity(this.#marks, request.query), give: [] }
      case 'snapshot': {
        const { id } = this.#sql.recording(request.query.recording)
        const found = this.#snapshots.read(id, request.query)
        return { value: found, give: found?.data.buffer instanceof ArrayBuffer ? [found.data.buffer] : [] }
      }
      case 'entries':
        return { value: this.#sql.entriesOf(this.#sql.recording(request.query.recording).id, request.query), give: [] }
      case 'bookmarks':
        return { value: this.#sql.bookmarks(request.recording), give: [] }
    }
  }

  #next(cursor: number): ReviewAnswer {
    const batch = this.#cursors.get(cursor)?.next() ?? null
    if (batch === null) this.#cursors.delete(cursor)
    return { value: batch, give: batch === null ? [] : replayBuffers(batch) }
  }
}

/** Whether a request is one of review. */
export function isReview(request: { readonly is: string }): request is ReviewRequest {
  switch (request.is as ReviewRequest['is']) {
    case 'replay':
    case 'replay-next':
    case 'replay-end':
    case 'place':
    case 'activity':
    case 'snapshot':
    case 'entries':
    case 'bookmarks':
      return true
    default:
      return false
  }
}

/** Asks the thread, which answers each request with the value that its name stands for. */
export type AskReview = <T>(request: ReviewRequest) => Promise<T>

/** The reader's calls of review. */
export function reviewReader(ask: AskReview): ReviewReader {
  let cursors = 0
  async function* replay(query: ReplayQuery): AsyncGenerator<ReplayBatch, void, void> {
    const cursor = ++cursors
    let following = ask<ReplayBatch | null>({ is: 'replay', cursor, query })
    try {
      for (;;) {
        const batch = await following
        if (batch === null) return
        // The next one is made while this one is used.
        following = ask({ is: 'replay-next', cursor })
        following.catch(() => undefined) // told when it is asked for
        yield batch
      }
    } finally {
      ask({ is: 'replay-end', cursor }).catch(() => undefined) // a thread that is gone holds none
    }
  }
  return {
    replay,
    place: (query) => ask({ is: 'place', query }),
    activity: (query) => ask({ is: 'activity', query }),
    snapshot: (query) => ask({ is: 'snapshot', query }),
    entries: (query) => ask({ is: 'entries', query }),
    bookmarks: (recording) => ask({ is: 'bookmarks', recording }),
  }
}
