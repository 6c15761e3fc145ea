/**
 * Snapshots of the market in the store: packed in pieces between commits, under a sum, and thinned out so that
 * a quiet day does not hold more of them than of messages.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { rowSum, sameBytes } from './ledger.ts'
import type { NewSnapshot, Snapshot } from './port.ts'
import type { RecordingState } from './recording-state.ts'
import type { Work } from './sealer.ts'
import type { Db } from './sqlite.ts'

/** Larger ones are let go: they would cost more than they save. */
const MOST_BYTES = 16 << 20
/** Packed at once, between two turns. */
const PIECE_BYTES = 256 << 10
/**
 * One between two others is kept where so many messages and entries follow the one before it, or where it is
 * no larger than about a third of what those take when sealed.
 */
const SEQS_APART = 50_000
const BYTES_A_SEQ = 1

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
  return rowSum([recording, seq, wallMs, version], data)
}

/** The writer's part: one snapshot waits until its seq is durable and there is nothing else to do. */
export class SnapshotWriter {
  readonly #sql
  #pending: NewSnapshot | null = null

  constructor(db: Db) {
    this.#sql = {
      insert: db.prepare<[number, number, number, number, Uint8Array, Uint8Array]>(
        'INSERT OR REPLACE INTO snapshot (recording, seq, wall_ms, version, sum, data) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      newest: db.prepare<[number], { id: number; seq: number; size: number }>(
        'SELECT id, seq, length(data) AS size FROM snapshot WHERE recording = ? ORDER BY seq DESC LIMIT 2',
      ),
      drop: db.prepare<[number]>('DELETE FROM snapshot WHERE id = ?'),
    }
  }

  /** Takes one; it takes the place of one that waits. */
  offer(snapshot: NewSnapshot): void {
    if (snapshot.data.length <= MOST_BYTES) this.#pending = snapshot
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
  }

  *write(rec: RecordingState): Work {
    if (!this.isDue(rec)) return
    const snapshot = this.#pending
    if (snapshot === null) return
    this.#pending = null
    const pieces: Uint8Array[] = []
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, snapshot.data.length, true)
    pieces.push(size)
    for (let at = 0; at < snapshot.data.length; at += PIECE_BYTES) {
      const packed = zstdCompressSync(snapshot.data.subarray(at, at + PIECE_BYTES))
      const head = new Uint8Array(4)
      new DataView(head.buffer).setUint32(0, packed.length, true)
      pieces.push(head, packed)
      yield
    }
    const data = Buffer.concat(pieces)
    const { seq, wallMs, version } = snapshot
    const row = { recording: rec.id, seq, wall_ms: wallMs, version, data }
    yield () => {
      const [last, before] = this.#sql.newest.all(rec.id)
      if (last !== undefined && last.seq < seq && before !== undefined) {
        const apart = last.seq - before.seq
        if (apart < SEQS_APART && last.size > apart * BYTES_A_SEQ) this.#sql.drop.run(last.id)
      }
      this.#sql.insert.run(rec.id, seq, wallMs, version, snapshotSum(row), data)
    }
  }
}

/** The newest whole snapshot of a version at or before a seq. */
export function readSnapshot(
  db: Db,
  query: { readonly recording: number; readonly upToSeq: number; readonly version: number },
): Snapshot | null {
  const rows = db.prepare<[number, number, number], SnapshotRow>(
    'SELECT * FROM snapshot WHERE recording = ? AND seq <= ? AND version = ? ORDER BY seq DESC',
  )
  for (const row of rows.iterate(query.recording, query.upToSeq, query.version)) {
    const data = sameBytes(snapshotSum(row), row.sum) ? unpackSnapshot(row.data) : null
    if (data !== null) return { seq: row.seq, wallMs: row.wall_ms, data }
  }
  return null
}

/** What was packed; null where it is damaged. */
export function unpackSnapshot(packed: Uint8Array): Uint8Array | null {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  if (packed.length < 4) return null
  const size = view.getUint32(0, true)
  if (size > MOST_BYTES) return null
  const out = new Uint8Array(size)
  let to = 0
  for (let at = 4; at < packed.length;) {
    if (at + 4 > packed.length) return null
    const end = at + 4 + view.getUint32(at, true)
    if (end > packed.length) return null
    let piece: Uint8Array
    try {
      piece = zstdDecompressSync(packed.subarray(at + 4, end), { maxOutputLength: PIECE_BYTES })
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

/** Names every snapshot of a recording that is not what was written; `problem` takes its seq and time. */
export function checkSnapshots(
  db: Db,
  recording: number,
  lastSeq: number,
  problem: (seq: number, wallMs: number, what: string) => void,
): void {
  const rows = db.prepare<[number], SnapshotRow>('SELECT * FROM snapshot WHERE recording = ? ORDER BY seq')
  for (const row of rows.iterate(recording)) {
    if (!sameBytes(snapshotSum(row), row.sum)) problem(row.seq, row.wall_ms, 'differs from its sum')
    else if (unpackSnapshot(row.data) === null) problem(row.seq, row.wall_ms, 'cannot be read')
    else if (row.seq > lastSeq) problem(row.seq, row.wall_ms, 'is of later than the recording')
  }
}
