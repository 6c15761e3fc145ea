/** The file that a name means. */
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { CodedError } from '../../shared/base/errors.ts'

/** As many as systems follow. */
const MAX_LINKS = 40

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

async function followLinks(path: string): Promise<string> {
  let at = path
  for (let links = 0; ; links++) {
    const to = await readlink(at).catch(() => undefined)
    if (to === undefined) return at
    if (links === MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
    // The folder may be a link, too, and `..` in `to` begins where that leads.
    const folder = await realpath(dirname(at)).catch(() => dirname(at))
    at = resolve(join(folder, basename(at), '..'), to)
  }
}
