/** Crash reports: small local files that the user can read before sharing them. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'

export interface Crash {
  /** UTC ms. */
  readonly atMs: number
  readonly version: string
  /** The part of the app that crashed. */
  readonly what: 'main' | 'window' | 'store' | 'start'
  /** Its stack or reason, with secrets redacted. */
  readonly text: string
}

/** Most reports saved, so that a crash loop can't fill the disk. */
const KEPT = 10
const MAX_TEXT = 20_000
const NAME = /^crash-[0-9T-]+Z-(?:main|window|store|start)\.txt$/

const folderOf = (dataDir: string): string => join(dataDir, 'crashes')

/** Saves a report and returns its file, or null. Never throws: its callers are already handling a failure. */
export function keepCrash(dataDir: string, { atMs, version, what, text }: Crash): string | null {
  try {
    const folder = folderOf(dataDir)
    makeFolder(folder)
    const at = new Date(atMs).toISOString()
    const file = join(folder, `crash-${at.replace(/[:.]/g, '-')}-${what}.txt`)
    writeFileSync(
      file,
      `Tapedeck ${version}, ${process.platform} ${process.arch}\n${at} ${what}\n\n${text.slice(0, MAX_TEXT)}\n`,
    )
    for (const old of names(folder).slice(0, -KEPT)) rmSync(join(folder, old), { force: true })
    return file
  } catch {
    return null // The disk is full or read-only; the log still has the error.
  }
}

function names(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
}

/** The texts of the saved reports, oldest first. */
export function readCrashes(dataDir: string): readonly string[] {
  try {
    const folder = folderOf(dataDir)
    return names(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  } catch {
    return [] // No folder: nothing has crashed yet.
  }
}
