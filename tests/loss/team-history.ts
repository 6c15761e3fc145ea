/** Compares the team's history with a recorder's store, flush by flush, to the byte. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommittedFlush } from '../../src/main/core/store/types/flushes.ts'
import type { StoreReader } from '../../src/main/core/store/types/reader.ts'
import { Archive } from '../../src/main/features/team/history/archive.ts'
import type { Database } from '../../src/main/features/team/history/database.ts'
import { historyOf } from '../../src/main/features/team/history/history.ts'
import { verifyHistory } from '../../src/main/features/team/history/verify-history.ts'
import type { SessionId } from '../../src/shared/base/units.ts'

const PAGE_BYTES = 1 << 20
const WITHIN_MS = 120_000

/** Waits until the history has each of these sessions completely, sealed. */
export async function waitForHistory(db: Database, sessions: readonly SessionId[]): Promise<void> {
  const archive = new Archive(db)
  const deadline = Date.now() + WITHIN_MS
  for (const session of sessions)
    for (;;) {
      const progress = await archive.progress(session)
      if (progress?.complete === true && progress.sealedSeq === progress.lastSeq) break
      if (Date.now() > deadline) throw new Error(`${session} isn't complete: ${JSON.stringify(progress)}`)
      await sleep(50)
    }
}

/**
 * Throws unless the history has exactly what the store has: the same leaves of each connection, and the same bytes in the
 * same order. `isPrefix`: it may end before the store does. Returns the number of messages.
 */
export async function compareHistory(
  db: Database,
  reader: Pick<StoreReader, 'flushes'>,
  sessions: readonly SessionId[],
  isPrefix = false,
): Promise<number> {
  let messages = 0
  for (const session of sessions) {
    const report = await verifyHistory(db, session)
    if (!report.ok) throw new Error(report.problems[0]?.detail ?? `${session} isn't as recorded`)
    const archived = new Content()
    for await (const page of historyOf(db).flushes(session, 0)) for (const flush of page) archived.add(flush)
    const stored = new Content()
    // A flush read back from blocks may be cut into those of its connections, so the store's flushes are finer.
    for await (const flush of storeFlushes(reader, session)) {
      if (isPrefix && stored.lastSeq >= archived.lastSeq) break
      stored.add(flush)
    }
    const differs = archived.differsFrom(stored)
    if (differs !== null) throw new Error(`the history of ${session} isn't what the store has: ${differs}`)
    messages += archived.messages
  }
  return messages
}

async function* storeFlushes(reader: Pick<StoreReader, 'flushes'>, session: SessionId): AsyncGenerator<CommittedFlush> {
  let afterSeq = 0
  for (;;) {
    const { flushes } = await reader.flushes({ session, afterSeq, maxBytes: PAGE_BYTES })
    if (flushes.length === 0) return
    yield* flushes
    for (const { batch } of flushes) afterSeq += batch.messages.count + batch.entries.length
  }
}

/** What flushes hold, whatever their boundaries. */
class Content {
  messages = 0
  lastSeq = 0
  readonly #bytes = createHash('sha256')
  /** Count and head of each leaf, by connection. */
  readonly #leaves = new Map<number, string[]>()

  add({ batch: { messages: m, entries }, leaves }: CommittedFlush): void {
    this.messages += m.count
    this.lastSeq += m.count + entries.length
    this.#bytes.update(m.bytes.subarray(m.offsets[0], m.offsets[m.count]))
    for (const { conn, count, head } of leaves) {
      const known = this.#leaves.get(conn) ?? []
      this.#leaves.set(conn, known)
      known.push(`${count} ${Buffer.from(head).toString('hex')}`)
    }
  }

  /** Null: nothing. */
  differsFrom(other: Content): string | null {
    if (this.lastSeq !== other.lastSeq || this.messages !== other.messages)
      return `it ends at seq ${this.lastSeq} instead of ${other.lastSeq}`
    for (const conn of new Set([...this.#leaves.keys(), ...other.#leaves.keys()]))
      if (this.#leaves.get(conn)?.join() !== other.#leaves.get(conn)?.join())
        return `connection ${conn} has other leaves`
    return this.#bytes.digest('hex') === other.#bytes.digest('hex') ? null : 'its messages have other bytes'
  }
}
