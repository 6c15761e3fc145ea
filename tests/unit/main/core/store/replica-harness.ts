/** Shared by tests of replicas: heads of flushes, and sessions of a team that are copied into a store. */
import { LeafHasher } from '../../../../../src/main/core/store/format/leaves.ts'
import { entryRow, genesis } from '../../../../../src/main/core/store/format/ledger.ts'
import type { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import type { Batch } from '../../../../../src/main/core/store/types/messages.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { teamSource } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs, type FeedId, type SessionId } from '../../../../../src/shared/base/units.ts'
import { Writer, type Item } from './harness.ts'

/** Adds a flush to the heads of a session and returns all of them, hex. */
export function headsAfter(
  id: SessionId,
  hasher: LeafHasher,
  heads: Map<number, Uint8Array>,
  batch: Batch,
): Record<string, string> {
  if (heads.size === 0) heads.set(0, genesis(id, 0, ''))
  for (const { conn, feed } of batch.connections ?? []) heads.set(conn, genesis(id, conn, feed))
  const leaves = hasher.leaves(batch.messages, batch.entries.map(entryRow), (conn) => heads.get(conn)!)
  for (const { conn, head } of leaves) heads.set(conn, head)
  return Object.fromEntries([...heads].map(([conn, head]) => [conn, Buffer.from(head).toString('hex')]))
}

/** A session of a shard of team "eu", copied into a store flush by flush. */
export class Replica {
  readonly id: SessionId
  readonly #engine: StoreEngine
  readonly #writer: Writer
  readonly #hasher = new LeafHasher()
  readonly #heads = new Map<number, Uint8Array>()
  #hex: Record<string, string> = {}

  constructor(
    engine: StoreEngine,
    shard: number,
    startedMs: number,
    { feeds, epoch }: { readonly feeds?: readonly FeedId[]; readonly epoch?: number } = {},
  ) {
    this.#engine = engine
    this.#writer = new Writer(feeds)
    this.id = newSessionId(unixMs(startedMs))
    engine.library.openReplica({
      id: this.id,
      source: teamSource('eu', shard),
      startedMs: unixMs(startedMs),
      epoch,
      from: 'a test',
    })
  }

  /** Its last seq. */
  get seq(): number {
    return this.#writer.seq
  }

  add(...items: readonly Item[]): void {
    const batch = this.#writer.batch(items)
    this.#hex = headsAfter(this.id, this.#hasher, this.#heads, batch)
    this.#engine.library.replicas.append(this.id, [batch], this.#hex, RESPONDER)
    this.#engine.library.replicas.commit()
  }

  end(endedMs: number): void {
    const end = { endedMs: unixMs(endedMs), clean: true, heads: this.#hex }
    this.#engine.library.replicas.end(this.id, end, RESPONDER)
    this.#engine.drain()
  }
}

const RESPONDER = {
  done: () => undefined,
  failed(thrown: unknown) {
    throw thrown
  },
}
