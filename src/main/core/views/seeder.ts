/** Reads day, reference and sparkline of newly shown instruments from the store, a few at a time. */
import { addVolume, type ExactVolume } from '../../../shared/core/market/bars.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { Hub } from '../market/hub-types.ts'
import type { CellSeed } from '../market/cell.ts'
import type { ViewHistory } from './history.ts'

export interface Seeder {
  /** Reads an instrument, once per source. */
  seed(id: InstrumentId): void
  /** Reads everything again, because another source began. */
  forget(): void
}

/** Concurrent reads, so that charts and lists don't wait behind a long watchlist. */
const MAX_READS = 2

export function createSeeder(hub: Pick<Hub, 'cell' | 'seed'>, history: Pick<ViewHistory, 'seed'>): Seeder {
  const requested = new Set<InstrumentId>()
  let waiting: InstrumentId[] = []
  let running = 0
  let generation = 0
  const next = () => {
    const id = waiting.shift()
    if (id === undefined) return
    const mine = generation
    running += 1
    // Unless the seed is from before the hub, its volume includes what the hub received so far.
    const { volume, volumeRest, dayStart } = hub.cell(id)
    void history.seed(id).then((seed) => {
      running -= 1
      if (seed !== null && mine === generation) hub.seed(id, without(seed, { volume, volumeRest }, dayStart))
      next()
    })
  }
  return {
    seed(id) {
      if (requested.has(id)) return
      requested.add(id)
      waiting.push(id)
      if (running < MAX_READS) next()
    },
    forget() {
      generation += 1
      const again = [...requested]
      waiting = []
      requested.clear()
      for (const id of again) this.seed(id)
    },
  }
}

function without(seed: CellSeed, counted: ExactVolume, dayStart: number): CellSeed {
  const { today, isBefore } = seed
  if (
    isBefore === true ||
    today === null ||
    today.volume === null ||
    Number.isNaN(counted.volume) ||
    dayStart !== today.startMs
  )
    return seed
  const remaining: ExactVolume = { volume: today.volume, volumeRest: 0 }
  addVolume(remaining, -counted.volume, -counted.volumeRest)
  return { ...seed, today: { ...today, ...remaining } }
}
