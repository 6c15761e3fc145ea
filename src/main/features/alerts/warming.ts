/** Bars from before now that indicators of alerts wait for: asked, and asked again where they could not be read. */
import { SEED_BARS } from '../../../shared/features/alerts/evaluator/bar-lines.ts'
import type { Evaluator } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import type { Bar, BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'

/** Rejects where they cannot be read now. */
export type PastBars = (
  instrument: InstrumentId,
  of: BarSource,
  interval: Interval,
  limit: number,
) => Promise<readonly Bar[]>

export interface WarmingOptions {
  readonly evaluator: () => Pick<Evaluator, 'seed'>
  readonly bars: PastBars
  /** Told when bars could not be read and those asked before could. */
  readonly failed: (thrown: unknown) => void
}

export interface Warming {
  ask(instrument: InstrumentId, of: BarSource, interval: Interval): void
  /** Call about once a second. */
  sweep(): void
  /** What is asked now is of another source or place. */
  forget(): void
}

type Wanted = readonly [InstrumentId, BarSource, Interval]

/** So many sweeps until what could not be read is asked for again. */
const AGAIN_SWEEPS = 10

export function createWarming({ evaluator, bars, failed }: WarmingOptions): Warming {
  const unread = new Map<string, Wanted>()
  let generation = 0
  let left = AGAIN_SWEEPS
  const ask = (wanted: Wanted, again: boolean): void => {
    const mine = generation
    const key = wanted.join(' ')
    void bars(...wanted, SEED_BARS).then(
      (list) => {
        if (mine !== generation) return
        unread.delete(key)
        evaluator().seed(...wanted, list, again)
      },
      (thrown: unknown) => {
        if (mine !== generation) return
        if (unread.size === 0) {
          left = AGAIN_SWEEPS
          failed(thrown)
        }
        // Without a store that can be read, indicators warm up by what is received.
        if (evaluator().seed(...wanted, [])) unread.set(key, wanted)
        else unread.delete(key)
      },
    )
  }
  return {
    ask: (...wanted) => ask(wanted, false),
    sweep() {
      if (unread.size === 0 || --left > 0) return
      left = AGAIN_SWEEPS
      for (const wanted of unread.values()) ask(wanted, true)
    },
    forget() {
      generation += 1
      unread.clear()
    },
  }
}
