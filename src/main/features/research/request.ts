/** Makes one HTTP request to an endpoint, with limits on time and size. Never follows redirects. */
import type { Agent, fetch as Fetch } from 'undici'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Clock } from '../../base/clock.ts'
import { networkError } from '../../base/network-error.ts'
import { retryAfterMs } from '../../base/retry-after.ts'
import type { HttpResponse } from './classify.ts'

const RESPOND_WITHIN_MS = 30_000
/** Maximum response size in bytes. 10 MB must work smoothly; a pane can't use much more. */
export const MAX_RESPONSE_BYTES = 16 << 20

/** Loaded with the first request: many windows never make one. */
let client: Promise<{ readonly fetch: typeof Fetch; readonly agent: Agent }> | null = null

/** One connection pool for all endpoints. Always checks certificates, whatever the environment variables say. */
const loadClient = (): NonNullable<typeof client> =>
  (client ??= import('undici').then(({ Agent, fetch }) => ({
    fetch,
    agent: new Agent({
      connect: { rejectUnauthorized: true, timeout: 10_000 },
      connections: 6,
      pipelining: 1,
      bodyTimeout: RESPOND_WITHIN_MS,
      headersTimeout: RESPOND_WITHIN_MS,
    }),
  })))

export interface HttpCall {
  readonly url: URL
  /** Sent in the Authorization header and used nowhere else. */
  readonly secret: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Resolves with any HTTP status. Rejects with `offline`, `timeout`, `tls`, `truncated`, `too-large` or `cancelled`. */
export async function callEndpoint(call: HttpCall): Promise<HttpResponse & { readonly retryAfterMs: number | null }> {
  const { url, secret, clock, signal } = call
  const { fetch, agent } = await loadClient()
  const late = new AbortController()
  const disarm = clock.after(RESPOND_WITHIN_MS, () => late.abort())
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
    if (signal.aborted) throw new CodedError('cancelled', 'The request was canceled.')
    if (begun && !late.signal.aborted) {
      throw new CodedError('truncated', 'The response was cut off in transit.', { hint: 'Try again.', cause: thrown })
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
    if (size > MAX_RESPONSE_BYTES) {
      throw new CodedError('too-large', `The response is larger than ${MAX_RESPONSE_BYTES >> 20} MB and wasn’t read.`, {
        hint: 'Use this endpoint’s parameters, if it has any, to request less.',
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
