/** One flush as a journal blob: leaves, then the columns as they are in memory, then the message bytes. */
import { crc32 } from 'node:zlib'
import { CodedError } from '../../../../shared/base/errors.ts'
import { columnBytes } from './message-columns.ts'
import { tryRead, VERIFY_HINT } from '../types/corruption.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import type { Leaf } from '../types/flushes.ts'
import type { MessageColumns } from '../types/messages.ts'

export interface JournalBlob {
  readonly leaves: readonly Leaf[]
  readonly messages: MessageColumns
}

const LEAF_BYTES = 40

/** Larger blobs get memory of their own. */
const MAX_REUSED_BYTES = 4 << 20

/**
 * Encodes flushes for the journal, reusing its memory: new memory for each flush would make V8 collect the whole heap
 * several times a second.
 */
export class JournalEncoder {
  #space = new Uint8Array(0)

  /** One flush. The result is valid until the next call. */
  encode(leaves: readonly Leaf[], m: MessageColumns): Uint8Array {
    const columns = columnBytes(m)
    const headBytes = 8 + leaves.length * LEAF_BYTES
    const data = this.#take(columns.reduce((sum, part) => sum + part.length, headBytes))
    const head = new DataView(data.buffer, data.byteOffset, headBytes)
    head.setUint32(0, leaves.length, true)
    head.setUint32(4, m.count, true)
    leaves.forEach((leaf, i) => {
      const at = 8 + i * LEAF_BYTES
      head.setUint32(at, leaf.conn, true)
      head.setUint32(at + 4, leaf.count, true)
      data.set(leaf.head, at + 8)
    })
    let at = headBytes
    for (const part of columns) {
      data.set(part, at)
      at += part.length
    }
    return data
  }

  #take(bytes: number): Uint8Array {
    if (bytes > MAX_REUSED_BYTES) return new Uint8Array(bytes)
    if (bytes > this.#space.length) this.#space = new Uint8Array(Math.min(MAX_REUSED_BYTES, bytes * 2))
    return this.#space.subarray(0, bytes)
  }
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
export function journalCrc(session: number, firstSeq: number, lastSeq: number, data: Uint8Array): number {
  return crc32(data, crc32(new Uint8Array(Float64Array.of(session, firstSeq, lastSeq).buffer)))
}

/** A flush in the journal. This is the one place that decides whether it is corrupt. */
export class Flush {
  readonly id: number
  readonly firstSeq: number
  readonly lastSeq: number
  readonly data: Buffer
  /** False if it doesn't match its checksum, or didn't when it was to be sealed. */
  readonly isIntact: boolean

  constructor(session: number, { id, first_seq: first, last_seq: last, torn, crc, data }: JournalRow) {
    this.id = id
    this.firstSeq = first
    // A corrupt last seq must not hide the flush from readers that look for what ends after a seq.
    this.lastSeq = Math.max(first, last)
    this.data = data
    this.isIntact = torn === 0 && journalCrc(session, first, last, data) === crc
  }

  /** What was flushed; null if it is corrupt. */
  read(): JournalBlob | null {
    let blob: JournalBlob | null = null
    return this.isIntact && tryRead(() => (blob = decodeJournal(this.data))) ? blob : null
  }
}

interface JournalRow {
  readonly id: number
  readonly first_seq: number
  readonly last_seq: number
  /** 1 if it was found corrupt at sealing. */
  readonly torn: number
  readonly crc: number
  readonly data: Buffer
}

/** Reads a store's journal: the flushes that aren't sealed yet, and the corrupt ones that can't be. */
export class Journal {
  readonly #sql

  constructor(db: Db) {
    const flush = 'SELECT id, first_seq, last_seq, torn, crc, data FROM journal WHERE recording = ?'
    this.#sql = lazyStatements({
      start: () =>
        db
          .prepare<[number, number], number | null>(
            'SELECT max(first_seq) FROM journal WHERE recording = ? AND first_seq <= ?',
          )
          .pluck(),
      from: () => db.prepare<[number, number], JournalRow>(`${flush} AND first_seq >= ? ORDER BY first_seq`),
      last: () =>
        db
          .prepare<[number], number>(
            // The watermark covers a row marked corrupt, and its last seq can't be trusted.
            'SELECT max(first_seq, last_seq) FROM journal WHERE recording = ? AND torn = 0 ORDER BY first_seq DESC LIMIT 1',
          )
          .pluck(),
      sealed: () => db.prepare<[number], number>('SELECT sealed_seq FROM recording WHERE id = ?').pluck(),
      newestFirst: () => db.prepare<[number], JournalRow>(`${flush} ORDER BY first_seq DESC`),
    })
  }

  /** The last durable seq of a session. Call within a read transaction. */
  lastSeq(session: number): number {
    return Math.max(this.sealedSeq(session), this.#sql.last.get(session) ?? 0)
  }

  /** Messages up to this seq are in blocks. */
  sealedSeq(session: number): number {
    return this.#sql.sealed.get(session) ?? 0
  }

  /** The first flush that begins at or after a seq. */
  next(session: number, seq: number): Flush | undefined {
    const row = this.#sql.from.get(session, seq)
    return row && new Flush(session, row)
  }

  /** Flushes that begin at or after a seq, oldest first. Call within a read transaction. */
  *from(session: number, seq: number): Generator<Flush, void, void> {
    for (const row of this.#sql.from.iterate(session, seq)) yield new Flush(session, row)
  }

  /** Flushes that end after a seq, oldest first. Call within a read transaction. */
  *after(session: number, seq: number): Generator<Flush, void, void> {
    for (const flush of this.from(session, this.#sql.start.get(session, seq + 1) ?? seq + 1))
      if (flush.lastSeq > seq) yield flush
  }

  /** All flushes. Call within a read transaction. */
  *newestFirst(session: number): Generator<Flush, void, void> {
    for (const row of this.#sql.newestFirst.iterate(session)) yield new Flush(session, row)
  }
}

const corruptJournal = (): CodedError =>
  new CodedError('store-damaged', 'A journal row of the store is corrupt.', { hint: VERIFY_HINT })
