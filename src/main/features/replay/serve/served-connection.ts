/** One accepted WebSocket of a served feed: its subscriptions, and what was written to it. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Subscriber } from '../../../../server/handshake.ts'
import { normaliseTickers } from '../../../../service/control.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../../../../shared/base/units.ts'
import { FrameWriter } from './frame-writer.ts'

/** A connection with this many unsent bytes is cut. */
export const LOST_BYTES = 64 * 1024 * 1024

export class ServedConnection implements Subscriber {
  readonly feed: FeedId
  /** Symbols as acknowledged, with their instruments: a symbol stands for all its aliases. */
  readonly tickers = new Map<string, InstrumentId>()
  readonly frames = new FrameWriter()
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #freed: () => void
  #isClosing = false

  /** `freed`: some of what was written has been sent, or the connection closed. */
  constructor(feed: FeedId, ws: WebSocket, socket: Duplex, freed: () => void) {
    this.feed = feed
    this.#ws = ws
    this.#socket = socket
    this.#freed = freed
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#ws.readyState === this.#ws.OPEN
  }

  /** Bytes that the reader hasn't taken yet. */
  get backlog(): number {
    return this.isOpen ? this.#socket.writableLength : 0
  }

  subscribe(symbols: readonly string[]): void {
    const { asset } = FEEDS[this.feed]
    for (const symbol of normaliseTickers(symbols)) this.tickers.set(symbol, instrumentId(asset, symbol))
  }

  unsubscribe(symbols: readonly string[]): string[] {
    return normaliseTickers(symbols).filter((symbol) => this.tickers.delete(symbol))
  }

  /** Sends a control frame. A client that asks without reading the answers is cut. */
  raw(data: string): void {
    if (!this.isOpen) return
    this.#ws.send(data)
    if (this.backlog > LOST_BYTES) this.cut()
  }

  /** Sends the frames written since the last call. */
  flush(): void {
    if (this.frames.length === 0) return
    const bytes = this.frames.take()
    // Without compression ws writes immediately, so writing directly keeps the order.
    if (this.isOpen) this.#socket.write(bytes, this.#freed)
  }

  /** Closes with a close frame, after what was written. */
  close(code: number, reason: string): void {
    if (!this.isOpen) return
    this.flush()
    this.#isClosing = true
    this.#ws.close(code, reason)
  }

  /** Ends the connection without a close frame, after what was written. */
  drop(): void {
    this.flush()
    this.#isClosing = true
    this.#socket.end(() => this.#ws.terminate())
  }

  /** Ends the connection at once. What wasn't sent is lost. */
  cut(): void {
    this.#isClosing = true
    this.#ws.terminate()
  }
}
