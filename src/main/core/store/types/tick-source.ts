/**
 * What reading ticks asks of the file: short reads, each of one snapshot. Everything that is sealed up to
 * a window's watermark is in blocks for good (blocks only merge), so a reader goes on from a seq.
 */
import type { RecordingId } from '../../../../shared/base/units.ts'
import type { TickQuery } from './store.ts'

/** A recording to read: up to a seq that is fixed when reading begins. */
export interface TickPlan {
  readonly id: number
  readonly recording: RecordingId
  readonly maxSeq: number
  /** Rows received before this are an earlier recording's: settled rule 1. */
  readonly notBeforeMs: number
}

export interface TickWindow {
  /** Messages up to here are in blocks of these series. */
  readonly sealedSeq: number
  readonly series: readonly number[]
  /** The next journal rows, only where nothing sealed is left. Torn rows that nothing is wanted of count in `upTo`. */
  readonly journal: readonly Uint8Array[]
  readonly upToSeq: number
  /** Connections of the queried feed. */
  readonly conns: readonly number[]
}

export interface BlockQuery {
  readonly series: number
  /** Blocks that hold a seq in (after, upTo], oldest first. */
  readonly after: number
  readonly upTo: number
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
}

type MaybePromise<T> = T | Promise<T>

export interface TickSource {
  plan(query: TickQuery): MaybePromise<readonly TickPlan[]>
  /** Throws `store-damaged` where a torn flush may have held what is asked for. */
  window(query: TickQuery, plan: TickPlan, after: number): MaybePromise<TickWindow>
  blocks(query: BlockQuery): MaybePromise<readonly Uint8Array[]>
}
