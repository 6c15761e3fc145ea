/** Tracks the path of the store's file, which is unavailable while the store is being moved. */
import { CodedError } from '../../../shared/base/errors.ts'

export const STORE_AWAY = 'The store is being moved.'

export interface StorePlace {
  /** The current path. Throws `busy` while the store is being moved. */
  file(): string
  /** The last known path, for messages. */
  readonly shown: string
  /** Call before a move: nothing can open the store until `settle`. */
  leave(): void
  settle(file: string): void
}

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
