/** Distributes market messages to the connections that subscribed to them. */
import { FEEDS } from '../service/feeds.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../shared/base/units.ts'
import { BUSY_BYTES, type Connection, type Outgoing } from './connection.ts'
import { writerOf, type NumberStyle, type Values, type Writer } from './market/frames.ts'
import type { InstrumentEvent, Market } from './market/market.ts'
import type { PlaylistMessage } from './options.ts'

/** The connections and their subscriptions by feed. */
export interface Audience {
  readonly connections: ReadonlySet<Connection>
}

/** The messages of a turn by connection, in order. */
export type Batches = Map<Connection, Outgoing[]>

const add = (batches: Batches, connection: Connection, message: Outgoing) => {
  const list = batches.get(connection)
  if (list === undefined) batches.set(connection, [message])
  else list.push(message)
}

/** The subscribed instruments, in a stable order. */
export function wantedInstruments({ connections }: Audience): InstrumentId[] {
  const all = new Set<InstrumentId>()
  for (const connection of connections) for (const id of connection.tickers.values()) all.add(id)
  return [...all].sort()
}

/** Creates one writer per feed. */
export function writersOf(style: NumberStyle): (feed: FeedId) => Writer {
  const writers = new Map<FeedId, Writer>()
  return (feed) => {
    const known = writers.get(feed)
    if (known !== undefined) return known
    const made = writerOf(feed, style)
    writers.set(feed, made)
    return made
  }
}

/** Writes the events of the demo market once for every subscribed symbol of an instrument. */
export function marketBatches(
  events: readonly InstrumentEvent[],
  audience: Audience,
  market: Market,
  writer: (feed: FeedId) => Writer,
): Batches {
  const listeners = new Map<string, { connection: Connection; symbol: string }[]>()
  for (const connection of audience.connections) {
    if (!connection.open) continue
    for (const [symbol, id] of connection.tickers) {
      const place = `${connection.feed}|${id}`
      const list = listeners.get(place)
      if (list === undefined) listeners.set(place, [{ connection, symbol }])
      else list.push({ connection, symbol })
    }
  }
  const batches: Batches = new Map()
  for (const event of events) {
    const texts = new Map<string, string>()
    for (const { connection, symbol } of listeners.get(`${event.feed}|${event.instrument}`) ?? []) {
      let text = texts.get(symbol)
      if (text === undefined) {
        const { decimals, sizeDecimals } = market.decimalsOf(event.instrument)
        text = writer(event.feed)(symbol, event.values, decimals, sizeDecimals)
        texts.set(symbol, text)
      }
      add(batches, connection, { symbol, text })
    }
  }
  return batches
}

/** Made-up messages for load: a walk in whole cents, one message per call, cheap. */
export function createLoad(writer: (feed: FeedId) => Writer): (feed: FeedId, symbol: string, nowMs: number) => string {
  const walks = new Map<string, number>()
  let turn = 0
  return (feed, symbol, nowMs) => {
    const place = `${FEEDS[feed].asset}:${symbol}`
    turn = (Math.imul(turn, 1_664_525) + 1_013_904_223) >>> 0
    const cents = Math.max(100, (walks.get(place) ?? 10_000) + ((turn >>> 16) % 5) - 2)
    walks.set(place, cents)
    const price = cents / 100
    const second = Math.floor(nowMs / 1000) * 1000
    const values: Partial<Values> =
      FEEDS[feed].kind === 'trade'
        ? { price, size: 1 + (turn % 100), time: nowMs }
        : FEEDS[feed].kind === 'quote'
          ? { bid: price, ask: (cents + 1) / 100, bidSize: 100, askSize: 200, time: nowMs }
          : { open: price, close: price, high: price, low: price, volume: 1, start: second, end: second + 1000 }
    return writer(feed)(symbol, values, 2, 0)
  }
}

/** Sends `count` load messages on a connection, its symbols in turn. Returns how many were sent. */
export function sendLoad(
  connection: Connection,
  count: number,
  from: number,
  nowMs: number,
  load: ReturnType<typeof createLoad>,
): number {
  const symbols = [...connection.tickers.keys()]
  if (symbols.length === 0 || !connection.open || connection.backlog > BUSY_BYTES) return 0
  const list: Outgoing[] = []
  for (let i = 0; i < count; i++) {
    const symbol = symbols[(from + i) % symbols.length]
    list.push({ symbol, text: load(connection.feed, symbol, nowMs) })
  }
  connection.market(list, nowMs, () => 0)
  return count
}

/** The connections that subscribed to a symbol, by any alias of the instrument. */
export function listenersOf({ connections }: Audience, feed: FeedId, symbol: string): Connection[] {
  const id = instrumentId(FEEDS[feed].asset, symbol)
  return [...connections].filter((c) => c.open && c.feed === feed && [...c.tickers.values()].includes(id))
}

/** Sends the messages of a playlist that have a subscriber, and stops before one that has none. */
export interface Playlist {
  /** Sends what can be sent now. Returns true at the end of the list. */
  turn(audience: Audience, nowMs: number): Promise<boolean>
}

export function createPlaylist(messages: Iterable<PlaylistMessage> | AsyncIterable<PlaylistMessage>): Playlist {
  const iterator = Symbol.asyncIterator in messages ? messages[Symbol.asyncIterator]() : messages[Symbol.iterator]()
  let next: PlaylistMessage | undefined
  let over = false
  return {
    async turn(audience, nowMs) {
      const batches: Batches = new Map()
      const flush = () => {
        for (const [connection, list] of batches) connection.market(list, nowMs, () => 0)
        batches.clear()
      }
      for (let sent = 0; sent < 5_000 && !over; sent++) {
        if (next === undefined) {
          const step = await iterator.next()
          if (step.done === true) {
            over = true
            break
          }
          next = step.value
        }
        const listeners = listenersOf(audience, next.feed, next.symbol)
        if (listeners.length === 0 || listeners.some((c) => c.backlog > BUSY_BYTES)) break
        for (const connection of listeners) add(batches, connection, { symbol: next.symbol, text: next.raw })
        next = undefined
      }
      flush()
      return over
    },
  }
}
