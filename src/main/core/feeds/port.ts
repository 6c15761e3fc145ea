/** What a window, the recorder or an alert wants of the feeds, and what the feeds tell. */
import type { GapCause } from '../../../shared/core/recording/recording.ts'
import type { FeedState, FeedStatus, Reason } from '../../../shared/core/status/status.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'
import type { Scratch } from '../../../service/codec.ts'

/** Reference-counted interest; `release` gives it back (idempotent). */
export interface Want {
  release(): void
}

/** The feeds feature: one session per feed path (more connections only when sharding is allowed). */
export interface Feeds {
  want(feed: FeedId, symbols: readonly string[]): Want
  status(nowMs: UnixMs): readonly FeedStatus[]
  retry(feed: FeedId): void
  /** Sleep is about to begin or was noticed by a clock jump; wake ends it. */
  sleep(): void
  wake(): void
  networkChanged(): void
  /** Closes every connection with 1000, writes gap edges of cause `quit`. */
  close(): Promise<void>
}

/** What the feeds tell the terminal, synchronously on the tick path. */
export interface FeedListener {
  /** A market message that was asked for, already accepted by the recorder. */
  record(feed: FeedId, seq: number, recvMs: UnixMs, monoNs: number, record: Scratch): void
  /**
   * Its state is another: of several connections the one that needs attention most, and the best of them (`seen`).
   * The same object as the last time where only the other one changed.
   */
  state(feed: FeedId, state: FeedState, seen: FeedState): void
  acknowledged(feed: FeedId, symbols: readonly string[]): void
  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: UnixMs): void
  gapClosed(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void
  problem(feed: FeedId, why: Reason): void
  log(level: 'debug' | 'info' | 'warn' | 'error', from: string, text: string, detail?: string): void
}
