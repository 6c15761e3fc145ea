/** The WebSocket of the API's live stream: reads a client's messages and sends ticks while it has credit. */
import type { WebSocket } from 'ws'
import { STALLED_MS } from '../../../server/stream-slots.ts'
import { isObject, parseJson } from '../../../service/control.ts'
import { isSymbol } from '../../../service/intern.ts'
import { toFailure, CodedError } from '../../../shared/base/errors.ts'
import type { GapCause } from '../../../shared/core/recording/session.ts'
import { FEED_IDS, isFeedId, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { Feeds, Subscription } from '../../core/feeds/subscriptions.ts'
import type { RecordSink } from '../../core/market/hub-types.ts'
import { FollowedSymbols } from './followed-symbols.ts'
import { LiveTicks, MAX_WAITING } from './live-ticks.ts'

/** Messages per turn of the event loop, so that a client that catches up doesn't hold up the market. */
const TURN_MESSAGES = 500
/** Bytes that a client hasn't read yet above which nothing more is sent. */
const BUSY_BYTES = 1024 * 1024
/** A client with more unread messages is disconnected: twice the limit of ticks, so that responses have room. */
const MAX_UNREAD = 2 * MAX_WAITING
/** A client whose answers with more symbols than this wait is disconnected, too: 16 MB. */
const MAX_UNREAD_SYMBOLS = 2_000_000
/** Clients at once. Each may hold some megabytes. */
const MAX_CLIENTS = 64
/** The close code for "try again later" (RFC 6455's registry). */
const TRY_AGAIN = 1013
const PONG = JSON.stringify({ type: 'pong' })
/**
 * How many messages of a client are taken in `TURN_MS`, ms; further ones wait in its socket. Taken without a bound, those
 * of one client kept the thread that receives busy for minutes, which looks like sleep and leaves gaps.
 */
const MAX_TAKEN = 1_000
const TURN_MS = 50
/** A symbol counts as so many messages: released ones stay with the planner for some seconds. */
const SYMBOL_COST = 5
/** Symbols of a feed that a client follows, in one message or several. */
const MAX_SYMBOLS = 1_000
const MAX_CREDIT = 1_000_000_000

const bad = (message: string): CodedError => new CodedError('bad-arguments', message)

/** Every client of the live stream. Its sink is on the tick path and does nothing without clients. */
export class LiveSockets {
  readonly #feeds: Pick<Feeds, 'subscribe'>
  readonly #clock: Pick<Clock, 'after' | 'monoNs'>
  readonly #clients = new Set<Client>()
  readonly #followed: FollowedSymbols

  constructor(feeds: Pick<Feeds, 'subscribe'>, clock: Pick<Clock, 'after' | 'monoNs'>) {
    this.#feeds = feeds
    this.#clock = clock
    this.#followed = new FollowedSymbols(clock)
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

  /**
   * Makes room for another client: if there is none, the one that has stalled for longest loses its place. Throws `busy` if
   * none has. Then all are asked whether they still read, so that a later try finds those that don't.
   */
  makeRoom(): void {
    if (this.#clients.size < MAX_CLIENTS) return
    const [first] = [...this.#clients]
      .map((client) => ({ client, ms: client.stalledMs() }))
      .filter(({ ms }) => ms >= STALLED_MS)
      .sort((a, b) => b.ms - a.ms)
    if (first === undefined) {
      for (const client of this.#clients) client.ask()
      throw new CodedError('busy', `At most ${MAX_CLIENTS} programs can follow the live stream at once.`, {
        hint: 'Close one of them, then try again.',
      })
    }
    this.#remove(first.client)
    first.client.ws.close(TRY_AGAIN, 'another program needs the place of this one, which took nothing')
  }

  accept(ws: WebSocket): void {
    const client = new Client(ws, this.#feeds, this.#followed, this.#clock)
    this.#clients.add(client)
    ws.on('close', () => this.#remove(client))
  }

  #remove(client: Client): void {
    this.#clients.delete(client)
    client.release()
  }

  closeAll(): void {
    for (const { ws } of this.#clients) ws.close(1001, 'Tapedeck is closing')
  }
}

class Client {
  readonly ws: WebSocket
  readonly ticks = new LiveTicks(() => this.#schedule())
  readonly #feeds: Pick<Feeds, 'subscribe'>
  readonly #followed: FollowedSymbols
  readonly #clock: Pick<Clock, 'after' | 'monoNs'>
  /** One for each symbol, so that a change takes only time for what it changes. */
  readonly #subscriptions = new Map<FeedId, Map<string, Subscription>>()
  #isScheduled = false
  /** Messages taken in this turn, plus the excess of earlier turns. */
  #taken = 0
  #isPaused = false
  #cancelTurn: (() => void) | null = null
  /** When it sent a message last, or got the last tick it had credit for, ms of the clock that never goes back. */
  #movedMs: number
  /** When it was asked whether it still reads; null: it has answered since. */
  #askedMs: number | null = null

  constructor(
    ws: WebSocket,
    feeds: Pick<Feeds, 'subscribe'>,
    followed: FollowedSymbols,
    clock: Pick<Clock, 'after' | 'monoNs'>,
  ) {
    this.ws = ws
    this.#feeds = feeds
    this.#followed = followed
    this.#clock = clock
    this.#movedMs = this.#nowMs()
    ws.on('message', (data: Buffer, isBinary) => this.#take(isBinary ? undefined : data.toString('utf8')))
    ws.on('pong', () => (this.#askedMs = null))
    ws.on('error', () => ws.terminate())
  }

  #nowMs(): number {
    return this.#clock.monoNs() / 1e6
  }

  /** How long it has taken nothing, ms: it asked for nothing to take, or doesn't answer. 0: it takes what there is. */
  stalledMs(): number {
    if (this.ticks.isIdle) return this.#nowMs() - this.#movedMs
    return this.#askedMs === null ? 0 : this.#nowMs() - this.#askedMs
  }

  /** Asks whether it still reads. */
  ask(): void {
    if (this.#askedMs !== null || this.ws.readyState !== this.ws.OPEN) return
    this.#askedMs = this.#nowMs()
    this.ws.ping()
  }

  release(): void {
    this.#cancelTurn?.()
    this.#cancelTurn = null
    for (const [feed, ofFeed] of this.#subscriptions) {
      for (const subscription of ofFeed.values()) subscription.release()
      this.#followed.release(feed, this.ticks.symbols(feed))
    }
    this.#subscriptions.clear()
  }

  /** Sends what isn't a tick, in its order. A client that sends without reading would collect answers without end. */
  tell(message: Readonly<Record<string, unknown>>): void {
    const { waiting, waitingSymbols } = this.ticks
    if (waiting >= MAX_UNREAD || waitingSymbols >= MAX_UNREAD_SYMBOLS) this.ws.terminate()
    else this.ticks.tell(message)
  }

  /** Counts messages, and lets the socket wait after too many. */
  #count(messages: number): void {
    this.#taken += messages
    if (this.#taken >= MAX_TAKEN && !this.#isPaused) {
      this.#isPaused = true
      this.ws.pause()
    }
    this.#cancelTurn ??= this.#clock.after(TURN_MS, () => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#cancelTurn = null
    this.#taken -= Math.min(MAX_TAKEN, this.#taken)
    if (this.#isPaused && this.#taken < MAX_TAKEN) {
      this.#isPaused = false
      this.ws.resume()
    }
    if (this.#taken > 0) this.#cancelTurn = this.#clock.after(TURN_MS, () => this.#nextTurn())
  }

  #take(text: string | undefined): void {
    // One that has lost its place may still have sent something.
    if (this.ws.readyState !== this.ws.OPEN) return
    this.#movedMs = this.#nowMs()
    this.#askedMs = null
    this.#count(1)
    try {
      const message = text === undefined ? undefined : parseJson(text)
      if (!isObject(message)) throw bad('A message is a JSON object in a text frame.')
      switch (message.op) {
        case 'credit':
          return this.ticks.grant(readCredit(message.messages))
        case 'subscribe':
          return this.#change(message, (feed, symbols) => this.#subscribe(feed, symbols))
        case 'unsubscribe':
          return this.#change(message, (feed, symbols) => this.#unsubscribe(feed, symbols))
        case 'ping':
          return this.#pong()
        default:
          throw bad('"op" is subscribe, unsubscribe, credit or ping.')
      }
    } catch (thrown) {
      const { code, message, hint } = toFailure(thrown)
      this.tell({ type: 'error', code, message, ...(hint === undefined ? {} : { hint }) })
    }
  }

  /** Answers at once, because ticks without credit would hold the answer up. What waits to be read is an answer, too. */
  #pong(): void {
    if (this.ws.bufferedAmount <= BUSY_BYTES) this.ws.send(PONG)
  }

  #change(
    message: Readonly<Record<string, unknown>>,
    change: (feed: FeedId, symbols: readonly string[]) => void,
  ): void {
    const { feed, symbols } = message
    if (typeof feed !== 'string' || !isFeedId(feed)) throw bad(`"feed" must be one of ${FEED_IDS.join(', ')}.`)
    if (!Array.isArray(symbols) || symbols.length === 0 || symbols.length > MAX_SYMBOLS || !symbols.every(isSymbolText))
      throw bad(`"symbols" is a list of 1 to ${MAX_SYMBOLS} symbols.`)
    this.#count(SYMBOL_COST * symbols.length)
    change(feed, symbols)
    this.tell({ type: 'subscribed', feed, symbols: this.ticks.symbols(feed) })
  }

  #subscribe(feed: FeedId, symbols: readonly string[]): void {
    const more = [...new Set(symbols)].filter((symbol) => !this.ticks.has(feed, symbol))
    if (this.ticks.symbols(feed).length + more.length > MAX_SYMBOLS)
      throw bad(`A connection follows at most ${MAX_SYMBOLS} symbols of a feed.`)
    this.#followed.add(feed, more)
    const ofFeed = this.#subscriptions.get(feed) ?? new Map<string, Subscription>()
    this.#subscriptions.set(feed, ofFeed)
    for (const symbol of this.ticks.subscribe(feed, symbols)) ofFeed.set(symbol, this.#feeds.subscribe(feed, [symbol]))
  }

  #unsubscribe(feed: FeedId, symbols: readonly string[]): void {
    const ofFeed = this.#subscriptions.get(feed)
    const ended = this.ticks.unsubscribe(feed, symbols)
    for (const symbol of ended) {
      ofFeed?.get(symbol)?.release()
      ofFeed?.delete(symbol)
    }
    this.#followed.release(feed, ended)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#send())
  }

  #send(): void {
    this.#isScheduled = false
    if (this.ws.readyState !== this.ws.OPEN || this.ws.bufferedAmount > BUSY_BYTES) return
    const wasIdle = this.ticks.isIdle
    const messages = this.ticks.take(TURN_MESSAGES)
    if (!wasIdle && this.ticks.isIdle) this.#movedMs = this.#nowMs()
    messages.forEach((message, i) => {
      const isLast = i === messages.length - 1
      // Once the last one is written, the next ones follow.
      this.ws.send(JSON.stringify(message), isLast ? () => this.#schedule() : undefined)
    })
  }
}

const isSymbolText = (x: unknown): x is string => typeof x === 'string' && isSymbol(x)

function readCredit(messages: unknown): number {
  if (typeof messages === 'number' && Number.isInteger(messages) && messages > 0 && messages <= MAX_CREDIT)
    return messages
  throw bad(`"messages" must be a whole number from 1 to ${MAX_CREDIT}.`)
}
