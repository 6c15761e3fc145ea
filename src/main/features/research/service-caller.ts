/** Makes a request of the service: counts it against the daily budget, retries while that may help, saves responses. */
import { createHash } from 'node:crypto'
import { CodedError } from '../../../shared/base/errors.ts'
import type { ServiceResponse } from '../../../shared/features/research/research.ts'
import type { Endpoint } from '../../../service/endpoints.ts'
import type { Clock } from '../../base/clock.ts'
import { encodingsOf, redact } from '../../base/redaction.ts'
import { httpUrl } from '../../base/service-address.ts'
import { countAt, resetOf, type CallCount } from './budget.ts'
import { failureOf, mayMend } from './classify.ts'
import type { NewResponse, ResponseKey, ResponseStore } from './port.ts'
import { callEndpoint } from './request.ts'
import { waitBefore } from './retry.ts'

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
  readonly notSaved: (thrown: unknown) => void
}

/** Error responses are saved as evidence, truncated to this many characters. */
const LONGEST_ERROR_TEXT = 64 * 1024

export class ServiceCaller {
  readonly #options: RestOptions
  #count: CallCount

  constructor(options: RestOptions) {
    this.#options = options
    this.#count = options.count.load()
  }

  /** Today's requests so far. */
  get count(): CallCount {
    return countAt(this.#count, this.#options.clock.wallMs())
  }

  /** Requests and retries until there is a good response or no retry can help. Saves every complete response. */
  async request(endpoint: Endpoint, path: string, key: ResponseKey, signal: AbortSignal): Promise<ServiceResponse> {
    const { clock, source, auth, baseUrl, chance } = this.#options
    for (let tried = 1; ; tried++) {
      // The account changed since the request was made, so the response would be another account's.
      if (source() !== key.source) throw new CodedError('cancelled', 'The account was changed.')
      const secret = await this.#secretOf()
      const kind = auth()
      this.#spend()
      let failure: CodedError
      let patience: number | null = null
      let hope: boolean
      try {
        const given = await callEndpoint({ url: httpUrl(baseUrl(), path), secret, clock, signal })
        // If the service echoes the key, keep it out of the store and off the screen.
        const encodings = encodingsOf(secret)
        const http = {
          ...given,
          contentType: redact(given.contentType, encodings),
          text: redact(given.text, encodings),
        }
        const wrong = failureOf(endpoint, http, kind, clock.wallMs())
        const fetchedMs = clock.wallMs()
        const { status, contentType, text } = http
        if (wrong === null) {
          const id = await this.#save({ ...key, status, contentType, fetchedMs, text })
          const sha256 = createHash('sha256').update(text).digest('hex')
          return { id, fetchedMs, status, contentType, size: Buffer.byteLength(text), sha256, text }
        }
        if (status < 200 || status >= 300) {
          await this.#save({ ...key, status, contentType, fetchedMs, text: text.slice(0, LONGEST_ERROR_TEXT) })
        }
        failure = wrong
        patience = http.retryAfterMs
        hope = mayMend(status) || wrong.code === 'truncated'
      } catch (thrown) {
        if (!(thrown instanceof CodedError)) throw thrown
        failure = thrown
        hope = thrown.code === 'offline' || thrown.code === 'truncated'
      }
      const wait = hope ? waitBefore(tried + 1, patience, chance()) : null
      if (wait === null) throw failure
      await this.#pause(wait, signal)
    }
  }

  #spend(): void {
    const { clock, dailyCalls, count: file, changed } = this.#options
    const count = countAt(this.#count, clock.wallMs())
    const limit = dailyCalls()
    if (count.used >= limit) {
      throw new CodedError('budget', `Today’s request limit (${limit}) is reached.`, {
        hint: `The limit resets at ${new Date(resetOf(count)).toISOString().slice(11, 16)} UTC. You can change it in Settings.`,
      })
    }
    this.#count = { ...count, used: count.used + 1 }
    file.save(this.#count)
    changed()
  }

  async #secretOf(): Promise<string> {
    const secret = await this.#options.secret()
    if (secret !== null) return secret
    throw new CodedError('no-key', 'This account has no API key.', {
      hint: 'Enter it under “Connect your account”. If the token is also the key, choose that in the settings.',
    })
  }

  /** Saves a response. Returns its id in the store, or 0 if it couldn't be saved. */
  async #save(response: NewResponse): Promise<number> {
    try {
      return await this.#options.store.save(response)
    } catch (thrown) {
      this.#options.notSaved(thrown)
      return 0
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelled = () => {
        undo()
        reject(new CodedError('cancelled', 'The request was canceled.'))
      }
      const undo = this.#options.clock.after(ms, () => {
        signal.removeEventListener('abort', cancelled)
        resolve()
      })
      signal.addEventListener('abort', cancelled, { once: true })
    })
  }
}
