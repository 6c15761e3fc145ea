/** Groups what an iterable yields, so that many small messages share a transaction. */
import type { Clock } from '../../../base/clock.ts'

export interface GatherOptions<T> {
  readonly clock: Clock
  readonly bytesOf: (one: T) => number
  /** A group is complete with this many bytes, or once nothing follows within `lingerMs` or `isLast`. */
  readonly mostBytes: number
  readonly lingerMs: number
  readonly isLast: (one: T) => boolean
}

/** Yields groups in order. Ends, or throws, with `from` after what came before was yielded. */
export async function* gather<T>(from: AsyncIterable<T>, options: GatherOptions<T>): AsyncGenerator<T[]> {
  const { clock, bytesOf, mostBytes, lingerMs, isLast } = options
  const all = from[Symbol.asyncIterator]()
  try {
    let next = all.next()
    for (;;) {
      const first = await next
      if (first.done === true) return
      const group = [first.value]
      let bytes = bytesOf(first.value)
      next = all.next()
      // A rejection is met by the next await.
      next.catch(() => undefined)
      while (bytes < mostBytes) {
        const more = await withinTime(next, clock, isLast(group[group.length - 1]) ? 0 : lingerMs)
        if (more === null || more.done === true) break
        group.push(more.value)
        bytes += bytesOf(more.value)
        next = all.next()
        next.catch(() => undefined)
      }
      yield group
    }
  } finally {
    // A generator that still waits for its next value would end only after that, so it isn't awaited.
    void all.return?.().catch(() => undefined)
  }
}

/** Null if it takes longer, or rejects. */
function withinTime<T>(promise: Promise<T>, clock: Clock, ms: number): Promise<T | null> {
  return new Promise((resolve) => {
    const undo = clock.after(ms, () => resolve(null))
    const done = (value: T | null): void => {
      undo()
      resolve(value)
    }
    promise.then(done, () => done(null))
  })
}
