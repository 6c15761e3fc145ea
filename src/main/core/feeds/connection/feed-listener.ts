/** Receives what the feeds report. */
import type { GapCause } from '../../../../shared/core/recording/session.ts'
import type { FeedState, Reason } from '../../../../shared/core/status/status.ts'
import type { FeedId, UnixMs } from '../../../../shared/base/units.ts'
import type { Scratch } from '../../../../service/codec.ts'

/** Called synchronously, on the tick path. */
export interface FeedListener {
  /** A market message that was subscribed to and that the recorder has accepted. */
  record(feed: FeedId, seq: number, recvMs: UnixMs, monoNs: number, record: Scratch): void
  /**
   * The state of a feed changed. `state`: of the connection that most needs attention; `best`: of the best one. A
   * state that didn't change is the same object as before.
   */
  state(feed: FeedId, state: FeedState, best: FeedState): void
  acknowledged(feed: FeedId, symbols: readonly string[]): void
  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: UnixMs): void
  gapClosed(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void
  problem(feed: FeedId, why: Reason): void
  log(level: 'debug' | 'info' | 'warn' | 'error', from: string, text: string, detail?: string): void
}
