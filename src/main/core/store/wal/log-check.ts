/**
 * Checks a store's write-ahead log and head without SQLite. SQLite silently ignores everything behind the first bad
 * frame of a corrupt log, as if those transactions had never happened. This module only reports; it changes nothing.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { equalBytes } from '../format/ledger.ts'
import type { Db } from '../schema/sqlite.ts'
import { readHead, type Head } from './store-head.ts'
import { readRound, scanLog, type LogPosition, type LogRound, type LogScan, type ReadLog } from './wal.ts'

export const logFile = (store: string): string => `${store}-wal`

/** How often a log is read again if it was restarted while it was being read. */
const MAX_ATTEMPTS = 5
/** A log whose first salt is at most this much smaller is an earlier round of the same log. */
const MAX_EARLIER_ROUNDS = 1 << 16

/**
 * `corrupt`: bytes of committed transactions changed. `cut`: the last transactions are missing and the rest is sound.
 * `gone`: there is no log although commits were in it; only the database tells whether they reached the file.
 */
export interface LogVerdict {
  readonly is: 'sound' | 'corrupt' | 'cut' | 'gone'
  /** The database file alone holds every commit, so nothing is lost whatever the log holds. */
  readonly isInFile: boolean
}

const SOUND: LogVerdict = { is: 'sound', isInFile: false }

/** Compares a scanned log with the head. `isLive`: a writer may be in the middle of a transaction. */
export function judgeLog(scan: LogScan, head: Head | null, isLive = false): LogVerdict {
  const mark = head?.position ?? null
  const isInFile = head?.isInFile ?? false
  const byItself: LogVerdict = scan.hasLostCommits && !isLive ? { is: 'corrupt', isInFile: false } : SOUND
  if (mark === null || mark.frames === 0) return byItself
  if (scan.isEmpty) return isInFile ? SOUND : { is: 'gone', isInFile }
  if (scan.last === null) return isInFile ? SOUND : { is: 'corrupt', isInFile }
  if (scan.last.salt1 === mark.salt1 && scan.last.salt2 === mark.salt2) {
    if (scan.hasMark) return byItself
    return { is: scan.isSoundToEnd ? 'cut' : 'corrupt', isInFile }
  }
  const rounds = (mark.salt1 - scan.last.salt1) >>> 0
  return rounds > 0 && rounds <= MAX_EARLIER_ROUNDS ? { is: 'cut', isInFile } : byItself
}

/**
 * Opens a log for reading; undefined if there is none. SQLite puts no locks on this file, so closing it releases none.
 */
function openLog(store: string): number | undefined {
  try {
    return openSync(logFile(store), 'r')
  } catch {
    return undefined
  }
}

export const readLog =
  (descriptor: number | undefined): ReadLog =>
  (into, at) => {
    let length = 0
    while (descriptor !== undefined && length < into.length) {
      const got = readSync(descriptor, into, length, into.length - length, at + length)
      if (got === 0) break
      length += got
    }
    return length
  }

export function scanLogFile(store: string, mark: LogPosition | null): LogScan {
  const descriptor = openLog(store)
  try {
    return scanLog(readLog(descriptor), mark)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

export interface LogInspection {
  readonly head: Head | null
  readonly verdict: LogVerdict
}

/**
 * Inspects a store's log, also while a writer is working. The head is read first, so everything it claims is already on
 * disk. A log only grows until it is restarted, which changes its header first. A fault therefore counts only if
 * neither the header nor the head changed during the read.
 */
export function inspectLog(store: string, isLive: () => boolean): LogInspection {
  for (let inspect = 1; ; inspect++) {
    const head = readHead(store)
    const wasLive = isLive()
    const scan = scanLogFile(store, head?.position ?? null)
    const verdict = judgeLog(scan, head, wasLive)
    if (verdict.is === 'sound') return { head, verdict }
    const isSame = isSameRound(scan.last, roundOf(store)) && isSameHead(head, readHead(store))
    if (isSame && !isLive()) return { head, verdict }
    if (isSame && verdict.is === 'corrupt') return { head, verdict }
    if (inspect === MAX_ATTEMPTS) return { head, verdict: isSame ? verdict : SOUND }
  }
}

function roundOf(store: string): LogRound | null {
  const descriptor = openLog(store)
  try {
    return readRound(readLog(descriptor))
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const isSameRound = (a: LogRound | null, b: LogRound | null): boolean => a?.salt1 === b?.salt1 && a?.salt2 === b?.salt2

const isSameHead = (a: Head | null, b: Head | null): boolean =>
  isSameRound(a?.position ?? null, b?.position ?? null) && a?.isInFile === b?.isInFile

/** Commits that the head claims and the store lacks. */
export type MissingCommits =
  | { readonly is: 'log'; readonly expected: number; readonly found: number }
  | { readonly is: 'other' }
  | { readonly is: 'seq'; readonly expected: number; readonly found: number }

/** Prepares a query for whether a session was erased after a row of the store log. */
export const findErasure = (db: Db) =>
  db.prepare<[number], number>("SELECT 1 FROM store_log WHERE n > ? AND kind = 'delete' LIMIT 1").pluck()

/** Compares a store with a head that was read earlier; null if the store holds every commit the head claims. */
export function findMissingCommits(db: Db, head: Head | null): MissingCommits | null {
  if (head === null) return null
  const newest = db.prepare<[], number | null>('SELECT max(n) FROM store_log').pluck().get() ?? 0
  if (head.log !== null) {
    const hash = db.prepare<[number], Buffer>('SELECT hash FROM store_log WHERE n = ?').pluck().get(head.log.n)
    if (hash === undefined) return { is: 'log', expected: head.log.n, found: newest }
    if (!equalBytes(hash, head.log.hash)) return { is: 'other' }
  }
  // After an erasure, another session may have the number of the last one.
  if (head.last === null || findErasure(db).get(head.log?.n ?? 0) !== undefined) return null
  const { session, seq } = head.last
  const found = db
    .prepare<[number, number, number], number | null>(
      `SELECT max(sealed_seq, coalesce((SELECT max(last_seq) FROM journal WHERE recording = ?), 0),
              coalesce((SELECT max(seq) FROM entry WHERE recording = ?), 0)) FROM recording WHERE id = ?`,
    )
    .pluck()
    .get(session, session, session)
  return (found ?? 0) < seq ? { is: 'seq', expected: seq, found: found ?? 0 } : null
}

/** Describes each kind in one sentence. */
export function describeMissingCommits(cut: MissingCommits): string {
  switch (cut.is) {
    case 'log':
      return `the store’s latest commits are missing: row ${cut.expected} of its log was written, but it ends at row ${cut.found}`
    case 'other':
      return 'the store was replaced: its log doesn’t match what was last written'
    case 'seq':
      return `the store’s latest commits are missing: its last session was written up to seq ${cut.expected}, but ends at seq ${cut.found}`
  }
}
