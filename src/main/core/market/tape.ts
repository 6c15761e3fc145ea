/** Time and sales of a watched instrument: a ring of numbers, so that a print allocates nothing. */
import type { Print } from '../../../shared/core/market/market.ts'
import { unixMs } from '../../../shared/base/units.ts'

/** Called on the tick path at each print: it must be quick. */
export interface TapeWatcher {
  printed(): void
  reset(): void
}

export interface TapeRing {
  /** `eventMs` NaN: undated. `size` NaN: none. `direction` NaN: unknown. */
  push(seq: number, eventMs: number, recvMs: number, price: number, size: number, direction: number): void
  /** Stored prints from before this ring began, oldest first. */
  seed(older: readonly Print[]): void
  /** Number of prints pushed so far, without seeds; a position for `since`. */
  readonly pushed: number
  /** Prints from position `from` on that are still in the ring, oldest first, at most the newest `limit`. */
  since(from: number, limit: number): readonly Print[]
  /** The newest `limit` prints, seeds included, oldest first. */
  latest(limit: number): readonly Print[]
  clear(): void
  readonly watchers: Set<TapeWatcher>
}

/** An empty ring of `capacity` prints. */
export function createTapeRing(capacity: number): TapeRing {
  const width = 6
  const cells = new Float64Array(capacity * width)
  const watchers = new Set<TapeWatcher>()
  let pushed = 0
  let seeds: readonly Print[] = []

  const at = (position: number): Print => {
    const i = (position % capacity) * width
    const direction = cells[i + 5]
    return {
      seq: cells[i],
      eventMs: Number.isNaN(cells[i + 1]) ? null : unixMs(cells[i + 1]),
      recvMs: unixMs(cells[i + 2]),
      price: cells[i + 3],
      size: Number.isNaN(cells[i + 4]) ? null : cells[i + 4],
      direction: Number.isNaN(direction) ? null : direction > 0 ? 1 : direction < 0 ? -1 : 0,
    }
  }
  const since = (from: number, limit: number): readonly Print[] => {
    const prints: Print[] = []
    for (let i = Math.max(from, pushed - capacity, pushed - limit, 0); i < pushed; i += 1) prints.push(at(i))
    return prints
  }

  return {
    watchers,
    push(seq, eventMs, recvMs, price, size, direction) {
      const i = (pushed % capacity) * width
      cells[i] = seq
      cells[i + 1] = eventMs
      cells[i + 2] = recvMs
      cells[i + 3] = price
      cells[i + 4] = size
      cells[i + 5] = direction
      pushed += 1
      for (const watcher of watchers) watcher.printed()
    },
    seed(older) {
      seeds = older
      for (const watcher of watchers) watcher.reset()
    },
    get pushed() {
      return pushed
    },
    since,
    latest(limit) {
      const live = since(0, limit)
      const missing = limit - live.length
      return missing > 0 && pushed <= capacity ? [...seeds.slice(-missing), ...live] : live
    },
    clear() {
      pushed = 0
      seeds = []
      for (const watcher of watchers) watcher.reset()
    },
  }
}
