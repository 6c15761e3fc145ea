/** The seqs that a batch covers. */
import type { Batch } from '../../../core/store/types/messages.ts'

/** The first seq of a batch; null if it has none. */
export function firstSeq({ messages, entries }: Batch): number | null {
  const first = Math.min(messages.count > 0 ? messages.seq[0] : Infinity, entries[0]?.seq ?? Infinity)
  return first === Infinity ? null : first
}

/** The last seq of a batch; 0 if it has none. */
export const lastSeqOf = ({ messages, entries }: Batch): number =>
  Math.max(messages.count > 0 ? messages.seq[messages.count - 1] : 0, entries.at(-1)?.seq ?? 0)
