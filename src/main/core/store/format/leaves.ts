/** The leaves that a flush adds to the ledger, for the writer that commits it and for everyone who checks one. */
import type { Leaf } from '../types/flushes.ts'
import type { MessageColumns } from '../types/messages.ts'
import { entryLeaf, messageLeaf, type EntryRow } from './ledger.ts'
import { ColumnsBuilder, connectionRuns } from './message-columns.ts'

/** Connections whose buffers are kept for the next flush. */
const POOLED_CONNECTIONS = 64

/** Computes leaves, one flush at a time; its buffers are reused. */
export class LeafHasher {
  readonly #split = new Map<number, ColumnsBuilder>()

  /**
   * The leaves of a flush: connections in the order of their first message, then the entries as connection 0.
   * `headOf` returns a chain's head before the flush.
   */
  leaves(m: MessageColumns, entries: readonly EntryRow[], headOf: (conn: number) => Uint8Array): Leaf[] {
    const leaves: Leaf[] = []
    if (m.count > 0) {
      for (const part of this.#byConnection(m)) {
        const conn = part.conn[0]
        leaves.push({ conn, count: part.count, head: messageLeaf(headOf(conn), part) })
      }
    }
    if (entries.length > 0) leaves.push({ conn: 0, count: entries.length, head: entryLeaf(headOf(0), entries) })
    return leaves
  }

  /** The messages of each connection as a separate run. */
  #byConnection(m: MessageColumns): Iterable<MessageColumns> {
    const runs = [...connectionRuns(m)]
    if (runs.length === 1) return [m]
    const used = new Set<ColumnsBuilder>()
    for (const [from, to, conn] of runs) {
      let split = this.#split.get(conn)
      if (split === undefined) this.#split.set(conn, (split = new ColumnsBuilder()))
      if (!used.has(split)) split.clear()
      used.add(split)
      split.add(m, from, to)
    }
    const parts = [...used].map((split) => split.build())
    if (this.#split.size > POOLED_CONNECTIONS) this.#split.clear()
    return parts
  }
}
