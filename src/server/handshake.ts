/** The upgrade of a feed path and the client's messages after it (docs/service.md). */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket, WebSocketServer } from 'ws'
import { CLOSE, encodeAcknowledgement, encodeError, normaliseTickers, parseClient } from '../service/control.ts'
import { feedOfPath } from '../service/feeds.ts'
import type { FeedId } from '../shared/base/units.ts'
import type { Account } from './account.ts'
import { refuseUpgrade } from './upgrades.ts'

export interface HandshakeSide {
  readonly account: Account
  readonly server: WebSocketServer
  readonly disabledFeeds: readonly FeedId[]
  allows(origin: string): boolean
  /** Whether to refuse with 403, as a fault. */
  readonly takeForbidden?: () => boolean
  /** Called before anything is decided, to delay a handshake. */
  readonly delay?: () => Promise<void>
  accept(feed: FeedId, ws: WebSocket, socket: Duplex, mute: boolean): void
}

/** Handles an upgrade request. */
export async function shakeHands(
  side: HandshakeSide,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  // Until ws takes over, a reset socket would be an uncaught error.
  socket.on('error', () => socket.destroy())
  await side.delay?.()
  if (socket.destroyed) return
  const { origin, authorization } = request.headers
  if (side.takeForbidden?.() === true || origin === undefined || !side.allows(origin)) {
    refuseUpgrade(socket, 403)
    return
  }
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const feed = feedOfPath(path)
  const why = feed === undefined ? undefined : side.account.refuseToken(authorization)
  side.server.handleUpgrade(request, socket, head, (ws) => {
    if (feed === undefined || side.disabledFeeds.includes(feed.id)) {
      refuse(ws, 'unknown_feed', 'This feed is unknown or disabled.', CLOSE.unknownFeed, 'unknown feed')
      return
    }
    if (why !== undefined) {
      refuse(ws, 'authentication_failed', `Authentication failed: ${why}.`, CLOSE.authentication, why)
      return
    }
    const covered = side.account.covers(feed.id)
    if (!covered && side.account.refusal === 'close') {
      refuse(ws, 'authentication_failed', 'Authentication failed.', CLOSE.authentication, 'not allowed')
      return
    }
    if (!covered && side.account.refusal === 'error') {
      refuse(ws, 'plan_required', `This feed needs another plan than ${side.account.plan}.`, CLOSE.normal, 'plan')
      return
    }
    side.accept(feed.id, ws, socket, !covered)
  })
}

function refuse(ws: WebSocket, code: string, message: string, closeCode: number, reason: string): void {
  ws.on('error', () => ws.terminate())
  ws.send(encodeError(code, message))
  ws.close(closeCode, reason)
}

/** An accepted connection, as far as a client's messages change it. */
export interface Subscriber {
  /** Symbols as acknowledged. */
  readonly tickers: ReadonlyMap<string, unknown>
  subscribe(symbols: readonly string[]): void
  /** Returns the symbols that were subscribed. */
  unsubscribe(symbols: readonly string[]): string[]
  /** Sends a control frame. */
  raw(data: string): void
  close(code: number, reason: string): void
}

export interface ClientSide {
  readonly tickersPerConnection: number
  /**
   * The undocumented reaction to more tickers than allowed: error frame and close, error frame only, only the first
   * ones subscribed, or no limit.
   */
  readonly overLimit: 'close' | 'error' | 'truncate' | 'allow'
  /** Close code after a `protocol_error`, which isn't documented. */
  readonly protocolCloseCode: number
  /** Whether this acknowledgement omits its last symbol, as a fault. */
  readonly takePartialAcknowledgement?: () => boolean
  /** Called when a subscription changed. */
  changed(): void
}

/** Handles a client's message: subscribes, unsubscribes, or closes the connection with `protocol_error`. */
export function takeMessage(side: ClientSide, connection: Subscriber, data: RawData, isBinary: boolean): void {
  const protocolError = (message: string, close = true) => {
    connection.raw(encodeError('protocol_error', message))
    if (close) connection.close(side.protocolCloseCode, 'protocol error')
  }
  if (isBinary) {
    protocolError('messages must be text')
    return
  }
  // ws passes one Buffer with its default binaryType.
  const parsed = parseClient((data as Buffer).toString('utf8'))
  if (typeof parsed === 'string') {
    protocolError(parsed)
    return
  }
  if (parsed.action === 'unsubscribe') {
    connection.raw(encodeAcknowledgement('unsubscribe', connection.unsubscribe(parsed.tickers)))
    side.changed()
    return
  }
  const room = side.tickersPerConnection - connection.tickers.size
  let fresh = normaliseTickers(parsed.tickers).filter((symbol) => !connection.tickers.has(symbol))
  if (fresh.length > room && side.overLimit !== 'allow') {
    if (side.overLimit !== 'truncate') {
      const message = `at most ${side.tickersPerConnection} tickers a connection`
      protocolError(message, side.overLimit === 'close')
      return
    }
    fresh = fresh.slice(0, Math.max(0, room))
  }
  if (side.takePartialAcknowledgement?.() === true) fresh = fresh.slice(0, -1)
  connection.subscribe(fresh)
  connection.raw(encodeAcknowledgement('subscribe', [...connection.tickers.keys()]))
  side.changed()
}
