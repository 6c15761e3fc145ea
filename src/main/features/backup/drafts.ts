/**
 * Backups in progress. The app's folder lists each draft, so that the next run can delete the draft of a process that
 * was killed.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import { fileFailure } from '../../base/file-sink.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { diskError, readJson, systemDisk, type Disk } from './disk.ts'
import type { LockStore } from './restore-note.ts'
import { STORE_NAME } from './store-name.ts'

const noteSchema = v.object({ draft: v.pipe(v.string(), v.regex(/[\\/]\.[^\\/]+\.partial$/)) })

const notesFolder = (dataDir: string): string => join(dataDir, 'unfinished')

export interface Draft {
  /** The folder to fill, created and locked. */
  readonly folder: string
  /** Renames the draft to its final name. */
  finish(): void
  /** Deletes the draft. */
  drop(): void
}

/**
 * Begins a draft next to `out`. Throws `store-locked` while another backup of this name is being made, and `disk-error` or
 * `disk-full` where the app's folder can't be written.
 */
export function beginDraft(out: string, dataDir: string, lock: LockStore, disk: Disk = systemDisk): Draft {
  const folder = join(dirname(out), `.${basename(out)}.partial`)
  const makeFolder = (path: string): void => {
    try {
      disk.makeFolder(path)
    } catch (thrown) {
      throw diskError(thrown, 'The backup', dirname(out))
    }
  }
  makeFolder(dirname(out))
  if (existsSync(folder)) removeDraft(folder, lock, disk)
  const note = join(notesFolder(dataDir), `backup-${randomUUID()}.json`)
  try {
    disk.makeFolder(notesFolder(dataDir))
    disk.write(note, JSON.stringify({ draft: folder }))
  } catch (thrown) {
    throw fileFailure(thrown, note)
  }
  const begin = (): ReturnType<LockStore> => {
    try {
      makeFolder(folder)
      return lock(join(folder, STORE_NAME))
    } catch (thrown) {
      // The folder of another backup that began meanwhile is its own.
      if (!(thrown instanceof CodedError && thrown.code === 'store-locked')) disk.remove(folder)
      disk.remove(note)
      throw thrown
    }
  }
  const held = begin()
  return {
    folder,
    finish() {
      held.release()
      disk.remove(`${held.file}.lock`)
      disk.syncFolder(folder)
      disk.rename(folder, out)
      disk.syncFolder(dirname(out))
      disk.remove(note)
    },
    drop() {
      held.release()
      disk.remove(folder)
      disk.remove(note)
    },
  }
}

/** Throws `store-locked` if a backup is being written there. */
function removeDraft(folder: string, lock: LockStore, disk: Disk): void {
  lock(join(folder, STORE_NAME)).release()
  disk.remove(folder)
}

/**
 * Deletes the drafts of backups that were killed and returns a sentence for each. Leaves backups in progress alone.
 * Never throws.
 */
export function removeLeftDrafts(dataDir: string, lock: LockStore, disk: Disk = systemDisk): string[] {
  const said: string[] = []
  const folder = notesFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^backup-[\w-]+\.json$/.test(name)) : []
  for (const name of names) {
    const path = join(folder, name)
    const note = v.safeParse(noteSchema, readJson(path))
    try {
      if (note.success) {
        const { draft } = note.output
        if (!existsSync(dirname(draft))) continue // skips a draft on a disk that isn't mounted now
        if (existsSync(draft)) {
          removeDraft(draft, lock, disk)
          said.push(`A backup was interrupted; its partial copy ${draft} was deleted.`)
        }
      }
      disk.remove(path)
    } catch {
      // It is in use, or couldn't be deleted: the next run tries again.
    }
  }
  return said
}
