/** A replay as windows see it: recordings of one source, played through a hub of their own. */
import type { Gap } from '../../core/recording/recording.ts'
import type { Reason } from '../../core/status/status.ts'
import type { RecordingId, UnixMs } from '../../base/units.ts'

/** A view of its own: calls and streams of the market take it instead of `live`. */
export type ReplayId = string

/** Speeds that the transport bar offers; any from 0.25 to 1000 is taken. `max`: as fast as it goes. */
export const REPLAY_SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 50, 100, 500, 1000, 'max'] as const
export type ReplaySpeed = number | 'max'

export interface ReplayBookmark {
  readonly id: number
  readonly session: RecordingId
  readonly atMs: UnixMs
  /** Before which entry; null: by time alone. */
  readonly seq: number | null
  readonly text: string
}

/** What comparing the digests that live wrote with those of the replay gave. */
export type ReplayExactness =
  /** No digest was met yet. After a seek those count that were met on the way there from the nearest snapshot. */
  | { readonly is: 'none' }
  | { readonly is: 'identical'; readonly minutes: number }
  | {
      readonly is: 'differs'
      readonly minuteMs: UnixMs
      readonly seq: number
      readonly live: string
      readonly replay: string
    }
  | { readonly is: 'not comparable'; readonly why: string }

export interface ReplayState {
  readonly id: ReplayId
  readonly source: string
  /** Oldest first; joined, with what lies between them as gaps. */
  readonly sessions: readonly { readonly session: RecordingId; readonly fromMs: UnixMs; readonly toMs: UnixMs }[]
  /** Whole range, by receive time made never to decrease (the replay's time). */
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  /** The replay's clock. Nothing received after it is visible. */
  readonly nowMs: UnixMs
  /** The last entry applied; null: before the first. */
  readonly at: { readonly session: RecordingId; readonly seq: number } | null
  readonly playing: boolean
  readonly speed: ReplaySpeed
  /** Stretches without a message of more than 2 s are passed at once. */
  readonly skipIdle: boolean
  readonly loop: { readonly fromMs: UnixMs; readonly toMs: UnixMs } | null
  /** A seek is under way. */
  readonly seeking: boolean
  readonly ended: boolean
  /** Messages applied since the last seek, and how many a second of wall time. */
  readonly messages: number
  readonly perSecond: number
  readonly exactness: ReplayExactness
  readonly problem: Reason | null
}

/** What a timeline shows of [fromMs, toMs): messages in equal buckets, gaps, bookmarks. */
export interface ReplayTimeline {
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  readonly counts: readonly number[]
  readonly gaps: readonly Gap[]
  readonly bookmarks: readonly ReplayBookmark[]
}
