/** Access tokens: requested with user and password, cached until shortly before they expire, shared by all callers. */
import type { Agent, fetch as Fetch, Response } from 'undici'
import { CodedError } from '../../../shared/base/errors.ts'
import { unixMs, type UnixMs } from '../../../shared/base/units.ts'
import { parseJson } from '../../../service/control.ts'
import { serverText } from '../../../service/reasons.ts'
import type { Clock } from '../../base/clock.ts'
import { networkError } from '../../base/network-error.ts'
import { callAgainHint, retryAfterMs } from '../../base/retry-after.ts'
import { httpUrl } from '../../base/service-address.ts'

export interface Token {
  /** Used only in the Authorization header. */
  readonly access: string
  /** When it expires, local UTC ms; null: unknown. */
  readonly expiresMs: UnixMs | null
}

export interface TokenSource {
  /** A token that has not expired. Rejects with a `CodedError`. */
  get(): Promise<Token>
  /**
   * Requests a token to replace `refused`, which the service refused. Concurrent callers share one request, and a
   * caller whose token was already replaced gets the newer one. Rejects with a `CodedError`.
   */
  renew(refused: Token): Promise<Token>
}

const TOKEN_PATH = '/api/token/'
/** How long before its expiry a token is replaced, ms (a short-lived one: halfway through its lifetime). */
const RENEW_BEFORE_MS = 60_000
const ANSWER_WITHIN_MS = 15_000
const LARGEST_ANSWER = 256 * 1024
/** Longer than any JWT and about the limit of a header, in characters. */
const LONGEST_TOKEN = 16 * 1024

export interface TokenRequest {
  readonly baseUrl: string
  readonly user: string
  readonly password: string
  /** Names of the two fields in the body, which `docs/service.md` does not name. */
  readonly userField: string
  readonly passwordField: string
}

/** Loaded with the first request, so that the terminal starts without it. */
let client: Promise<{ readonly fetch: typeof Fetch; readonly agent: Agent }> | null = null

/** One connection pool for token requests. Certificates are checked even if the environment turns that off. */
const loadClient = (): NonNullable<typeof client> =>
  (client ??= import('undici').then(({ Agent, fetch }) => ({
    fetch,
    agent: new Agent({ connect: { rejectUnauthorized: true, timeout: 10_000 } }),
  })))

/**
 * Requests a token from the service. Rejects with a `CodedError`: wrong-password, offline, timeout, tls,
 * bad-url, insecure-url or token-missing. No part of the request is ever in an error.
 */
export async function requestToken(request: TokenRequest, clock: Clock, signal?: AbortSignal): Promise<Token> {
  const url = httpUrl(request.baseUrl, TOKEN_PATH)
  const { fetch, agent } = await loadClient()
  const late = new AbortController()
  const disarm = clock.after(ANSWER_WITHIN_MS, () => late.abort())
  const stop = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal])
  try {
    const response = await fetch(url, {
      method: 'POST',
      // Following a redirect would send the password to whatever host it names.
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(bodyOf(request)),
      signal: stop,
      dispatcher: agent,
    })
    return await readResponse(response, request, url, clock.wallMs())
  } catch (thrown) {
    if (thrown instanceof CodedError) throw thrown
    if (signal?.aborted) throw new CodedError('cancelled', 'The sign-in was canceled.')
    throw networkError(thrown, url, late.signal.aborted)
  } finally {
    disarm()
  }
}

function bodyOf(request: TokenRequest): Record<string, string> {
  // Without a prototype, so that __proto__ can be a field.
  const body = Object.create(null) as Record<string, string>
  body[request.userField || 'username'] = request.user
  body[request.passwordField || 'password'] = request.password
  return body
}

async function readResponse(response: Response, request: TokenRequest, url: URL, nowMs: UnixMs): Promise<Token> {
  const { status } = response
  const text = await readText(response)
  if (status >= 300 && status < 400) {
    throw new CodedError('bad-url', `${url.host} redirects the sign-in (HTTP ${status}).`, {
      hint: 'Tapedeck doesn’t follow redirects with a password. Enter the service’s final address as the base URL.',
    })
  }
  if (status === 404 || status === 405 || status === 410) {
    throw new CodedError('bad-url', `No sign-in endpoint at ${url.host}${TOKEN_PATH} (HTTP ${status}).`, {
      hint: 'Check the base URL.',
    })
  }
  if (status === 429 || status >= 500) {
    const asked = retryAfterMs(response.headers.get('retry-after'), nowMs)
    throw new CodedError('offline', `The service can’t sign you in right now (HTTP ${status}).`, {
      hint: asked === null ? 'Wait a moment, then try again.' : callAgainHint(asked),
    })
  }
  if (looksLikeHtml(response, text)) {
    throw new CodedError('bad-url', `${url.host} returned a web page instead of a token (HTTP ${status}).`, {
      hint: 'Check the base URL. A network with a sign-in page can also cause this.',
    })
  }
  if (status === 400 || status === 401 || status === 403 || status === 422) {
    throw new CodedError('wrong-password', `The service rejected the user and password (HTTP ${status}).`, {
      hint:
        status === 400 || status === 422
          ? `Check both. They were sent as "${serverText(request.userField)}" and "${serverText(request.passwordField)}"; the service may use other field names.`
          : 'Check both, then try again.',
    })
  }
  if (status < 200 || status >= 300) {
    throw new CodedError('bad-url', `${url.host} responded to the sign-in with HTTP ${status}.`, {
      hint: 'Check the base URL.',
    })
  }
  const access = accessOf(text)
  if (access === undefined) {
    throw new CodedError('token-missing', 'The service’s sign-in response has no access token.', {
      hint: 'Check the base URL. If it is right, ask the service what its token endpoint returns.',
    })
  }
  return { access, expiresMs: expiryOf(access, nowMs) }
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > LARGEST_ANSWER) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function looksLikeHtml(response: Response, text: string): boolean {
  return (response.headers.get('content-type') ?? '').includes('text/html') || text.trimStart().startsWith('<')
}

function accessOf(text: string): string | undefined {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'access')) return undefined
  const { access } = value as { access: unknown } // its own key, of any type
  if (typeof access !== 'string' || access.length > LONGEST_TOKEN) return undefined
  // Only characters that a header may contain: a line break would let the service add headers.
  return /^[\x21-\x7e]+$/.test(access) ? access : undefined
}

/**
 * When a token expires, local UTC ms, from the `exp` of its JWT; null without one. If the JWT has `iat`, its lifetime
 * counts from now, so that a wrong local clock does not make every token look expired.
 */
export function expiryOf(access: string, nowMs: UnixMs): UnixMs | null {
  const payload = access.split('.')[1]
  if (payload === undefined || payload === '') return null
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'))
  if (typeof claims !== 'object' || claims === null) return null
  const claim = (name: string): number | undefined => {
    const value: unknown = Object.hasOwn(claims, name) ? (claims as Record<string, unknown>)[name] : undefined
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value * 1_000 : undefined
  }
  const exp = claim('exp')
  if (exp === undefined) return null
  const iat = claim('iat')
  const life = iat === undefined ? exp - nowMs : exp - iat
  return life > 0 && life < 1e13 ? unixMs(nowMs + life) : null
}

/** Reads the request with its secrets, which are not cached. */
export type TokenRequestSource = () => Promise<TokenRequest>

export interface CachedTokens extends TokenSource {
  /** The cached token, even if it has expired. */
  readonly held: Token | null
  /** Forgets the token; the response to a pending request is ignored. */
  clear(): void
}

/** The tokens of one account. `onChange` is called with each outcome: a token or the error. */
export function createTokenSource(
  request: TokenRequestSource,
  clock: Clock,
  onChange: (outcome: Token | CodedError) => void = () => undefined,
): CachedTokens {
  let held: { readonly token: Token; readonly renewAtMs: number } | null = null
  let flight: Promise<Token> | null = null
  let epoch = 0

  function fetchToken(): Promise<Token> {
    if (flight !== null) return flight
    const mine = epoch
    const task = (async () => {
      try {
        const token = await requestToken(await request(), clock)
        if (mine === epoch) {
          held = { token, renewAtMs: renewAt(token, clock.wallMs()) }
          onChange(token)
        }
        return token
      } catch (thrown) {
        if (mine === epoch && thrown instanceof CodedError) onChange(thrown)
        throw thrown
      } finally {
        if (mine === epoch) flight = null
      }
    })()
    flight = task
    return task
  }

  return {
    get held() {
      return held?.token ?? null
    },
    get: async () => (held !== null && clock.wallMs() < held.renewAtMs ? held.token : fetchToken()),
    renew: async (refused) => {
      if (held !== null && held.token.access !== refused.access && clock.wallMs() < held.renewAtMs) return held.token
      return fetchToken()
    },
    clear() {
      held = null
      flight = null
      epoch++
    },
  }
}

function renewAt(token: Token, nowMs: UnixMs): number {
  if (token.expiresMs === null) return Infinity
  const life = token.expiresMs - nowMs
  return token.expiresMs - Math.min(RENEW_BEFORE_MS, life / 2)
}
