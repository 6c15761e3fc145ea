/** Reports of crashes, on this machine only: small files that a person can read before sharing any of them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Crash {
  /** UTC ms. */
  readonly atMs: number
  readonly version: string
  /** What ended, or nearly did. */
  readonly what: 'main' | 'window' | 'store' | 'start'
  /** Its stack or reason, without what looks like a secret. */
  readonly text: string
}

/** Older ones are removed: a program that dies in a circle may not fill the disk. */
const KEPT = 10
const MOST_TEXT = 20_000
const NAME = /^crash-[0-9T-]+Z-(?:main|window|store|start)\.txt$/

const folderOf = (dataDir: string): string => join(dataDir, 'crashes')

/** Keeps a report; never throws, because whoever calls is in trouble already. Answers its file. */
export function keepCrash(dataDir: string, { atMs, version, what, text }: Crash): string | null {
  try {
    const folder = folderOf(dataDir)
    mkdirSync(folder, { recursive: true })
    const at = new Date(atMs).toISOString()
    const file = join(folder, `crash-${at.replace(/[:.]/g, '-')}-${what}.txt`)
    writeFileSync(
      file,
      `Tapedeck ${version}, ${process.platform} ${process.arch}\n${at} ${what}\n\n${text.slice(0, MOST_TEXT)}\n`,
    )
    for (const old of names(folder).slice(0, -KEPT)) rmSync(join(folder, old), { force: true })
    return file
  } catch {
    return null // a full or read-only disk: the log is all there is
  }
}

function names(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
}

/** The texts of the reports kept, oldest first. */
export function readCrashes(dataDir: string): readonly string[] {
  try {
    const folder = folderOf(dataDir)
    return names(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  } catch {
    return [] // there is no such folder: nothing has crashed
  }
}
