/**
 * Classifies HTTP responses. The service's documentation has no status codes or error bodies (docs/service.md#rest-endpoints), so failures
 * follow from the meaning of the HTTP status, and messages quote the service's own text.
 */
import { CodedError } from '../../../shared/base/errors.ts'
import type { Endpoint } from '../../../service/endpoints.ts'
import { serverText } from '../../../service/reasons.ts'
import { MAX_JSON_DEPTH, nestsTooDeep } from '../../../shared/base/json-depth.ts'
import { callAgainHint } from '../../base/retry-after.ts'
import { LONGEST_WAIT_MS } from './retry.ts'

export interface HttpResponse {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** The wait requested by `Retry-After`, ms. Null or absent: none. */
  readonly retryAfterMs?: number | null
}

/** Whether a retry may succeed after this status. */
export const mayMend = (status: number): boolean => status === 429 || status === 408 || status >= 500

/**
 * The hint and retry time if the service asks to wait longer than LONGEST_WAIT_MS. Otherwise the hint is `otherwise`.
 */
function patience(
  { retryAfterMs }: HttpResponse,
  nowMs: number,
  otherwise: string,
): { hint: string; notBeforeMs?: number } {
  if (typeof retryAfterMs !== 'number' || retryAfterMs <= LONGEST_WAIT_MS) return { hint: otherwise }
  return { hint: callAgainHint(retryAfterMs), notBeforeMs: nowMs + retryAfterMs }
}

/** Returns null for a good response (JSON or CSV, status 2xx), else an error. `nowMs`: receive time, UTC ms. */
export function failureOf(
  endpoint: Endpoint,
  response: HttpResponse,
  auth: 'api-key' | 'token',
  nowMs: number,
): CodedError | null {
  const { status, text } = response
  const words = wordsOf(response)
  // The server's text may already end with punctuation.
  const said = words === '' ? '' : ` It says: “${words}”${/[.!?…]$/.test(words) ? '' : '.'}`
  const key = auth === 'api-key' ? 'API key' : 'sign-in'
  if (status >= 200 && status < 300) {
    if (isMarkup(response)) {
      return new CodedError('unexpected-answer', 'The service returned a web page instead of data.', {
        hint: 'A network that requires you to sign in can cause this. Open a web page, then try again.',
      })
    }
    if (text.trim() === '') {
      return new CodedError('unexpected-answer', 'The service returned an empty response.', { hint: 'Try again.' })
    }
    if (looksLikeJson(response) && nestsTooDeep(text)) {
      return new CodedError(
        'unexpected-answer',
        `The response is nested more than ${MAX_JSON_DEPTH} levels deep and wasn’t read.`,
        {
          hint: 'Ask the service what this endpoint returns.',
        },
      )
    }
    if (looksLikeJson(response) && !isJson(text)) {
      return new CodedError('truncated', 'The response was cut off or corrupted in transit.', { hint: 'Try again.' })
    }
    return null
  }
  if (status === 401) {
    return new CodedError('unauthorized', `The service doesn’t accept this ${key}.${said}`, {
      hint:
        auth === 'api-key'
          ? 'Check the API key under “Connect your account”. If it is the same as the token, choose that in the settings.'
          : 'Sign in again, or enter an API key under “Connect your account”.',
    })
  }
  if (status === 402 || status === 403) {
    return new CodedError('forbidden', `This account has no access to ${endpoint.title}.${said}`, {
      hint: 'Your plan may not include it. Ask the service.',
    })
  }
  if (status === 404 || status === 410 || status === 501) {
    if (status === 501 || /coming[ _-]?soon|not (yet )?(available|implemented)/i.test(words)) {
      return new CodedError('coming-soon', `${endpoint.title} is not available yet.${said}`, {
        hint: 'The service lists it as coming soon. Saved responses stay available.',
      })
    }
    return new CodedError('not-found', `The service has no ${endpoint.title} for this request.${said}`, {
      hint: 'Check the symbol. This kind of instrument may not have such data.',
    })
  }
  if (status === 429) {
    const what = `The service is limiting requests (HTTP 429).${said}`
    return new CodedError('rate-limited', what, patience(response, nowMs, 'Wait a moment, then refresh.'))
  }
  if (status >= 500 || status === 408) {
    const later = 'Try again later. Saved responses stay available.'
    const what = `The service has a problem (HTTP ${status}).${said}`
    return new CodedError('server-error', what, patience(response, nowMs, later))
  }
  if (status >= 300 && status < 400) {
    return new CodedError('unexpected-answer', `The service redirected the request (HTTP ${status}).`, {
      hint: 'Tapedeck doesn’t follow redirects, to protect your key. Check the base URL.',
    })
  }
  return new CodedError('unexpected-answer', `The service refused the request (HTTP ${status}).${said}`, {
    hint: 'Check the symbol and the parameters of this endpoint.',
  })
}

const head = (text: string): string => text.slice(0, 512).trimStart().toLowerCase()

function isMarkup({ contentType, text }: HttpResponse): boolean {
  return /\b(text\/html|application\/xhtml)/i.test(contentType) || /^<(!doctype|html|head|body|\?xml)/.test(head(text))
}

function looksLikeJson({ contentType, text }: HttpResponse): boolean {
  return /\bjson\b/i.test(contentType) || /^[[{]/.test(head(text))
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The service's error message, from the usual fields of an error body. '' if there is none. */
function wordsOf(response: HttpResponse): string {
  if (isMarkup(response) || response.text.length > 64 * 1024) return ''
  let value: unknown
  try {
    value = JSON.parse(response.text)
  } catch {
    return /\bplain\b/i.test(response.contentType) ? serverText(response.text) : ''
  }
  for (let depth = 0; depth < 4; depth++) {
    if (typeof value === 'string') return serverText(value)
    if (typeof value !== 'object' || value === null) return ''
    const object = value as Record<string, unknown> // only own keys are read
    const name = ['detail', 'message', 'error', 'errors', 'reason', '0'].find((key) => Object.hasOwn(object, key))
    if (name === undefined) return ''
    value = object[name]
  }
  return ''
}
