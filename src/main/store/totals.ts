/** What is stored of a recording, counted from the index of its blocks. */
import { decodeJournal } from './journal.ts'
import type { Db } from './sqlite.ts'
import { FLAG, type FeedCounts } from '../../shared/recording.ts'
import { isFeedId, type FeedId } from '../../shared/units.ts'

export interface Totals {
  readonly messages: number
  readonly symbols: number
  readonly bytes: number
  readonly feeds: readonly FeedCounts[]
}

interface Sums {
  readonly feed: string
  readonly stored: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  readonly bytes: number
}

/** Counts by feed; of a recording still open, the journal's messages are read and counted too. */
export function feedTotals(db: Db, recording: number): Totals {
  const rows = db
    .prepare<[number], Sums>(
      `SELECT s.feed, sum(b.count) AS stored, sum(b.control) AS control, sum(b.undecodable) AS undecodable,
              sum(b.unasked) AS unasked, sum(b.size) AS bytes
       FROM series s JOIN block b ON b.series = s.id WHERE s.recording = ? GROUP BY s.feed ORDER BY s.feed`,
    )
    .all(recording)
  const feeds = new Map<FeedId, { control: number; undecodable: number; unasked: number; stored: number }>()
  let bytes = 0
  for (const row of rows) {
    bytes += row.bytes
    if (isFeedId(row.feed)) feeds.set(row.feed, { ...row })
  }
  const conns = new Map<number, string>()
  const connections = db.prepare<[number], { conn: number; feed: string }>(
    'SELECT conn, feed FROM connection WHERE recording = ?',
  )
  for (const { conn, feed } of connections.all(recording)) conns.set(conn, feed)
  const journal = db.prepare<[number], Buffer>('SELECT data FROM journal WHERE recording = ? AND torn = 0').pluck()
  for (const data of journal.iterate(recording)) {
    bytes += data.length
    const { messages } = decodeJournal(data)
    for (let i = 0; i < messages.count; i++) {
      const feed = conns.get(messages.conn[i])
      if (feed === undefined || !isFeedId(feed)) continue
      let sums = feeds.get(feed)
      if (sums === undefined) feeds.set(feed, (sums = { control: 0, undecodable: 0, unasked: 0, stored: 0 }))
      const flags = messages.flags[i]
      sums.stored++
      if ((flags & FLAG.control) !== 0) sums.control++
      else if ((flags & FLAG.undecodable) !== 0) sums.undecodable++
      if ((flags & FLAG.unasked) !== 0) sums.unasked++
    }
  }
  const symbols = db
    .prepare<[number], number>("SELECT count(DISTINCT instrument) FROM series WHERE recording = ? AND instrument <> ''")
    .pluck()
    .get(recording)
  let messages = 0
  const counts = [...feeds].map(([feed, { stored, control, undecodable, unasked }]): FeedCounts => {
    messages += stored
    return { feed, received: stored, decoded: stored - control - undecodable, control, undecodable, unasked, stored }
  })
  return { messages, symbols: symbols ?? 0, bytes, feeds: counts }
}
