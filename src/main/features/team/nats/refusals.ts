/** Whether servers that can be reached refuse the user, such as one who was removed while connected. */
import type { CodedError } from '../../../../shared/base/errors.ts'
import { connectError, isRefusal } from './errors.ts'

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
    if (!isRefusal(error)) return
    this.#why = connectError(error, this.#servers)
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
