/** One accepted WebSocket of a feed: its subscriptions, what was sent on it, and its faults. */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { normaliseTickers } from '../service/control.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../shared/base/units.ts'
import { FEEDS } from '../service/feeds.ts'
import { frameTexts } from './market/frames.ts'

/** Above this many unsent bytes, senders that can wait do so, and the live market disconnects the reader. */
export const BUSY_BYTES = 4 * 1024 * 1024
const LOST_BYTES = 64 * 1024 * 1024

export interface SentConnection {
  readonly id: number
  readonly feed: FeedId
  readonly openedMs: number
  readonly closedMs: number | null
  /** The simulator's close code; null while open, 1006 if it was cut. */
  readonly closeCode: number | null
  /** All data frames: market, acknowledgements and errors. */
  readonly frames: number
  readonly market: number
  /** Payload bytes of all data frames. */
  readonly bytes: number
  /** SHA-256 over each data frame's payload followed by one LF, in order. */
  readonly sha256: string
  /** Market frames by symbol, as it was subscribed. */
  readonly symbols: Readonly<Record<string, number>>
}

/** A market message for one connection. */
export interface Outgoing {
  readonly symbol: string
  readonly text: string
}

/** Active faults. Counters run down to 0. */
interface Ailments {
  /** Until this clock time market messages are lost, as when a feed hangs. */
  stalledUntilMs: number
  /** Market messages still to be sent twice. */
  duplicate: number
  /** Market messages still to be shuffled, `reorderWindow` at a time. */
  reorder: number
  reorderWindow: number
}

export interface Connection {
  readonly id: number
  readonly feed: FeedId
  readonly ws: WebSocket
  /** Sends no market messages without saying so (a plan refusal). */
  readonly mute: boolean
  readonly ail: Ailments
  /** Symbols as acknowledged, with their instruments. */
  readonly tickers: ReadonlyMap<string, InstrumentId>
  readonly open: boolean
  /** Market frames sent. */
  readonly marketCount: number
  /** Bytes that the reader hasn't taken yet. */
  readonly backlog: number
  subscribe(symbols: readonly string[]): void
  /** Returns the symbols that were subscribed. */
  unsubscribe(symbols: readonly string[]): string[]
  /** Sends market messages with the active faults. `random` in [0, 1) drives the shuffling. */
  market(messages: readonly Outgoing[], nowMs: number, random: () => number): void
  /** Sends any data frame unchanged, counted as control or noise. */
  raw(data: string | Uint8Array, binary?: boolean): void
  /** Stops reading and writing, including pongs, without closing. */
  freeze(): void
  /** Closes with a close frame. */
  close(code: number, reason: string): void
  /** Drops the connection without a close frame. */
  cut(): void
  closed(nowMs: number): void
  sent(): SentConnection
  /** SHA-256 over the first `count` frames; undefined unless frames are kept and there are that many. */
  prefix(count: number): string | undefined
}

export function createConnection(
  id: number,
  feed: FeedId,
  ws: WebSocket,
  socket: Duplex,
  { nowMs, mute, keepFrames }: { nowMs: number; mute: boolean; keepFrames: boolean },
): Connection {
  const { asset } = FEEDS[feed]
  const tickers = new Map<string, InstrumentId>()
  const ail: Ailments = { stalledUntilMs: 0, duplicate: 0, reorder: 0, reorderWindow: 4 }
  const hash = createHash('sha256')
  const held: Uint8Array[] = []
  const symbols = new Map<string, number>()
  let frozen = false
  let frames = 0
  let market = 0
  let bytes = 0
  let closedMs: number | null = null
  let closeCode: number | null = null
  let shuffling: Outgoing[] = []

  const isOpen = () => !frozen && ws.readyState === ws.OPEN && closeCode === null
  const count = (data: string | Uint8Array) => {
    const payload = typeof data === 'string' ? Buffer.from(data) : data
    frames++
    bytes += payload.length
    hash.update(payload).update('\n')
    if (keepFrames) held.push(payload)
  }
  const write = (messages: readonly Outgoing[]) => {
    if (messages.length === 0) return
    let joined = ''
    for (const { symbol, text } of messages) {
      joined += text + '\n'
      symbols.set(symbol, (symbols.get(symbol) ?? 0) + 1)
      if (keepFrames) held.push(Buffer.from(text))
    }
    hash.update(joined)
    bytes += Buffer.byteLength(joined) - messages.length
    frames += messages.length
    market += messages.length
    // Without compression ws writes immediately, so writing directly keeps the order.
    socket.write(frameTexts(messages.map((m) => m.text)))
    if (socket.writableLength > LOST_BYTES) self.cut()
  }
  const shuffled = (messages: readonly Outgoing[], random: () => number): Outgoing[] => {
    const out: Outgoing[] = []
    for (const message of messages) {
      if (ail.reorder <= 0) {
        out.push(message)
        continue
      }
      ail.reorder--
      shuffling.push(message)
      if (shuffling.length < ail.reorderWindow && ail.reorder > 0) continue
      for (let i = shuffling.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1))
        const swap = shuffling[i]
        shuffling[i] = shuffling[j]!
        shuffling[j] = swap
      }
      out.push(...shuffling)
      shuffling = []
    }
    return out
  }

  const self: Connection = {
    id,
    feed,
    ws,
    mute,
    ail,
    tickers,
    get open() {
      return isOpen()
    },
    get marketCount() {
      return market
    },
    get backlog() {
      return socket.writableLength
    },
    subscribe(list) {
      for (const symbol of normaliseTickers(list)) tickers.set(symbol, instrumentId(asset, symbol))
    },
    unsubscribe(list) {
      return normaliseTickers(list).filter((symbol) => tickers.delete(symbol))
    },
    market(messages, nowMs, random) {
      if (!isOpen() || mute || nowMs < ail.stalledUntilMs) return
      let list: readonly Outgoing[] = messages
      if (ail.reorder > 0 || shuffling.length > 0) list = shuffled(list, random)
      if (ail.duplicate > 0) {
        list = list.flatMap((message) => {
          if (ail.duplicate <= 0) return [message]
          ail.duplicate--
          return [message, message]
        })
      }
      write(list)
    },
    raw(data, binary = typeof data !== 'string') {
      if (!isOpen()) return
      count(data)
      ws.send(data, { binary })
    },
    freeze() {
      frozen = true
      socket.pause()
    },
    close(code, reason) {
      if (!isOpen()) return
      closeCode = code
      ws.close(code, reason)
    },
    cut() {
      closeCode ??= 1006
      ws.terminate()
    },
    closed(now) {
      closedMs ??= now
      closeCode ??= 1000
    },
    sent: () => ({
      id,
      feed,
      openedMs: nowMs,
      closedMs,
      closeCode,
      frames,
      market,
      bytes,
      sha256: hash.copy().digest('hex'),
      symbols: Object.fromEntries(symbols),
    }),
    prefix(n) {
      if (!keepFrames || n > held.length) return undefined
      const partial = createHash('sha256')
      for (const payload of held.slice(0, n)) partial.update(payload).update('\n')
      return partial.digest('hex')
    },
  }
  return self
}
