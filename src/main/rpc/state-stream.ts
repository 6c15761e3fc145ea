/** Streams of a complete state: only the newest is sent. */
import type { StreamSource } from '../../shared/rpc/transport.ts'

export interface WholeStreams<T> {
  /** Marks the state as changed, for every open stream. */
  changed(): void
  open(wake: () => void): StreamSource<T>
  /** How many streams are open. */
  readonly count: number
}

/** Creates streams of the value that `read` returns at the time of sending. */
export function wholeStreams<T>(read: () => T): WholeStreams<T> {
  const open = new Set<{ fresh: boolean; wake: () => void }>()
  return {
    get count() {
      return open.size
    },
    changed() {
      for (const one of open) {
        one.fresh = true
        one.wake()
      }
    },
    open(wake) {
      const one = { fresh: true, wake }
      open.add(one)
      return {
        take() {
          if (!one.fresh) return undefined
          one.fresh = false
          return read()
        },
        close: () => open.delete(one),
      }
    },
  }
}
