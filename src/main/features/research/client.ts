/**
 * The REST client for all endpoints. It uses saved responses first, shares identical requests in flight, counts
 * requests against the user's daily budget, and retries when that may help.
 */
import PQueue from 'p-queue'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import type { ServiceResponse, ResearchResult } from '../../../shared/features/research/research.ts'
import { unixMs } from '../../../shared/base/units.ts'
import type { Endpoint } from '../../../service/endpoints.ts'
import { resetOf } from './budget.ts'
import type { ResponseKey, RestClient } from './port.ts'
import { readParams, readQuestion } from './question.ts'
import { ServiceCaller, type RestOptions } from './service-caller.ts'
import { isStale } from './ttl.ts'

const AT_ONCE = 4
/** Maximum queued requests. Further ones are rejected immediately. */
const MAX_WAITING = 200

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
  const caller = new ServiceCaller(options)
  let closed = false

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
      .add(() => caller.request(endpoint, path, key, stop.signal), { signal: stop.signal })
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
      const now = caller.count
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
