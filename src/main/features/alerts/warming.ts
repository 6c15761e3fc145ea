/** Requests the earlier bars that indicator alerts need, and retries those that couldn't be read. */
import { SEED_BARS } from '../../../shared/features/alerts/evaluator/bar-lines.ts'
import type { Evaluator } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import type { Bar, BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'

/** Rejects if they can't be read now. */
export type PastBars = (
  instrument: InstrumentId,
  of: BarSource,
  interval: Interval,
  limit: number,
) => Promise<readonly Bar[]>

export interface WarmingOptions {
  readonly evaluator: () => Pick<Evaluator, 'seed'>
  readonly bars: PastBars
  /** Called when bars couldn't be read after earlier ones could. */
  readonly failed: (thrown: unknown) => void
}

export interface Warming {
  ask(instrument: InstrumentId, of: BarSource, interval: Interval): void
  /** Call about once a second. */
  sweep(): void
  /** Requests from now on are for another source or time. */
  forget(): void
}

type Wanted = readonly [InstrumentId, BarSource, Interval]

/** The number of sweeps before a failed request is retried. */
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
        // Without a readable store, indicators warm up on live data.
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
