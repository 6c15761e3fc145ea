/**
 * Copies a file that may still change, in pieces with a hash each, so that a later pass copies only the pieces that
 * changed.
 */
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { CodedError } from '../../../shared/base/errors.ts'

/** The error of a canceled move. */
export const moveCancelled = (): CodedError =>
  new CodedError('cancelled', 'The move was canceled.', {
    hint: 'The store stays where it was; the partial copy is removed.',
  })

/** Small enough that hashing a piece doesn't delay a tick. */
const PIECE_BYTES = 1 << 20

/**
 * Pieces are synced to disk in groups: a single sync at the end could take minutes on a slow disk and can't be
 * canceled.
 */
const PIECES_A_SYNC = 64

/** The known content of a copy: the SHA-256 of each piece, and the total size. */
export interface Copied {
  readonly pieces: readonly string[]
  readonly bytes: number
}

export interface PassOptions {
  /**
   * Open for reading. Not closed here, because closing it drops the locks that SQLite holds on the same file in this
   * process.
   */
  readonly from: FileHandle
  /** Created if it doesn't exist. */
  readonly to: string
  /** The result of an earlier pass; null: none. */
  readonly before: Copied | null
  /** Called with the size of each piece that was read. */
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function read(file: FileHandle, piece: Buffer, at: number): Promise<Buffer> {
  let length = 0
  while (length < piece.length) {
    const { bytesRead } = await file.read(piece, length, piece.length - length, at + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return piece.subarray(0, length)
}

/**
 * Updates the copy to the file's current content, synced to disk, and reads back everything that it wrote. Rejects
 * with `cancelled`, with `store-damaged` if the disk returns different bytes, or with a disk error.
 */
export async function copyPass({ from, to, before, onBytes, signal }: PassOptions): Promise<Copied> {
  const copy = await open(to, before === null ? 'w+' : 'r+', 0o600)
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    const pieces: string[] = []
    const written: number[] = []
    let bytes = 0
    for (let i = 0; ; i++) {
      if (signal.aborted) throw moveCancelled()
      const got = await read(from, piece, i * PIECE_BYTES)
      if (got.length === 0) break
      const hash = hashOf(got)
      if (before?.pieces[i] !== hash) {
        for (let done = 0; done < got.length;) {
          done += (await copy.write(got, done, got.length - done, i * PIECE_BYTES + done)).bytesWritten
        }
        written.push(i)
        if (written.length % PIECES_A_SYNC === 0) await copy.datasync()
      }
      pieces.push(hash)
      bytes += got.length
      onBytes(got.length)
      if (got.length < PIECE_BYTES) break
    }
    await copy.truncate(bytes)
    await copy.sync()
    for (const i of written) {
      if (signal.aborted) throw moveCancelled()
      if (hashOf(await read(copy, piece, i * PIECE_BYTES)) !== pieces[i]) {
        throw new CodedError('store-damaged', 'The copy doesn’t match what was written.', {
          hint: 'Check the target disk. The store stays where it was.',
        })
      }
    }
    return { pieces, bytes }
  } finally {
    await copy.close()
  }
}
