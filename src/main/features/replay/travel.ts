/** The way from a known state to another place, in slices of a few milliseconds. */
import type { SavedStates } from './kept.ts'
import type { Target } from './places.ts'
import { NO_LIMITS, type Checkpoint, type PlaybackState } from '../../core/playback/playback-state.ts'

/** Longest turn without giving way, ms. */
export const SLICE_MS = 4
/** Entries between two snapshots. */
export const KEEP_EVERY = 50_000
/** On the way to a place, the last of these is kept. */
const PASSED_EVERY = 4_000

export interface TravelOptions {
  /** Takes the states that were passed. */
  readonly saved: SavedStates
  /** Real time on a monotonic clock, ms. */
  readonly realMs: () => number
  /** Throws where the way is no longer wanted. */
  readonly current: () => void
}

/** Lets everything else that waits have its turn. */
export const givingWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Applies everything up to the target. Rejects with the failure of the cursor. */
export async function seekTo(
  state: PlaybackState,
  target: Target,
  { saved: saved, realMs, current }: TravelOptions,
): Promise<void> {
  const { part, seq, upToMs } = target
  let start = realMs()
  /** The last place that was passed: what is looked at next is often right before the one gone to. */
  let passed: Checkpoint | null = null
  let keepAt = state.seq + PASSED_EVERY
  while (state.seq < seq) {
    const upToSeq = Math.min(seq, keepAt)
    const done = state.advance({ ...NO_LIMITS, upToMs, upToSeq, isTimeUp: () => realMs() - start >= SLICE_MS })
    if (state.cursor.failure !== null) throw state.cursor.failure
    if (done === 'reached') {
      if (upToSeq === seq || (state.nextMs() ?? Infinity) > upToMs) break
      passed = state.checkpoint()
      keepAt += PASSED_EVERY
      if (state.seq - Math.max(saved.newestSeq(part, state.seq), 0) >= KEEP_EVERY) saved.add(part, passed)
    } else if (done === 'pending') await state.cursor.waitForNext()
    else if (done === 'time-up') await givingWay()
    else break
    current()
    if (done !== 'reached') start = realMs()
  }
  if (passed !== null) saved.add(part, passed)
}
