/** The file that a name means, and how a finished temporary file gets its name. */
import { link, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, resolve, sep } from 'node:path'
import { CodedError } from '../../shared/base/errors.ts'

/** What file systems without hard links say, and systems that don't let the user make them. */
const NO_LINKS = [
  'EPERM',
  'EACCES',
  'EISDIR',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EINVAL',
  'EMLINK',
  'EXDEV',
  'UNKNOWN',
]

/**
 * Renames `temporary` to `target`, durably. With `replace` false, a file of that name stays as it is, whenever it was
 * made: rejects with `usage`. Rejects with the disk's error otherwise.
 */
export async function giveFinalName(temporary: string, target: string, replace = true): Promise<void> {
  if (replace) await rename(temporary, target)
  else await linkOrReserve(temporary, target)
  await syncFolder(dirname(target))
}

async function linkOrReserve(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target).catch(async (thrown: unknown) => {
      if (!NO_LINKS.includes(codeOf(thrown))) throw thrown
      // An empty file holds the name, so that only one program can get it, until the rename replaces it.
      await (await open(target, 'wx')).close()
      await rename(temporary, target)
    })
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
    throw new CodedError('usage', `${basename(target)} already exists: another program made it in the meantime.`, {
      hint: 'Choose another name, or replace the file.',
      cause: thrown,
    })
  }
  await rm(temporary, { force: true })
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** Makes a rename durable where the system can sync folders; elsewhere, as on Windows, does nothing. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close().catch(() => undefined)
}

/** As many as systems follow. */
const MAX_LINKS = 40
const STICKY_FOR_ALL = 0o1002

/**
 * Where a file that the user named is to be written. Links are followed, also to a file that doesn't exist yet, so that a
 * rename never replaces a link. Rejects with `usage` if a folder, device, pipe or socket has the name, and with the
 * disk's error for a link that leads to itself.
 */
export async function findTarget(path: string): Promise<string> {
  const isFolder = path.endsWith('/') || path.endsWith(sep)
  const target = await followLinks(resolve(path))
  const there = await stat(target).catch(() => undefined)
  if (isFolder || there?.isDirectory() === true) {
    throw new CodedError('usage', `${path} ${isFolder && there === undefined ? 'names' : 'is'} a folder.`, {
      hint: 'Name a file in it.',
    })
  }
  if (there !== undefined && !there.isFile()) {
    throw new CodedError('usage', `${path} is ${there.isSocket() ? 'a socket' : 'a device or pipe'}, not a file.`, {
      hint: 'Enter a file name.',
    })
  }
  return target
}

/** Like Linux: in a folder for everyone, such as /tmp, only links of the user or of the folder's owner lead on. */
async function refuseForeignLink(link: string, folder: string): Promise<void> {
  const [{ uid }, shared] = await Promise.all([lstat(link), stat(folder)])
  if ((shared.mode & STICKY_FOR_ALL) !== STICKY_FOR_ALL || uid === shared.uid || uid === process.geteuid?.()) return
  throw new CodedError('usage', `${link} is a link that another user made.`, { hint: 'Choose another name.' })
}

async function followLinks(path: string): Promise<string> {
  let at = path
  for (let links = 0; ; links++) {
    const to = await readlink(at).catch(() => undefined)
    if (to === undefined) return at
    if (links === MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
    // The folder may be a link, too, and `..` in `to` begins where that leads.
    const folder = await realpath(dirname(at)).catch(() => dirname(at))
    await refuseForeignLink(at, folder)
    at = resolve(folder, to)
  }
}
