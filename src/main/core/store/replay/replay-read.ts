/** The calls that a replay makes to the store, answered in the reader's own thread or sent to it. */
import { countActivity } from './activity.ts'
import { findPosition } from './seek-index.ts'
import type {
  ActivityQuery,
  EntryQuery,
  PositionQuery,
  ReplayBatch,
  ReplayQuery,
  SnapshotQuery,
  StoreReader,
} from '../types/store.ts'
import { ReplayCursor, replayBuffers } from './replay-cursor.ts'
import { ReplaySql } from '../read/replay-sql.ts'
import { SnapshotReader } from '../write/snapshots.ts'
import type { Db } from '../schema/sqlite.ts'
import { MarksCache } from './time-index.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'

export type ReplayReader = Pick<
  StoreReader,
  'replay' | 'findPosition' | 'activity' | 'snapshot' | 'entries' | 'bookmarks'
>

/** Requests of replays. A cursor stays open in the thread between batches, under a number chosen by the caller. */
export type ReplayRequest =
  | { readonly is: 'replay'; readonly cursor: number; readonly query: ReplayQuery }
  | { readonly is: 'replay-next'; readonly cursor: number }
  | { readonly is: 'replay-end'; readonly cursor: number }
  | { readonly is: 'findPosition'; readonly query: PositionQuery }
  | { readonly is: 'activity'; readonly query: ActivityQuery }
  | { readonly is: 'snapshot'; readonly query: SnapshotQuery }
  | { readonly is: 'entries'; readonly query: EntryQuery }
  | { readonly is: 'bookmarks'; readonly recording: RecordingId | null }

/** A response, and the buffers to transfer instead of copying. */
export interface ReplayResponse {
  readonly value: unknown
  readonly transfer: readonly ArrayBuffer[]
}

/** Answers replay requests from an open file. */
export class ReplayResponder {
  readonly #sql: ReplaySql
  readonly #marks: MarksCache
  readonly #snapshots: SnapshotReader
  readonly #cursors = new Map<number, ReplayCursor>()

  constructor(db: Db) {
    this.#sql = new ReplaySql(db)
    this.#marks = new MarksCache(this.#sql)
    this.#snapshots = new SnapshotReader(db)
  }

  cursor(query: ReplayQuery): ReplayCursor {
    return new ReplayCursor(this.#sql, query)
  }

  respond(request: ReplayRequest): ReplayResponse {
    switch (request.is) {
      case 'replay':
        this.#cursors.set(request.cursor, this.cursor(request.query))
        return this.#next(request.cursor)
      case 'replay-next':
        return this.#next(request.cursor)
      case 'replay-end':
        this.#cursors.delete(request.cursor)
        return { value: null, transfer: [] }
      case 'findPosition':
        return { value: findPosition(this.#sql, this.#marks, request.query), transfer: [] }
      case 'activity':
        return { value: countActivity(this.#marks, request.query), transfer: [] }
      case 'snapshot': {
        const { id } = this.#sql.recording(request.query.recording)
        const found = this.#snapshots.read(id, request.query)
        return { value: found, transfer: found?.data.buffer instanceof ArrayBuffer ? [found.data.buffer] : [] }
      }
      case 'entries':
        return {
          value: this.#sql.entriesOf(this.#sql.recording(request.query.recording).id, request.query),
          transfer: [],
        }
      case 'bookmarks':
        return { value: this.#sql.bookmarks(request.recording), transfer: [] }
    }
  }

  #next(cursor: number): ReplayResponse {
    const batch = this.#cursors.get(cursor)?.next() ?? null
    if (batch === null) this.#cursors.delete(cursor)
    return { value: batch, transfer: batch === null ? [] : replayBuffers(batch) }
  }
}

/** Whether a request is a replay request. */
export function isReplayRequest(request: { readonly is: string }): request is ReplayRequest {
  switch (request.is as ReplayRequest['is']) {
    case 'replay':
    case 'replay-next':
    case 'replay-end':
    case 'findPosition':
    case 'activity':
    case 'snapshot':
    case 'entries':
    case 'bookmarks':
      return true
    default:
      return false
  }
}

/** Sends a request to the thread. The response is the value named by the request. */
export type SendReplayRequest = <T>(request: ReplayRequest) => Promise<T>

/** Creates the replay calls of a reader. */
export function createReplayReader(ask: SendReplayRequest): ReplayReader {
  let cursors = 0
  async function* replay(query: ReplayQuery): AsyncGenerator<ReplayBatch, void, void> {
    const cursor = ++cursors
    let following = ask<ReplayBatch | null>({ is: 'replay', cursor, query })
    try {
      for (;;) {
        const batch = await following
        if (batch === null) return
        // The next batch is read while this one is used.
        following = ask({ is: 'replay-next', cursor })
        following.catch(() => undefined) // a failure is reported when this batch is requested
        yield batch
      }
    } finally {
      ask({ is: 'replay-end', cursor }).catch(() => undefined) // a thread that died holds no cursors
    }
  }
  return {
    replay,
    findPosition: (query) => ask({ is: 'findPosition', query }),
    activity: (query) => ask({ is: 'activity', query }),
    snapshot: (query) => ask({ is: 'snapshot', query }),
    entries: (query) => ask({ is: 'entries', query }),
    bookmarks: (recording) => ask({ is: 'bookmarks', recording }),
  }
}
