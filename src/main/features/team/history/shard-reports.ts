/** What an archiver says about the shards that it archives. */
import type { SessionId } from '../../../../shared/base/units.ts'
import { reportText, type ArchiverReport } from '../reports/report.ts'

interface HeldShard {
  missing: number
  /** Sessions that wait for frames, and why. */
  readonly waiting: Map<SessionId, string>
  stopped: string | null
}

export class ShardReports {
  readonly #shards = new Map<number, HeldShard>()

  begin(shard: number): void {
    this.#shards.set(shard, { missing: 0, waiting: new Map(), stopped: null })
  }

  /** Another archiver may take it. A shard that has stopped is still reported. */
  end(shard: number): void {
    if (this.#shards.get(shard)?.stopped === null) this.#shards.delete(shard)
  }

  stop(shard: number, why: string): void {
    const held = this.#shards.get(shard)
    if (held !== undefined) held.stopped = why
  }

  /** Frames were missing and are read again. */
  reread(shard: number): void {
    const held = this.#shards.get(shard)
    if (held !== undefined) held.missing++
  }

  /** Returns whether this reason is new. */
  wait(shard: number, session: SessionId, why: string): boolean {
    const held = this.#shards.get(shard)
    const isNew = held?.waiting.get(session) !== why
    held?.waiting.set(session, why)
    return isNew
  }

  /** The session waits no longer. */
  commit(shard: number, session: SessionId): void {
    this.#shards.get(shard)?.waiting.delete(session)
  }

  read(): ArchiverReport['shards'] {
    return [...this.#shards].map(([shard, { missing, waiting, stopped }]) => {
      const why = stopped ?? [...waiting.values()].at(0) ?? null
      return { shard, missing, trouble: why === null ? null : reportText(why) }
    })
  }
}
