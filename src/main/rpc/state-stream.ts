/** A stream of one whole state: the newest, at most so often; what lay between is never sent. */
import type { StreamSource } from '../../shared/rpc/transport.ts'

export interface WholeStreams<T> {
  /** The state changed: every stream has something new. */
  changed(): void
  open(wake: () => void): StreamSource<T>
  /** How many are open. */
  readonly count: number
}

/** Streams of what `read` gives when taken. */
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
