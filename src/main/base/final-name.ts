/** Gives a finished temporary file its final name. */
import { link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
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
