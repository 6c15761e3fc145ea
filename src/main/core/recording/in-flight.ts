/** Batches that were handed to the writer and aren't committed yet. */
import type { Percentiles } from '../../../shared/core/status/status.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { WriterEvent } from '../store/types/writer.ts'
import type { SessionTally } from './session-tally.ts'
import { LatencyHistogram } from './latency.ts'

interface InFlightBatch {
  readonly messages: number
  /** The tally of the batch's session, and its counts when the batch was sent. */
  readonly tally: SessionTally
  readonly received: Float64Array
  /** Monotonic start of the session, ns. */
  readonly startNs: number
  readonly sentMs: UnixMs
  readonly sentNs: number
}

export class InFlight {
  /** Messages committed since the start of the process. */
  stored = 0
  #batches: InFlightBatch[] = []
  readonly #latency = new LatencyHistogram()

  /** The batch that has waited longest; undefined if everything is committed. */
  get oldest(): InFlightBatch | undefined {
    return this.#batches[0]
  }

  add(batch: InFlightBatch): void {
    this.#batches.push(batch)
  }

  commit(event: Extract<WriterEvent, { is: 'committed' }>, nowNs: number): void {
    this.stored += event.messages
    const committed = this.#batches.splice(0, event.batches ?? 1)
    for (const { tally, received } of committed) tally.stored.set(received)
    const first = committed[0]
    if (first !== undefined && Number.isFinite(event.firstMonoNs)) {
      this.#latency.add((nowNs - first.startNs - event.firstMonoNs) / 1e6)
    }
  }

  /** Drops every batch, because the writer died; returns how many messages they had. */
  drop(): number {
    const messages = this.#batches.reduce((sum, batch) => sum + batch.messages, 0)
    this.#batches = []
    return messages
  }

  /** Milliseconds from the receipt of a batch's first frame to its commit; null before the first commit. */
  latency(): Percentiles | null {
    return this.#latency.percentiles()
  }
}
