/** Why servers that can be reached take no connection: the user was removed, or they are full. */
import type { CodedError } from '../../../../shared/base/errors.ts'
import { connectError, fullError, isRefusal, TOO_MANY } from './errors.ts'

/** Attempts in a row that nobody refuses until the servers count as not reachable: more than a cluster has nodes. */
const ATTEMPTS = 5

export class Refusals {
  readonly #servers: readonly string[]
  #attempts = 0
  #why: CodedError | null = null

  constructor(servers: readonly string[]) {
    this.#servers = servers
  }

  /** Null: they don't, or nobody is there. */
  get why(): CodedError | null {
    return this.#why
  }

  noteError(error: Error): void {
    const isFull = TOO_MANY.test(error.message)
    if (!isFull && !isRefusal(error)) return
    this.#why = isFull ? fullError(this.#servers.join(', '), error) : connectError(error, this.#servers)
    this.#attempts = 0
  }

  noteAttempt(): void {
    this.#attempts += 1
    if (this.#attempts > ATTEMPTS) this.#why = null
  }

  forget(): void {
    this.#why = null
  }
}
