/**
 * Proves inside each transaction that the store is still this writer's alone. A lock beside a file protects only those
 * who find it: a deleted lock file lets a second writer in, and a moved store leaves the first one writing elsewhere.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { Lock } from './lock.ts'
import type { Db } from './sqlite.ts'
import { fileIdentity, isSameFile, type FileIdentity } from './store-path.ts'

/** This writer no longer owns the store. It must write nothing more; a new one may open the store. */
export class OwnershipLost extends CodedError {}

export class Ownership {
  readonly #lock: Lock
  readonly #identity: FileIdentity | null
  readonly #isUnchanged: () => boolean
  /** SQLite raises it with each commit of any other connection. */
  readonly #dataVersion
  #version: unknown
  /** The lock file was gone for a while, so another writer may have been here. */
  #wasUnlocked = false

  /**
   * Make it before anything is read that a later transaction builds on. `isUnchanged`: whether the store still holds
   * what the writer has in memory; asked only after another program committed something.
   */
  constructor(db: Db, lock: Lock, isUnchanged: () => boolean) {
    this.#lock = lock
    this.#identity = fileIdentity(lock.file)
    this.#isUnchanged = isUnchanged
    this.#dataVersion = db.prepare<[]>('PRAGMA data_version').pluck()
    this.#version = this.#dataVersion.get()
  }

  /** Call with the write lock of the transaction held. Throws OwnershipLost. */
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
    // A tool that ran a checkpoint or changed a note costs no gap; another writer does.
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
      // Where no lock file can be made (a full disk, say), the version still finds another writer.
      this.#wasUnlocked = true
      if (!(thrown instanceof CodedError) || thrown.code !== 'store-locked') return
      throw new OwnershipLost(thrown.code, thrown.message, { hint: thrown.hint, cause: thrown })
    }
  }
}
