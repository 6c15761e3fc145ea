/** What imports, replicas, compaction and erasing share with the store's engine. */
import type { Appender } from './commit.ts'
import type { HiddenRows } from './soft-delete.ts'
import type { OpenSession } from './open-session.ts'
import type { CloseRecord } from '../schema/records.ts'
import type { RollupWriter } from './rollup-writer.ts'
import type { Sealer } from './sealer.ts'
import type { Db } from '../schema/sqlite.ts'

/** What imports, replicas, compaction and erasing get from the store's engine. */
export interface WriteContext {
  readonly db: Db
  readonly file: string
  readonly appender: Appender
  readonly sealer: Sealer
  readonly rollups: RollupWriter
  readonly hidden: HiddenRows
  /** False if this Node has no zstd. Nothing can be sealed then, so imports and compaction would never finish. */
  readonly canSeal: boolean
  readonly nowMs: () => number
  /** Runs writes as one transaction that is durable when this returns. Throws OwnershipLost, with nothing changed. */
  readonly transaction: <T>(run: () => T) => T
  /** Like `transaction`, but the caller calls `note` once it has applied the commit in memory. */
  readonly runUnnoted: <T>(run: () => T) => T
  /** Notes a commit in the store's head: its session, if it wrote to one. */
  readonly note: (rec?: OpenSession) => void
  readonly log: (kind: 'begin' | 'close' | 'delete', body: string) => void
  /** The close record of a session whose rows are all sealed. */
  closeRecord(rec: OpenSession): CloseRecord
}
