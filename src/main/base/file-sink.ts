/**
 * Writes a file atomically: hashes the bytes, writes them in large pieces under a temporary name in the same folder,
 * syncs them, and renames the file when it is complete.
 */
import { createHash, randomBytes, type Hash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { findTarget, giveFinalName } from './final-name.ts'
import { followUserMask } from './private-files.ts'
import { CodedError } from '../../shared/base/errors.ts'

const PIECE = 1 << 20
/** A buffer grows to two pieces: datasets have thousands of files that are much smaller. */
const FIRST_BYTES = 64 << 10
const STREAM_PIECE = 64 << 10
/** Bytes after which the disk begins to store them, so that little is left to do at the end. */
const SYNC_EVERY = 8 << 20

/** A growing buffer of bytes. */
export interface ByteSink {
  /** The buffer; write at `at`, after `room`. */
  bytes: Uint8Array
  at: number
  /** Makes room for `n` more bytes. */
  room(n: number): void
  text(text: string): void
}

/** A file that gets its final name only on `commit`. */
export interface SafeFile extends ByteSink {
  /** Writes the buffer out once it holds a large piece. */
  drain(): Promise<void>
  readonly written: number
  /** Flushes and syncs; the file still has its temporary name. Returns the SHA-256 of all bytes, in hex. */
  finish(): Promise<string>
  /** Gives the finished file its final name. Rejects with `usage` if that is taken and may not be replaced. */
  commit(): Promise<void>
  /** Removes the temporary file; harmless after `commit`. */
  discard(): Promise<void>
}

const WHY = new Map<unknown, string>([
  ['ENOENT', 'its folder doesn’t exist'],
  ['ENOTDIR', 'a part of its path isn’t a folder'],
  ['EACCES', 'the folder isn’t writable'],
  ['EPERM', 'the folder isn’t writable'],
  ['EROFS', 'the folder isn’t writable'],
  ['EISDIR', 'it is a folder'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'it is a link that leads to itself'],
])

/** Converts a file system error to a coded error. */
export function fileFailure(thrown: unknown, path: string): CodedError {
  if (thrown instanceof CodedError) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CodedError('disk-full', `The disk is full: ${path} wasn’t written.`, {
      hint: 'Free some space or choose another folder; the partial file has been removed.',
      cause: thrown,
    })
  }
  const why = WHY.get(code) ?? 'the disk reported an error'
  return new CodedError('disk-error', `Couldn’t write ${path}: ${why}.`, { cause: thrown })
}

const encoder = new TextEncoder()

export interface SafeFileOptions {
  /** Whether `commit` may replace a file; default: yes. */
  readonly replace?: boolean | undefined
  /** Replaces a link instead of writing where it leads: for names that Tapedeck makes up. */
  readonly replacesLinks?: boolean | undefined
  /** Called with the temporary name before the file is made. */
  readonly onTemporary?: ((path: string) => void) | undefined
}

/** A name for a temporary file next to `target`. `removeUnfinishedFiles` knows its form. */
export const temporaryName = (target: string): string =>
  join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`)

/** Opens a temporary file next to `path`. Rejects with `disk-error`, `disk-full` or `usage`. */
export async function createSafeFile(path: string, options: SafeFileOptions = {}): Promise<SafeFile> {
  const finding = options.replacesLinks === true ? Promise.resolve(resolve(path)) : findTarget(path)
  const target = await finding.catch((thrown: unknown) => {
    throw fileFailure(thrown, path)
  })
  const named = target === resolve(path) ? path : `${path}, a link to ${target}`
  const temporary = temporaryName(target)
  options.onTemporary?.(temporary)
  let handle: FileHandle
  try {
    handle = await open(temporary, 'wx', 0o666)
    await followUserMask(handle)
  } catch (thrown) {
    throw fileFailure(thrown, named)
  }
  return new TemporaryFile({ path: named, target, temporary, replace: options.replace ?? true }, handle)
}

/** Collects bytes in memory. */
class MemoryFile implements ByteSink {
  bytes = new Uint8Array(FIRST_BYTES)
  at = 0

  room(n: number): void {
    if (this.at + n <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + n))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
  }

  text(text: string): void {
    const bytes = encoder.encode(text)
    this.room(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }
}

/** A sink that writes no file, for a preview of the output. */
export function createMemoryFile(): ByteSink {
  return new MemoryFile()
}

/** A file that goes to a stream: nothing can be taken back, so `commit` and `discard` do nothing. */
export function createStreamFile(write: (bytes: Uint8Array) => Promise<void>): SafeFile {
  return new StreamFile(write)
}

class StreamFile extends MemoryFile implements SafeFile {
  written = 0
  readonly #hash = createHash('sha256')
  readonly #write: (bytes: Uint8Array) => Promise<void>

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    super()
    this.#write = write
  }

  async drain(): Promise<void> {
    if (this.at >= STREAM_PIECE) await this.#flush()
  }

  async #flush(): Promise<void> {
    // A copy: a pipe may hold on to what it was given.
    const part = this.bytes.slice(0, this.at)
    this.at = 0
    this.written += part.length
    this.#hash.update(part)
    await this.#write(part)
  }

  async finish(): Promise<string> {
    if (this.at > 0) await this.#flush()
    return this.#hash.digest('hex')
  }

  commit = (): Promise<void> => Promise.resolve()
  discard = (): Promise<void> => Promise.resolve()
}

interface FileNames {
  /** As the user named it, for messages. */
  readonly path: string
  readonly target: string
  readonly temporary: string
  readonly replace: boolean
}

class TemporaryFile extends MemoryFile implements SafeFile {
  written = 0
  readonly #path: string
  readonly #names: FileNames
  readonly #hash: Hash = createHash('sha256')
  #handle: FileHandle | undefined
  #named = false
  /** The buffer being written while the other one fills; small files have only one. */
  #other = new Uint8Array(0)
  #writing: Promise<void> = Promise.resolve()
  /** The sync under way or the last one. A disk reports an error only once, so it must not get lost. */
  #syncing: Promise<void> = Promise.resolve()
  #isSyncing = false
  /** Bytes written since a sync began. */
  #unsynced = 0

  constructor(names: FileNames, handle: FileHandle) {
    super()
    this.#path = names.path
    this.#names = names
    this.#handle = handle
  }

  async drain(): Promise<void> {
    if (this.at >= PIECE) await this.#flush()
  }

  async #flush(isLast = false): Promise<void> {
    const full = this.bytes
    const part = full.subarray(0, this.at)
    this.#hash.update(part)
    await this.#writing
    this.bytes = this.#other.length < full.length && !isLast ? new Uint8Array(full.length) : this.#other
    this.#other = full
    this.written += part.length
    this.at = 0
    this.#writing = this.#write(part)
    // The next flush throws this error; until then it must not count as unhandled.
    this.#writing.catch(() => undefined)
  }

  async #write(part: Uint8Array): Promise<void> {
    const handle = this.#handle
    if (handle === undefined) throw new CodedError('internal', 'The file is closed.')
    try {
      for (let from = 0; from < part.length;) {
        from += (await handle.write(part, from, part.length - from)).bytesWritten
      }
    } catch (thrown) {
      throw fileFailure(thrown, this.#path)
    }
    this.#unsynced += part.length
    if (this.#unsynced >= SYNC_EVERY && !this.#isSyncing) this.#beginSync(handle)
  }

  /** Syncs while the next pieces are made. Its error fails `finish`. */
  #beginSync(handle: FileHandle): void {
    this.#unsynced = 0
    this.#isSyncing = true
    const before = this.#syncing
    this.#syncing = handle
      .datasync()
      .then(() => before)
      .finally(() => (this.#isSyncing = false))
    // `finish` throws this error; until then it must not count as unhandled.
    this.#syncing.catch(() => undefined)
  }

  async finish(): Promise<string> {
    if (this.at > 0) await this.#flush(true)
    await this.#writing
    try {
      await this.#syncing
      await this.#handle?.sync()
      await this.#handle?.close()
    } catch (thrown) {
      throw fileFailure(thrown, this.#path)
    }
    this.#handle = undefined
    return this.#hash.digest('hex')
  }

  async commit(): Promise<void> {
    const { temporary, target, replace } = this.#names
    try {
      await giveFinalName(temporary, target, replace)
    } catch (thrown) {
      throw fileFailure(thrown, this.#path)
    }
    this.#named = true
  }

  async discard(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#syncing.catch(() => undefined)
    await this.#handle?.close().catch(() => undefined)
    this.#handle = undefined
    if (!this.#named) await rm(this.#names.temporary, { force: true })
  }
}
