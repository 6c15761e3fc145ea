/** The recordings of a replay in their order, and its time: of receipt, made never to decrease over all of them. */
import type { RecordingId } from '../../../shared/base/units.ts'

/** One recording of a replay. Times are replay times, UTC ms. */
export interface Part {
  readonly recording: RecordingId
  readonly fromMs: number
  readonly toMs: number
  /** Its last message or entry; later ones, of a recording that goes on, are not played. */
  readonly lastSeq: number
  /** Messages received before this are an earlier recording's; -Infinity: none. */
  readonly notBeforeMs: number
  /** Whether it was closed in order; else what lies after it is a crash. */
  readonly clean: boolean
}

/** Makes the times of parts, given in the order of playing, never decrease. */
export function joined(parts: readonly Part[]): readonly Part[] {
  let ended = -Infinity
  return parts.map((part) => {
    const fromMs = Math.max(part.fromMs, ended)
    const toMs = (ended = Math.max(part.toMs, fromMs))
    return { ...part, fromMs, toMs }
  })
}

/** The last part that has begun at an instant; 0 before the first. */
export function partAt(parts: readonly Part[], ms: number): number {
  return Math.max(
    0,
    parts.findLastIndex(({ fromMs }) => fromMs <= ms),
  )
}
