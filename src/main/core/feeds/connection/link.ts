/** One socket of a session: dialled, heard and ended; what it tells goes to the session in the words of its events. */
import type { Duplex } from 'node:stream'
import WebSocket, { type ClientOptions } from 'ws'
import { serverWords } from '../../../../service/reasons.ts'
import type { UnixMs } from '../../../../shared/base/units.ts'
import type { Token } from '../../account/port.ts'
import type { AskedFor } from './requested.ts'
import { createHeartbeat, type Heartbeat } from './heartbeat.ts'
import type { SessionEvent } from './connection-model.ts'
import { readTextFrames } from './text-frames.ts'

/** Larger frames are refused, and the hole is a gap. */
export const MAX_PAYLOAD = 1024 * 1024
const HANDSHAKE_MS = 10_000
const CLOSE_MS = 2_000
/** A service may ask to be left alone, but not to be left for good: a feed that waits is a gap. */
export const RETRY_AFTER_AT_MOST_MS = 300_000

export interface Link {
  readonly generation: number
  readonly socket: WebSocket
  readonly asked: AskedFor
  readonly token: Token
  readonly conn: number
  upgraded: boolean
  /** Its end was already told to the state machine by a better event than `close`. */
  explained: boolean
  closed: boolean
  heardMs: UnixMs
  /** Number of the last ping, which is its payload. */
  pings: number
  /** When the last ping was sent, and when the service was asked to close, UTC ms; null: not yet. */
  pingedMs: UnixMs | null
  closeAskedMs: UnixMs | null
  heartbeat: Heartbeat
}

/** What a session does about a link's news. */
export interface LinkListener {
  opened(link: Link): void
  /** A whole message, before anyone else sees it. */
  message(link: Link, data: Buffer, binary: boolean): void
  /** A ping: somebody is there. */
  heard(link: Link): void
  /** A pong: somebody is there, and has answered the ping of this payload. */
  pong(link: Link, payload: Buffer): void
  /** The next message was too large. */
  oversize(link: Link): void
  /** Why it ends, where more than its close says so; told once, before `closed`. */
  explained(event: SessionEvent): void
  /** `code` as the service sent it, 0: none came; `words` are its reason without the token. See `Link.explained`. */
  closed(link: Link, code: number, words: string): void
}

/** How to dial; `nowMs` UTC and `monoMs` on the monotonic clock are the instant of it. */
export interface Dial {
  readonly generation: number
  /** Number of the connection, taken once there is one. */
  readonly connection: () => number
  readonly url: URL
  readonly origin: string
  readonly token: Token
  readonly asked: AskedFor
  readonly nowMs: UnixMs
  readonly monoMs: number
}

/** Dials. Throws where the address is none, or the token is one that no header can carry. */
export function openLink(dial: Dial, listener: LinkListener): Link {
  const { generation, connection, url, origin, token, asked, nowMs, monoMs } = dial
  // The types of ws do not know closeTimeout yet.
  const options: ClientOptions & { closeTimeout: number } = {
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD,
    skipUTF8Validation: true,
    followRedirects: false,
    // Said aloud so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
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
    asked,
    token,
    conn: connection(),
    upgraded: false,
    explained: false,
    closed: false,
    heardMs: nowMs,
    pings: 0,
    pingedMs: null,
    closeAskedMs: null,
    heartbeat: createHeartbeat(monoMs),
  }
  const explain = (event: SessionEvent): void => {
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
    // 1005 and 1006 are ws's own words for "no code came".
    const closeCode = code === 1005 || code === 1006 ? 0 : code
    listener.closed(link, closeCode, serverWords(reason.toString(), token.access))
  })
  return link
}
