/** Where the store's file is; nowhere while it is being moved. */
import { CodedError } from '../../../shared/base/errors.ts'

export const STORE_AWAY = 'The store is being moved.'

export interface StorePlace {
  /** The store's file now. Throws `busy` while it is nowhere. */
  file(): string
  /** The last place it was in, for messages. */
  readonly shown: string
  /** The store leaves its place: nobody opens it until `settle`. */
  leave(): void
  settle(file: string): void
}

/** A store at `file`. */
export function createStorePlace(file: string): StorePlace {
  let now = file
  let away = false
  return {
    file() {
      if (away) throw new CodedError('busy', STORE_AWAY, { hint: 'Try again in a moment.' })
      return now
    },
    get shown() {
      return now
    },
    leave() {
      away = true
    },
    settle(to) {
      now = to
      away = false
    },
  }
}
