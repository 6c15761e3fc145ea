/** The checks of every request to the browser host, as pure functions of what arrived. */
import type { IncomingHttpHeaders } from 'node:http'
import { SOCKET_PATH, type Hello } from '../../../shared/rpc/handshake.ts'

/** A refusal with its HTTP status. */
export interface Refusal {
  readonly status: 400 | 403 | 404 | 405 | 421
  readonly text: string
}

/** Pages are served only to requests for this host's address, which blocks DNS rebinding. */
export function findPageRefusal(
  method: string | undefined,
  headers: IncomingHttpHeaders,
  host: string,
): Refusal | undefined {
  if (headers.host !== host) return { status: 421, text: 'Wrong host. Open the address that Tapedeck printed.' }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'Method not allowed: use GET.' }
  return undefined
}

/** Only pages of this origin may open the WebSocket, and they must still present a token or secret. */
export function findUpgradeRefusal(
  method: string | undefined,
  url: string | undefined,
  headers: IncomingHttpHeaders,
  host: string,
): Refusal | undefined {
  if (headers.host !== host) return { status: 421, text: 'Wrong host. Open the address that Tapedeck printed.' }
  if (method !== 'GET') return { status: 405, text: 'Method not allowed: a WebSocket starts with GET.' }
  if (url !== SOCKET_PATH) return { status: 404, text: 'No WebSocket at this address.' }
  if (headers.origin !== `http://${host}`) return { status: 403, text: 'Only pages from this host may connect.' }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') {
    return { status: 403, text: 'Only pages from this host may connect.' }
  }
  return undefined
}

const MAX_HELLO_CHARS = 512

/** The first message of a socket; undefined when it is anything else. */
export function parseHello(text: string): Hello | undefined {
  if (text.length > MAX_HELLO_CHARS) return undefined
  let hello: unknown
  try {
    hello = JSON.parse(text)
  } catch {
    return undefined // Not a hello.
  }
  if (typeof hello !== 'object' || hello === null) return undefined
  const fields = hello as Record<string, unknown> // any object may be asked for its fields
  if (fields.t === 'token' && typeof fields.token === 'string') return { t: 'token', token: fields.token }
  if (fields.t === 'secret' && typeof fields.secret === 'string') return { t: 'secret', secret: fields.secret }
  return undefined
}
