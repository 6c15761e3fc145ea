/**
 * A note next to the store that records a restore in progress. After a crash it tells the next start what to do:
 * delete the drafts if they aren't all complete, or else finish the restore.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { CodedError } from '../../../shared/base/errors.ts'
import { FINDINGS_SUFFIX, findLossFiles, restoreNoteFile, STORE_SIDE_FILES } from '../../base/store-files.ts'
import { diskError, readJson, replaceFile, systemDisk, type Disk } from './disk.ts'

const noteSchema = v.object({
  format: v.literal(1),
  /**
   * `copying`: the user's files are still untouched. `swapping`: every draft is complete and is being renamed into
   * place.
   */
  phase: v.picklist(['copying', 'swapping']),
  /** When the backup was made, UTC ms. */
  madeMs: v.number(),
  /** Absolute paths. */
  dataDir: v.string(),
  /** Folders that receive the previous files. */
  asides: v.array(v.string()),
  files: v.array(
    v.object({
      /** Where the file belongs, the draft next to it, and where the previous file is moved. */
      goal: v.string(),
      draft: v.string(),
      kept: v.string(),
      /** A database, whose side files move with it. */
      database: v.boolean(),
    }),
  ),
})
export type RestoreNote = v.InferOutput<typeof noteSchema>

/** A pointer in the app's folder to the store whose restore may be unfinished. */
const pointerSchema = v.object({ store: v.string() })
export const restorePointer = (dataDir: string): string => join(dataDir, 'unfinished', 'restore.json')

/** Locks out every other writer; `file` is the store's real path. */
export type LockStore = (file: string) => { readonly file: string; release(): void }

/** The note of a store, given by its real path; null: none. Throws `store-damaged` if it can't be read. */
export function readNote(store: string): RestoreNote | null {
  const path = restoreNoteFile(store)
  if (!existsSync(path)) return null
  const note = v.safeParse(noteSchema, readJson(path))
  if (note.success) return note.output
  throw new CodedError('store-damaged', `Couldn’t read ${path}, the note of an interrupted restore.`, {
    hint: 'The previous data is in the folder "before-restore-…" next to it. Delete the file and restore the backup again.',
  })
}

/** The store that the pointer in the app's folder names; null: no restore was begun from there. */
export function pointedStore(dataDir: string): string | null {
  const pointer = v.safeParse(pointerSchema, readJson(restorePointer(dataDir)))
  return pointer.success ? pointer.output.store : null
}

/** Writes the pointer, then the note that it leads to. */
export function writeNote(disk: Disk, store: string, note: RestoreNote): void {
  const pointer = restorePointer(note.dataDir)
  if (note.phase === 'copying') {
    disk.makeFolder(dirname(pointer))
    replaceFile(disk, pointer, JSON.stringify({ store }), dirname(pointer))
  }
  replaceFile(disk, restoreNoteFile(store), JSON.stringify(note), dirname(store))
}

function removeNote(disk: Disk, store: string, note: RestoreNote): void {
  disk.remove(restoreNoteFile(store))
  disk.syncFolder(dirname(store))
  disk.remove(restorePointer(note.dataDir))
}

/** Deletes the drafts; the user's files are untouched. */
export function undoRestore(disk: Disk, store: string, note: RestoreNote): void {
  for (const { draft } of note.files) disk.remove(draft)
  removeNote(disk, store, note)
}

/**
 * Moves the previous files aside and the drafts into place. Can be called again after an interruption at any point: a
 * draft that no longer exists is already in place. Returns the folders that now hold the previous files.
 */
export function finishRestore(disk: Disk, store: string, note: RestoreNote): string[] {
  const waiting = note.files.filter(({ draft }) => existsSync(draft))
  const folders = new Set<string>()
  for (const { goal, kept, database } of waiting) {
    // Past data loss and what was found corrupt don't apply to the restored store, so their files move aside too.
    for (const suffix of database ? [...STORE_SIDE_FILES, ...findLossFiles(goal), FINDINGS_SUFFIX, ''] : ['']) {
      if (!existsSync(goal + suffix)) continue
      disk.makeFolder(dirname(kept))
      moveAside(disk, goal + suffix, kept + suffix)
      folders.add(dirname(kept)).add(dirname(dirname(kept)))
    }
    folders.add(dirname(goal))
  }
  // Sync the new names of the previous files before their old names are taken.
  folders.forEach((folder) => disk.syncFolder(folder))
  for (const { goal, draft } of waiting) disk.rename(draft, goal)
  folders.forEach((folder) => disk.syncFolder(folder))
  removeNote(disk, store, note)
  return note.asides.filter((folder) => existsSync(folder))
}

/**
 * Never overwrites a file that was moved aside earlier: another program may have created the file again between two
 * tries.
 */
function moveAside(disk: Disk, from: string, to: string): void {
  let free = to
  for (let n = 2; existsSync(free); n++) free = `${to}.${n}`
  disk.move(from, free)
}

/**
 * Finishes or undoes an interrupted restore and returns a sentence about it; null if there was none, or one is running
 * now and hasn't touched the store yet. `store` may be a symbolic link. Throws `store-locked` while another process
 * holds the store during the swap, or a disk error.
 */
export function settleRestore(
  store: string,
  realPath: (path: string) => string,
  lock: LockStore,
  disk: Disk = systemDisk,
): string | null {
  const real = realPath(store)
  const seen = readNote(real)
  if (seen === null) return null
  let held: ReturnType<LockStore>
  try {
    held = lock(real)
  } catch (thrown) {
    if (seen.phase === 'copying') return null
    throw new CodedError('store-locked', `A backup is being restored into ${real} right now.`, {
      hint: 'Try again in a moment.',
      cause: thrown,
    })
  }
  try {
    const note = readNote(real)
    if (note === null) return null // the restore that held the lock is done
    const made = new Date(note.madeMs).toISOString()
    if (note.phase === 'copying') {
      undoRestore(disk, real, note)
      return `A restore of the backup of ${made} was interrupted before it changed anything. Its partial copies were deleted.`
    }
    const kept = finishRestore(disk, real, note)
    const where = kept.length === 0 ? '' : ` The previous data is in ${kept.join(' and ')}.`
    return `A restore of the backup of ${made} was interrupted. It has been finished now.${where}`
  } catch (thrown) {
    throw diskError(thrown, 'Finishing an interrupted restore')
  } finally {
    held.release()
  }
}
