/**
 * Decides which instrument a stored message belongs to and what it adds to bars. Sealing, reading and verifying share
 * it.
 */
import { MINUTE_MS } from '../../../../shared/base/durations.ts'
import { decodeStored } from '../../../../service/codecs/decode-stored.ts'
import { KIND, scratch, type Scratch } from '../../../../service/codec.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { fixedGrid, midPrice } from '../../../../shared/core/market/bars.ts'
import { createBarBuilder, type BarBuilder } from '../../../../shared/core/market/bar-builder.ts'
import type { BarSource } from '../../../../shared/core/market/market.ts'
import { FLAG } from '../../../../shared/core/recording/session.ts'
import { feedAsset, instrumentId, type FeedId, type InstrumentId } from '../../../../shared/base/units.ts'

/** `''` means no instrument: control, undecodable and anonymous messages, and unasked ones beyond a limit. */
export type SeriesName = InstrumentId | ''

const NO_INSTRUMENT = FLAG.control | FLAG.undecodable

/** How one message is classified. One object is reused; it is valid until the next `classify`. */
export interface ClassifiedMessage {
  series: SeriesName
  /** The symbol as the service wrote it; '' without an instrument. */
  symbol: string
  /** Event time, UTC ms; NaN if undated. */
  eventMs: number
  record: Scratch
}

/** Classifies messages one after another and caches the instruments of the symbols it has seen. */
export class Classifier {
  readonly placed: ClassifiedMessage = { series: '', symbol: '', eventMs: NaN, record: scratch() }
  readonly #names = new Map<FeedId, Map<string, SeriesName>>()

  /** Classifies a message of `feed` in bytes[from, to). */
  classify(feed: FeedId, flags: number, bytes: Uint8Array, from: number, to: number): ClassifiedMessage {
    const { placed } = this
    placed.series = ''
    placed.symbol = ''
    placed.eventMs = NaN
    if ((flags & NO_INSTRUMENT) !== 0) return placed
    const { record } = placed
    if (decodeStored(feed, flags, bytes, from, to, record) !== 'market') return placed
    placed.eventMs = record.eventMs
    if (record.symbol === '') return placed
    placed.symbol = record.symbol
    placed.series = this.#instrument(feed, record.symbol)
    return placed
  }

  #instrument(feed: FeedId, symbol: string): SeriesName {
    let names = this.#names.get(feed)
    if (names === undefined) this.#names.set(feed, (names = new Map<string, SeriesName>()))
    let name = names.get(symbol)
    if (name === undefined) {
      if (names.size > 100_000) names.clear()
      // instrumentKey can reduce a symbol such as "-" to nothing, which names no instrument.
      const id = instrumentId(feedAsset(feed), symbol)
      name = id.endsWith(':') ? '' : id
      names.set(symbol, name)
    }
    return name
  }
}

/** The kinds of bars that a feed's records build. */
export function barSources(feed: FeedId): readonly BarSource[] {
  switch (FEEDS[feed].kind) {
    case 'trade':
      return ['trade']
    case 'quote':
      return ['bid', 'ask', 'mid']
    case 'bar':
      return ['service']
  }
}

/** Whether one-minute bars of this feed are stored as rollups. */
export const hasRollups = (feed: FeedId): boolean => FEEDS[feed].barMs !== 1_000

const minuteGrid = fixedGrid(MINUTE_MS)

/** One-minute bars being built, by kind of record. */
export type MinuteBars = Map<BarSource, BarBuilder>

/** Adds a classified message to the bars of its series. `timeMs`: event time, or receive time if undated; UTC ms. */
export function applyToBars(
  minutes: MinuteBars,
  sources: readonly BarSource[],
  seq: number,
  timeMs: number,
  r: Scratch,
): void {
  for (const of of sources) {
    let builder = minutes.get(of)
    if (builder === undefined) minutes.set(of, (builder = createBarBuilder({ grid: minuteGrid })))
    applyRecord(builder, of, seq, timeMs, r)
  }
}

/** Adds a record to one builder. Ignores records of other kinds than `of`. */
export function applyRecord(builder: BarBuilder, of: BarSource, seq: number, timeMs: number, r: Scratch): void {
  switch (of) {
    case 'trade':
      if (r.kind === KIND.trade) builder.apply(timeMs, seq, r.price, r.size)
      return
    case 'bid':
      if (r.kind === KIND.quote) builder.apply(timeMs, seq, r.bid, NaN)
      return
    case 'ask':
      if (r.kind === KIND.quote) builder.apply(timeMs, seq, r.ask, NaN)
      return
    case 'mid':
      if (r.kind === KIND.quote) builder.apply(timeMs, seq, midPrice(r.bid, r.ask), NaN)
      return
    case 'service':
      if (r.kind === KIND.bar) builder.replace(r.startMs, r.endMs, seq, r.open, r.high, r.low, r.close, r.volume)
      return
  }
}
