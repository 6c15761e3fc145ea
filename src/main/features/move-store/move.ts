/**
 * Moves a store. Most of it is copied while recording continues. Then the store is released, the remaining changes are
 * copied, and everything written is read back. Only then is the new path saved and the old store deleted.
 */
import { existsSync } from 'node:fs'
import { copyFile, open, realpath, rename, rm, rmdir, stat, statfs, type FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import type { StoreMoved } from '../../../shared/features/move-store/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { sizeText } from '../../../shared/base/size-text.ts'
import { FINDINGS_SUFFIX, HOLDS_SUFFIX, STORE_SIDE_FILES } from '../../base/store-files.ts'
import { syncFolder } from '../../base/final-name.ts'
import { copyPass, moveCancelled, type Copied } from './copy.ts'
import { beginMove, moveDraft, type MoveNote } from './move-note.ts'

/** Suffixes of the lists of sessions next to a store. */
const LISTS = [HOLDS_SUFFIX, FINDINGS_SUFFIX] as const

/** Free space to leave after the copy, bytes: messages that are recorded during the move need some. */
const SPARE_BYTES = 64e6

export interface MovePlan {
  readonly from: string
  readonly to: string
  /** Current size of the store, including its journal. */
  readonly bytes: number
  /** The outermost folder that was created for the move; null: it existed. */
  readonly made: string | null
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Plans a move to another folder, which is created if it doesn't exist. Rejects with `usage` for a path that isn't a
 * folder, the store's own folder, or a folder that has a store; with `not-found`; and with `disk-full`, which says how
 * much space is missing.
 */
export async function planMove(
  path: string,
  folder: string,
  free: (folder: string) => Promise<number> = freeIn,
): Promise<MovePlan> {
  if (!isAbsolute(folder)) {
    throw new CodedError('usage', 'Enter the full path of the folder.', { hint: 'For example /mnt/large/tapedeck.' })
  }
  // If the path is a link, its target moves, together with the journal next to the target.
  const from = await realpath(path).catch(() => resolve(path))
  const to = join(resolve(folder), basename(from))
  if (to === from) throw new CodedError('usage', 'The store is already in this folder.')
  if (!existsSync(from)) throw new CodedError('not-found', `There is no store at ${from}.`)
  for (const taken of [to, `${to}-wal`]) {
    if (existsSync(taken)) {
      throw new CodedError('usage', `${taken} already exists.`, { hint: 'Choose a folder without a store.' })
    }
  }
  let made: string | null
  try {
    made = makeFolder(dirname(to))
  } catch (cause) {
    throw new CodedError('usage', `Couldn’t create the folder ${folder}.`, {
      hint: 'Choose another folder, or check its permissions.',
      cause,
    })
  }
  const bytes = (await sizeOf(from)) + (await sizeOf(`${from}-wal`))
  const missing = bytes + SPARE_BYTES - (await free(dirname(to)))
  if (missing > 0) {
    await removeMade(dirname(to), made)
    throw new CodedError(
      'disk-full',
      `Not enough space in ${folder}: the store takes ${sizeText(bytes)}, and ${sizeText(missing)} more must be free.`,
      { hint: 'Free some space, or choose another folder. Nothing was changed.' },
    )
  }
  return { from, to, bytes, made }
}

/** Removes the folders that were created for a move, innermost first, unless they contain something. */
async function removeMade(folder: string, made: string | null): Promise<void> {
  if (made === null) return
  for (let one = folder; one.length >= made.length; one = dirname(one)) {
    try {
      await rmdir(one)
    } catch {
      return // another program put something there
    }
  }
}

/** Removes what a plan that isn't carried out has created. */
export const dropPlan = ({ to, made }: MovePlan): Promise<void> => removeMade(dirname(to), made)

export interface MoveOptions extends MovePlan {
  /** The store, open for reading; see `copyPass`. The caller closes it once nothing else has the store open. */
  readonly source: FileHandle
  /** Releases the store: ends the session and closes every connection to it. */
  readonly release: () => Promise<void>
  /** Saves the new path for later starts; if it throws, the move is undone. */
  readonly keep: (file: string) => void
  /** Opens the store at this path and resumes recording. */
  readonly resume: (file: string) => Promise<void>
  /** Locks out every other writer. */
  readonly lock: (file: string) => { release(): void }
  readonly checkpoint: (file: string) => void
  /** The app's own folder, for the note of the move. */
  readonly dataDir: string
  /** `done`: fraction from 0 to 1. */
  readonly onProgress: (done: number, bytes: number) => void
  readonly signal: AbortSignal
}

/** Ignores errors: if the disk is gone, the original error matters more, and recording has to resume. */
const removeQuietly = (file: string): Promise<void> => rm(file, { force: true, maxRetries: 3 }).catch(() => undefined)

/** Moves the store. If anything fails before the new path is saved, undoes everything and resumes at the old path. */
export async function moveStore(options: MoveOptions): Promise<StoreMoved> {
  const { from, to, source, lock, signal } = options
  const draft = moveDraft(to)
  let note: MoveNote
  try {
    note = beginMove(options, options.dataDir, lock)
  } catch (thrown) {
    await removeMade(dirname(to), options.made)
    throw thrown
  }
  let seen = 0
  let bytes = 0
  /** Both passes read the entire store; the first takes most of the time. */
  const onBytes = (more: number): void => {
    seen += more
    options.onProgress(Math.min(0.99, seen / (2 * Math.max(1, options.bytes))), Math.min(seen, options.bytes))
  }
  const copy = (before: Copied | null): Promise<Copied> =>
    copyPass({ from: source, to: draft, before, onBytes, signal })
  const drop = (): Promise<void[]> => Promise.all([draft, `${draft}-wal`].map(removeQuietly))
  try {
    const first = await copy(null)
    await options.release()
    try {
      const held = lock(from)
      try {
        options.checkpoint(from)
        bytes = (await copy(first)).bytes
        bytes += await copyJournal(options, draft, onBytes)
        // After this point, finishing is quicker than undoing.
        if (signal.aborted) throw moveCancelled()
        // A leftover head file of an earlier store there; the writer creates a new one.
        await removeQuietly(`${to}-head`)
        // Before the store itself: without it, sessions that are still needed could be erased.
        for (const suffix of LISTS) if (existsSync(from + suffix)) await copyFile(from + suffix, to + suffix)
        note.placing(draft)
        await rename(draft, to)
        // Sync the new name before the old file is deleted.
        await syncFolder(dirname(to))
        options.keep(to)
      } finally {
        held.release()
      }
    } catch (thrown) {
      // These are ours: the plan checked that the folder had no store.
      for (const suffix of ['', '-wal', ...LISTS]) await removeQuietly(to + suffix)
      await options.resume(from)
      throw thrown
    }
  } catch (thrown) {
    await drop()
    await removeMade(dirname(to), options.made)
    note.clear()
    throw thrown
  }
  await options.resume(to)
  const gone = await Promise.all(
    ['', ...STORE_SIDE_FILES, ...LISTS, '.lock'].map((suffix) =>
      rm(from + suffix, { force: true, maxRetries: 3 }).then(
        () => true,
        () => false,
      ),
    ),
  )
  note.clear()
  return { path: to, bytes, leftovers: gone.includes(false) }
}

/** Copies the journal if it isn't empty because a reader in another program prevented the checkpoint. */
async function copyJournal(
  { from, to, signal }: MoveOptions,
  draft: string,
  onBytes: (bytes: number) => void,
): Promise<number> {
  if ((await sizeOf(`${from}-wal`)) === 0) return 0
  const journal = await open(`${from}-wal`, 'r')
  try {
    const { bytes } = await copyPass({
      from: journal,
      to: `${draft}-wal`,
      before: null,
      onBytes,
      signal,
    })
    // Before the store itself, so that the store never exists there without its journal.
    await rename(`${draft}-wal`, `${to}-wal`)
    return bytes
  } finally {
    await journal.close()
  }
}
