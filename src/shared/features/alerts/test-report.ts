/** The result of testing an alert on a recorded session. */
import type { FeedId, SessionId } from '../../base/units.ts'
import type { SuspensionCause } from './types.ts'

/** The most times to list. The rest are only counted. */
export const MAX_LISTED = 1_000

/** The alert would have fired, or the price was beyond the level after a suspension (`unseen`). */
export interface WouldFire {
  readonly is: 'fired' | 'unseen'
  readonly session: SessionId
  /** Receive time (replay time) and event time, UTC ms. */
  readonly atMs: number
  readonly eventMs: number | null
  /** The message's seq, or 0 if no message was involved. */
  readonly seq: number
  readonly value: number
  readonly before: number | null
}

export interface AlertTest {
  readonly fired: number
  readonly unseen: number
  readonly listed: readonly WouldFire[]
  readonly blind: readonly {
    readonly feed: FeedId
    readonly cause: SuspensionCause
    readonly fromMs: number
    readonly toMs: number | null
  }[]
  /** The range that was tested: replay times in UTC ms, and messages. */
  readonly fromMs: number
  readonly toMs: number
  readonly messages: number
}
