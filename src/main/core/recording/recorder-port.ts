/** What the recorder needs, and what it tells and counts. */
import type { FeedCounts, Source } from '../../../shared/core/recording/recording.ts'
import type { Percentiles, Reason, RecorderState } from '../../../shared/core/status/status.ts'
import type { RecordingId, UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { StoreWriter } from '../store/types/store.ts'
import type { FrameSink } from '../feeds/connection/frame-sink.ts'

export interface RecorderOptions {
  readonly writer: StoreWriter
  readonly clock: Clock
  /** Longest a frame waits for its flush, ms; 8 unless told. */
  readonly flushMs?: number
  /** Most memory that waits for the disk, bytes; 256 MiB unless told. */
  readonly maxBacklogBytes?: number
  /** Service clock minus local clock, ms, as measured now: kept with each gap that opens. Null: not known. */
  readonly skewMs?: () => number | null
  /** Makes the identity of a recording that starts now. */
  readonly newId: (startedMs: UnixMs) => RecordingId
}

export interface RecorderStats {
  readonly received: number
  readonly stored: number
  /** Frames that no recording holds: see the gaps. */
  readonly lost: number
  readonly perSecond: number
  readonly backlogBytes: number
  /** Milliseconds from a flush's first frame to its commit. */
  readonly receiveToStored: Percentiles | null
  readonly storeBytes: number
  readonly freeBytes: number
  /** Of the recording now open. */
  readonly feeds: readonly FeedCounts[]
}

export type RecorderEvent =
  | { readonly is: 'began'; readonly recording: RecordingId }
  | { readonly is: 'ended'; readonly recording: RecordingId }
  | { readonly is: 'broken'; readonly why: Reason }
  | { readonly is: 'recovered'; readonly lost: number }
  /** Frames were turned away; their gap stands here in the order, and what comes now follows it. */
  | { readonly is: 'cut' }

export interface Recorder extends FrameSink {
  /**
   * Starts a recording; rejects with the store's error. Frames are accepted at once. A disk in trouble is
   * not waited for: the recording then begins when it can, `state` says so, and nothing taken is lost.
   */
  start(source: Source): Promise<RecordingId>
  /** Ends the recording: flushed, sealed, close record written. Connections stay known for the next. */
  stop(): Promise<void>
  state(): RecorderState
  stats(): RecorderStats
  onEvent(listener: (event: RecorderEvent) => void): () => void
}
