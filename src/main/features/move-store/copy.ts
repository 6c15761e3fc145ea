/** Copies a file that may still change: piece by piece, each with its hash, so that a later pass copies only what did. */
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { CodedError } from '../../../shared/base/errors.ts'

/** The error of a canceled move. */
export const moveCancelled = (): CodedError =>
  new CodedError('cancelled', 'The move was canceled.', {
    hint: 'The store stays where it was; the partial copy is removed.',
  })

/** Small enough that hashing one holds up no tick. */
const PIECE_BYTES = 1 << 20

/**
 * Pieces are synced to the disk in groups: one last sync of everything would take as long as a slow disk needs, and
 * nothing could stop it meanwhile.
 */
const PIECES_A_SYNC = 64

/** What a copy is known to hold: the SHA-256 of each piece, and all of them together. */
export interface Copied {
  readonly pieces: readonly string[]
  readonly bytes: number
}

export interface PassOptions {
  /**
   * Open for reading. It is not closed here: closing it drops the locks that SQLite holds on the same file in this
   * process.
   */
  readonly from: FileHandle
  /** Made where it is missing. */
  readonly to: string
  /** What an earlier pass left there; null: nothing. */
  readonly before: Copied | null
  /** Called with the bytes of each piece that was looked at. */
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
 * Makes the copy what the file is now, synced to the disk, and reads back whatever was written. Rejects with `cancelled`,
 * with `store-damaged` where the disk gives back something else, and with what the disk says.
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
        throw new CodedError('store-damaged', 'The copy reads back differently than it was written.', {
          hint: 'Check the target disk. The store stays where it was.',
        })
      }
    }
    return { pieces, bytes }
  } finally {
    await copy.close()
  }
}
