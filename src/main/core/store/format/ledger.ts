/**
 * The ledger's hashes. A leaf is the SHA-256 of one flush of one connection after the leaf before it,
 * entries counting as connection 0; the store log chains begin, close and deletion of recordings.
 * Numbers enter as little-endian IEEE doubles and 32-bit integers: as they lie in memory here.
 */
import { createHash } from 'node:crypto'
import type { FeedId, RecordingId } from '../../../../shared/base/units.ts'
import { columnBytes } from './message-columns.ts'
import { ByteReader, ByteWriter } from '../blocks/bytes.ts'
import type { MessageColumns } from '../types/store.ts'

/** An entry as it is stored: its JSON text is what is hashed. */
export interface EntryRow {
  readonly seq: number
  readonly wallMs: number
  readonly monoNs: number
  readonly body: string
}

/** What the chain of a connection starts from: it binds recording, number and feed. */
export function genesis(recording: RecordingId, conn: number, feed: FeedId | ''): Uint8Array {
  return createHash('sha256').update(`tapedeck 1\n${recording}\n${conn}\n${feed}`).digest()
}

/** The leaf of a flush of messages, all of one connection, whose offsets start at 0. */
export function messageLeaf(previous: Uint8Array, messages: MessageColumns): Uint8Array {
  const hash = createHash('sha256').update(previous)
  for (const part of columnBytes(messages)) hash.update(part)
  return hash.digest()
}

/** The leaf of a flush of entries. */
export function entryLeaf(previous: Uint8Array, entries: readonly EntryRow[]): Uint8Array {
  const hash = createHash('sha256').update(previous)
  for (const e of entries) {
    hash.update(new Uint8Array(Float64Array.of(e.seq, e.wallMs, e.monoNs, Buffer.byteLength(e.body)).buffer))
    hash.update(e.body)
  }
  return hash.digest()
}

export const LOG_GENESIS: Uint8Array = createHash('sha256').update('tapedeck store 1').digest()

/** The hash of a row of the store log. */
export function logHash(previous: Uint8Array, n: number, kind: string, body: string): Uint8Array {
  return createHash('sha256').update(previous).update(`${n}\n${kind}\n`).update(body).digest()
}

/** Guards a row: the first eight bytes of the SHA-256 of its numbers and its data. */
export function rowChecksum(numbers: readonly number[], data: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(new Uint8Array(Float64Array.from(numbers).buffer))
    .update(data)
    .digest()
    .subarray(0, 8)
}

/** Sizes of flushes as runs of (size, repeats): a row of the chain holds many in few bytes. */
export function packRuns(runs: readonly (readonly [size: number, repeats: number])[]): Uint8Array {
  const out = new ByteWriter(64)
  for (const [size, repeats] of runs) {
    out.varint(size)
    out.varint(repeats)
  }
  return out.finish().slice()
}

/** Undoes packRuns; throws `store-damaged`. */
export function unpackRuns(bytes: Uint8Array): [size: number, repeats: number][] {
  const runs: [number, number][] = []
  const reader = new ByteReader(bytes)
  while (reader.at < reader.end) runs.push([reader.varint(), reader.varint()])
  return runs
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && Buffer.compare(a, b) === 0
