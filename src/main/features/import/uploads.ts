/**
 * Files that windows upload in chunks, the same way in every host. They stay in a folder of the app until they are used
 * or expire. Their number and size are limited, and files from an earlier run are removed.
 */
import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rm, stat, statfs, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import type { CallArgs } from '../../../shared/contracts.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Clock } from '../../base/clock.ts'
import { fileFailure } from '../../base/file-sink.ts'

export interface ReceivedFile {
  readonly path: string
  /** The name the window gave it. */
  readonly name: string
  readonly bytes: number
  /** Null for an adopted file, which wasn't uploaded. */
  readonly sha256: string | null
  /** Aborts when the file is dropped. */
  readonly dropped: AbortSignal
}

export interface Files {
  begin(args: CallArgs<'files.begin'>): Promise<{ readonly file: string }>
  chunk(args: CallArgs<'files.chunk'>): Promise<void>
  end(file: string): Promise<void>
  drop(file: string): Promise<void>
  /** Registers a local file as if it had been uploaded, without moving it. Rejects with `not-found`. */
  adopt(path: string): Promise<string>
  /** Returns a completed upload, which stays until `drop`. Throws `not-found` if it is missing or incomplete. */
  received(file: string): ReceivedFile
  close(): Promise<void>
}

/** Maximum files being uploaded or waiting to be used. */
const MAX = 8
/** A file that wasn't touched for this long is dropped. */
const PATIENCE_MS = 3_600_000
/** Free disk space reserved for the recorder. */
const SPARE_BYTES = 500e6

interface Coming {
  readonly path: string
  readonly name: string
  readonly bytes: number
  readonly hash: ReturnType<typeof createHash>
  handle: FileHandle | null
  /** A local file of the user: read in place, never removed. */
  readonly adopted: boolean
  at: number
  sha256: string | null
  touchedMs: number
  readonly dropped: AbortController
  /** Chunks are written one after another. */
  queue: Promise<unknown>
}

/** Empties `folder`, because nobody can ask for files of an earlier run. */
export function createFiles(folder: string, clock: Clock): Files {
  rmSync(folder, { recursive: true, force: true })
  const files = new Map<string, Coming>()
  const now = () => clock.monoNs() / 1e6
  const found = (id: string): Coming => {
    const file = files.get(id)
    if (file === undefined) {
      throw new CodedError('not-found', 'That file is no longer available.', { hint: 'Choose it again.' })
    }
    file.touchedMs = now()
    return file
  }
  const drop = async (id: string): Promise<void> => {
    const file = files.get(id)
    files.delete(id)
    if (file === undefined) return
    file.dropped.abort()
    await file.queue.catch(() => undefined)
    await file.handle?.close().catch(() => undefined)
    if (!file.adopted) await rm(file.path, { force: true }).catch(() => undefined)
  }
  const dropOld = async (): Promise<void> => {
    for (const [id, file] of files) if (now() - file.touchedMs > PATIENCE_MS) await drop(id)
  }
  const inTurn = <T>(file: Coming, work: () => Promise<T>): Promise<T> => {
    const next = file.queue.then(work)
    file.queue = next.catch(() => undefined)
    return next
  }

  return {
    async begin({ name, bytes }) {
      await dropOld()
      if (files.size >= MAX) {
        throw new CodedError('budget', 'Too many files are being imported.', { hint: 'Wait until one is done.' })
      }
      const id = randomBytes(12).toString('hex')
      const path = join(folder, id)
      try {
        makeFolder(folder, 0o700)
        const room = await statfs(folder)
        if (room.bavail * room.bsize < bytes + SPARE_BYTES) {
          throw new CodedError('disk-full', `Not enough disk space for ${name}.`, {
            hint: 'Free some space and try again.',
          })
        }
        const handle = await open(path, 'wx', 0o600)
        const hash = createHash('sha256')
        const touchedMs = now()
        const coming = { path, name, bytes, hash, handle, adopted: false, at: 0, sha256: null, touchedMs }
        files.set(id, { ...coming, dropped: new AbortController(), queue: Promise.resolve() })
      } catch (thrown) {
        throw fileFailure(thrown, name)
      }
      return { file: id }
    },
    async chunk({ file: id, offset, data }) {
      const file = found(id)
      await inTurn(file, async () => {
        const piece = Buffer.from(data, 'base64')
        if (file.handle === null || offset !== file.at || file.at + piece.length > file.bytes) {
          throw new CodedError('bad-arguments', 'The pieces of the file arrived out of order.')
        }
        try {
          for (let from = 0; from < piece.length;) {
            from += (await file.handle.write(piece, from, piece.length - from)).bytesWritten
          }
        } catch (thrown) {
          throw fileFailure(thrown, file.name)
        }
        file.hash.update(piece)
        file.at += piece.length
      })
    },
    async end(id) {
      const file = found(id)
      await inTurn(file, async () => {
        if (file.sha256 !== null) return
        if (file.at !== file.bytes) {
          throw new CodedError(
            'bad-arguments',
            `Only ${file.at} of ${countText(file.bytes, 'byte')} of ${file.name} arrived.`,
          )
        }
        await file.handle?.close()
        file.handle = null
        file.sha256 = file.hash.digest('hex')
      })
    },
    drop,
    async adopt(path) {
      await dropOld()
      const about = await stat(path).catch(() => undefined)
      if (about?.isFile() !== true) {
        throw new CodedError('not-found', `No such file: ${path}.`, { hint: 'It may have been moved or renamed.' })
      }
      const id = randomBytes(12).toString('hex')
      const hash = createHash('sha256')
      const coming = { path, name: basename(path), bytes: about.size, hash, handle: null, adopted: true, at: 0 }
      const dropped = new AbortController()
      files.set(id, { ...coming, sha256: null, touchedMs: now(), dropped, queue: Promise.resolve() })
      return id
    },
    received(id) {
      const { path, name, bytes, sha256, adopted, dropped } = found(id)
      if (sha256 === null && !adopted) throw new CodedError('not-found', `${name} hasn’t arrived completely.`)
      return { path, name, bytes, sha256, dropped: dropped.signal }
    },
    async close() {
      for (const id of [...files.keys()]) await drop(id)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}
