/** Keeps recorded files readable by their owner only. On Windows, user folders are protected already. */
import { chmodSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { STORE_SIDE_FILES } from './store-files.ts'
import { userHome } from './user-home.ts'

const OTHERS = 0o077
/** Sticky or setgid bit: the folder is shared on purpose. */
const SHARED = 0o3000
/** Bits that a new folder has from the one that it is in. */
const INHERITED = 0o7000
/** Chromium's folder, whose permissions Chromium manages. */
const CHROMIUM = 'chromium'

/** Files by which a home is recognized. */
const OURS: ReadonlySet<string> = new Set(['settings.json', 'tapedeck.db'])

/** The user's umask before we changed it; null: unchanged. */
let userMask: number | null = null
/** Whether access of others to what exists is removed, too. */
let isTightening = false

/**
 * Makes every new file of this process private, and tightens the app's own folder, which earlier versions left open to
 * others. Call once, before anything is written. What a folder of `--home` has already keeps its modes: the user may share
 * it. Does nothing on Windows or with `--portable`, whose folder moves between computers.
 */
export function protectHome(home: {
  readonly folder: string
  readonly portable: boolean
  readonly travels: boolean
}): void {
  if (process.platform === 'win32' || home.travels) return
  userMask ??= process.umask(OTHERS)
  isTightening = !home.portable
  if (isTightening) tightenHome(home.folder)
}

/** Gives an exported file the mode that the user's umask asks for. */
export async function followUserMask(file: Pick<FileHandle, 'chmod'>): Promise<void> {
  if (userMask === null) return
  await file.chmod(0o666 & ~userMask).catch(() => undefined) // not every file system has modes
}

/** Makes a folder for exported files, and those it is in, with the modes that the user's umask asks for. */
export function makeExportFolder(path: string): void {
  const outermost = makeFolder(path)
  if (userMask === null || outermost === null) return
  for (let made = path; made.length >= outermost.length; made = dirname(made)) {
    try {
      chmodSync(made, (statSync(made).mode & INHERITED) | (0o777 & ~userMask))
    } catch {
      // Not every file system has modes.
    }
    if (made === dirname(made)) return
  }
}

/**
 * Removes other users' access to our folder and everything in it, unless it is shared on purpose. A folder that holds
 * only other files may be anything, such as /etc, which a mistake named as the home.
 */
export function tightenHome(folder: string): void {
  try {
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (stat === undefined || !isOurs(stat) || (stat.mode & OTHERS) === 0 || (stat.mode & SHARED) !== 0) return
    const names = readdirSync(folder)
    if (names.length > 0 && !names.some((name) => OURS.has(name))) return
    const real = realpathSync(folder)
    if (real === realpathSync(userHome()) || real === parse(real).root) return
    tighten(folder)
  } catch {
    // If the folder can't be read, opening it reports that.
  }
}

function tighten(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink() || !isOurs(stat)) return
  if ((stat.mode & OTHERS) !== 0) chmodSync(path, stat.mode & 0o700)
  if (!stat.isDirectory()) return
  for (const name of readdirSync(path)) if (name !== CHROMIUM) tighten(join(path, name))
}

/** `tightenHome` for the files of a store outside the home. */
export function tightenStore(file: string): void {
  if (!isTightening) return
  for (const suffix of ['', ...STORE_SIDE_FILES, '.lock']) {
    try {
      tighten(file + suffix)
    } catch {
      // The file doesn't exist, or another user owns it.
    }
  }
}

const isOurs = ({ uid }: { readonly uid: number }): boolean => uid === process.getuid?.()
