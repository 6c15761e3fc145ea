/** One flush as a journal blob: leaves, then the columns as they are in memory, then the message bytes. */
import { crc32 } from 'node:zlib'
import { CodedError } from '../../../../shared/base/errors.ts'
import { columnBytes } from './message-columns.ts'
import { VERIFY_HINT } from '../types/corruption.ts'
import type { MessageColumns } from '../types/store.ts'

/** One connection's part of a flush. Connection 0 is the entries, which have rows of their own. */
export interface Leaf {
  readonly conn: number
  readonly count: number
  readonly head: Uint8Array
}

export interface JournalBlob {
  readonly leaves: readonly Leaf[]
  readonly messages: MessageColumns
}

const LEAF_BYTES = 40

/** Encodes a flush for the journal. */
export function encodeJournal(leaves: readonly Leaf[], m: MessageColumns): Buffer {
  const head = Buffer.alloc(8 + leaves.length * LEAF_BYTES)
  head.writeUInt32LE(leaves.length, 0)
  head.writeUInt32LE(m.count, 4)
  leaves.forEach((leaf, i) => {
    const at = 8 + i * LEAF_BYTES
    head.writeUInt32LE(leaf.conn, at)
    head.writeUInt32LE(leaf.count, at + 4)
    head.set(leaf.head, at + 8)
  })
  return Buffer.concat([head, ...columnBytes(m)])
}

/** Decodes a journal blob. Throws `store-damaged` if its lengths don't add up. */
export function decodeJournal(data: Uint8Array): JournalBlob {
  const head = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let at = 8
  const take = (bytes: number): Uint8Array<ArrayBuffer> => {
    if (at + bytes > data.length) throw corruptJournal()
    const part = new Uint8Array(data.subarray(at, at + bytes)) // copied to align it for the wider views
    at += bytes
    return part
  }
  if (data.length < 8) throw corruptJournal()
  const leaves: Leaf[] = []
  const leafCount = head.getUint32(0, true)
  const n = head.getUint32(4, true)
  if (8 + leafCount * LEAF_BYTES + n * 33 > data.length) throw corruptJournal()
  for (let i = 0; i < leafCount; i++) {
    const conn = head.getUint32(at, true)
    const count = head.getUint32(at + 4, true)
    at += 8
    leaves.push({ conn, count, head: take(32) })
  }
  const seq = new Float64Array(take(n * 8).buffer)
  const recvMs = new Float64Array(take(n * 8).buffer)
  const monoNs = new Float64Array(take(n * 8).buffer)
  const conn = new Uint32Array(take(n * 4).buffer)
  const connSeq = new Uint32Array(take(n * 4).buffer)
  const offsets = new Uint32Array(take(n * 4 + 4).buffer)
  const flags = take(n)
  const bytes = data.subarray(at)
  for (let i = 0; i < n; i++) if (offsets[i] > offsets[i + 1]) throw corruptJournal()
  if (offsets[0] !== 0 || offsets[n] !== bytes.length) throw corruptJournal()
  return { leaves, messages: { count: n, seq, conn, connSeq, recvMs, monoNs, flags, offsets, bytes } }
}

/** Checksum of a journal row: its numbers and its data. */
export function journalCrc(recording: number, firstSeq: number, lastSeq: number, data: Uint8Array): number {
  return crc32(data, crc32(new Uint8Array(Float64Array.of(recording, firstSeq, lastSeq).buffer)))
}

/** A row of the table `journal`. */
export interface JournalRow {
  readonly first_seq: number
  readonly last_seq: number
  /** 1 if it was found corrupt at sealing. */
  readonly torn: number
  readonly crc: number
  readonly data: Buffer
}

/** Whether a journal row matches its checksum and isn't marked corrupt. */
export function isIntact(recording: number, row: JournalRow): boolean {
  return row.torn === 0 && journalCrc(recording, row.first_seq, row.last_seq, row.data) === row.crc
}

const corruptJournal = (): CodedError =>
  new CodedError('store-damaged', 'A journal row of the store is corrupt.', { hint: VERIFY_HINT })
