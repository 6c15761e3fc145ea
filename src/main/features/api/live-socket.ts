/** The WebSocket of the API's live stream: reads a client's messages and sends ticks while it has credit. */
import type { WebSocket } from 'ws'
import { isObject, parseJson } from '../../../service/control.ts'
import { toFailure, CodedError } from '../../../shared/base/errors.ts'
import type { GapCause } from '../../../shared/core/recording/session.ts'
import { FEED_IDS, isFeedId, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import type { Feeds, Subscription } from '../../core/feeds/subscriptions.ts'
import type { RecordSink } from '../../core/market/hub-types.ts'
import { LiveTicks, MAX_WAITING } from './live-ticks.ts'

/** Messages per turn of the event loop, so that a client that catches up doesn't hold up the market. */
const TURN_MESSAGES = 500
/** Bytes that a client hasn't read yet above which nothing more is sent. */
const BUSY_BYTES = 1024 * 1024
/** A client with more unread messages is disconnected: twice the limit of ticks, so that responses have room. */
const MAX_UNREAD = 2 * MAX_WAITING
/** Symbols of a feed that a client follows, in one message or several. */
const MAX_SYMBOLS = 1_000
const MAX_CREDIT = 1_000_000_000

const bad = (message: string): CodedError => new CodedError('bad-arguments', message)

/** Every client of the live stream. Its sink is on the tick path and does nothing without clients. */
export class LiveSockets {
  readonly #feeds: Pick<Feeds, 'subscribe'>
  readonly #clients = new Set<Client>()

  constructor(feeds: Pick<Feeds, 'subscribe'>) {
    this.#feeds = feeds
  }

  readonly sink: RecordSink = {
    apply: (feed, seq, recvMs, record) => {
      for (const { ticks } of this.#clients) ticks.record(feed, seq, recvMs, record)
    },
    feedState: () => undefined,
    gapOpened: (feed, cause, symbols, fromMs) => this.#gap({ feed, cause, symbols, fromMs, toMs: null }),
    gapClosed: (feed, fromMs, toMs) => this.#gap({ feed, cause: null, symbols: [], fromMs, toMs }),
  }

  #gap(gap: {
    readonly feed: FeedId
    readonly cause: GapCause | null
    readonly symbols: readonly string[]
    readonly fromMs: UnixMs
    readonly toMs: UnixMs | null
  }): void {
    const { feed, cause, symbols, fromMs, toMs } = gap
    for (const client of this.#clients)
      if (client.ticks.follows(feed)) client.tell({ type: 'gap', feed, cause, symbols, from_ms: fromMs, to_ms: toMs })
  }

  accept(ws: WebSocket): void {
    const client = new Client(ws, this.#feeds)
    this.#clients.add(client)
    ws.on('close', () => {
      this.#clients.delete(client)
      client.release()
    })
  }

  closeAll(): void {
    for (const { ws } of this.#clients) ws.close(1001, 'Tapedeck is closing')
  }
}

class Client {
  readonly ws: WebSocket
  readonly ticks = new LiveTicks(() => this.#schedule())
  readonly #feeds: Pick<Feeds, 'subscribe'>
  readonly #subscriptions = new Map<FeedId, Subscription>()
  #isScheduled = false

  constructor(ws: WebSocket, feeds: Pick<Feeds, 'subscribe'>) {
    this.ws = ws
    this.#feeds = feeds
    ws.on('message', (data: Buffer, isBinary) => this.#take(isBinary ? undefined : data.toString('utf8')))
    ws.on('error', () => ws.terminate())
  }

  release(): void {
    for (const subscription of this.#subscriptions.values()) subscription.release()
    this.#subscriptions.clear()
  }

  /** Sends what isn't a tick, in its order. A client that sends without reading would collect answers without end. */
  tell(message: Readonly<Record<string, unknown>>): void {
    if (this.ticks.waiting >= MAX_UNREAD) this.ws.terminate()
    else this.ticks.tell(message)
  }

  #take(text: string | undefined): void {
    try {
      const message = text === undefined ? undefined : parseJson(text)
      if (!isObject(message)) throw bad('A message is a JSON object in a text frame.')
      switch (message.op) {
        case 'credit':
          return this.ticks.grant(readCredit(message.messages))
        case 'subscribe':
          return this.#change(message, (feed, symbols) => this.ticks.subscribe(feed, symbols))
        case 'unsubscribe':
          return this.#change(message, (feed, symbols) => this.ticks.unsubscribe(feed, symbols))
        default:
          throw bad('"op" is subscribe, unsubscribe or credit.')
      }
    } catch (thrown) {
      const { code, message, hint } = toFailure(thrown)
      this.tell({ type: 'error', code, message, ...(hint === undefined ? {} : { hint }) })
    }
  }

  #change(
    message: Readonly<Record<string, unknown>>,
    change: (feed: FeedId, symbols: readonly string[]) => void,
  ): void {
    const { feed, symbols } = message
    if (typeof feed !== 'string' || !isFeedId(feed)) throw bad(`"feed" must be one of ${FEED_IDS.join(', ')}.`)
    if (!Array.isArray(symbols) || symbols.length === 0 || symbols.length > MAX_SYMBOLS || !symbols.every(isSymbol))
      throw bad(`"symbols" is a list of 1 to ${MAX_SYMBOLS} symbols.`)
    if (message.op === 'subscribe' && new Set([...this.ticks.symbols(feed), ...symbols]).size > MAX_SYMBOLS)
      throw bad(`A connection follows at most ${MAX_SYMBOLS} symbols of a feed.`)
    change(feed, symbols)
    const now = this.ticks.symbols(feed)
    const before = this.#subscriptions.get(feed)
    if (now.length > 0) this.#subscriptions.set(feed, this.#feeds.subscribe(feed, now))
    else this.#subscriptions.delete(feed)
    before?.release() // after the new one, so that no symbol is dropped in between
    this.tell({ type: 'subscribed', feed, symbols: now })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#send())
  }

  #send(): void {
    this.#isScheduled = false
    if (this.ws.readyState !== this.ws.OPEN || this.ws.bufferedAmount > BUSY_BYTES) return
    const messages = this.ticks.take(TURN_MESSAGES)
    messages.forEach((message, i) => {
      const isLast = i === messages.length - 1
      // Once the last one is written, the next ones follow.
      this.ws.send(JSON.stringify(message), isLast ? () => this.#schedule() : undefined)
    })
  }
}

const isSymbol = (x: unknown): x is string => typeof x === 'string' && x !== '' && x.length <= 64

function readCredit(messages: unknown): number {
  if (typeof messages === 'number' && Number.isInteger(messages) && messages > 0 && messages <= MAX_CREDIT)
    return messages
  throw bad(`"messages" must be a whole number from 1 to ${MAX_CREDIT}.`)
}
