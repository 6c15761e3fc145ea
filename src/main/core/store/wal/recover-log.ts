/** Saves a corrupt write-ahead log before the writer opens the store, because SQLite would overwrite it. */
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, rmSync, truncateSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { CodedError } from '../../../../shared/base/errors.ts'
import { findLossFiles, HEAD_COPY, LOG_COPY } from '../../../base/store-files.ts'
import { headFile, readHead, removeHead, type Head } from './store-head.ts'
import { describeMissingCommits, findMissingCommits, judgeLog, logFile, scanLogFile } from './log-check.ts'
import type { Db } from '../schema/sqlite.ts'
import type { StoreNotice } from '../types/writer.ts'

export interface RecoveredLog {
  readonly head: Head | null
  readonly notices: StoreNotice[]
  /** Commits are lost, so the missing end of a session isn't explained by a crash alone. */
  hasLoss: boolean
  /** The log must be restarted: bad transactions follow the good ones. */
  readonly isCorrupt: boolean
}

const HINT = 'Run "tapedeck verify". If you have a backup, restore the store from it.'

/**
 * Checks the log of a store that has no writer. The caller holds the lock and SQLite hasn't opened the store yet.
 * Throws `disk-full` or `disk-error` if a log that must be saved can't be; the store then stays closed and unchanged.
 * `nowMs`: UTC ms.
 */
export function recoverLog(store: string, nowMs: number): RecoveredLog {
  const head = readHead(store)
  const nothing = { head: null, notices: [], hasLoss: false, isCorrupt: false }
  if (!existsSync(store)) {
    if (head === null) return nothing
    removeHead(store)
    return {
      ...nothing,
      notices: [
        {
          message: `The store at ${store} is missing. Tapedeck started a new one.`,
          hint: 'If you didn’t delete it, look for it on the disk or restore a backup.',
        },
      ],
    }
  }
  const verdict = judgeLog(scanLogFile(store, head?.position ?? null), head)
  if (verdict.is === 'sound' || verdict.is === 'gone') return { ...nothing, head }
  const log = logFile(store)
  if (verdict.isInFile) {
    const copy = backUp(log, `${store}-wal.unused-`, nowMs)
    // SQLite would replay the rest of it over newer pages of the file.
    truncateSync(log)
    return {
      ...nothing,
      head,
      notices: [
        {
          message: `The store’s write-ahead log was corrupt. The store already held everything in it, so nothing was lost. The log was saved as ${basename(copy)}.`,
          hint: 'Check the disk. You can delete that file.',
        },
      ],
    }
  }
  const copy = backUp(log, store + LOG_COPY, nowMs)
  const what = verdict.is === 'cut' ? 'is truncated' : 'is corrupt'
  return {
    head,
    notices: [
      {
        message: `The store’s write-ahead log ${what}. The last messages before the store was closed are lost and marked as a gap. What remains of the log was saved as ${basename(copy)}.`,
        hint: HINT,
      },
    ],
    hasLoss: true,
    isCorrupt: true,
  }
}

/**
 * Call once SQLite has opened the store. Adds a notice if the store lacks commits that its head claims. `nowMs`: UTC
 * ms.
 */
export function noticeMissingCommits(db: Db, store: string, recovered: RecoveredLog, nowMs: number): void {
  // A corrupt log already reported this loss.
  const cut = recovered.hasLoss ? null : findMissingCommits(db, recovered.head)
  if (cut === null) return
  recovered.hasLoss = true
  const copy = backUp(headFile(store), store + HEAD_COPY, nowMs)
  const text = describeMissingCommits(cut)
  recovered.notices.push({
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)}. The record of the missing commits was saved as ${basename(copy)}.`,
    hint: `If you restored an older copy on purpose, delete that file. Otherwise: ${HINT}`,
  })
}

/** Copies a file to a name with a timestamp, readable only by its owner, and syncs it to disk. Returns the new path. */
function backUp(file: string, prefix: string, nowMs: number): string {
  const copy = `${prefix}${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`
  try {
    copyFileSync(file, copy)
    chmodSync(copy, 0o600)
    sync(copy, 'r+')
  } catch (cause) {
    try {
      rmSync(copy, { force: true })
    } catch {
      // Report the first failure.
    }
    const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
    throw new CodedError(isFull ? 'disk-full' : 'disk-error', `The corrupt ${basename(file)} can't be saved.`, {
      hint: `${isFull ? 'Free some space' : 'Make the folder of the store writable'}; recording then starts automatically.`,
      cause,
    })
  }
  try {
    sync(dirname(copy), 'r')
  } catch {
    // Not every system can sync folders.
  }
  return copy
}

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Lists the backup files next to a store that record earlier losses. */
export function listLossFiles(store: string): string[] {
  try {
    return findLossFiles(store).map((suffix) => store + suffix)
  } catch {
    return [] // the store itself was readable, so only listing its folder is denied
  }
}
