/** Fills in day, reference and sparkline of newly shown instruments from the store, a few at a time. */
import { addVolume, type ExactVolume } from '../../../shared/core/market/bars.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { Hub } from '../market/hub-types.ts'
import type { CellSeed } from '../market/cell.ts'
import type { StoredPast } from './history.ts'

export interface Seeder {
  /** Asks once an instrument and source. */
  seed(id: InstrumentId): void
  /** Another source: everything is asked anew. */
  forget(): void
}

/** Questions to the reader at a time: charts and lists must not wait behind a long watchlist. */
const AT_ONCE = 2

/** Nothing asked yet. */
export function createSeeder(hub: Pick<Hub, 'cell' | 'seed'>, past: Pick<StoredPast, 'seed'>): Seeder {
  const asked = new Set<InstrumentId>()
  let waiting: InstrumentId[] = []
  let running = 0
  let generation = 0
  const next = () => {
    const id = waiting.shift()
    if (id === undefined) return
    const mine = generation
    running += 1
    // What was counted live up to now is in the store's sum too.
    const { volume, volumeRest, dayStart } = hub.cell(id)
    void past.seed(id).then((seed) => {
      running -= 1
      if (seed !== null && mine === generation) hub.seed(id, without(seed, { volume, volumeRest }, dayStart))
      next()
    })
  }
  return {
    seed(id) {
      if (asked.has(id)) return
      asked.add(id)
      waiting.push(id)
      if (running < AT_ONCE) next()
    },
    forget() {
      generation += 1
      const again = [...asked]
      waiting = []
      asked.clear()
      for (const id of again) this.seed(id)
    },
  }
}

function without(seed: CellSeed, counted: ExactVolume, dayStart: number): CellSeed {
  const { today } = seed
  if (today === null || today.volume === null || Number.isNaN(counted.volume) || dayStart !== today.startMs) return seed
  const left: ExactVolume = { volume: today.volume, volumeRest: 0 }
  addVolume(left, -counted.volume, -counted.volumeRest)
  return { ...seed, today: { ...today, ...left } }
}
