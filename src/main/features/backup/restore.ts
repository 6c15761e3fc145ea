/**
 * Restores a backup. All files are checked and copied next to their destinations before anything is changed. Then the
 * copies are renamed into place, and the previous files are moved to a folder next to them.
 */
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CodedError } from '../../../shared/base/errors.ts'
import { isLocalFile, LIST_FILE, parseList, sha256, type BackupList } from './backup.ts'
import { diskError, systemDisk, type Disk } from './disk.ts'
import { finishRestore, readNote, undoRestore, writeNote, type LockStore, type RestoreNote } from './restore-note.ts'
import { STORE_NAME } from './store-name.ts'

export interface RestoreOptions {
  /** The backup's folder. */
  readonly from: string
  readonly store: string
  readonly dataDir: string
  /** `recording.storePath` of this machine's settings, which doesn't change: the backup's may be on another disk. */
  readonly storePath: string
  readonly nowMs: number
  /** Throws `store-locked` if another writer has the store open. */
  readonly lock: LockStore
  readonly disk?: Disk | undefined
}

export interface Restored {
  readonly list: BackupList
  /** Where the previous files are now: next to the store, and in the app's folder if that is a different one. */
  readonly kept: readonly string[]
}

const SETTINGS = 'settings.json'
const draftOf = (goal: string): string => `${goal}.restoring`

/**
 * Throws `store-locked` while Tapedeck records, `store-damaged` if the backup is corrupt, `disk-full` or `disk-error`;
 * then nothing is changed.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { from, nowMs, lock, storePath, disk = systemDisk } = options
  const dataDir = resolve(options.dataDir)
  const list = await checkBackup(from)
  disk.makeFolder(dataDir)
  disk.makeFolder(dirname(options.store))
  const held = lock(options.store)
  try {
    const store = held.file
    // Settle an interrupted restore first, because this one replaces its note.
    const before = readNote(store)
    if (before?.phase === 'swapping') finishRestore(disk, store, before)
    else if (before !== null) undoRestore(disk, store, before)
    const aside = `before-restore-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`
    const asideIn = join(dirname(store), aside)
    const inHome = join(dataDir, aside)
    const note: RestoreNote = {
      format: 1,
      phase: 'copying',
      madeMs: list.madeMs,
      dataDir,
      asides: [...new Set([asideIn, inHome])],
      // A draft is on the file system of its destination, because a rename across two fails.
      files: list.files.map(({ name }) =>
        name === STORE_NAME
          ? { goal: store, draft: draftOf(store), kept: join(asideIn, name), database: true }
          : {
              goal: join(dataDir, name),
              draft: draftOf(join(dataDir, name)),
              kept: join(inHome, name),
              database: name.endsWith('.db'),
            },
      ),
    }
    try {
      writeNote(disk, store, note)
      for (const [i, { name, sha256: wanted }] of list.files.entries()) {
        const { draft } = note.files[i]
        disk.makeFolder(dirname(draft))
        const settings = name === SETTINGS ? settingsFor(join(from, name), storePath) : null
        if (settings !== null) {
          disk.write(draft, settings)
          continue
        }
        await disk.copy(join(from, name), draft)
        if ((await sha256(draft)) !== wanted) throw corruptBackup(`The copy of ${name}`, 'Check the target disk.')
      }
      writeNote(disk, store, { ...note, phase: 'swapping' })
    } catch (thrown) {
      undoRestore(disk, store, note)
      throw diskError(thrown, 'The restore')
    }
    return { list, kept: finishRestore(disk, store, note) }
  } finally {
    held.release()
  }
}

/** Returns the list of a backup after checking every file against it. */
async function checkBackup(from: string): Promise<BackupList> {
  const folder = statSync(from, { throwIfNoEntry: false })
  if (folder?.isDirectory() !== true) {
    throw new CodedError(
      'not-found',
      folder === undefined ? `There is no folder ${from}.` : `${from} isn’t a folder.`,
      {
        hint: 'Choose the folder that "tapedeck backup" created; it contains backup.json.',
      },
    )
  }
  const listFile = join(from, LIST_FILE)
  const list = parseList(existsSync(listFile) ? readFileSync(listFile, 'utf8') : '')
  for (const { name, bytes, sha256: wanted } of list.files) {
    const path = join(from, name)
    const isSound =
      existsSync(path) && lstatSync(path).isFile() && lstatSync(path).size === bytes && (await sha256(path)) === wanted
    if (!isSound) throw corruptBackup(`${name} in the backup`, 'Use another backup.')
  }
  return { ...list, files: list.files.filter(({ name }) => !isLocalFile(name)) }
}

const corruptBackup = (what: string, hint: string): CodedError =>
  new CodedError('store-damaged', `${what} is corrupt.`, { hint: `${hint} Nothing was changed.` })

/** The backup's settings with this machine's store path; null: the file can be copied unchanged. */
function settingsFor(file: string, storePath: string): string | null {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof settings !== 'object' || settings === null) return null
    const recording = 'recording' in settings && typeof settings.recording === 'object' ? settings.recording : null
    const named: unknown = recording !== null && 'storePath' in recording ? recording.storePath : ''
    // Both name the same path, so the file is copied byte for byte.
    if (named === storePath) return null
    return JSON.stringify({ ...settings, recording: { ...recording, storePath } }, null, 2)
  } catch {
    return null
  }
}
