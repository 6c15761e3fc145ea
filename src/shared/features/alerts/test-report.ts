/** What a test of an alert on a recording found. */
import type { FeedId, RecordingId } from '../../base/units.ts'
import type { BlindCause } from './types.ts'

/** So many times are listed; more are counted. */
export const MOST_LISTED = 1_000

/** It would have fired, or the price was found on the other side after a blind stretch (`unseen`). */
export interface WouldFire {
  readonly is: 'fired' | 'unseen'
  readonly session: RecordingId
  /** Receipt (the replay's time) and the service's time, UTC ms. */
  readonly atMs: number
  readonly eventMs: number | null
  /** Of the message; 0: it was none. */
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
    readonly cause: BlindCause
    readonly fromMs: number
    readonly toMs: number | null
  }[]
  /** What was looked at: replay times, UTC ms, and messages. */
  readonly fromMs: number
  readonly toMs: number
  readonly messages: number
}
