/** Finds when the last dated messages of each feed were received, and by how much their event times lagged. */
import {
  DELAY_WINDOW_MS,
  LONGEST_DELAY_MS,
  SILENT_AT_MOST_MS,
  type LastReceived,
} from '../../../../shared/core/recording/delay-window.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { openBlock } from '../blocks/open.ts'
import { Classifier } from './classify.ts'
import { tryRead } from '../types/corruption.ts'
import { Journal } from './journal.ts'
import type { MessageColumns } from '../types/messages.ts'
import type { Db } from '../schema/sqlite.ts'

/** Sealed blocks read per feed, newest first. A feed can have hundreds of instruments; the newest few are enough. */
const MAX_BLOCKS = 32

/** A feed's last messages, collected newest first. */
class FeedTail implements LastReceived {
  recvMs = NaN
  delayMs = -Infinity
  isDone = false

  /** Adds the message before the previous one. Skips undated ones (event time NaN), because their delay is unknown. */
  add(recvMs: number, eventMs: () => number): void {
    if (this.isDone) return
    if (Math.abs(this.recvMs - recvMs) > DELAY_WINDOW_MS) {
      this.isDone = true
      return
    }
    const delay = recvMs - eventMs()
    if (!Number.isNaN(delay) && Number.isNaN(this.recvMs)) this.recvMs = recvMs
    if (delay > this.delayMs && delay <= LONGEST_DELAY_MS) this.delayMs = delay
  }
}

/**
 * Reads back from the newest message through the journal and then the blocks, at most SILENT_AT_MOST_MS. A feed missing
 * from the result received nothing for that long, or nothing at all. Skips corrupt data. `lastMonoNs`: monotonic ns
 * since the session started.
 */
export function findLastReceived(
  db: Db,
  session: number,
  feeds: readonly FeedId[],
  lastMonoNs: number,
): ReadonlyMap<FeedId, LastReceived> {
  const tails = new Map(feeds.map((feed) => [feed, new FeedTail()]))
  const oldestNs = lastMonoNs - SILENT_AT_MOST_MS * 1e6
  const isDone = (): boolean => [...tails.values()].every((tail) => tail.isDone)
  if (readJournal(db, session, oldestNs, tails, isDone)) {
    for (const [feed, tail] of tails) if (!tail.isDone) readBlocks(db, session, oldestNs, feed, tail)
  }
  return new Map([...tails].filter(([, { recvMs }]) => !Number.isNaN(recvMs)))
}

/** Returns whether it read the whole journal and some feed is still incomplete. */
function readJournal(
  db: Db,
  session: number,
  oldestNs: number,
  tails: ReadonlyMap<FeedId, FeedTail>,
  isDone: () => boolean,
): boolean {
  const classifier = new Classifier()
  const feedOf = new Map(
    db
      .prepare<[number], { conn: number; feed: FeedId }>('SELECT conn, feed FROM connection WHERE recording = ?')
      .all(session)
      .map(({ conn, feed }) => [conn, feed]),
  )
  for (const flush of new Journal(db).newestFirst(session)) {
    const m = flush.read()?.messages
    if (m === undefined) continue
    for (let i = m.count - 1; i >= 0; i--) {
      if (m.monoNs[i] < oldestNs) return false
      const feed = feedOf.get(m.conn[i])
      const tail = feed === undefined ? undefined : tails.get(feed)
      if (feed === undefined || tail === undefined || tail.isDone) continue
      tail.add(
        m.recvMs[i],
        () => classifier.classify(feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1]).eventMs,
      )
    }
    if (isDone()) return false
  }
  return !isDone()
}

function readBlocks(db: Db, session: number, oldestNs: number, feed: FeedId, tail: FeedTail): void {
  const newest = db
    .prepare<[number, string], { id: number | null; seq: number }>(
      `SELECT (SELECT id FROM block WHERE series = series.id ORDER BY min_seq DESC LIMIT 1) AS id,
         (SELECT max_seq FROM block WHERE series = series.id ORDER BY min_seq DESC LIMIT 1) AS seq
       FROM series WHERE recording = ? AND feed = ?`,
    )
    .all(session, feed)
    .sort((a, b) => b.seq - a.seq)
  const data = db.prepare<[number], Buffer>('SELECT data FROM block WHERE id = ?').pluck()
  const rows: { readonly seq: number; readonly recvMs: number; readonly eventMs: number }[] = []
  for (const { id } of newest.slice(0, MAX_BLOCKS)) {
    const bytes = id === null ? undefined : data.get(id)
    if (bytes === undefined) continue
    tryRead(() => {
      const { count, seq, recvMs, eventMs, monoNs } = openBlock(bytes)
      for (let i = count - 1; i >= 0 && monoNs[i] >= oldestNs; i--) {
        if (Math.abs(recvMs[count - 1] - recvMs[i]) > DELAY_WINDOW_MS) break
        rows.push({ seq: seq[i], recvMs: recvMs[i], eventMs: eventMs[i] })
      }
    })
  }
  for (const { recvMs, eventMs } of rows.sort((a, b) => b.seq - a.seq)) tail.add(recvMs, () => eventMs)
}

/** Stamp of the newest entry or unsealed message, whichever is later; undefined if there is neither. */
export function findNewestStamp(db: Db, session: number): Stamp | undefined {
  const entry = db
    .prepare<[number], Stamp>(
      'SELECT seq, wall_ms AS wallMs, mono_ns AS monoNs FROM entry WHERE recording = ? ORDER BY seq DESC LIMIT 1',
    )
    .get(session)
  for (const flush of new Journal(db).newestFirst(session)) {
    const messages = flush.read()?.messages
    const stamp = messages && stampOfLast(messages)
    if (stamp !== undefined) return newerStamp(entry, stamp)
  }
  return entry
}

/** Stamp of the newest entry or message, sealed or not; undefined if there is neither. Skips a corrupt block. */
export function findLastStamp(db: Db, session: number): Stamp | undefined {
  const data = db
    .prepare<[number], Buffer>(
      `SELECT data FROM block JOIN (
         SELECT (SELECT id FROM block WHERE series = series.id ORDER BY min_seq DESC LIMIT 1) AS newest
         FROM series WHERE recording = ?) ON block.id = newest
       ORDER BY max_seq DESC LIMIT 1`,
    )
    .pluck()
    .get(session)
  let sealed: Stamp | undefined
  if (data !== undefined) tryRead(() => (sealed = stampOfLast(openBlock(data))))
  return newerStamp(findNewestStamp(db, session), sealed)
}

/** When a message or entry was received: seq, wall clock in UTC ms, monotonic ns since the session started. */
export interface Stamp {
  readonly seq: number
  readonly wallMs: number
  readonly monoNs: number
}

/** Stamp of the last message; undefined if there is none. */
export function stampOfLast({ count, seq, recvMs, monoNs }: MessageStamps): Stamp | undefined {
  const last = count - 1
  return last < 0 ? undefined : { seq: seq[last], wallMs: recvMs[last], monoNs: monoNs[last] }
}

/** The stamp with the greatest seq; undefined if there is none. */
export function newerStamp(...stamps: readonly (Stamp | undefined)[]): Stamp | undefined {
  let found: Stamp | undefined
  for (const stamp of stamps) if (stamp !== undefined && stamp.seq > (found?.seq ?? 0)) found = stamp
  return found
}

type MessageStamps = Pick<MessageColumns, 'count' | 'seq' | 'recvMs' | 'monoNs'>
