/**
 * The REST client for all endpoints. It uses saved responses first, shares identical requests in flight, counts
 * requests against the user's daily budget, and retries when that may help.
 */
import { createHash } from 'node:crypto'
import PQueue from 'p-queue'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import type { ServiceResponse, ResearchResult } from '../../../shared/features/research/research.ts'
import { unixMs } from '../../../shared/base/units.ts'
import type { Endpoint } from '../../../service/endpoints.ts'
import type { Clock } from '../../base/clock.ts'
import { encodingsOf, redact } from '../../base/redaction.ts'
import { httpUrl } from '../../base/service-address.ts'
import { countAt, resetOf, type CallCount } from './budget.ts'
import { failureOf, mayMend } from './classify.ts'
import type { ResponseKey, ResponseStore, NewResponse, RestClient } from './port.ts'
import { readParams, readQuestion } from './question.ts'
import { callEndpoint } from './request.ts'
import { waitBefore } from './retry.ts'
import { isStale } from './ttl.ts'

export interface RestOptions {
  readonly clock: Clock
  readonly store: ResponseStore
  readonly source: () => string
  readonly baseUrl: () => string
  readonly auth: () => 'api-key' | 'token'
  /** The API key or token of the current account. Null: none. May reject with a `CodedError`. */
  readonly secret: () => Promise<string | null>
  /** The user's limit of requests per UTC day. */
  readonly dailyCalls: () => number
  readonly count: { load(): CallCount; save(count: CallCount): void }
  /** Returns a random number in [0, 1). */
  readonly chance: () => number
  /** Called when the budget changes. */
  readonly changed: () => void
  /** Called if a response couldn't be saved. */
  readonly notKept: (thrown: unknown) => void
}

const AT_ONCE = 4
/** Maximum queued requests. Further ones are rejected immediately. */
const MAX_WAITING = 200
/** Error responses are saved as evidence, truncated to this many characters. */
const LONGEST_ERROR_TEXT = 64 * 1024

interface Flight {
  readonly outcome: Promise<ServiceResponse>
  readonly stop: AbortController
  waiters: number
}

/** Creates a client. It makes no request until asked. */
export function createRestClient(options: RestOptions): RestClient {
  const { clock, store } = options
  const queue = new PQueue({ concurrency: AT_ONCE })
  const flights = new Map<string, Flight>()
  let count = options.count.load()
  let closed = false

  const spend = (): void => {
    count = countAt(count, clock.wallMs())
    const limit = options.dailyCalls()
    if (count.used >= limit) {
      throw new CodedError('budget', `Today’s request limit (${limit}) is reached.`, {
        hint: `The limit resets at ${new Date(resetOf(count)).toISOString().slice(11, 16)} UTC. You can change it in Settings.`,
      })
    }
    count = { ...count, used: count.used + 1 }
    options.count.save(count)
    options.changed()
  }

  const secretOf = async (): Promise<string> => {
    const secret = await options.secret()
    if (secret !== null) return secret
    throw new CodedError('no-key', 'This account has no API key.', {
      hint: 'Enter it under “Connect your account”. If the token is also the key, choose that in the settings.',
    })
  }

  /** Saves a response. Returns its id in the store, or 0 if it couldn't be saved. */
  const keep = async (response: NewResponse): Promise<number> => {
    try {
      return await store.save(response)
    } catch (thrown) {
      options.notKept(thrown)
      return 0
    }
  }

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancelled = () => {
        undo()
        reject(new CodedError('cancelled', 'The request was canceled.'))
      }
      const undo = clock.after(ms, () => {
        signal.removeEventListener('abort', cancelled)
        resolve()
      })
      signal.addEventListener('abort', cancelled, { once: true })
    })

  /** Requests and retries until there is a good response or no retry can help. Saves every complete response. */
  const call = async (
    endpoint: Endpoint,
    path: string,
    key: ResponseKey,
    signal: AbortSignal,
  ): Promise<ServiceResponse> => {
    for (let tried = 1; ; tried++) {
      // The account changed since the request was made, so the response would be another account's.
      if (options.source() !== key.source) throw new CodedError('cancelled', 'The account was changed.')
      const secret = await secretOf()
      const auth = options.auth()
      spend()
      let failure: CodedError
      let patience: number | null = null
      let hope: boolean
      try {
        const given = await callEndpoint({ url: httpUrl(options.baseUrl(), path), secret, clock, signal })
        // If the service echoes the key, keep it out of the store and off the screen.
        const encodings = encodingsOf(secret)
        const http = {
          ...given,
          contentType: redact(given.contentType, encodings),
          text: redact(given.text, encodings),
        }
        const wrong = failureOf(endpoint, http, auth, clock.wallMs())
        const fetchedMs = clock.wallMs()
        const { status, contentType, text } = http
        if (wrong === null) {
          const id = await keep({ ...key, status, contentType, fetchedMs, text })
          const sha256 = createHash('sha256').update(text).digest('hex')
          return { id, fetchedMs, status, contentType, size: Buffer.byteLength(text), sha256, text }
        }
        if (status < 200 || status >= 300) {
          await keep({ ...key, status, contentType, fetchedMs, text: text.slice(0, LONGEST_ERROR_TEXT) })
        }
        failure = wrong
        patience = http.retryAfterMs
        hope = mayMend(status) || wrong.code === 'truncated'
      } catch (thrown) {
        if (!(thrown instanceof CodedError)) throw thrown
        failure = thrown
        hope = thrown.code === 'offline' || thrown.code === 'truncated'
      }
      const wait = hope ? waitBefore(tried + 1, patience, options.chance()) : null
      if (wait === null) throw failure
      await pause(wait, signal)
    }
  }

  /** One request per key, shared by all callers. It is canceled when the last caller leaves. */
  const shared = (endpoint: Endpoint, path: string, key: ResponseKey): Flight => {
    const name = JSON.stringify(key)
    const going = flights.get(name)
    if (going !== undefined) return going
    if (queue.size >= MAX_WAITING) {
      throw new CodedError('busy', `${queue.size} requests are already waiting.`, { hint: 'Try again in a moment.' })
    }
    const stop = new AbortController()
    const outcome = queue
      .add(() => call(endpoint, path, key, stop.signal), { signal: stop.signal })
      .catch((thrown: unknown) => {
        if (stop.signal.aborted) throw new CodedError('cancelled', 'The request was canceled.')
        throw thrown
      })
      .finally(() => {
        if (flights.get(name) === flight) flights.delete(name)
        options.changed()
      })
    outcome.catch(() => undefined) // waiting callers get the rejection, but there may be none
    const flight: Flight = { outcome, stop, waiters: 0 }
    flights.set(name, flight)
    options.changed()
    return flight
  }

  const joined = async (flight: Flight, signal: AbortSignal | undefined): Promise<ServiceResponse> => {
    flight.waiters++
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(new CodedError('cancelled', 'The request was canceled.'))
    left.promise.catch(() => undefined)
    signal?.addEventListener('abort', leave, { once: true })
    if (signal?.aborted === true) leave()
    try {
      return await Promise.race([flight.outcome, left.promise])
    } finally {
      signal?.removeEventListener('abort', leave)
      flight.waiters--
      if (flight.waiters === 0) flight.stop.abort()
    }
  }

  return {
    async get(question, mode, signal) {
      if (closed) throw new CodedError('cancelled', 'Tapedeck is closing.')
      const { endpoint, path, key } = readQuestion(options.source(), question)
      const known = await store.newest(key, null).catch(() => null)
      const stale = known === null || isStale(endpoint, known.fetchedMs, clock.wallMs())
      if (mode === 'cached' || (mode === 'fresh' && !stale)) {
        return { response: known, failure: null, stale, fresh: false }
      }
      try {
        const response = await joined(shared(endpoint, path, key), signal)
        return { response, failure: null, stale: false, fresh: true }
      } catch (thrown) {
        if (thrown instanceof CodedError && thrown.code === 'cancelled') throw thrown
        return { response: known, failure: toFailure(thrown), stale, fresh: false } satisfies ResearchResult
      }
    },
    async asOf(question, atMs) {
      const { key } = readQuestion(options.source(), question)
      return { response: await store.newest(key, atMs), failure: null, stale: false, fresh: false }
    },
    versions: (question, atMs) => store.versions(readQuestion(options.source(), question).key, atMs),
    received: (question, atMs) => store.received(readQuestion(options.source(), { ...question, params: {} }).key, atMs),
    async asked(question, atMs) {
      const { key } = readQuestion(options.source(), { ...question, params: {} })
      return (await store.asked(key, atMs)).map(readParams)
    },
    latest: (endpoints, atMs) => store.latest(options.source(), endpoints, atMs),
    version: (id) => store.byId(id),
    clear: (endpoint) => store.clear(options.source(), endpoint),
    budget() {
      const now = countAt(count, clock.wallMs())
      return {
        used: now.used,
        limit: options.dailyCalls(),
        resetsMs: unixMs(resetOf(now)),
        running: queue.pending,
        waiting: queue.size,
      }
    },
    close() {
      closed = true
      for (const { stop } of flights.values()) stop.abort()
      queue.clear()
    },
  }
}
