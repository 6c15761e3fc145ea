/**
 * Decoded records as rows for SQL, for a few days: `archive --ticks 7d`. They are written with the frames they come
 * from, so they end at the watermark, too. The messages themselves are in blocks.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { KIND, scratch, type Scratch } from '../../../../service/codec.ts'
import { decodeStored } from '../../../../service/codecs/decode-stored.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import { dayOf, type FrameSink } from './archive.ts'
import type { Database } from './database.ts'
import { loadConnections } from './load.ts'

const DAY_MS = 86_400_000

const COLUMNS = [
  'day', 'session', 'seq', 'feed', 'symbol', 'recv_ms', 'event_ms',
  'price', 'size', 'bid', 'bid_size', 'ask', 'ask_size', 'open', 'high', 'low', 'close', 'volume',
] // oxfmt-ignore

/** The first day, UTC, of which rows are kept. */
const firstDay = (keepDays: number, nowMs: number): string => dayOf(nowMs - keepDays * DAY_MS)

/** A sink that copies the records of frames into `tick`, unless their day is one that `dropOldTicks` drops. */
export async function tickSink(db: Database, keepDays: number, wallMs: () => number): Promise<FrameSink> {
  const { from } = await import('pg-copy-streams')
  const copy = `COPY ${db.schema}.tick (${COLUMNS.join(',')}) FROM STDIN`
  const record = scratch()
  const days = new Set<string>()
  return async (sql, id, day, flushes) => {
    if (day < firstDay(keepDays, wallMs())) return
    if (!days.has(day)) {
      await db.run(`SELECT ${db.schema}.add_partition('tick', $1)`, [day])
      days.add(day)
    }
    const feeds = new Map([...(await loadConnections(sql, db.schema, id))].map(([conn, { feed }]) => [conn, feed]))
    if (sql.client === null) throw new TypeError('ticks are written in a transaction')
    try {
      await pipeline(Readable.from(lines(id, day, flushes, feeds, record)), sql.client.query(from(copy)))
    } catch (thrown) {
      // A history that was restored from a backup may lack the partition.
      days.delete(day)
      throw thrown
    }
  }
}

/** Drops the rows of days before the first that is kept. Returns how many days were dropped. */
export async function dropOldTicks(db: Database, keepDays: number, nowMs: number): Promise<number> {
  const [{ dropped }] = await db.rows<{ dropped: number }>(`SELECT ${db.schema}.drop_ticks($1) AS dropped`, [
    firstDay(keepDays, nowMs),
  ])
  return dropped
}

/** Text of COPY: a line for each record. Control messages and what can't be decoded have none. */
function* lines(
  id: number,
  day: string,
  flushes: readonly CommittedFlush[],
  feeds: ReadonlyMap<number, FeedId | ''>,
  record: Scratch,
): Generator<string> {
  for (const { batch } of flushes) {
    const { messages: m } = batch
    let text = ''
    for (let i = 0; i < m.count; i++) {
      const feed = feeds.get(m.conn[i])
      if (feed === undefined || feed === '' || (m.flags[i] & STORED_ONLY) !== 0) continue
      if (decodeStored(feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1], record) !== 'market') continue
      const start = `${day}\t${id}\t${m.seq[i]}\t${feed}\t${escape(record.symbol)}\t${m.recvMs[i]}`
      text += `${start}\t${numbersOf(record)}\n`
    }
    if (text !== '') yield text
  }
}

const NULL = '\\N'
const number = (value: number): string => (Number.isNaN(value) ? NULL : String(value))

/** The columns from `event_ms` on. The scratch has stale numbers of other kinds. */
function numbersOf(r: Scratch): string {
  const isTrade = r.kind === KIND.trade
  const isQuote = r.kind === KIND.quote
  const isBar = r.kind === KIND.bar
  const of = (has: boolean, value: number): string => (has ? number(value) : NULL)
  return [
    number(r.eventMs),
    of(isTrade, r.price), of(isTrade, r.size),
    of(isQuote, r.bid), of(isQuote, r.bidSize), of(isQuote, r.ask), of(isQuote, r.askSize),
    of(isBar, r.open), of(isBar, r.high), of(isBar, r.low), of(isBar, r.close), of(isBar, r.volume),
  ].join('\t') // oxfmt-ignore
}

/** Escapes what COPY would take for the end of a value. PostgreSQL's text has no NUL. */
const escape = (text: string): string =>
  text
    .replace(/[\\\t\n\r]/g, (c) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[c] ?? c)
    .replaceAll('\0', '')
