/** What flows into the hub: live sessions and the replay player are the same to it. */
import type { Scratch } from '../../../service/codec.ts'
import type { GapCause } from '../../../shared/core/recording/recording.ts'
import type { FeedState } from '../../../shared/core/status/status.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'

export interface HubSink {
  /** A decoded market message that was asked for. `record` is only valid during the call. */
  apply(feed: FeedId, seq: number, recvMs: UnixMs, record: Scratch): void
  /**
   * The feed's session changed state: freshness follows. `seen`: of several connections the best, where `state` is
   * the one that needs attention most; absent: the same.
   */
  feedState(feed: FeedId, state: FeedState, nowMs: UnixMs, seen?: FeedState): void
  /** The server's spelling of a wanted symbol, from the acknowledgement. */
  acknowledged(feed: FeedId, symbols: readonly string[]): void
  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: UnixMs): void
  gapClosed(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void
}

/** What stands around a state of the market and follows from a recording's entries. */
export interface MarketAround {
  /** As `feedState` told them: the state, and `seen`. */
  readonly feedStates: readonly (readonly [feed: FeedId, state: FeedState, seen?: FeedState])[]
  /** Gaps of the recording so far, oldest first; `symbols` empty: every one of the feed. */
  readonly gaps: readonly {
    readonly feed: FeedId
    readonly cause: GapCause
    readonly symbols: readonly string[]
    readonly fromMs: UnixMs
    readonly toMs: UnixMs | null
  }[]
}

/** A hub with the fold of its digests: what a record changes, and what a snapshot keeps. */
export interface Market {
  readonly sink: HubSink
  /** Version of what `save` gives; another one's is not understood. */
  readonly version: number
  /** Version of the digests. */
  readonly fold: number
  /**
   * Takes a stored record into the fold only. Answers the digest of what came before it where it is the
   * first of a later minute.
   */
  digest(feed: FeedId, recvMs: UnixMs, record: Scratch): { readonly minuteMs: UnixMs; readonly sha256: string } | null
  /** The order of records was cut: the fold begins anew. */
  cut(): void
  setSkew(ms: number): void
  save(): Uint8Array
  /** Puts all of it where a save was taken; null: empty. Throws where it is none of this version. */
  restore(save: Uint8Array | null, around: MarketAround): void
}
