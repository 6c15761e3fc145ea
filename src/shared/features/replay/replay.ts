/** A replay for windows: sessions of one source, played through a hub of their own. */
import type { Failure } from '../../base/errors.ts'
import type { Gap } from '../../core/recording/session.ts'
import type { Reason } from '../../core/status/status.ts'
import type { SessionId, UnixMs } from '../../base/units.ts'

/** Identifies the replay's view. Market calls and streams take it in place of `live`. */
export type ReplayId = string

/** The speeds in the transport bar. Any from 0.25 to 1000 is valid. `max`: as fast as possible. */
export const REPLAY_SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 50, 100, 500, 1000, 'max'] as const
export type ReplaySpeed = number | 'max'

export interface ReplayBookmark {
  readonly id: number
  readonly session: SessionId
  readonly atMs: UnixMs
  /** The entry to stop before; null: by time alone. */
  readonly seq: number | null
  readonly text: string
}

/** The result of comparing the digests written live with those of the replay. */
export type ReplayExactness =
  /** No digest was reached yet. After a seek, those between the nearest snapshot and the position count. */
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
  /** Of sessions of several shards: that of their team. */
  readonly source: string
  /** What it was opened with, so that it can be opened again. */
  readonly opened: readonly SessionId[]
  readonly team: boolean
  /** Oldest first. The time between them counts as gaps. Those of a team can overlap: they are played as one. */
  readonly sessions: readonly { readonly session: SessionId; readonly fromMs: UnixMs; readonly toMs: UnixMs }[]
  /** The whole range in replay time: receive time that never decreases. */
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  /** The last session is still being recorded, so the range gets longer. */
  readonly growing: boolean
  /** The replay's clock. Nothing received after it is visible. */
  readonly nowMs: UnixMs
  /** The last entry applied; null before the first. */
  readonly at: { readonly session: SessionId; readonly seq: number } | null
  readonly playing: boolean
  readonly speed: ReplaySpeed
  /** Skip intervals of more than 2 s without a message. */
  readonly skipIdle: boolean
  readonly loop: { readonly fromMs: UnixMs; readonly toMs: UnixMs } | null
  readonly seeking: boolean
  readonly ended: boolean
  /** Messages applied since the last seek, and per second of wall time. */
  readonly messages: number
  readonly perSecond: number
  readonly exactness: ReplayExactness
  readonly problem: Reason | null
}

/** A replay that other programs on this computer can connect to. Its clock is that of the transport bar. */
export interface ServedReplay {
  /** Where clients of the service connect: `http://127.0.0.1:PORT`. */
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  readonly apiKey: string
  /** Open sockets. */
  readonly clients: number
}

/** `failure`: serving ended by itself, and why. Null: the replay isn't served. */
export type ServedState = ServedReplay | { readonly failure: Failure } | null

/** The timeline of [fromMs, toMs): messages in equal buckets, gaps, bookmarks. */
export interface ReplayTimeline {
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  readonly counts: readonly number[]
  readonly gaps: readonly Gap[]
  readonly bookmarks: readonly ReplayBookmark[]
}
