/** Compares a session's clock with the service's, from its messages. */
import { FEEDS } from '../../../../service/feeds.ts'
import type { Share } from '../../../../shared/core/recording/merged-sessions.ts'
import { clockFrom, ENOUGH_LEADS, skewAtStart, type Lead } from '../../../../shared/core/recording/reception.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import { openBlock } from '../blocks/open.ts'
import { Classifier } from '../format/classify.ts'
import { ClockShifts } from '../format/clock-shifts.ts'
import { Journal } from '../format/journal.ts'
import { connectionFeeds } from '../schema/connection-feeds.ts'
import type { StoredSession } from '../schema/records.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import { tryRead } from '../types/corruption.ts'

/** Instruments, messages of each, and flushes of the journal that are compared. */
const MAX_SERIES = 16
const MAX_ROWS = 256
const MAX_FLUSHES = 16

type Clock = Share['clock']

export class SessionClocks {
  readonly #classifier = new Classifier()
  readonly #journal: Journal
  readonly #shifts: ClockShifts
  readonly #feeds: (session: number) => ReadonlyMap<number, FeedId>
  readonly #sql
  /** Of open sessions with enough messages, by key. Their first messages don't change. */
  readonly #known = new Map<string, number>()

  constructor(db: Db) {
    this.#journal = new Journal(db)
    this.#shifts = new ClockShifts(db)
    this.#feeds = connectionFeeds(db)
    this.#sql = lazyStatements({
      series: () =>
        db.prepare<[number], { id: number; feed: string }>(
          `SELECT id, feed FROM series WHERE recording = ? AND instrument <> '' ORDER BY id`,
        ),
      first: () =>
        db.prepare<[number], Buffer>('SELECT data FROM block WHERE series = ? ORDER BY min_seq LIMIT 1').pluck(),
      skew: () =>
        db
          .prepare<[number], number>(
            'SELECT skew_ms FROM gap WHERE recording = ? AND skew_ms IS NOT NULL ORDER BY from_seq LIMIT 1',
          )
          .pluck(),
    })
  }

  /**
   * Service clock minus the session's clock, in steps. It is taken from the first messages, so a slow drift isn't in
   * it, and from the stored shifts of the clock.
   */
  of(row: StoredSession): Clock {
    const shifts = this.#shifts.of(row.id)
    return clockFrom(this.#skewAtStart(row, shifts), shifts)
  }

  #skewAtStart(row: StoredSession, shifts: readonly Lead[]): number {
    const known = this.#known.get(row.key)
    if (known !== undefined) return known
    const leads = [...this.#sealedLeads(row), ...this.#journalLeads(row)]
    const skewMs = skewAtStart(leads, shifts)
    if (skewMs === null) return this.#sql.skew.get(row.id) ?? 0
    if (leads.length >= ENOUGH_LEADS) this.#known.set(row.key, skewMs)
    return skewMs
  }

  *#sealedLeads({ id }: StoredSession): Generator<Lead, void, void> {
    let remaining = MAX_SERIES
    for (const { id: series, feed } of this.#sql.series.all(id)) {
      if (!isDatedWhenSent(feed) || remaining-- === 0) continue
      const data = this.#sql.first.get(series)
      const leads: Lead[] = []
      const take = (): void => {
        const { count, seq, recvMs, eventMs } = openBlock(data!)
        for (let i = 0; i < Math.min(count, MAX_ROWS); i++)
          if (!Number.isNaN(eventMs[i])) leads.push({ seq: seq[i], ms: eventMs[i] - recvMs[i] })
      }
      if (data !== undefined) tryRead(take)
      yield* leads
      if (remaining <= 0) return
    }
  }

  *#journalLeads({ id, summary }: StoredSession): Generator<Lead, void, void> {
    if (summary !== null) return
    const feeds = this.#feeds(id)
    let flushes = 0
    for (const flush of this.#journal.from(id, 0)) {
      const m = flush.read()?.messages
      if (m === undefined) continue
      if (flushes++ === MAX_FLUSHES) return
      for (let i = 0; i < Math.min(m.count, MAX_ROWS); i++) {
        const feed = feeds.get(m.conn[i])
        if (feed === undefined || !isDatedWhenSent(feed) || (m.flags[i] & STORED_ONLY) !== 0) continue
        const { eventMs } = this.#classifier.classify(feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1])
        if (!Number.isNaN(eventMs)) yield { seq: m.seq[i], ms: eventMs - m.recvMs[i] }
      }
    }
  }
}

/** Whether messages of a feed are dated when they are sent. Bars are dated by their start. */
const isDatedWhenSent = (feed: string): boolean => isFeedId(feed) && FEEDS[feed].barMs === null
