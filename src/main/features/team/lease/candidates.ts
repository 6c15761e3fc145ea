/** Which shards a recorder in standby may take. Pure; time is an argument. */
import { LEASE_TTL_MS, type LeaseEntry } from './lease.ts'

/** When each shard's entry was last seen to change, and its revision then. */
export type SeenLeases = ReadonlyMap<number, { readonly revision: number; readonly sinceMs: number }>

export interface FreeShard {
  readonly shard: number
  /** Of the entry to replace, 0: there is none. */
  readonly revision: number
}

/**
 * Compares the entries with those seen before. A shard is free if its lease was released, or hasn't changed for the
 * ttl on the clock of this process. The age of an entry on the server doesn't count: its clock may be set. A shard that
 * was never seen with a lease is free at once.
 */
export function findFreeShards(
  seen: SeenLeases,
  entries: ReadonlyMap<number, LeaseEntry>,
  shards: readonly number[],
  nowMs: number,
): { readonly seen: SeenLeases; readonly free: readonly FreeShard[] } {
  const next = new Map<number, { revision: number; sinceMs: number }>()
  const free: FreeShard[] = []
  for (const shard of shards) {
    const entry = entries.get(shard)
    const before = seen.get(shard)
    if (entry?.value.released === true) {
      free.push({ shard, revision: entry.revision })
      continue
    }
    const isUnchanged = before !== undefined && (entry === undefined || entry.revision === before.revision)
    const last = isUnchanged ? before : entry === undefined ? undefined : { revision: entry.revision, sinceMs: nowMs }
    if (last === undefined || nowMs - last.sinceMs >= LEASE_TTL_MS) free.push({ shard, revision: entry?.revision ?? 0 })
    if (last !== undefined) next.set(shard, last)
  }
  return { seen: next, free }
}
