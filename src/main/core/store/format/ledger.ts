/**
 * The ledger's hashes. A leaf is the SHA-256 of one flush of one connection together with the previous leaf; entries
 * count as connection 0. The store log chains the begin, close and deletion of sessions. Numbers are hashed as
 * little-endian doubles and 32-bit integers, which is how they are in memory.
 */
import { createHash } from 'node:crypto'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import { columnBytes } from './message-columns.ts'
import { ByteReader, ByteWriter } from '../blocks/bytes.ts'
import type { MessageColumns, StoredEntry } from '../types/messages.ts'

/** An entry as stored. The hash covers its JSON text. */
export interface EntryRow {
  readonly seq: number
  readonly wallMs: number
  readonly monoNs: number
  readonly body: string
}

/** Converts an entry to its row. */
export const entryRow = ({ seq, wallMs, monoNs, entry }: StoredEntry): EntryRow => ({
  seq,
  wallMs,
  monoNs,
  body: JSON.stringify(entry),
})

/** Start value of a connection's chain. It binds session, connection number and feed. */
export function genesis(session: SessionId, conn: number, feed: FeedId | ''): Uint8Array {
  return createHash('sha256').update(`tapedeck 1\n${session}\n${conn}\n${feed}`).digest()
}

/** Leaf of a flush of messages. All are of one connection and the offsets start at 0. */
export function messageLeaf(previous: Uint8Array, messages: MessageColumns): Uint8Array {
  const hash = createHash('sha256').update(previous)
  for (const part of columnBytes(messages)) hash.update(part)
  return hash.digest()
}

/** Leaf of a flush of entries. */
export function entryLeaf(previous: Uint8Array, entries: readonly EntryRow[]): Uint8Array {
  const hash = createHash('sha256').update(previous)
  for (const e of entries) {
    hash.update(new Uint8Array(Float64Array.of(e.seq, e.wallMs, e.monoNs, Buffer.byteLength(e.body)).buffer))
    hash.update(e.body)
  }
  return hash.digest()
}

export const LOG_GENESIS: Uint8Array = createHash('sha256').update('tapedeck store 1').digest()

/** Hash of a store log row. */
export function logHash(previous: Uint8Array, n: number, kind: string, body: string): Uint8Array {
  return createHash('sha256').update(previous).update(`${n}\n${kind}\n`).update(body).digest()
}

/** Checksum of a row: the first eight bytes of the SHA-256 of its numbers and its data. Databases store -0 as 0. */
export function rowChecksum(numbers: readonly number[], data: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(new Uint8Array(Float64Array.from(numbers, (number) => number + 0).buffer))
    .update(data)
    .digest()
    .subarray(0, 8)
}

/** Packs flush sizes as (size, repeats) runs, so that a chain row holds many flushes in few bytes. */
export function packRuns(runs: readonly (readonly [size: number, repeats: number])[]): Uint8Array {
  const out = new ByteWriter(64)
  for (const [size, repeats] of runs) {
    out.varint(size)
    out.varint(repeats)
  }
  return out.finish().slice()
}

/** Reverses packRuns. Throws `store-damaged`. */
export function unpackRuns(bytes: Uint8Array): [size: number, repeats: number][] {
  const runs: [number, number][] = []
  const reader = new ByteReader(bytes)
  while (reader.at < reader.end) runs.push([reader.varint(), reader.varint()])
  return runs
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && Buffer.compare(a, b) === 0
