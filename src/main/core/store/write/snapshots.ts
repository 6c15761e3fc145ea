/**
 * Stores market snapshots: compressed in pieces between commits, with a checksum, mostly as a difference from an
 * earlier full one, and thinned out so that a quiet day doesn't store more snapshots than messages.
 */
import { zstdCompressSync, zstdDecompressSync } from '../../../base/zstd.ts'
import { rowChecksum, equalBytes } from '../format/ledger.ts'
import type { NewSnapshot, Snapshot, SnapshotQuery } from '../types/replay.ts'
import type { OpenSession } from './open-session.ts'
import type { Work } from './background-work.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'

/** Larger snapshots are dropped, because they would cost more than they save. */
const MAX_BYTES = 16 << 20
/** Bytes compressed between two yields. */
const PIECE_BYTES = 256 << 10
/**
 * A snapshot between two others stays if this many messages and entries follow the previous one, or if it is no larger
 * than about a third of what those take when sealed.
 */
const MIN_SEQ_DISTANCE = 50_000
const BYTES_PER_SEQ = 1
/** Flag in the size field of a difference; the seq of its base follows. */
const DELTA_FLAG = 0x8000_0000
/**
 * A difference must be this much smaller than a full snapshot. Otherwise the full one is stored and becomes the next
 * base.
 */
const MAX_DELTA_RATIO = 0.6

interface SnapshotRow {
  readonly id: number
  readonly recording: number
  readonly seq: number
  readonly wall_ms: number
  readonly version: number
  readonly sum: Uint8Array
  readonly data: Uint8Array
}

/** Checksum over every column of a snapshot row. */
function snapshotSum({ recording, seq, wall_ms: wallMs, version, data }: Omit<SnapshotRow, 'id' | 'sum'>): Uint8Array {
  return rowChecksum([recording, seq, wallMs, version], data)
}

/** A full snapshot that later ones are stored relative to. */
interface BaseSnapshot {
  readonly session: number
  readonly seq: number
  readonly data: Uint8Array
  readonly packedBytes: number
  /** The last snapshot that needs it; its own seq if none does. */
  usedBy: number
}

/** Writes snapshots. One waits until its seq is durable and there is nothing else to do. */
export class SnapshotWriter {
  readonly #sql
  #pending: NewSnapshot | null = null
  #base: BaseSnapshot | null = null

  constructor(db: Db) {
    this.#sql = lazyStatements({
      insert: () =>
        db.prepare<[number, number, number, number, Uint8Array, Uint8Array]>(
          'INSERT OR REPLACE INTO snapshot (recording, seq, wall_ms, version, sum, data) VALUES (?, ?, ?, ?, ?, ?)',
        ),
      newest: () =>
        db.prepare<[number], { id: number; seq: number; size: number }>(
          'SELECT id, seq, length(data) AS size FROM snapshot WHERE recording = ? ORDER BY seq DESC LIMIT 2',
        ),
      has: () => db.prepare<[number, number], number>('SELECT 1 FROM snapshot WHERE recording = ? AND seq = ?').pluck(),
      drop: () => db.prepare<[number]>('DELETE FROM snapshot WHERE id = ?'),
    })
  }

  /** Accepts a snapshot. It replaces one that is waiting. */
  offer(snapshot: NewSnapshot): void {
    if (snapshot.data.length <= MAX_BYTES) this.#pending = snapshot
  }

  /** Whether a snapshot is waiting that may be written. */
  isDue(rec: OpenSession): boolean {
    const pending = this.#pending
    if (pending === null || pending.seq > rec.lastSeq) return false
    // While a session is being closed, a snapshot of the next one may be waiting.
    return pending.session === undefined || pending.session === rec.key
  }

  /** Call when another session begins. */
  forget(): void {
    this.#pending = null
    this.#base = null
  }

  *write(rec: OpenSession): Work {
    if (!this.isDue(rec)) return
    const snapshot = this.#pending
    if (snapshot === null) return
    this.#pending = null
    const { seq, wallMs, version, data: raw } = snapshot
    const known = this.#base
    // A snapshot at the base's own seq replaces it. After a full disk the base may not have been stored.
    const usable = known !== null && known.session === rec.id && known.seq < seq
    const base = usable && this.#sql.has.get(rec.id, known.seq) !== undefined ? known : null
    let data = base === null ? null : yield* packInSteps(raw, base)
    if (base !== null && data !== null && data.length <= base.packedBytes * MAX_DELTA_RATIO) base.usedBy = seq
    else {
      data = yield* packInSteps(raw, null)
      this.#base = { session: rec.id, seq, data: raw, packedBytes: data.length, usedBy: seq }
    }
    const neededSeq = base !== null && base.usedBy > base.seq ? base.seq : NaN
    const row = { recording: rec.id, seq, wall_ms: wallMs, version, data }
    const bytes = data
    yield () => {
      const [last, before] = this.#sql.newest.all(rec.id)
      if (last !== undefined && last.seq < seq && before !== undefined && last.seq !== neededSeq) {
        const seqDistance = last.seq - before.seq
        if (seqDistance < MIN_SEQ_DISTANCE && last.size > seqDistance * BYTES_PER_SEQ) this.#sql.drop.run(last.id)
      }
      this.#sql.insert.run(rec.id, seq, wallMs, version, snapshotSum(row), bytes)
    }
  }
}

/**
 * Compresses a snapshot piece by piece. With a base, each piece uses the base's bytes at the same offset as dictionary.
 */
function* packInSteps(
  raw: Uint8Array,
  base: Pick<BaseSnapshot, 'seq' | 'data'> | null,
): Generator<undefined, Buffer, void> {
  const head = new DataView(new ArrayBuffer(base === null ? 4 : 12))
  head.setUint32(0, base === null ? raw.length : (raw.length | DELTA_FLAG) >>> 0, true)
  if (base !== null) head.setFloat64(4, base.seq, true)
  const pieces: Uint8Array[] = [new Uint8Array(head.buffer)]
  for (let at = 0; at < raw.length; at += PIECE_BYTES) {
    const dictionary = pieceOf(base, at)
    const piece = zstdCompressSync(raw.subarray(at, at + PIECE_BYTES), dictionary === null ? {} : { dictionary })
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, piece.length, true)
    pieces.push(size, piece)
    yield
  }
  return Buffer.concat(pieces)
}

function pieceOf(base: { readonly data: Uint8Array } | null, at: number): Uint8Array | null {
  return base === null || at >= base.data.length ? null : base.data.subarray(at, at + PIECE_BYTES)
}

/** Reads snapshots. Caches the last base, because nearby seeks share it. */
export class SnapshotReader {
  readonly #sql
  #base: { readonly session: number; readonly seq: number; readonly data: Uint8Array } | null = null

  constructor(db: Db) {
    this.#sql = lazyStatements({
      before: () =>
        db.prepare<[number, number, number, number, number], SnapshotRow>(
          `SELECT * FROM snapshot WHERE recording = ? AND seq <= ? AND seq > ? AND version = ? AND (seq = 0 OR wall_ms <= ?)
         ORDER BY seq DESC`,
        ),
      at: () => db.prepare<[number, number], SnapshotRow>('SELECT * FROM snapshot WHERE recording = ? AND seq = ?'),
    })
  }

  /** The newest usable snapshot of a version at or before a position; null if there is none. */
  read(session: number, { upToSeq, upToMs = Infinity, afterSeq = -1, version }: SnapshotQuery): Snapshot | null {
    for (const row of this.#sql.before.iterate(session, upToSeq, afterSeq, version, upToMs)) {
      const data = this.unpack(row)
      if (data !== null) return { seq: row.seq, wallMs: row.wall_ms, data }
    }
    return null
  }

  /** The decompressed data; null if the row or its base is corrupt. */
  unpack(row: SnapshotRow): Uint8Array | null {
    if (!equalBytes(snapshotSum(row), row.sum)) return null
    const baseSeq = readBaseSeq(row.data)
    if (baseSeq === null) return unpackSnapshot(row.data, null)
    const whole = this.#readBase(row.recording, baseSeq)
    return whole === null ? null : unpackSnapshot(row.data, whole)
  }

  #readBase(session: number, seq: number): Uint8Array | null {
    const known = this.#base
    if (known !== null && known.session === session && known.seq === seq) return known.data
    const row = this.#sql.at.get(session, seq)
    if (row === undefined || readBaseSeq(row.data) !== null) return null
    const data = this.unpack(row)
    if (data !== null) this.#base = { session, seq, data }
    return data
  }
}

/** Seq of the base of a difference; null for a full snapshot. */
function readBaseSeq(packed: Uint8Array): number | null {
  if (packed.length < 12) return null
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  return (view.getUint32(0, true) & DELTA_FLAG) === 0 ? null : view.getFloat64(4, true)
}

/** Decompresses a snapshot; null if it is corrupt. */
function unpackSnapshot(packed: Uint8Array, against: Uint8Array | null): Uint8Array | null {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const from = against === null ? 4 : 12
  if (packed.length < from) return null
  const size = against === null ? view.getUint32(0, true) : (view.getUint32(0, true) & ~DELTA_FLAG) >>> 0
  if (size > MAX_BYTES) return null
  const out = new Uint8Array(size)
  const whole = against === null ? null : { data: against }
  let to = 0
  for (let at = from; at < packed.length;) {
    if (at + 4 > packed.length) return null
    const end = at + 4 + view.getUint32(at, true)
    if (end > packed.length) return null
    const dictionary = pieceOf(whole, to)
    let piece: Uint8Array
    try {
      piece = zstdDecompressSync(packed.subarray(at + 4, end), {
        maxOutputLength: PIECE_BYTES,
        ...(dictionary === null ? {} : { dictionary }),
      })
    } catch {
      return null
    }
    if (to + piece.length > size) return null
    out.set(piece, to)
    to += piece.length
    at = end
  }
  return to === size ? out : null
}

/** Checks the snapshots of one session one by one, because thinning out continues during the check. */
export class SnapshotCheck {
  readonly #reader: SnapshotReader
  readonly #session: number
  readonly #row
  readonly ids: readonly number[]

  constructor(db: Db, session: number) {
    this.#reader = new SnapshotReader(db)
    this.#session = session
    this.#row = db.prepare<[number], SnapshotRow>('SELECT * FROM snapshot WHERE id = ?')
    this.ids = db
      .prepare<[number], number>('SELECT id FROM snapshot WHERE recording = ? ORDER BY seq')
      .pluck()
      .all(session)
  }

  /**
   * Checks one of `ids` and calls `problem` with its seq and time if it is corrupt. Skips one that was removed in the
   * meantime.
   */
  check(id: number, lastSeq: number, problem: (seq: number, wallMs: number, what: string) => void): void {
    const row = this.#row.get(id)
    if (row === undefined || row.recording !== this.#session) return
    if (!equalBytes(snapshotSum(row), row.sum)) problem(row.seq, row.wall_ms, 'fails its checksum')
    else if (this.#reader.unpack(row) === null) problem(row.seq, row.wall_ms, 'can’t be decoded')
    else if (row.seq > lastSeq) problem(row.seq, row.wall_ms, 'is later than the end of the session')
  }
}
