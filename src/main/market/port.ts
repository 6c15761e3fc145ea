/** What flows into the hub: live sessions and the replay player are the same to it. */
import type { Scratch } from '../../service/codec.ts'
import type { GapCause } from '../../shared/recording.ts'
import type { FeedState } from '../../shared/state.ts'
import type { FeedId, UnixMs } from '../../shared/units.ts'

export interface HubSink {
  /** A decoded market message that was asked for. `record` is only valid during the call. */
  apply(feed: FeedId, seq: number, recvMs: UnixMs, record: Scratch): void
  /** The feed's session changed state: freshness follows. */
  feedState(feed: FeedId, state: FeedState, nowMs: UnixMs): void
  /** The server's spelling of a wanted symbol, from the acknowledgement. */
  acknowledged(feed: FeedId, symbols: readonly string[]): void
  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: UnixMs): void
  gapClosed(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void
}
