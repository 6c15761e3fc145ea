/** What the way of a tick needs of the recorder: synchronous, before anything else sees the frame. */
import type { ClockPair } from '../../../base/clock.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/recording.ts'
import type { FeedId, RecordingId } from '../../../../shared/base/units.ts'

/**
 * Both clocks, taken at receipt. `monoNs` is absolute (process clock); the recorder makes it relative
 * and keeps whole microseconds of it.
 */
export type Stamp = ClockPair

export interface RecorderPort {
  /** The recording now open; null while recording is off or not begun. */
  readonly recording: RecordingId | null
  /** A new connection of the recording, numbered from 1. Seen by `frame` and `entry`. */
  connection(feed: FeedId): number
  /**
   * Accepts a frame: copies its bytes, gives its seq (gapless in the recording, one order over all
   * connections and entries). 0 while recording is off. Never throws, never waits.
   */
  frame(conn: number, data: Uint8Array, binary: boolean, stamp: Stamp): number
  /** Adds FLAG bits to the frame accepted last (it is still in the open batch). */
  mark(flags: number): void
  /** Event time, UTC ms, of the frame accepted last: tells from when on frames that are turned away may be dated. */
  dated(eventMs: number): void
  /**
   * Writes an entry in the same order; answers its seq, 0 while recording is off. For a gap: the number
   * that its `gap-close` names, below zero where it has no seq of its own.
   */
  entry(entry: LedgerEntry, stamp: Stamp): number
}
