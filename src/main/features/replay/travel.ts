/** The way from a known state to another place, in slices of a few milliseconds. */
import type { KeptSnapshots } from './kept.ts'
import type { Target } from './places.ts'
import { NO_LIMITS, type Checkpoint, type PlaybackState } from '../../core/playback/playback-state.ts'

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

/** Applies everything up to the target. Rejects with the failure of the cursor. */
export async function travel(
  rig: PlaybackState,
  target: Target,
  { kept, realMs, current }: TravelOptions,
): Promise<void> {
  const { part, seq, upToMs } = target
  let start = realMs()
  /** The last place that was passed: what is looked at next is often right before the one gone to. */
  let passed: Checkpoint | null = null
  let keepAt = rig.seq + PASSED_EVERY
  while (rig.seq < seq) {
    const upToSeq = Math.min(seq, keepAt)
    const done = rig.advance({ ...NO_LIMITS, upToMs, upToSeq, isTimeUp: () => realMs() - start >= SLICE_MS })
    if (rig.cursor.failure !== null) throw rig.cursor.failure
    if (done === 'reached') {
      if (upToSeq === seq || (rig.nextMs() ?? Infinity) > upToMs) break
      passed = rig.checkpoint()
      keepAt += PASSED_EVERY
      if (rig.seq - Math.max(kept.newestSeq(part, rig.seq), 0) >= KEEP_EVERY) kept.add(part, passed)
    } else if (done === 'pending') await rig.cursor.waitForNext()
    else if (done === 'time-up') await givingWay()
    else break
    current()
    if (done !== 'reached') start = realMs()
  }
  if (passed !== null) kept.add(part, passed)
}
