/** What the parts of a store that work beside its recording share with it. */
import type { Appender } from './commit.ts'
import type { HiddenRows } from './soft-delete.ts'
import type { RecordingState } from './recording-state.ts'
import type { CloseRecord } from '../schema/records.ts'
import type { Sealer } from './sealer.ts'
import type { Db } from '../schema/sqlite.ts'

/** What the parts of a store that work beside the recording get from its engine. */
export interface WriteContext {
  readonly db: Db
  readonly file: string
  readonly appender: Appender
  readonly sealer: Sealer
  readonly hidden: HiddenRows
  /** False where this Node has no zstd: nothing can be sealed, so imports and compaction could never end. */
  readonly canSeal: boolean
  nowMs(): number
  /** Runs writes as one transaction, durable when this returns. Throws OwnershipLost; nothing is changed then. */
  readonly transaction: <T>(run: () => T) => T
  readonly log: (kind: 'begin' | 'close' | 'delete', body: string) => void
  /** The close record of a recording whose rows are all sealed. */
  closeRecord(rec: RecordingState): CloseRecord
}
