/** One socket of a connection: dials it and translates what happens to it into events of the connection. */
import type { Duplex } from 'node:stream'
import WebSocket, { type ClientOptions } from 'ws'
import { serverText } from '../../../../service/reasons.ts'
import type { UnixMs } from '../../../../shared/base/units.ts'
import type { Token } from '../../account/token.ts'
import type { RequestedSymbols } from './requested-symbols.ts'
import { createHeartbeat, type Heartbeat } from './heartbeat.ts'
import type { ConnectionEvent } from './connection-model.ts'
import type { Stamp } from './frame-sink.ts'
import { readTextFrames } from './text-frames.ts'

/** Larger frames are refused and marked as a gap, bytes. */
export const MAX_PAYLOAD = 1024 * 1024
const HANDSHAKE_MS = 10_000
const CLOSE_MS = 2_000
/** The longest `Retry-After` that is honored, ms, because the feed has a gap while it waits. */
export const RETRY_AFTER_AT_MOST_MS = 300_000

export interface Link {
  readonly generation: number
  readonly socket: WebSocket
  readonly requested: RequestedSymbols
  readonly token: Token
  readonly conn: number
  upgraded: boolean
  /** An event with a more specific reason than `close` has already reported the end. */
  explained: boolean
  closed: boolean
  /** Receipt of the last frame. The frames of one read share it. */
  stamp: Stamp | null
  /** The number of the last ping, which is its payload. */
  pings: number
  /** When the last ping and the close request were sent, UTC ms; null: not yet. */
  pingedMs: UnixMs | null
  closeAskedMs: UnixMs | null
  heartbeat: Heartbeat
}

/** Implemented by the connection. */
export interface LinkListener {
  opened(link: Link): void
  /** A complete message, before anything else sees it. */
  message(link: Link, data: Buffer, binary: boolean): void
  /** A ping was received. */
  heard(link: Link): void
  /** A pong to the ping with this payload was received. */
  pong(link: Link, payload: Buffer): void
  /** The next message was too large. */
  oversize(link: Link): void
  /** Reports a more specific reason for the end than the close code. Called once, before `closed`. */
  explained(event: ConnectionEvent): void
  /** `code`: as the service sent it, 0 if none; `words`: its reason, with the token removed. See `Link.explained`. */
  closed(link: Link, code: number, words: string): void
}

/** How to dial. `monoMs` is the time of the dial on the monotonic clock. */
export interface Dial {
  readonly generation: number
  /** Creates and returns the connection's handle. Called only if the socket can be created. */
  readonly connection: () => number
  readonly url: URL
  readonly origin: string
  readonly token: Token
  readonly requested: RequestedSymbols
  readonly monoMs: number
}

/** Dials. Throws if the URL is invalid or the token is not a valid header value. */
export function openLink(dial: Dial, listener: LinkListener): Link {
  const { generation, connection, url, origin, token, requested, monoMs } = dial
  // The types of ws don't have closeTimeout yet.
  const options: ClientOptions & { closeTimeout: number } = {
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD,
    skipUTF8Validation: true,
    followRedirects: false,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
    rejectUnauthorized: true,
    handshakeTimeout: HANDSHAKE_MS,
    closeTimeout: CLOSE_MS,
    headers: { Authorization: `Bearer ${token.access}` },
    origin,
  }
  const socket = new WebSocket(url, options)
  const link: Link = {
    generation,
    socket,
    requested,
    token,
    conn: connection(),
    upgraded: false,
    explained: false,
    closed: false,
    stamp: null,
    pings: 0,
    pingedMs: null,
    closeAskedMs: null,
    heartbeat: createHeartbeat(monoMs),
  }
  const explain = (event: ConnectionEvent): void => {
    if (link.explained) return
    link.explained = true
    listener.explained(event)
  }
  let raw: Duplex | undefined
  socket.on('upgrade', (response) => {
    raw = response.socket
  })
  socket.on('open', () => {
    if (raw !== undefined) readTextFrames(raw, MAX_PAYLOAD, (text) => listener.message(link, text, false))
    link.upgraded = true
    listener.opened(link)
  })
  socket.on('message', (data: Buffer, binary: boolean) => listener.message(link, data, binary))
  socket.on('pong', (payload: Buffer) => listener.pong(link, payload))
  socket.on('ping', () => listener.heard(link))
  socket.on('unexpected-response', (request, response) => {
    const retryAfter = Number(response.headers['retry-after']) * 1_000
    request.destroy()
    explain({
      is: 'upgradeRefused',
      generation,
      status: response.statusCode ?? 0,
      retryAfterMs: Number.isFinite(retryAfter) ? Math.min(Math.max(0, retryAfter), RETRY_AFTER_AT_MOST_MS) : null,
    })
    socket.terminate()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      listener.oversize(link)
      explain({ is: 'oversize', generation, limitBytes: MAX_PAYLOAD })
      return
    }
    const timedOut = error.message === 'Opening handshake has timed out'
    explain({ is: 'socketError', generation, code: timedOut ? 'ETIMEDOUT' : (error.code ?? 'no WebSocket') })
  })
  socket.on('close', (code: number, reason: Buffer) => {
    link.closed = true
    // ws reports 1005 or 1006 when it received no code.
    const closeCode = code === 1005 || code === 1006 ? 0 : code
    listener.closed(link, closeCode, serverText(reason.toString(), token.access))
  })
  return link
}
