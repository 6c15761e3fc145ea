/** The recorder as the tick path uses it: synchronous, before anything else sees the frame. */
import type { ClockPair } from '../../../base/clock.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'

/**
 * Both clocks at receipt. `monoNs` is the process clock; the recorder stores it relative to the session's start, in
 * whole microseconds.
 */
export type Stamp = ClockPair

export interface FrameSink {
  /** The open session; null while recording is off or hasn't begun. */
  readonly session: SessionId | null
  /** How far the clock was set back in all, ms, as of the last frame or entry. Sleep is no set clock. */
  readonly setBackMs: number
  /** Adds a connection; returns its handle, from 1, for `frame` and `entry`. */
  connection(feed: FeedId): number
  /**
   * Accepts a frame: copies its bytes and returns its seq, which numbers all frames and entries of the session
   * without gaps. 0: not recorded. Never throws and never waits.
   */
  frame(conn: number, data: Uint8Array, binary: boolean, stamp: Stamp): number
  /** Adds FLAG bits to the last accepted frame. */
  mark(flags: number): void
  /** Sets the event time, UTC ms, of the last accepted frame. It determines where the gap of refused frames begins. */
  dated(eventMs: number): void
  /**
   * Writes an entry in the same order as the frames; returns its seq, 0 while recording is off. For a gap, returns the
   * number to use in its `gap-close`, which is negative if the gap has no seq of its own.
   */
  entry(entry: LedgerEntry, stamp: Stamp): number
}
