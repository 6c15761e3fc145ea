/** Seeks from a known state to a target, in slices of a few milliseconds. */
import type { SavedStates } from './saved-states.ts'
import type { Target } from './seek-target.ts'
import { NO_LIMITS, type Checkpoint, type PlaybackState } from '../../core/playback/playback-state.ts'

/** Maximum time before yielding to other work, ms. */
export const SLICE_MS = 4
/** Seqs between two checkpoints. */
export const KEEP_EVERY = 50_000
/** Seqs between two temporary checkpoints during a seek. The last one is saved. */
const PASSED_EVERY = 4_000

export interface SeekOptions {
  /** Receives checkpoints taken along the way. */
  readonly saved: SavedStates
  /** Real time on a monotonic clock, ms. */
  readonly realMs: () => number
  /** Throws if the seek was replaced by another one. */
  readonly current: () => void
}

/** Yields to other pending work. */
export const givingWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Applies everything up to the target. Rejects if the cursor fails or the seek was replaced. */
export async function seekTo(
  state: PlaybackState,
  target: Target,
  { saved: saved, realMs, current }: SeekOptions,
): Promise<void> {
  const { part, seq, upToMs } = target
  let start = realMs()
  /** The last checkpoint on the way. Saved, because the next seek is often to just before this target. */
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
