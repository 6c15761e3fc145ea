/**
 * Moves a store: most of it is copied while recording continues, then the store is released, what has changed since is
 * copied too, everything that was written is read back, and only then the new place counts and the old one is emptied.
 */
import { existsSync } from 'node:fs'
import { mkdir, open, realpath, rename, rm, rmdir, stat, statfs, type FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { StoreMoved } from '../../../shared/features/move-store/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { STORE_SIDE_FILES } from '../../base/store-files.ts'
import { syncFolder } from '../../base/sync-folder.ts'
import { copyPass, moveCancelled, type Copied } from './copy.ts'
import { beginMove, moveDraft, type MoveNote } from './move-note.ts'

/** Room that is to be left beside the copy: what is recorded meanwhile needs some. */
const SPARE_BYTES = 64e6

export interface MovePlan {
  readonly from: string
  readonly to: string
  /** Of the store now, its journal included. */
  readonly bytes: number
  /** The outermost folder that was made for it; null: it was there. */
  readonly made: string | null
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * What is to be done to have the store in another folder, which is made where it is missing. Rejects with a sentence:
 * `usage` for a folder that is none, the same, or has a store; `not-found`; `disk-full` with how much is missing.
 */
export async function planMove(
  path: string,
  folder: string,
  free: (folder: string) => Promise<number> = freeIn,
): Promise<MovePlan> {
  if (!isAbsolute(folder)) {
    throw new CodedError('usage', 'Enter the full path of the folder.', { hint: 'For example /mnt/large/tapedeck.' })
  }
  // What moves is the file itself, with the journal beside it, and not a link to it.
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
    made = (await mkdir(dirname(to), { recursive: true })) ?? null
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
      `Not enough space in ${folder}: the store takes ${(bytes / 1e6).toFixed(0)} MB, and ${(missing / 1e6).toFixed(0)} MB more must be free.`,
      { hint: 'Free some space, or choose another folder. Nothing was changed.' },
    )
  }
  return { from, to, bytes, made }
}

/** Removes the folders that were made for a move, from within; what holds something by now stays. */
async function removeMade(folder: string, made: string | null): Promise<void> {
  if (made === null) return
  for (let one = folder; one.length >= made.length; one = dirname(one)) {
    try {
      await rmdir(one)
    } catch {
      return // somebody else put something there
    }
  }
}

/** Leaves a plan that is not carried out as if it had not been made. */
export const dropPlan = ({ to, made }: MovePlan): Promise<void> => removeMade(dirname(to), made)

export interface MoveOptions extends MovePlan {
  /** The store, open for reading; see `copyPass`. Closed by the caller once nothing else has the store open. */
  readonly source: FileHandle
  /** Releases the store: ends the recording and closes every connection to it. */
  readonly release: () => Promise<void>
  /** Notes the new place for later starts; whatever it throws undoes the move. */
  readonly keep: (file: string) => void
  /** Opens the store at this place and resumes. */
  readonly resume: (file: string) => Promise<void>
  /** Keeps every other writer out. */
  readonly lock: (file: string) => { release(): void }
  readonly checkpoint: (file: string) => void
  /** The app's own folder: it remembers the move until it is over. */
  readonly dataDir: string
  /** `done`: 0 to 1. */
  readonly onProgress: (done: number, bytes: number) => void
  readonly signal: AbortSignal
}

/** A disk that went away keeps what was there: why it went is what counts, and the recording is to go on. */
const removeQuietly = (file: string): Promise<void> => rm(file, { force: true, maxRetries: 3 }).catch(() => undefined)

/** Moves it, or leaves it where it was and going on: whatever goes wrong before the copy is whole undoes all. */
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
  /** The first pass takes most of the time; the second reads everything once more. */
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
        // From here on it is quicker to end than to go back.
        if (signal.aborted) throw moveCancelled()
        // What was known of a store that lay there before; the writer begins a head of its own.
        await removeQuietly(`${to}-head`)
        note.placing(draft)
        await rename(draft, to)
        // The new name is on the disk before the old file goes.
        await syncFolder(dirname(to))
        options.keep(to)
      } finally {
        held.release()
      }
    } catch (thrown) {
      // Nothing was there before: the plan saw to it.
      for (const file of [to, `${to}-wal`]) await removeQuietly(file)
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
    ['', ...STORE_SIDE_FILES, '.lock'].map((suffix) =>
      rm(from + suffix, { force: true, maxRetries: 3 }).then(
        () => true,
        () => false,
      ),
    ),
  )
  note.clear()
  return { path: to, bytes, leftovers: gone.includes(false) }
}

/** What a reader of another program kept from being brought into the store goes along with it. */
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
    // Before the store itself: a store never stands there without what belongs to it.
    await rename(`${draft}-wal`, `${to}-wal`)
    return bytes
  } finally {
    await journal.close()
  }
}
