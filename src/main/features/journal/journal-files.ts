/** The journal on disk: one JSON file that is replaced atomically, and pictures named by their hash. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { readWhole, replaceWhole } from '../../base/whole-file.ts'
import { LockBusyError, withFileLock } from '../../base/file-lock.ts'

export interface JournalFiles {
  /** Null: nothing was saved yet. */
  load(): string | null
  /** Writes atomically. */
  save(text: string): void
  /**
   * Runs a change, from reading the file to saving it, while no other terminal runs one. Creates the folder. Throws
   * what `change` throws, `disk-error` if another terminal takes too long, or the disk's error.
   */
  exclusively<T>(change: () => T): T
  /** Renames a file that can't be fully read, so that no note is lost. Returns its new name, which no other file had. */
  setAside(): string
  /** Saves a picture unless it is there (`isNew`: it wasn't). Throws `bad-arguments` unless it is a PNG or JPEG. */
  addPicture(bytes: Uint8Array): { readonly file: string; readonly isNew: boolean }
  /** Throws `not-found`. */
  picture(file: string): Buffer
  removePicture(file: string): void
}

/** A change takes milliseconds. A holder that takes this long, ms, was stopped or waits for its disk. */
const PATIENCE_MS = 2_000
const PICTURE = /^[0-9a-f]{64}\.(png|jpg)$/
const ASIDE = 'notes.json.bad'
const SIGNATURES = [
  ['png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['jpg', [0xff, 0xd8, 0xff]],
] as const

/** The journal's files in a folder, which is created with the first of them. */
export function journalFiles(folder: string): JournalFiles {
  const file = join(folder, 'notes.json')
  return {
    load: () => readWhole(file),
    save: (text) => replaceWhole(file, text),
    exclusively(change) {
      makeFolder(folder)
      try {
        return withFileLock(`${file}.lock`, PATIENCE_MS, change)
      } catch (thrown) {
        if (!(thrown instanceof LockBusyError)) throw thrown
        throw new CodedError('disk-error', 'Another Tapedeck is saving its notes.', {
          hint: 'Try again.',
          cause: thrown,
        })
      }
    },
    setAside() {
      let name = ASIDE
      for (let n = 2; existsSync(join(folder, name)); n++) name = `${ASIDE}${n}`
      renameSync(file, join(folder, name))
      return name
    },
    addPicture(bytes) {
      const type = SIGNATURES.find(([, start]) => start.every((byte, i) => bytes[i] === byte))?.[0]
      if (type === undefined) {
        throw new CodedError('bad-arguments', 'This isn’t a PNG or JPEG picture.', { hint: 'Attach another one.' })
      }
      const name = `${createHash('sha256').update(bytes).digest('hex')}.${type}`
      const isNew = !existsSync(join(folder, name))
      if (isNew) replaceWhole(join(folder, name), bytes)
      return { file: name, isNew }
    },
    picture(name) {
      const path = join(folder, name)
      if (!PICTURE.test(name) || !existsSync(path)) {
        throw new CodedError('not-found', 'This picture no longer exists.', { hint: 'Remove it from the note.' })
      }
      return readFileSync(path)
    },
    removePicture(name) {
      if (PICTURE.test(name)) rmSync(join(folder, name), { force: true })
    },
  }
}
