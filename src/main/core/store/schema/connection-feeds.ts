/** Reads which feed each connection of a session belongs to. */
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import { lazyStatements, type Db } from './sqlite.ts'

/** The query returns feeds by connection number, without feeds this version doesn't know. */
export function connectionFeeds(db: Db): (session: number) => ReadonlyMap<number, FeedId> {
  const sql = lazyStatements({
    all: () =>
      db.prepare<[number], { conn: number; feed: string }>('SELECT conn, feed FROM connection WHERE recording = ?'),
  })
  return (session) => {
    const feeds = new Map<number, FeedId>()
    for (const { conn, feed } of sql.all.all(session)) if (isFeedId(feed)) feeds.set(conn, feed)
    return feeds
  }
}
