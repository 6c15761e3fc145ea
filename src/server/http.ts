/** HTTP pieces of a server: JSON responses, bounded bodies, and the token endpoint (docs/service.md#sign-in). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject, parseJson } from '../service/control.ts'
import { CodedError } from '../shared/base/errors.ts'
import type { Account } from './account.ts'

/** Names of the two fields of the token request's body, which the service doesn't document. */
export interface TokenFields {
  readonly user: string
  readonly password: string
}

const TOKEN_FIELDS: TokenFields = { user: 'username', password: 'password' }

const BODY_LIMIT = 1 << 20

/** The address of a request. Throws `usage` for one that isn't valid, such as `//`: any client can send it. */
export function urlOf({ url = '/' }: IncomingMessage): URL {
  const parsed = URL.parse(url, 'http://127.0.0.1')
  if (parsed === null) throw new CodedError('usage', 'The address isn’t valid.')
  return parsed
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
  response.end(JSON.stringify(value))
}

/** The body of a request as text; undefined if it is larger than 1 MiB. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
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

/** Answers a request to the token endpoint. */
export async function answerToken(
  request: IncomingMessage,
  response: ServerResponse,
  account: Account,
  fields: TokenFields = TOKEN_FIELDS,
): Promise<void> {
  if (request.method !== 'POST') return sendJson(response, 405, { detail: 'Method not allowed.' }, { allow: 'POST' })
  const text = await readBody(request)
  const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  const body: unknown = form ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text ?? '')
  if (!isObject(body)) return sendJson(response, 400, { detail: 'A JSON object is wanted.' })
  const { user, password } = fields
  const missing = [user, password].filter((name) => !Object.hasOwn(body, name))
  if (missing.length > 0) {
    return sendJson(response, 400, Object.fromEntries(missing.map((name) => [name, ['This field is required.']])))
  }
  const tokens = account.logIn(body[user], body[password])
  if (tokens === undefined) return sendJson(response, 401, { detail: 'No account has these credentials.' })
  sendJson(response, 200, tokens)
}
