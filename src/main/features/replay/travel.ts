/** The way from a known state to another place, in slices of a few milliseconds. */
import type { KeptSnapshots } from './kept.ts'
import type { Target } from './places.ts'
import { NO_LIMITS, type Kept, type Rig } from '../../core/playback/rig.ts'

/** Longest turn without giving way, ms. */
export const SLICE_MS = 4
/** A snapshot is taken each time so many entries went by. */
export const KEEP_EVERY = 50_000
/** On the way to a place, the last of these is kept. */
const PASSED_EVERY = 4_000

export interface TravelOptions {
  /** Takes the states that were passed. */
  readonly kept: KeptSnapshots
  /** Real time on a monotonic clock, ms. */
  readonly realMs: () => number
  /** Throws where the way is no longer wanted. */
  readonly current: () => void
}

/** Lets everything else that waits have its turn. */
export const givingWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Applies what lies between where a rig stands and a place. Rejects with the failure of its cursor. */
export async function travel(rig: Rig, target: Target, { kept, realMs, current }: TravelOptions): Promise<void> {
  const { part, seq, upToMs } = target
  let start = realMs()
  /** The last place that was passed: what is looked at next is often right before the one gone to. */
  let passed: Kept | null = null
  let keepAt = rig.seq + PASSED_EVERY
  while (rig.seq < seq) {
    const upToSeq = Math.min(seq, keepAt)
    const done = rig.advance({ ...NO_LIMITS, upToMs, upToSeq, spent: () => realMs() - start >= SLICE_MS })
    if (rig.cursor.failure !== null) throw rig.cursor.failure
    if (done === 'reached') {
      if (upToSeq === seq || (rig.nextMs() ?? Infinity) > upToMs) break
      passed = rig.keep()
      keepAt += PASSED_EVERY
      if (rig.seq - Math.max(kept.newestSeq(part, rig.seq), 0) >= KEEP_EVERY) kept.add(part, passed)
    } else if (done === 'dry') await rig.cursor.more()
    else if (done === 'spent') await givingWay()
    else break
    current()
    if (done !== 'reached') start = realMs()
  }
  if (passed !== null) kept.add(part, passed)
}
