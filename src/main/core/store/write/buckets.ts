/**
 * Collects messages from the journal by series before they are sealed into blocks. A series costs memory while it is
 * recorded and at least one block, so unasked messages can't open a series for every name the service has.
 */
import { FLAG, MAX_ALIASES, STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { ColumnsBuilder } from '../format/message-columns.ts'
import { applyToBars, barSources, hasRollups } from '../format/classify.ts'
import type { Classifier, MinuteBars, SeriesName } from '../format/classify.ts'
import type { MessageColumns } from '../types/messages.ts'
import { seriesKey } from './open-session.ts'

/**
 * Series of a feed in one session that unasked messages may open. Unasked messages of further instruments share the
 * series of messages without an instrument. Subscribed instruments always get a series.
 */
export const MAX_UNASKED_SERIES = 1_000

/** Whether an unasked message may be in the shared series `''` of a feed that has `named` others. */
export const mayShareSeries = (flags: number, named: number): boolean =>
  (flags & FLAG.unasked) !== 0 && named >= MAX_UNASKED_SERIES

/** Messages of one series, in order, and what they add to its bars. */
export interface Bucket {
  readonly feed: FeedId
  readonly name: SeriesName
  readonly rows: ColumnsBuilder
  /** Event time of each row, UTC ms; NaN if undated. */
  readonly eventMs: number[]
  readonly symbols: Set<string>
  lastSymbol: string
  readonly minutes: MinuteBars
}

/** What placing messages needs to know of their session. */
export interface SeriesOfSession {
  /** By connection; 0 is the entries, without a feed. */
  readonly chains: ReadonlyMap<number, { readonly feed: FeedId | '' }>
  /** By `seriesKey`. */
  readonly series: ReadonlyMap<string, { readonly feed: FeedId; readonly name: SeriesName }>
}

interface FeedBuckets {
  readonly byName: Map<SeriesName, Bucket>
  /** Named series of the feed, including those that these buckets will open. */
  named: number
}

/** The buckets of one sealing of a session. The session's series must not change in the meantime. */
export class Buckets {
  readonly #rec: SeriesOfSession
  readonly #classifier: Classifier
  readonly #hasBars: boolean
  readonly #feeds = new Map<FeedId, FeedBuckets>()

  /** `hasBars`: whether to build the minutes of each bucket. */
  constructor(rec: SeriesOfSession, classifier: Classifier, hasBars = true) {
    this.#rec = rec
    this.#classifier = classifier
    this.#hasBars = hasBars
  }

  /** Adds row `i`. Throws TypeError if its connection has no feed. */
  add(m: MessageColumns, i: number): void {
    const feed = this.#rec.chains.get(m.conn[i])?.feed
    if (feed === undefined || feed === '') throw new TypeError(`connection ${m.conn[i]} has no feed`)
    const flags = m.flags[i]
    const { series, symbol, eventMs, record } = this.#classifier.classify(
      feed,
      flags,
      m.bytes,
      m.offsets[i],
      m.offsets[i + 1],
    )
    const bucket = this.#bucket(feed, series, flags)
    bucket.rows.add(m, i, i + 1)
    bucket.eventMs.push(eventMs)
    if (bucket.name === '') return
    if (symbol !== bucket.lastSymbol) {
      if (bucket.symbols.size < MAX_ALIASES) bucket.symbols.add(symbol)
      bucket.lastSymbol = symbol
    }
    if (!this.#hasBars || (flags & STORED_ONLY) !== 0 || !hasRollups(feed)) return
    applyToBars(bucket.minutes, barSources(feed), m.seq[i], Number.isNaN(eventMs) ? m.recvMs[i] : eventMs, record)
  }

  /** All buckets, by feed and then in order of creation. */
  all(): readonly Bucket[] {
    return [...this.#feeds.values()].flatMap(({ byName }) => [...byName.values()])
  }

  #bucket(feed: FeedId, series: SeriesName, flags: number): Bucket {
    const ofFeed = this.#ofFeed(feed)
    const known = ofFeed.byName.get(series)
    if (known !== undefined) return known
    const isNew = series !== '' && !this.#rec.series.has(seriesKey(feed, series))
    if (isNew && mayShareSeries(flags, ofFeed.named)) return this.#bucket(feed, '', flags)
    if (isNew) ofFeed.named++
    const bucket: Bucket = {
      feed,
      name: series,
      rows: new ColumnsBuilder(),
      eventMs: [],
      symbols: new Set(),
      lastSymbol: '',
      minutes: new Map(),
    }
    ofFeed.byName.set(series, bucket)
    return bucket
  }

  #ofFeed(feed: FeedId): FeedBuckets {
    let found = this.#feeds.get(feed)
    if (found === undefined) {
      const named = [...this.#rec.series.values()].filter((one) => one.feed === feed && one.name !== '').length
      this.#feeds.set(feed, (found = { byName: new Map(), named }))
    }
    return found
  }
}
