/**
 * A restore under way, written down beside the store. Killed at any instant, the note says what the next start has to
 * do: before every draft is whole, the drafts are deleted; from then on, the restore is finished.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { CodedError } from '../../../shared/base/errors.ts'
import { findLossFiles, restoreNoteFile, STORE_SIDE_FILES } from '../../base/store-files.ts'
import { diskError, readJson, replaceFile, systemDisk, type Disk } from './disk.ts'

const noteSchema = v.object({
  format: v.literal(1),
  /** `copying`: nothing of the user's is touched yet. `swapping`: every draft is whole, and takes its place. */
  phase: v.picklist(['copying', 'swapping']),
  /** When the backup was made, UTC ms. */
  madeMs: v.number(),
  /** Absolute paths. */
  dataDir: v.string(),
  /** Folders for what was there before. */
  asides: v.array(v.string()),
  files: v.array(
    v.object({
      /** Where the file belongs, the draft beside it, and where what is there now goes. */
      goal: v.string(),
      draft: v.string(),
      kept: v.string(),
      /** A database, with files beside it that go where it goes. */
      database: v.boolean(),
    }),
  ),
})
export type RestoreNote = v.InferOutput<typeof noteSchema>

/** In the app's folder, it names the store whose restore may be unfinished. */
const pointerSchema = v.object({ store: v.string() })
export const restorePointer = (dataDir: string): string => join(dataDir, 'unfinished', 'restore.json')

/** Keeps every other writer out; `file` is the store's real path. */
export type LockStore = (file: string) => { readonly file: string; release(): void }

/** The note of a store, by its real path; null: none. Throws `store-damaged` for one that can't be read. */
export function readNote(store: string): RestoreNote | null {
  const path = restoreNoteFile(store)
  if (!existsSync(path)) return null
  const note = v.safeParse(noteSchema, readJson(path))
  if (note.success) return note.output
  throw new CodedError('store-damaged', `${path} is not readable: a restore was interrupted there.`, {
    hint: 'The data from before is in the folder "before-restore-…" next to it. Delete the file and restore the backup again.',
  })
}

/** The store that the pointer in the app's folder names; null: no restore was begun from there. */
export function pointedStore(dataDir: string): string | null {
  const pointer = v.safeParse(pointerSchema, readJson(restorePointer(dataDir)))
  return pointer.success ? pointer.output.store : null
}

/** Writes the note, and before it the pointer that leads to it. */
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

/** Deletes the drafts: nothing of the user's was touched. */
export function undoRestore(disk: Disk, store: string, note: RestoreNote): void {
  for (const { draft } of note.files) disk.remove(draft)
  removeNote(disk, store, note)
}

/**
 * Puts each draft in its place and what was there aside. May be called again after it was interrupted anywhere: a draft
 * that is gone is in its place already. Answers the folders that now hold what was there.
 */
export function finishRestore(disk: Disk, store: string, note: RestoreNote): string[] {
  const waiting = note.files.filter(({ draft }) => existsSync(draft))
  const folders = new Set<string>()
  for (const { goal, kept, database } of waiting) {
    // What was once lost is nothing that the restored store lacks.
    for (const suffix of database ? [...STORE_SIDE_FILES, ...findLossFiles(goal), ''] : ['']) {
      if (!existsSync(goal + suffix)) continue
      disk.makeFolder(dirname(kept))
      moveAside(disk, goal + suffix, kept + suffix)
      folders.add(dirname(kept)).add(dirname(dirname(kept)))
    }
    folders.add(dirname(goal))
  }
  // What was there has its new name on the disk before something else takes the old one.
  folders.forEach((folder) => disk.syncFolder(folder))
  for (const { goal, draft } of waiting) disk.rename(draft, goal)
  folders.forEach((folder) => disk.syncFolder(folder))
  removeNote(disk, store, note)
  return note.asides.filter((folder) => existsSync(folder))
}

/** Never over something that was put aside before: between two tries another program may have made the file again. */
function moveAside(disk: Disk, from: string, to: string): void {
  let free = to
  for (let n = 2; existsSync(free); n++) free = `${to}.${n}`
  disk.move(from, free)
}

/**
 * Finishes or undoes a restore that was interrupted, and says so in a sentence; null: there was none, or one that is
 * running now and hasn't touched the store yet. `store` is a path to it. Throws `store-locked` while a restore or a
 * recording holds the store in the middle of the swap, and what the disk says.
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
    const where = kept.length === 0 ? '' : ` The data from before is in ${kept.join(' and ')}.`
    return `A restore of the backup of ${made} was interrupted. It has been finished now.${where}`
  } catch (thrown) {
    throw diskError(thrown, 'Finishing an interrupted restore')
  } finally {
    held.release()
  }
}
