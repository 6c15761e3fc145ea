/** The messages of the demo market in a past interval: the same texts that a connected client would have received. */
import { FEEDS } from '../service/feeds.ts'
import { FEED_IDS, instrumentId, type FeedId, type InstrumentId } from '../shared/base/units.ts'
import { createMarket } from './market/market.ts'
import { writersOf } from './pump.ts'

/** The symbols of one feed, as a client would subscribe to them. */
export interface HistorySubscription {
  readonly feed: FeedId
  readonly symbols: readonly string[]
}

export interface HistoryRequest {
  readonly subscriptions: readonly HistorySubscription[]
  /** [from, to), UTC ms. */
  readonly fromMs: number
  readonly toMs: number
  /** The market's seed; by default the simulator's own. */
  readonly seed?: number | undefined
}

/** Messages in the order of sending. Message i spans bytes[offsets[i], offsets[i + 1]). */
export interface HistoryChunk {
  readonly count: number
  /** Index into FEED_IDS. */
  readonly feed: Uint8Array<ArrayBuffer>
  /** When each is sent, UTC ms. Never decreases. */
  readonly sentMs: Float64Array<ArrayBuffer>
  readonly offsets: Uint32Array<ArrayBuffer>
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The market time of one chunk: a few thousand messages of a dozen busy instruments. */
const STEP_MS = 30_000

/**
 * Yields every message of the interval. The market is a function of time and seed, so the result is what a client that
 * subscribed at `fromMs` would have received. Throws when the data folder is incomplete.
 */
export function* marketHistory(dataDir: URL, request: HistoryRequest): Generator<HistoryChunk, void, void> {
  const { subscriptions, fromMs, toMs, seed = 1 } = request
  const market = createMarket(dataDir, seed)
  const writer = writersOf('javascript')
  const symbols = new Map<string, string>()
  const instruments = new Set<InstrumentId>()
  for (const { feed, symbols: listed } of subscriptions) {
    for (const symbol of listed) {
      const id = instrumentId(FEEDS[feed].asset, symbol)
      instruments.add(id)
      symbols.set(`${feed}|${id}`, symbol)
    }
  }
  const wanted = [...instruments].sort()
  market.advance(fromMs, wanted)
  for (let at = fromMs; at < toMs;) {
    at = Math.min(toMs, at + STEP_MS)
    const sent: { readonly feed: FeedId; readonly atMs: number; readonly text: string }[] = []
    for (const { feed, instrument, atMs, values } of market.advance(at, wanted)) {
      const symbol = symbols.get(`${feed}|${instrument}`)
      if (symbol === undefined || atMs >= toMs) continue
      const { decimals, sizeDecimals } = market.decimalsOf(instrument)
      sent.push({ feed, atMs, text: writer(feed)(symbol, values, decimals, sizeDecimals) })
    }
    if (sent.length > 0) yield chunkOf(sent)
  }
}

function chunkOf(
  sent: readonly { readonly feed: FeedId; readonly atMs: number; readonly text: string }[],
): HistoryChunk {
  const bytes = new TextEncoder().encode(sent.map(({ text }) => text).join(''))
  const feed = new Uint8Array(sent.length)
  const sentMs = new Float64Array(sent.length)
  const offsets = new Uint32Array(sent.length + 1)
  for (const [i, message] of sent.entries()) {
    feed[i] = FEED_IDS.indexOf(message.feed)
    sentMs[i] = message.atMs
    // The market writes ASCII only, so characters are bytes.
    offsets[i + 1] = offsets[i] + message.text.length
  }
  if (offsets[sent.length] !== bytes.length) throw new RangeError('a message of the demo market is not ASCII')
  return { count: sent.length, feed, sentMs, offsets, bytes }
}
