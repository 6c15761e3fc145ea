/** The close record of a recording against what was found of it. */
import type { Problem } from '../../../../shared/core/recording/recording.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { Db } from '../schema/sqlite.ts'
import { feedTotals } from '../format/totals.ts'
import type { CloseRecord } from '../schema/records.ts'

/** What verifying read of a recording. */
export interface Found {
  readonly messages: number
  readonly entries: number
  readonly sealedSeq: number
  /** Feeds and last heads by connection. */
  readonly feeds: ReadonlyMap<number, FeedId>
  readonly heads: ReadonlyMap<number, Uint8Array | null>
}

type Tell = (kind: Problem['kind'], detail: string, feed?: FeedId) => void

/** Names every count and head that the close record of recording `id` says otherwise. */
export function checkClose(db: Db, id: number, close: CloseRecord, found: Found, tell: Tell): void {
  const totals = feedTotals(db, id)
  const count = (what: string, is: number, told: number): void => {
    if (is !== told) tell('count', `${what}: ${is} instead of ${told}`)
  }
  count('messages', found.messages, close.messages)
  count('entries', found.entries, close.entries)
  count('last seq', found.sealedSeq, close.lastSeq)
  count('symbols', totals.symbols, close.symbols)
  count('bytes', totals.bytes, close.bytes)
  for (const told of close.counts) {
    const is = totals.feeds.find(({ feed }) => feed === told.feed)
    const stored = is?.stored ?? 0
    if (
      stored !== told.stored ||
      told.received !== told.stored ||
      (is !== undefined &&
        (is.control !== told.control || is.undecodable !== told.undecodable || is.unasked !== told.unasked))
    ) {
      tell('count', `${told.feed}: ${stored} stored, ${told.received} received`, told.feed)
    }
  }
  for (const { feed } of totals.feeds) {
    if (!close.counts.some((told) => told.feed === feed)) tell('count', `${feed} is not in the close record`, feed)
  }
  for (const [conn, told] of Object.entries(close.heads)) {
    const head = found.heads.get(Number(conn)) ?? null
    if (head === null || Buffer.from(head).toString('hex') !== told) {
      tell('digest', `the head of connection ${conn} differs from the close record`, found.feeds.get(Number(conn)))
    }
  }
  if (Object.keys(close.heads).length !== found.heads.size) tell('digest', 'the close record names other connections')
}
