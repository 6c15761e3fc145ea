/** One HTTP call of an endpoint: bounded in time and size, never following a redirect, errors as codes. */
import { Agent, fetch } from 'undici'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Clock } from '../../base/clock.ts'
import { networkError } from '../../base/network-error.ts'
import { retryAfterMs } from '../../base/retry-after.ts'
import type { HttpAnswer } from './classify.ts'

export const ANSWER_WITHIN_MS = 30_000
/** Larger answers are refused: 10 MB are to be handled smoothly, more is no answer to a pane. */
export const LARGEST_ANSWER = 16 << 20

/** One pool for all endpoints. Certificates are checked whatever the environment says. */
const agent = new Agent({
  connect: { rejectUnauthorized: true, timeout: 10_000 },
  connections: 6,
  pipelining: 1,
  bodyTimeout: ANSWER_WITHIN_MS,
  headersTimeout: ANSWER_WITHIN_MS,
})

export interface HttpCall {
  readonly url: URL
  /** Goes into the Authorization header and nowhere else. */
  readonly secret: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Rejects with offline, timeout, tls, truncated, too-large or cancelled; whatever status came is an answer. */
export async function callEndpoint(call: HttpCall): Promise<HttpAnswer & { readonly retryAfterMs: number | null }> {
  const { url, secret, clock, signal } = call
  const late = new AbortController()
  const disarm = clock.after(ANSWER_WITHIN_MS, () => late.abort())
  let begun = false
  try {
    const response = await fetch(url, {
      // Following a redirect would send the key to the host it names.
      redirect: 'manual',
      headers: { Authorization: `Bearer ${secret}`, Accept: 'application/json, text/csv;q=0.9' },
      signal: AbortSignal.any([late.signal, signal]),
      dispatcher: agent,
    })
    begun = true
    const text = await readText(response.body as AsyncIterable<Uint8Array> | null) // undici's body iterates bytes
    return {
      status: response.status,
      contentType: (response.headers.get('content-type') ?? '').slice(0, 200),
      text,
      retryAfterMs: retryAfterMs(response.headers.get('retry-after'), clock.wallMs()),
    }
  } catch (thrown) {
    if (thrown instanceof CodedError) throw thrown
    if (signal.aborted) throw new CodedError('cancelled', 'The call was cancelled.')
    if (begun && !late.signal.aborted) {
      throw new CodedError('truncated', 'The answer was cut off on its way.', { hint: 'Try again.', cause: thrown })
    }
    throw networkError(thrown, url, late.signal.aborted)
  } finally {
    disarm()
  }
}

async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > LARGEST_ANSWER) {
      throw new CodedError('too-large', `The answer is larger than ${LARGEST_ANSWER >> 20} MB and was not read.`, {
        hint: 'Ask for less with the parameters of this endpoint, if it has any.',
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
