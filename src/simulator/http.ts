/**
 * The HTTP side of the simulator: the token endpoint, the thirty-nine endpoints and the simulator's own control paths.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Account } from '../server/account.ts'
import { answerToken, readBody, sendJson, urlOf, type TokenFields } from '../server/http.ts'
import { parseJson } from '../service/control.ts'
import { matchEndpoint, type EndpointGroup } from '../service/endpoints.ts'
import { toFailure } from '../shared/base/errors.ts'
import { responseOf } from './responses/response.ts'
import { createIntraday } from './responses/intraday.ts'
import { readReference, type Reference } from './responses/reference.ts'
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
  readonly tokenFields: TokenFields
  /** The failure of this request, if one is due. */
  takeRestFault(): RestFault | undefined
  /** The response of a control path by method, path and body, or undefined if it is unknown. Throws CodedError. */
  control(method: string, url: URL, body: unknown): unknown
}

/** Creates the handler of all requests except upgrades. Never rejects. */
export function createHttpHandler(
  side: HttpSide,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let reference: Reference | undefined
  const intraday = createIntraday((id) => side.market.source(id))

  const rest = (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const match = matchEndpoint(url.pathname)
    if (match === undefined) return sendJson(response, 404, { detail: 'Not found.' })
    if (request.method !== 'GET') return sendJson(response, 405, { detail: 'Method not allowed.' }, { allow: 'GET' })
    if (!side.account.holdsKey(request.headers.authorization)) {
      return sendJson(response, 401, { detail: 'The API key is missing or wrong.' }, { 'www-authenticate': 'Bearer' })
    }
    const fault = side.takeRestFault()
    if (fault !== undefined) return fail(response, fault)
    if (side.comingSoon.includes(match.endpoint.group)) {
      return sendJson(response, 404, { status: 'error', detail: 'This endpoint is coming soon.' })
    }
    reference ??= readReference(side.dataDir)
    const symbol = (match.symbol ?? '').toUpperCase()
    const body = responseOf(
      { endpoint: match.endpoint, symbol, query: url.searchParams, nowMs: side.nowMs(), seed: side.seed, intraday },
      reference,
    )
    if (body === undefined) return sendJson(response, 404, { status: 'error', detail: 'There is no such record.' })
    sendJson(response, 200, body)
  }

  const control = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    // Pages of other sites, and host names that resolve to this address, may not use these paths.
    const { host, origin } = request.headers
    if (`http://${host ?? ''}` !== side.origin() || (origin !== undefined && origin !== side.origin())) {
      return sendJson(response, 403, { detail: 'Forbidden.' })
    }
    const text = request.method === 'POST' ? await readBody(request) : undefined
    try {
      const body = await side.control(request.method ?? '', url, parseJson(text ?? ''))
      if (body === undefined) sendJson(response, 404, { detail: 'Not found.' })
      else sendJson(response, 200, body)
    } catch (thrown) {
      sendJson(response, 400, { detail: toFailure(thrown).message })
    }
  }

  return async (request, response) => {
    try {
      const url = urlOf(request)
      if (url.pathname === '/api/token/') await answerToken(request, response, side.account, side.tokenFields)
      else if (url.pathname.startsWith('/__simulator/')) await control(request, response, url)
      else rest(request, response, url)
    } catch (thrown) {
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { detail: toFailure(thrown).message })
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
      sendJson(response, status, { detail: 'A failure on demand.' }, headers)
  }
}
