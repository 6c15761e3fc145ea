/** The calls that a replay makes to the store. */
import { countActivity } from './activity.ts'
import { findPosition } from './seek-index.ts'
import type {
  ActivityQuery,
  EntryQuery,
  Position,
  PositionQuery,
  ReplayBatch,
  ReplayQuery,
  Snapshot,
  SnapshotQuery,
} from '../types/replay.ts'
import type { StoredEntry } from '../types/messages.ts'
import { ReplayCursor, stampsOf } from './replay-cursor.ts'
import type { ReplaySql } from '../read/replay-sql.ts'
import { SnapshotReader } from '../write/snapshots.ts'
import { MarksCache } from './time-index.ts'
import type { Call } from '../rpc/rpc.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'

/** Methods for replays. A replay stays open between batches, under a number chosen by the caller. */
export interface ReplayMethods {
  /** Returns the first batch; null if there is none. */
  openReplay(cursor: number, query: ReplayQuery): ReplayBatch | null
  /** Returns the next batch, in `spare` if it fits; null at the end. */
  nextReplay(cursor: number, spare?: ArrayBuffer): ReplayBatch | null
  closeReplay(cursor: number): void
  findPosition(query: PositionQuery): Position | null
  activity(query: ActivityQuery): readonly number[]
  snapshot(query: SnapshotQuery): Snapshot | null
  entries(query: EntryQuery): readonly StoredEntry[]
  bookmarks(session: SessionId | null): readonly ReplayBookmark[]
}

export function createReplayMethods(sql: ReplaySql): ReplayMethods {
  const marks = new MarksCache(sql)
  const snapshots = new SnapshotReader(sql.db)
  const cursors = new Map<number, ReplayCursor>()
  const nextReplay = (cursor: number, spare?: ArrayBuffer): ReplayBatch | null => {
    const batch = cursors.get(cursor)?.next(spare) ?? null
    if (batch === null) cursors.delete(cursor)
    return batch
  }
  return {
    openReplay(cursor, query) {
      cursors.set(cursor, new ReplayCursor(sql, query))
      return nextReplay(cursor)
    },
    nextReplay,
    closeReplay: (cursor) => void cursors.delete(cursor),
    findPosition: (query) => findPosition(sql, marks, query),
    activity: (query) => countActivity(marks, query),
    snapshot: (query) => snapshots.read(sql.session(query.session).id, query),
    entries: (query) => sql.entriesOf(sql.session(query.session).id, query),
    bookmarks: (session) => sql.bookmarks(session),
  }
}

/** When the message or entry with a seq was received, UTC ms; null if there is none. */
export function findWallMs(sql: ReplaySql, session: SessionId, seq: number): number | null {
  for (const { wallMs } of stampsOf(sql, { session, afterSeq: seq - 1, upToSeq: seq })) return wallMs
  return null
}

let replays = 0

/** Reads the batches of a replay, one ahead of the caller. See `StoreReader.replay`. */
export async function* readBatches(
  call: Call<ReplayMethods>,
  query: ReplayQuery,
  spares: ArrayBuffer[] = [],
): AsyncGenerator<ReplayBatch, void, void> {
  const cursor = ++replays
  let following = call('openReplay', [cursor, query])
  try {
    for (;;) {
      const batch = await following
      if (batch === null) return
      // The next batch is read while this one is used.
      const spare = spares.pop()
      following = call('nextReplay', [cursor, spare], { transfer: spare === undefined ? [] : [spare] })
      following.catch(() => undefined) // a failure is reported when this batch is requested
      yield batch
    }
  } finally {
    call('closeReplay', [cursor]).catch(() => undefined) // a thread that died holds no cursors
  }
}
