/** The recorder's interface, options, events and figures. */
import type { FeedCounts, Source } from '../../../shared/core/recording/session.ts'
import type { Percentiles, Reason, RecorderState } from '../../../shared/core/status/status.ts'
import type { SessionId, UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoreWriter } from '../store/types/writer.ts'
import type { FrameSink } from '../feeds/connection/frame-sink.ts'

export interface RecorderOptions {
  readonly writer: StoreWriter
  readonly clock: Clock
  /** The longest time that a frame waits for its flush, ms; default 8. */
  readonly flushMs?: number
  /** The most memory for frames that wait for the disk, bytes; default 256 MiB. */
  readonly maxBacklogBytes?: number
  /**
   * The current skew (service clock minus local clock), ms, which is stored with each gap that opens. Null: unknown.
   */
  readonly skewMs?: () => number | null
  /** Creates the id of a session that starts now. */
  readonly newId: (startedMs: UnixMs) => SessionId
}

export interface RecorderStats {
  readonly received: number
  readonly stored: number
  /** Frames that are in no session; marked as gaps. */
  readonly lost: number
  readonly perSecond: number
  readonly backlogBytes: number
  /** From a flush's first frame to its commit, ms. */
  readonly receiveToStored: Percentiles | null
  readonly storeBytes: number
  readonly freeBytes: number
  /** Counts of the open session. */
  readonly feeds: readonly FeedCounts[]
}

export type RecorderEvent =
  | { readonly is: 'began'; readonly session: SessionId }
  | { readonly is: 'ended'; readonly session: SessionId }
  | { readonly is: 'broken'; readonly why: Reason }
  | { readonly is: 'recovered'; readonly lost: number }
  /** Refused frames were written as a gap, which interrupts the order of records. */
  | { readonly is: 'cut' }

export interface Recorder extends FrameSink {
  /** Number of sessions begun, except those that followed the one before without a break, at midnight UTC. */
  readonly breaks: number
  /**
   * Starts a session; rejects with the store's error. Frames are accepted immediately. If the disk fails, the
   * promise doesn't wait for it: the session begins when it can, `state` reports the failure, and no accepted frame
   * is lost.
   */
  start(source: Source): Promise<SessionId>
  /** Ends the session: flushes, seals and closes it. Connections carry over to the next session. */
  stop(): Promise<void>
  state(): RecorderState
  stats(): RecorderStats
  onEvent(listener: (event: RecorderEvent) => void): () => void
}
