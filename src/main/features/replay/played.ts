/** What the command line played, and how long it waits while it plays. */
import type { ReplayExactness } from '../../../shared/features/replay/replay.ts'
import type { UnixMs } from '../../../shared/base/units.ts'

/** Maximum time between checks for Ctrl+C while playing, and between checks of the clock while waiting, ms. */
export const TURN_MS = 20
export const REST_MS = 20

export interface MinuteLine {
  /** Start of the minute, UTC ms. */
  readonly at: UnixMs
  /** Seq of the first message after the minute. For live minutes, the seq of the digest entry. */
  readonly seq: number
  readonly digest: string
}

export interface Played {
  readonly messages: number
  readonly digest: string
  readonly minutes: readonly MinuteLine[]
  /** The digests that live wrote, from the snapshot where playback began, which may be before `--from`. */
  readonly live: readonly MinuteLine[]
  readonly exactness: ReplayExactness
}
