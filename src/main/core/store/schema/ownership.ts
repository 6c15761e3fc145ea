/**
 * Checks inside each transaction that this writer still owns the store. The lock alone isn't enough: if the lock file
 * is deleted a second writer gets in, and if the store is moved the first one writes somewhere else.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { Lock } from './lock.ts'
import type { Db } from './sqlite.ts'
import { fileIdentity, isSameFile, type FileIdentity } from './store-path.ts'

/** This writer no longer owns the store. It must not write again; a new writer may open the store. */
export class OwnershipLost extends CodedError {}

export class Ownership {
  readonly #lock: Lock
  readonly #identity: FileIdentity | null
  readonly #isUnchanged: () => boolean
  /** SQLite increases it with each commit of another connection. */
  readonly #dataVersion
  #version: unknown
  /** The lock file was gone for a while, so another writer may have written. */
  #wasUnlocked = false

  /**
   * Create it before reading anything that later transactions build on. `isUnchanged` compares the store with what the
   * writer has in memory; it is called only after another program committed.
   */
  constructor(db: Db, lock: Lock, isUnchanged: () => boolean) {
    this.#lock = lock
    this.#identity = fileIdentity(lock.file)
    this.#isUnchanged = isUnchanged
    this.#dataVersion = db.prepare<[]>('PRAGMA data_version').pluck()
    this.#version = this.#dataVersion.get()
  }

  /** Call while the transaction holds the write lock. Throws OwnershipLost. */
  check(): void {
    const { file } = this.#lock
    if (!isSameFile(fileIdentity(file), this.#identity)) {
      throw new OwnershipLost('disk-error', `The store ${file} was moved, replaced or deleted during recording.`, {
        hint: 'Recording resumes in a new session in the store at that path. To move a store, use Tapedeck or close it first.',
      })
    }
    this.#renewLock()
    const version = this.#dataVersion.get()
    if (version === this.#version) return
    // A tool that ran a checkpoint or edited a note must not cost a gap; another writer must.
    if (this.#wasUnlocked || !this.#isUnchanged()) {
      throw new OwnershipLost(
        'store-locked',
        `Another program wrote to ${file} while Tapedeck was recording into it.`,
        {
          hint: 'Close that program. This session ended with a gap; recording resumes in a new session.',
        },
      )
    }
    this.#version = version
  }

  #renewLock(): void {
    try {
      if (this.#lock.renew()) this.#wasUnlocked = true
    } catch (thrown) {
      // Without a lock file (a full disk, for example) the data version still detects another writer.
      this.#wasUnlocked = true
      if (!(thrown instanceof CodedError) || thrown.code !== 'store-locked') return
      throw new OwnershipLost(thrown.code, thrown.message, { hint: thrown.hint, cause: thrown })
    }
  }
}
