/** Which feed each connection of a recording was of. */
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import type { Db } from './sqlite.ts'

/** Prepares the read; its answer is by the connection's number, without those of feeds that are not known. */
export function connectionFeeds(db: Db): (recording: number) => ReadonlyMap<number, FeedId> {
  const all = db.prepare<[number], { conn: number; feed: string }>(
    'SELECT conn, feed FROM connection WHERE recording = ?',
  )
  return (recording) => {
    const feeds = new Map<number, FeedId>()
    for (const { conn, feed } of all.all(recording)) if (isFeedId(feed)) feeds.set(conn, feed)
    return feeds
  }
}
