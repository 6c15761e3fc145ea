/**
 * A note in the app's folder that records a move in progress. After a crash, the next start compares it with the store
 * path in the settings: if that is the old path, it deletes the copy; if it is the new one, it deletes the old store.
 */
import { existsSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import * as v from 'valibot'
import { STORE_SIDE_FILES } from '../../base/store-files.ts'

const stampSchema = v.object({ bytes: v.string(), modifiedNs: v.string() })
const noteSchema = v.object({
  from: v.string(),
  to: v.string(),
  /** The outermost folder that was created for the move. */
  made: v.nullable(v.string()),
  /**
   * Size and time of both files when the copy was complete but still a draft. A file that has changed since is never
   * deleted.
   */
  placed: v.nullable(v.object({ from: stampSchema, to: stampSchema })),
})
type Note = v.InferOutput<typeof noteSchema>
type Stamp = v.InferOutput<typeof stampSchema>

export type LockFile = (file: string) => { release(): void }

export interface MoveNote {
  /** The copy is complete and about to be renamed from `draft`. */
  placing(draft: string): void
  /** The move is finished or undone. */
  clear(): void
}

export const moveDraft = (to: string): string => `${to}.moving`
const notePath = (dataDir: string): string => join(dataDir, 'unfinished', 'move.json')

function stampOf(file: string): Stamp | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? null : { bytes: String(stat.size), modifiedNs: String(stat.mtimeNs) }
}
const isSame = (a: Stamp | null, b: Stamp | undefined): boolean =>
  a !== null && a.bytes === b?.bytes && a.modifiedNs === b.modifiedNs

/** Writes the note and locks it until it is cleared. Throws `store-locked` if another move is in progress. */
export function beginMove(
  { from, to, made }: Pick<Note, 'from' | 'to' | 'made'>,
  dataDir: string,
  lock: LockFile,
): MoveNote {
  const path = notePath(dataDir)
  makeFolder(dirname(path))
  const held = lock(path)
  const write = (placed: Note['placed']): void => {
    writeFileSync(`${path}.tmp`, JSON.stringify({ from, to, made, placed } satisfies Note), { flush: true })
    renameSync(`${path}.tmp`, path)
  }
  write(null)
  return {
    placing(draft) {
      const old = stampOf(from)
      const copy = stampOf(draft)
      if (old !== null && copy !== null) write({ from: old, to: copy })
    },
    clear() {
      rmSync(path, { force: true })
      held.release()
    },
  }
}

/**
 * Finishes or undoes an interrupted move and returns a sentence about it; null if there was none, or one is in
 * progress. `storeFile`: the real path of the store in the settings. `realPath` resolves symbolic links. Never deletes
 * a file that changed since, and never throws.
 */
export function settleMove(
  dataDir: string,
  storeFile: () => string,
  lock: LockFile,
  realPath: (path: string) => string,
): string | null {
  const path = notePath(dataDir)
  if (!existsSync(path)) return null
  let held: ReturnType<LockFile>
  try {
    held = lock(path)
  } catch {
    return null
  }
  try {
    const note = v.safeParse(noteSchema, JSON.parse(readFileSync(path, 'utf8')))
    const said = note.success ? settle(note.output, realPath(note.output.to) === storeFile(), lock) : null
    rmSync(path, { force: true })
    return said
  } catch {
    return null // the next start tries again
  } finally {
    held.release()
  }
}

/** `isKept`: the settings name the new path. */
function settle({ from, to, made, placed }: Note, isKept: boolean, lock: LockFile): string {
  if (isKept) {
    if (!existsSync(from)) return `The store is in ${to}; the move was interrupted after its last step.`
    if (!isSame(stampOf(from), placed?.from)) return `The store is in ${to}. Another one remains at ${from}.`
    removeStore(from, lock)
    return `The move of the store to ${to} was interrupted. It has been finished now.`
  }
  const draft = moveDraft(to)
  for (const file of [draft, `${draft}-wal`]) rmSync(file, { force: true })
  const isOurs = existsSync(from) && isSame(stampOf(to), placed?.to)
  if (isOurs) removeStore(to, lock)
  else if (!existsSync(to)) rmSync(`${to}-wal`, { force: true })
  else return `The move of the store to ${to} was interrupted. The store stays in ${from}; another one is in ${to}.`
  if (made !== null) removeEmpty(dirname(to), made)
  return `The move of the store to ${to} was interrupted and has been undone. The store stays in ${from}.`
}

/** Deletes a store with its side files. Throws if a writer has it open. */
function removeStore(file: string, lock: LockFile): void {
  const held = lock(file)
  try {
    for (const suffix of ['', ...STORE_SIDE_FILES]) rmSync(file + suffix, { force: true })
  } finally {
    held.release()
    rmSync(`${file}.lock`, { force: true })
  }
}

/** Removes empty folders, from `folder` up to `made`. Stops at the first that isn't empty. */
function removeEmpty(folder: string, made: string): void {
  for (let one = folder; one.length >= made.length; one = dirname(one)) {
    try {
      rmdirSync(one)
    } catch {
      return
    }
  }
}
