/**
 * The server of the local API, on 127.0.0.1 only. Every request needs the bearer token and this host's name, and none
 * may come from a page: there is no CORS, and a request with another Origin is refused.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { createBoundedServer, SERVER_BOUNDS } from '../../../server/bounded-server.ts'
import { readBody, sendJson, urlOf } from '../../../server/http.ts'
import { StreamSlots } from '../../../server/stream-slots.ts'
import { refuseUpgrade, trackConnections } from '../../../server/upgrades.ts'
import { parseJson } from '../../../service/control.ts'
import { CodedError, toFailure, type ErrorCode } from '../../../shared/base/errors.ts'
import { STREAM_PATH } from './documents.ts'
import { ROW_FORMATS } from './endpoints.ts'
import { HANDLERS, type Answer, type ApiSide } from './handlers.ts'
import type { LiveSockets } from './live-socket.ts'
import { findEndpoint, readParameters } from './parameters.ts'

export interface ApiServerOptions {
  /** 0: any free port. */
  readonly port: number
  readonly token: string
  readonly side: ApiSide
  readonly live: LiveSockets
  /** A clock that never goes back. */
  readonly monoMs: () => number
}

export interface ApiServer {
  readonly baseUrl: string
  close(): Promise<void>
}

const MAX_MESSAGE_BYTES = 1 << 16
/** Streams of rows at once. Each holds some megabytes, read by the client or not. */
const MAX_ROW_STREAMS = 16
/** How long clients have to end when the server closes, ms. */
const CLOSE_WITHIN_MS = 500

/** The HTTP status of a failure. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  usage: 400,
  'bad-arguments': 400,
  unauthorized: 401,
  'not-allowed': 409,
  'not-found': 404,
  'ambiguous-source': 409,
  budget: 429,
  'too-large': 413,
  busy: 503,
  cancelled: 409,
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Starts a server. Rejects with `not-allowed` if the port is taken. */
export async function startApiServer({
  port: wanted,
  token,
  side,
  live,
  monoMs,
}: ApiServerOptions): Promise<ApiServer> {
  const server = createBoundedServer(SERVER_BOUNDS)
  const endConnections = trackConnections(server)
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES })
  const slots = new StreamSlots(MAX_ROW_STREAMS, monoMs)
  const expected = digest(token)
  let port = 0

  /** Throws why a request isn't let in. */
  const admit = ({ headers: { host, origin, authorization } }: IncomingMessage): void => {
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
    if (host === undefined || !hosts.includes(host.toLowerCase()) || origin !== undefined) {
      throw new CodedError('forbidden', 'Only programs on this computer may connect, and no web pages.')
    }
    // The name of the scheme has no case (RFC 9110, section 11.1).
    const [, sent = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (!timingSafeEqual(digest(sent), expected)) {
      throw new CodedError('unauthorized', 'The token is missing or wrong.', {
        hint: 'Send Authorization: Bearer with the token from api.json in Tapedeck’s folder.',
      })
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    admit(request)
    const { pathname, searchParams } = urlOf(request)
    const found = findEndpoint(request.method ?? '', pathname)
    if (!('id' in found)) {
      if (found.length > 0) {
        return sendJson(response, 405, errorJson(new CodedError('usage', `Use ${found.join(' or ')}.`)), {
          allow: found.join(', '),
        })
      }
      throw new CodedError('not-found', `There is nothing at ${pathname}.`, {
        hint: 'GET /v1/openapi.json describes the API.',
      })
    }
    const { id, endpoint, path } = found
    const parameters = readParameters(endpoint, path, searchParams, side.wallMs())
    let body: unknown
    if (endpoint.body !== undefined) {
      const text = await readBody(request)
      if (text === undefined) throw new CodedError('too-large', 'The body is too large.')
      body = parseJson(text)
      if (body === undefined) throw new CodedError('usage', 'The body isn’t JSON.')
    }
    await respond(response, await HANDLERS[id](side, parameters, body), side, slots)
  }

  server.on('request', (request, response) => {
    request.resume() // a body that no endpoint reads must not hold the connection
    handle(request, response).catch((thrown: unknown) => fail(response, thrown))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    try {
      admit(request)
      if (request.url !== STREAM_PATH) throw new CodedError('not-found', `The live stream is at ${STREAM_PATH}.`)
      live.makeRoom()
    } catch (thrown) {
      return refuse(socket, thrown)
    }
    sockets.handleUpgrade(request, socket, head, (ws) => live.accept(ws))
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: wanted, exclusive: true }, () => {
      server.off('error', reject)
      port = (server.address() as AddressInfo).port // a listening TCP server has one
      resolve()
    })
  }).catch((cause: unknown) => {
    throw new CodedError('not-allowed', `The API can’t listen on port ${wanted}.`, {
      hint: 'Another program may use it. Choose another with --api-port.',
      cause,
    })
  })

  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        live.closeAll()
        const late = setTimeout(endConnections, CLOSE_WITHIN_MS)
        server.close(() => {
          clearTimeout(late)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

async function respond(response: ServerResponse, answer: Answer, side: ApiSide, slots: StreamSlots): Promise<void> {
  switch (answer.is) {
    case 'json':
      return sendJson(response, 200, answer.value)
    case 'nothing':
      response.writeHead(204)
      response.end()
      return
    case 'rows': {
      const slot = slots.take(response.req.socket)
      try {
        const write = async (bytes: Uint8Array): Promise<void> => {
          if (!response.headersSent) {
            response.writeHead(200, { 'content-type': ROW_FORMATS[answer.format], 'cache-control': 'no-store' })
          }
          if (!response.write(bytes)) await drained(response, slot.signal)
          slot.moved()
        }
        await side.exportRows(answer.request, write, slot.signal)
      } finally {
        slot.free()
      }
      if (!response.headersSent) response.writeHead(200, { 'content-type': ROW_FORMATS[answer.format] })
      response.end()
    }
  }
}

/** Resolves when more can be written, or the client has left. A response that waits for another one has no `close`. */
function drained(response: ServerResponse, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      left.removeEventListener('abort', done)
      resolve()
    }
    response.on('drain', done)
    left.addEventListener('abort', done)
    if (left.aborted) done()
  })
}

function errorJson(thrown: unknown): { readonly error: object } {
  const { code, message, hint } = toFailure(thrown)
  // Many hints are written for the command line, whose options have the names of the parameters here.
  return { error: { code, message, ...(hint === undefined ? {} : { hint: hint.replace(/--([a-z-]+)/g, '"$1"') }) } }
}

const statusOf = (thrown: unknown): number => {
  const { code } = toFailure(thrown)
  return code === 'forbidden' ? 403 : (STATUS[code] ?? 500)
}

function fail(response: ServerResponse, thrown: unknown): void {
  // Without the last chunk the client knows that rows are missing.
  if (response.headersSent) response.destroy()
  else {
    const status = statusOf(thrown)
    sendJson(response, status, errorJson(thrown), status === 401 ? { 'www-authenticate': 'Bearer' } : {})
  }
}

function refuse(socket: Duplex, thrown: unknown): void {
  refuseUpgrade(socket, statusOf(thrown), JSON.stringify(errorJson(thrown)), { 'content-type': 'application/json' })
}
