/** The sessions of a replay in order. Replay time is receive time that never decreases across all of them. */
import type { RecordingId } from '../../../shared/base/units.ts'

/** One session of a replay. Times are replay times, UTC ms. */
export interface Part {
  readonly recording: RecordingId
  readonly fromMs: number
  readonly toMs: number
  /** Its last message or entry. What a live session receives later isn't played. */
  readonly lastSeq: number
  /** Messages received before this belong to an earlier session; -Infinity if there are none. */
  readonly notBeforeMs: number
  /** Whether it was closed. Otherwise a crash follows it. */
  readonly clean: boolean
}

/** Makes the times of parts, which are in playing order, never decrease. */
export function joinParts(parts: readonly Part[]): readonly Part[] {
  let ended = -Infinity
  return parts.map((part) => {
    const fromMs = Math.max(part.fromMs, ended)
    const toMs = (ended = Math.max(part.toMs, fromMs))
    return { ...part, fromMs, toMs }
  })
}

/** Index of the last part that has begun at an instant, UTC ms; 0 before the first. */
export function partAt(parts: readonly Part[], ms: number): number {
  return Math.max(
    0,
    parts.findLastIndex(({ fromMs }) => fromMs <= ms),
  )
}
