/**
 * Snapshots of the market in the store: packed in pieces between commits, under a sum, most of them as what
 * differs from a whole one before, and thinned out so that a quiet day does not hold more of them than of
 * messages.
 */
import { zstdCompressSync, zstdDecompressSync } from '../../../base/zstd.ts'
import { rowChecksum, equalBytes } from '../format/ledger.ts'
import type { NewSnapshot, Snapshot, SnapshotQuery } from '../types/store.ts'
import type { RecordingState } from './recording-state.ts'
import type { Work } from './sealer.ts'
import type { Db } from '../schema/sqlite.ts'

/** Larger ones are let go: they would cost more than they save. */
const MAX_BYTES = 16 << 20
/** Packed at once, between two turns. */
const PIECE_BYTES = 256 << 10
/**
 * One between two others is kept where so many messages and entries follow the one before it, or where it is
 * no larger than about a third of what those take when sealed.
 */
const MIN_SEQ_DISTANCE = 50_000
const BYTES_PER_SEQ = 1
/** Set in the size of one that is packed against a whole one, whose seq follows. */
const DELTA_FLAG = 0x8000_0000
/** Packed against a whole one it must be this much smaller, or it is kept whole and the next are packed against it. */
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

/** Covers every column of a snapshot's row. */
function snapshotSum({ recording, seq, wall_ms: wallMs, version, data }: Omit<SnapshotRow, 'id' | 'sum'>): Uint8Array {
  return rowChecksum([recording, seq, wallMs, version], data)
}

/** A whole snapshot that later ones are packed against. */
interface BaseSnapshot {
  readonly recording: number
  readonly seq: number
  readonly data: Uint8Array
  readonly packedBytes: number
  /** The last one that needs it; its own seq: none does. */
  usedBy: number
}

/** The writer's part: one snapshot waits until its seq is durable and there is nothing else to do. */
export class SnapshotWriter {
  readonly #sql
  #pending: NewSnapshot | null = null
  #base: BaseSnapshot | null = null

  constructor(db: Db) {
    this.#sql = {
      insert: db.prepare<[number, number, number, number, Uint8Array, Uint8Array]>(
        'INSERT OR REPLACE INTO snapshot (recording, seq, wall_ms, version, sum, data) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      newest: db.prepare<[number], { id: number; seq: number; size: number }>(
        'SELECT id, seq, length(data) AS size FROM snapshot WHERE recording = ? ORDER BY seq DESC LIMIT 2',
      ),
      has: db.prepare<[number, number], number>('SELECT 1 FROM snapshot WHERE recording = ? AND seq = ?').pluck(),
      drop: db.prepare<[number]>('DELETE FROM snapshot WHERE id = ?'),
    }
  }

  /** Takes one; it takes the place of one that waits. */
  offer(snapshot: NewSnapshot): void {
    if (snapshot.data.length <= MAX_BYTES) this.#pending = snapshot
  }

  /** Whether one waits that may be written. */
  isDue(rec: RecordingState): boolean {
    const pending = this.#pending
    if (pending === null || pending.seq > rec.lastSeq) return false
    // While a recording is still being closed, the next one's may wait already.
    return pending.recording === undefined || pending.recording === rec.key
  }

  /** Another recording begins. */
  forget(): void {
    this.#pending = null
    this.#base = null
  }

  *write(rec: RecordingState): Work {
    if (!this.isDue(rec)) return
    const snapshot = this.#pending
    if (snapshot === null) return
    this.#pending = null
    const { seq, wallMs, version, data: raw } = snapshot
    const known = this.#base
    // One at the same seq takes the place of the one there; one that a full disk refused is not there.
    const usable = known !== null && known.recording === rec.id && known.seq < seq
    const base = usable && this.#sql.has.get(rec.id, known.seq) !== undefined ? known : null
    let data = base === null ? null : yield* packInSteps(raw, base)
    if (base !== null && data !== null && data.length <= base.packedBytes * MAX_DELTA_RATIO) base.usedBy = seq
    else {
      data = yield* packInSteps(raw, null)
      this.#base = { recording: rec.id, seq, data: raw, packedBytes: data.length, usedBy: seq }
    }
    const isBaseNeeded = base !== null && base.usedBy > base.seq ? base.seq : NaN
    const row = { recording: rec.id, seq, wall_ms: wallMs, version, data }
    const bytes = data
    yield () => {
      const [last, before] = this.#sql.newest.all(rec.id)
      if (last !== undefined && last.seq < seq && before !== undefined && last.seq !== isBaseNeeded) {
        const isFarApart = last.seq - before.seq
        if (isFarApart < MIN_SEQ_DISTANCE && last.size > isFarApart * BYTES_PER_SEQ) this.#sql.drop.run(last.id)
      }
      this.#sql.insert.run(rec.id, seq, wallMs, version, snapshotSum(row), bytes)
    }
  }
}

/** Packs one piece by piece; against a whole one, the same bytes of that are what a piece is looked up in. */
function* packInSteps(
  raw: Uint8Array,
  whole: Pick<BaseSnapshot, 'seq' | 'data'> | null,
): Generator<undefined, Buffer, void> {
  const head = new DataView(new ArrayBuffer(whole === null ? 4 : 12))
  head.setUint32(0, whole === null ? raw.length : (raw.length | DELTA_FLAG) >>> 0, true)
  if (whole !== null) head.setFloat64(4, whole.seq, true)
  const pieces: Uint8Array[] = [new Uint8Array(head.buffer)]
  for (let at = 0; at < raw.length; at += PIECE_BYTES) {
    const dictionary = pieceOf(whole, at)
    const piece = zstdCompressSync(raw.subarray(at, at + PIECE_BYTES), dictionary === null ? {} : { dictionary })
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, piece.length, true)
    pieces.push(size, piece)
    yield
  }
  return Buffer.concat(pieces)
}

function pieceOf(whole: { readonly data: Uint8Array } | null, at: number): Uint8Array | null {
  return whole === null || at >= whole.data.length ? null : whole.data.subarray(at, at + PIECE_BYTES)
}

/** The readers' part. Keeps the whole one that was needed last: jumps near to each other share it. */
export class SnapshotReader {
  readonly #sql
  #whole: { readonly recording: number; readonly seq: number; readonly data: Uint8Array } | null = null

  constructor(db: Db) {
    this.#sql = {
      before: db.prepare<[number, number, number, number, number], SnapshotRow>(
        `SELECT * FROM snapshot WHERE recording = ? AND seq <= ? AND seq > ? AND version = ? AND (seq = 0 OR wall_ms <= ?)
         ORDER BY seq DESC`,
      ),
      at: db.prepare<[number, number], SnapshotRow>('SELECT * FROM snapshot WHERE recording = ? AND seq = ?'),
    }
  }

  /** The newest whole snapshot of a version at or before a place. */
  read(recording: number, { upToSeq, upToMs = Infinity, afterSeq = -1, version }: SnapshotQuery): Snapshot | null {
    for (const row of this.#sql.before.iterate(recording, upToSeq, afterSeq, version, upToMs)) {
      const data = this.unpack(row)
      if (data !== null) return { seq: row.seq, wallMs: row.wall_ms, data }
    }
    return null
  }

  /** What was packed; null where it, or what it was packed against, is damaged. */
  unpack(row: SnapshotRow): Uint8Array | null {
    if (!equalBytes(snapshotSum(row), row.sum)) return null
    const baseSeq = readBaseSeq(row.data)
    if (baseSeq === null) return unpackSnapshot(row.data, null)
    const whole = this.#readBase(row.recording, baseSeq)
    return whole === null ? null : unpackSnapshot(row.data, whole)
  }

  #readBase(recording: number, seq: number): Uint8Array | null {
    const known = this.#whole
    if (known !== null && known.recording === recording && known.seq === seq) return known.data
    const row = this.#sql.at.get(recording, seq)
    if (row === undefined || readBaseSeq(row.data) !== null) return null
    const data = this.unpack(row)
    if (data !== null) this.#whole = { recording, seq, data }
    return data
  }
}

/** Seq of the whole one that it is packed against; null: it is whole itself. */
function readBaseSeq(packed: Uint8Array): number | null {
  if (packed.length < 12) return null
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  return (view.getUint32(0, true) & DELTA_FLAG) === 0 ? null : view.getFloat64(4, true)
}

/** What was packed; null where it is damaged. */
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

/** Checks snapshots of one recording, each by itself: some are thinned out while it goes on. */
export class SnapshotCheck {
  readonly #reader: SnapshotReader
  readonly #recording: number
  readonly #row
  readonly ids: readonly number[]

  constructor(db: Db, recording: number) {
    this.#reader = new SnapshotReader(db)
    this.#recording = recording
    this.#row = db.prepare<[number], SnapshotRow>('SELECT * FROM snapshot WHERE id = ?')
    this.ids = db
      .prepare<[number], number>('SELECT id FROM snapshot WHERE recording = ? ORDER BY seq')
      .pluck()
      .all(recording)
  }

  /** Names one of `ids` that is not what was written; `problem` takes its seq and time. One that is gone is passed over. */
  check(id: number, lastSeq: number, problem: (seq: number, wallMs: number, what: string) => void): void {
    const row = this.#row.get(id)
    if (row === undefined || row.recording !== this.#recording) return
    if (!equalBytes(snapshotSum(row), row.sum)) problem(row.seq, row.wall_ms, 'differs from its sum')
    else if (this.#reader.unpack(row) === null) problem(row.seq, row.wall_ms, 'cannot be read')
    else if (row.seq > lastSeq) problem(row.seq, row.wall_ms, 'is of later than the recording')
  }
}
