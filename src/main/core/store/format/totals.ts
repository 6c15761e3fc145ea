/** Totals of a session, computed from its block index. */
import { Classifier } from './classify.ts'
import { connectionFeeds } from '../schema/connection-feeds.ts'
import { Journal } from './journal.ts'
import { newColumns } from './message-columns.ts'
import type { MessageColumns } from '../types/messages.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import { FLAG, type FeedCounts } from '../../../../shared/core/recording/session.ts'
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'

export interface Totals {
  readonly messages: number
  readonly symbols: number
  readonly bytes: number
  readonly feeds: readonly FeedCounts[]
}

interface FeedSums {
  readonly feed: string
  readonly stored: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  readonly bytes: number
}

/** Totals of an open session's journal. Each flush is counted once and dropped when it is sealed. */
export class JournalTotals {
  readonly #feeds: (session: number) => ReadonlyMap<number, FeedId>
  readonly #journal: Journal
  readonly #sql
  #session = ''
  #flushes: readonly FlushSums[] = []
  #instruments = new Set<string>()
  readonly #classifier = new Classifier()

  constructor(db: Db) {
    this.#feeds = connectionFeeds(db)
    this.#journal = new Journal(db)
    this.#sql = lazyStatements({
      sealed: () =>
        db.prepare<[number], { key: string; sealed: number }>(
          'SELECT key, sealed_seq AS sealed FROM recording WHERE id = ?',
        ),
    })
  }

  /** Totals of the unsealed flushes. Call within a read transaction. */
  of(session: number): readonly FlushSums[] {
    const { key, sealed } = this.#sql.sealed.get(session) ?? { key: '', sealed: 0 }
    if (key !== this.#session) {
      this.#flushes = []
      this.#instruments = new Set()
    }
    this.#session = key
    const unsealed = this.#flushes.filter(({ first }) => first > sealed)
    const fresh: FlushSums[] = []
    let feeds: ReadonlyMap<number, FeedId> | null = null
    for (const flush of this.#journal.from(session, Math.max(sealed, unsealed.at(-1)?.first ?? 0) + 1)) {
      feeds ??= this.#feeds(session)
      const messages = flush.read()?.messages ?? newColumns(0, 0) // a corrupt flush counts as nothing, as after sealing
      fresh.push({
        first: flush.firstSeq,
        bytes: flush.data.length,
        sums: flushSums(messages, feeds),
        instruments: this.#named(messages, feeds),
      })
    }
    // Rebuilt only after a sealing: lists are requested more often, and each flush names many instruments.
    if (unsealed.length < this.#flushes.length) this.#instruments = new Set()
    const isNew = this.#instruments.size === 0
    this.#flushes = [...unsealed, ...fresh]
    for (const { instruments } of isNew ? this.#flushes : fresh)
      for (const instrument of instruments) this.#instruments.add(instrument)
    return this.#flushes
  }

  /** Instruments of the flushes that `of` returned last. */
  get instruments(): ReadonlySet<string> {
    return this.#instruments
  }

  #named(m: MessageColumns, feeds: ReadonlyMap<number, FeedId>): Set<string> {
    const found = new Set<string>()
    for (let i = 0; i < m.count; i++) {
      const feed = feeds.get(m.conn[i])
      if (feed === undefined) continue
      const { series } = this.#classifier.classify(feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1])
      if (series !== '') found.add(series)
    }
    return found
  }
}

interface Counts {
  control: number
  undecodable: number
  unasked: number
  stored: number
}

interface FlushSums {
  readonly first: number
  readonly bytes: number
  readonly sums: ReadonlyMap<FeedId, Readonly<Counts>>
  readonly instruments: ReadonlySet<string>
}

const nothing = (): Counts => ({ control: 0, undecodable: 0, unasked: 0, stored: 0 })

function flushSums(messages: MessageColumns, feeds: ReadonlyMap<number, FeedId>): Map<FeedId, Counts> {
  const found = new Map<FeedId, Counts>()
  for (let i = 0; i < messages.count; i++) {
    const feed = feeds.get(messages.conn[i])
    if (feed === undefined) continue
    let sums = found.get(feed)
    if (sums === undefined) found.set(feed, (sums = nothing()))
    const flags = messages.flags[i]
    sums.stored++
    if ((flags & FLAG.control) !== 0) sums.control++
    else if ((flags & FLAG.undecodable) !== 0) sums.undecodable++
    if ((flags & FLAG.unasked) !== 0) sums.unasked++
  }
  return found
}

/** Totals by feed. For an open session they include the journal's messages. */
export function feedTotals(db: Db, session: number, journal: JournalTotals = new JournalTotals(db)): Totals {
  const rows = db
    .prepare<[number], FeedSums>(
      `SELECT s.feed, sum(b.count) AS stored, sum(b.control) AS control, sum(b.undecodable) AS undecodable,
              sum(b.unasked) AS unasked, sum(b.size) AS bytes
       FROM series s JOIN block b ON b.series = s.id WHERE s.recording = ? GROUP BY s.feed ORDER BY s.feed`,
    )
    .all(session)
  const feeds = new Map<FeedId, Counts>()
  let bytes = 0
  for (const row of rows) {
    bytes += row.bytes
    if (isFeedId(row.feed)) feeds.set(row.feed, { ...row })
  }
  const symbols = new Set(
    db
      .prepare<[number], string>("SELECT DISTINCT instrument FROM series WHERE recording = ? AND instrument <> ''")
      .pluck()
      .all(session),
  )
  for (const flush of journal.of(session)) {
    bytes += flush.bytes
    for (const [feed, more] of flush.sums) {
      const sums = feeds.get(feed) ?? nothing()
      feeds.set(feed, sums)
      sums.stored += more.stored
      sums.control += more.control
      sums.undecodable += more.undecodable
      sums.unasked += more.unasked
    }
  }
  for (const instrument of journal.instruments) symbols.add(instrument)
  let messages = 0
  const counts = [...feeds].map(([feed, { stored, control, undecodable, unasked }]): FeedCounts => {
    messages += stored
    return { feed, received: stored, decoded: stored - control - undecodable, control, undecodable, unasked, stored }
  })
  return { messages, symbols: symbols.size, bytes, feeds: counts }
}
