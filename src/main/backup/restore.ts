/** Puts a backup back: everything is checked before anything is touched, and what was there is kept beside it. */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CodedError } from '../../shared/errors.ts'
import { LIST_FILE, parseList, sha256, STORE_NAME, type BackupList } from './backup.ts'

export interface RestoreOptions {
  /** The backup's folder. */
  readonly from: string
  readonly store: string
  readonly dataDir: string
  readonly nowMs: number
  /** Keeps every other writer out while files are changed; throws where one is there. */
  readonly lock: (file: string) => { release(): void }
}

export interface Restored {
  readonly list: BackupList
  /** Where what was there before is now; null: there was nothing. */
  readonly kept: string | null
}

/** Throws `store-locked` while Tapedeck records, `store-damaged` where the backup is not as it was made. */
export async function restoreBackup({ from, store, dataDir, nowMs, lock }: RestoreOptions): Promise<Restored> {
  const listFile = join(from, LIST_FILE)
  const list = parseList(existsSync(listFile) ? readFileSync(listFile, 'utf8') : '')
  for (const { name, bytes, sha256: wanted } of list.files) {
    const path = join(from, name)
    const sound =
      existsSync(path) && lstatSync(path).isFile() && lstatSync(path).size === bytes && (await sha256(path)) === wanted
    if (!sound) {
      throw new CodedError('store-damaged', `${name} of the backup is not as it was made.`, {
        hint: 'Use another backup. Nothing was changed.',
      })
    }
  }
  mkdirSync(dataDir, { recursive: true })
  mkdirSync(dirname(store), { recursive: true })
  const held = lock(store)
  try {
    const aside = join(dataDir, `before-restore-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`)
    let kept = false
    const keep = (path: string, name: string): void => {
      if (!existsSync(path)) return
      mkdirSync(dirname(join(aside, name)), { recursive: true })
      renameSync(path, join(aside, name))
      kept = true
    }
    for (const { name } of list.files) {
      const goal = name === STORE_NAME ? store : join(dataDir, name)
      // A database's journals and head belong to it: left behind, they would be played into the restored one or held
      // against it.
      for (const suffix of name.endsWith('.db') ? ['', '-wal', '-shm', '-head'] : [''])
        keep(goal + suffix, name + suffix)
      mkdirSync(dirname(goal), { recursive: true })
      const draft = `${goal}.restoring`
      copyFileSync(join(from, name), draft)
      renameSync(draft, goal)
    }
    return { list, kept: kept ? aside : null }
  } finally {
    held.release()
  }
}
