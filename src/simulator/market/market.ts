/** The demo market: which instruments exist, and what they do between two times. */
import { parseInstrument, type AssetClass, type InstrumentId } from '../../shared/base/units.ts'
import { createGenerator } from './generator.ts'
import { createInstrument, type Instrument, type MarketEvent } from './instrument.ts'
import { loopTape, readTape } from './tape.ts'
import type { TickSource } from './tick.ts'

export interface InstrumentEvent extends MarketEvent {
  readonly instrument: InstrumentId
}

export interface Market {
  /** Decimals of prices and sizes of an instrument. */
  decimalsOf(id: InstrumentId): { readonly decimals: number; readonly sizeDecimals: number }
  /**
   * Everything that the subscribed instruments do up to `toMs` since the last call, in order of time. A new instrument
   * starts now; one that isn't subscribed any more is dropped.
   */
  advance(toMs: number, wanted: Iterable<InstrumentId>): InstrumentEvent[]
  source(id: InstrumentId): TickSource
}

/** Creates the market of a seed. The same seed, times and subscriptions give the same events. */
export function createMarket(dataDir: URL, seed: number): Market {
  const sources = new Map<InstrumentId, TickSource>()
  let live = new Map<InstrumentId, Instrument>()

  const source = (id: InstrumentId): TickSource => {
    const known = sources.get(id)
    if (known !== undefined) return known
    const { asset, key } = partsOf(id)
    const tape = readTape(dataDir, id)
    const made = tape === undefined ? createGenerator(asset, key, seed) : loopTape(tape, seed)
    sources.set(id, made)
    return made
  }

  return {
    source,
    decimalsOf: (id) => source(id),
    advance(toMs, wanted) {
      const still = new Map<InstrumentId, Instrument>()
      const out: InstrumentEvent[] = []
      for (const id of wanted) {
        if (still.has(id)) continue
        const { asset, key } = partsOf(id)
        const instrument = live.get(id) ?? createInstrument(asset, key, source(id), seed, toMs)
        still.set(id, instrument)
        for (const event of instrument.advance(toMs)) out.push({ ...event, instrument: id })
      }
      live = still
      return out.sort(
        (a, b) => a.atMs - b.atMs || (a.instrument < b.instrument ? -1 : a.instrument > b.instrument ? 1 : 0),
      )
    },
  }
}

function partsOf(id: InstrumentId): { asset: AssetClass; key: string } {
  const parts = parseInstrument(id)
  // A symbol such as "X:" has no key, so its whole text is the key.
  return parts ?? { asset: id.startsWith('crypto') ? 'crypto' : id.startsWith('forex') ? 'forex' : 'stocks', key: id }
}
