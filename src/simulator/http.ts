/**
 * The HTTP side of the simulator: the token endpoint, the thirty-nine endpoints and the simulator's own control paths.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject, parseJson } from '../service/control.ts'
import { matchEndpoint, type EndpointGroup } from '../service/endpoints.ts'
import { toFailure } from '../shared/base/errors.ts'
import type { Account } from './account.ts'
import { answerOf } from './answers/answer.ts'
import { createIntraday } from './answers/intraday.ts'
import { readReference, type Reference } from './answers/reference.ts'
import type { Market } from './market/market.ts'

/** A failure requested by the fault `rest`. */
export interface RestFault {
  readonly kind: string
  readonly status: number
  readonly retryAfter: number
}

export interface HttpSide {
  readonly account: Account
  readonly origin: () => string
  readonly dataDir: URL
  readonly nowMs: () => number
  readonly seed: number
  readonly market: Pick<Market, 'source'>
  readonly comingSoon: readonly EndpointGroup[]
  readonly tokenFields: { readonly user: string; readonly password: string }
  /** The failure of this request, if one is due. */
  takeRestFault(): RestFault | undefined
  /** The response of a control path by method, path and body, or undefined if it is unknown. Throws CodedError. */
  control(method: string, url: URL, body: unknown): unknown
}

const BODY_LIMIT = 1 << 20

function send(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
  response.end(JSON.stringify(value))
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    const bytes = part as Buffer // A request without an encoding yields buffers.
    size += bytes.length
    if (size > BODY_LIMIT) return undefined
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Creates the handler of all requests except upgrades. Never rejects. */
export function createHttpHandler(
  side: HttpSide,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let reference: Reference | undefined
  const intraday = createIntraday((id) => side.market.source(id))

  const token = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return send(response, 405, { detail: 'Method not allowed.' }, { allow: 'POST' })
    const text = await bodyOf(request)
    const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    const body: unknown = form ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text ?? '')
    if (!isObject(body)) return send(response, 400, { detail: 'A JSON object is wanted.' })
    const { user, password } = side.tokenFields
    const missing = [user, password].filter((name) => !Object.hasOwn(body, name))
    if (missing.length > 0) {
      return send(response, 400, Object.fromEntries(missing.map((name) => [name, ['This field is required.']])))
    }
    const tokens = side.account.logIn(body[user], body[password])
    if (tokens === undefined) return send(response, 401, { detail: 'No account has these credentials.' })
    send(response, 200, tokens)
  }

  const rest = (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const match = matchEndpoint(url.pathname)
    if (match === undefined) return send(response, 404, { detail: 'Not found.' })
    if (request.method !== 'GET') return send(response, 405, { detail: 'Method not allowed.' }, { allow: 'GET' })
    if (!side.account.holdsKey(request.headers.authorization)) {
      return send(response, 401, { detail: 'The API key is missing or wrong.' }, { 'www-authenticate': 'Bearer' })
    }
    const fault = side.takeRestFault()
    if (fault !== undefined) return fail(response, fault)
    if (side.comingSoon.includes(match.endpoint.group)) {
      return send(response, 404, { status: 'error', detail: 'This endpoint is coming soon.' })
    }
    reference ??= readReference(side.dataDir)
    const symbol = (match.symbol ?? '').toUpperCase()
    const answer = answerOf(
      { endpoint: match.endpoint, symbol, query: url.searchParams, nowMs: side.nowMs(), seed: side.seed, intraday },
      reference,
    )
    if (answer === undefined) return send(response, 404, { status: 'error', detail: 'There is no such record.' })
    send(response, 200, answer)
  }

  const control = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    // Pages of other sites, and host names that resolve to this address, may not use these paths.
    const { host, origin } = request.headers
    if (`http://${host ?? ''}` !== side.origin() || (origin !== undefined && origin !== side.origin())) {
      return send(response, 403, { detail: 'Forbidden.' })
    }
    const text = request.method === 'POST' ? await bodyOf(request) : undefined
    try {
      const answer = await side.control(request.method ?? '', url, parseJson(text ?? ''))
      if (answer === undefined) send(response, 404, { detail: 'Not found.' })
      else send(response, 200, answer)
    } catch (thrown) {
      send(response, 400, { detail: toFailure(thrown).message })
    }
  }

  return async (request, response) => {
    try {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1')
      if (url.pathname === '/api/token/') await token(request, response)
      else if (url.pathname.startsWith('/__simulator/')) await control(request, response, url)
      else rest(request, response, url)
    } catch (thrown) {
      if (response.headersSent) response.destroy()
      else send(response, 500, { detail: toFailure(thrown).message })
    }
  }
}

function fail(response: ServerResponse, { kind, status, retryAfter }: RestFault): void {
  const headers: Record<string, string> = retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {}
  switch (kind) {
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>Sign in</title><p>This network wants you to sign in.</p>')
      return
    case 'truncated':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.end('{"status":"success","data":{"symb', () => response.destroy())
      return
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"status":"success","data":"${'x'.repeat(10 * 1024 * 1024)}"}`)
      return
    case 'hang':
      // Never answered; ends when the client gives up or the simulator closes.
      return
    default:
      send(response, status, { detail: 'A failure on demand.' }, headers)
  }
}
