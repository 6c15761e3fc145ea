/**
 * Temporary files in progress. The app's folder lists them by process, so that a later run can delete those of a process
 * that was killed. A lock next to each list says that its process still runs.
 */
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { takeFileLock } from '../../base/file-lock.ts'
import { makeFolder } from '../../base/make-folder.ts'

/** Names that nothing but a temporary file of Tapedeck has. */
const TEMPORARY = /^(?:\..+\.[0-9a-f]{12}\.part|import-[0-9a-f]{12})$/
const LIST = /^files-[0-9a-f-]{36}\.list$/

const listFolder = (dataDir: string): string => join(dataDir, 'unfinished')
const lockOf = (list: string): string => list.replace(/\.list$/, '.lock')

/** The temporary files of one command or job. */
export interface UnfinishedFiles {
  /** Lists a file or folder that is about to be made. */
  add(path: string): void
  /** All of them are gone or have their final names. */
  done(): void
}

/**
 * Begins a list with its first file. Where the app's folder can't be written, nothing is listed: that must not keep
 * anyone from exporting.
 */
export function listUnfinishedFiles(dataDir: string): UnfinishedFiles {
  const list = join(listFolder(dataDir), `files-${randomUUID()}.list`)
  /** Undefined: nothing was listed yet. */
  let unlock: (() => void) | null | undefined
  return {
    add(path) {
      try {
        if (unlock === undefined) {
          unlock = null
          makeFolder(dirname(list))
          // Before the list exists: a list without a lock is one whose process has ended.
          unlock = takeFileLock(lockOf(list))
        }
        if (unlock !== null) appendFileSync(list, `${JSON.stringify(path)}\n`, { mode: 0o600 })
      } catch {
        // Then a kill leaves the file where it is.
      }
    },
    done() {
      if (unlock === undefined || unlock === null) return
      rmSync(list, { force: true })
      unlock()
      unlock = null
      rmSync(lockOf(list), { force: true })
    },
  }
}

/**
 * Deletes the temporary files of processes that were killed and returns a sentence for each. Leaves files in progress
 * alone, and those on a disk that isn't mounted now. Never throws.
 */
export function removeUnfinishedFiles(dataDir: string): string[] {
  const said: string[] = []
  const folder = listFolder(dataDir)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => LIST.test(name)) : []
  for (const list of names.map((name) => join(folder, name))) {
    try {
      const unlock = takeFileLock(lockOf(list))
      if (unlock === null) continue
      try {
        if (!removeListed(list, said)) continue
        rmSync(list, { force: true })
      } finally {
        unlock()
      }
      rmSync(lockOf(list), { force: true })
    } catch {
      // It couldn't be read or deleted: the next run tries again.
    }
  }
  return said
}

/** Returns whether the list is done with. */
function removeListed(list: string, said: string[]): boolean {
  if (!existsSync(list)) return true
  let isDone = true
  for (const line of readFileSync(list, 'utf8').split('\n')) {
    const path = parsePath(line)
    if (path === null || !TEMPORARY.test(basename(path))) continue
    if (!existsSync(dirname(path))) isDone = false
    else if (existsSync(path)) {
      rmSync(path, { recursive: true, force: true })
      said.push(`Tapedeck was interrupted; its partial file ${path} was deleted.`)
    }
  }
  return isDone
}

/** Null if the process was killed before it had written the whole line. */
function parsePath(line: string): string | null {
  try {
    const path: unknown = JSON.parse(line)
    return typeof path === 'string' ? path : null
  } catch {
    return null
  }
}
