/** Tells a team how far its history is, in the bucket `watermarks`. What they say is read from the history itself. */
import { type Clock, waitUntil } from '../../../base/clock.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { decodeWatermark, encodeWatermark, type Watermark } from '../checksum.ts'
import type { BucketEntry, TeamLog } from '../nats/team-log.ts'
import type { Archive } from './archive.ts'

const ROUND_MS = 250
/** Rounds between two in which all sessions that aren't complete have a watermark. */
const UNFINISHED_EVERY = 20

interface WatermarksParts {
  readonly log: Pick<TeamLog, 'bucket'>
  readonly archive: Pick<Archive, 'progress' | 'unfinished' | 'watermarks'>
  readonly clock: Clock
  readonly report: (level: 'alarm', text: string) => void
}

export class Watermarks {
  readonly #parts: WatermarksParts
  /** Sessions whose watermark may be behind the history. */
  readonly #changed = new Set<SessionId>()

  constructor(parts: WatermarksParts) {
    this.#parts = parts
  }

  /** The history has more of a session, or waits for more: then its recorder sees by the watermark what it lacks. */
  changed(session: SessionId): void {
    this.#changed.add(session)
  }

  /** The watermarks of all sessions as they are stored. */
  async read(): Promise<Map<string, BucketEntry>> {
    const entries = await this.#parts.log.bucket('watermarks').entries()
    return new Map(entries.map((entry) => [entry.key, entry]))
  }

  /** Puts the watermarks of a shard where the log lost them. */
  async raise(shard: number): Promise<void> {
    const entries = await this.read()
    for (const [session, watermark] of await this.#parts.archive.watermarks(shard)) {
      const known = entries.get(session)
      if (known === undefined || !covers(decodeWatermark(session, known.value), watermark)) this.changed(session)
    }
  }

  /**
   * Lowers a watermark beyond the history, which was then restored from a backup: recorders must not release what it
   * lacks. `known`: read before the history, so that it can't be ahead of it otherwise. One that says too soon that a
   * session is complete needs nothing: the close record has just been stored again.
   */
  async lower(session: SessionId, known: BucketEntry | undefined): Promise<void> {
    const { log, archive, report } = this.#parts
    const watermark = known === undefined ? null : decodeWatermark(session, known.value)
    const lastSeq = (await archive.progress(session))?.lastSeq ?? 0
    if (known === undefined || watermark === null || watermark.lastSeq <= lastSeq) return
    report('alarm', `The history has session ${session} up to seq ${lastSeq}, but had it up to ${watermark.lastSeq} before.`) // oxfmt-ignore
    const lowered = encodeWatermark(session, { lastSeq, isComplete: false })
    await log.bucket('watermarks').update(session, lowered, known.revision)
  }

  /** Puts what changed until `signal` aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, archive } = this.#parts
    for (let round = 0; !signal.aborted; round++) {
      await waitUntil(clock, signal, ROUND_MS)
      // If the log lost all that was left of a session, nothing arrives that shows it. Its recorder sees it by these.
      if (round % UNFINISHED_EVERY === 0) for (const session of await archive.unfinished()) this.changed(session)
      for (const session of [...this.#changed]) await this.#put(session)
    }
  }

  async #put(session: SessionId): Promise<void> {
    const bucket = this.#parts.log.bucket('watermarks')
    // What is committed from here on puts it there again.
    this.#changed.delete(session)
    try {
      const known = await bucket.get(session)
      const progress = await this.#parts.archive.progress(session)
      if (progress === null) return
      const watermark = { lastSeq: progress.lastSeq, isComplete: progress.complete }
      // An archiver that took the shard over may have committed more.
      if (covers(known === null ? null : decodeWatermark(session, known.value), watermark)) return
      await bucket.update(session, encodeWatermark(session, watermark), known?.revision ?? 0)
    } catch (thrown) {
      this.changed(session)
      throw thrown
    }
    // It is read back in the next round: it can be damaged on its way, and recorders would wait for it.
    this.changed(session)
  }
}

/** Whether a watermark says at least as much as another one. */
const covers = (known: Watermark | null, { lastSeq, isComplete }: Watermark): boolean =>
  known !== null && known.lastSeq >= lastSeq && (known.isComplete || !isComplete)
