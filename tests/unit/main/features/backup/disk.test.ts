/** Small files on a disk that takes only a part of them. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diskError, replaceFile, systemDisk } from '../../../../../src/main/features/backup/disk.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const source = (path: string): string =>
  JSON.stringify(new URL(`../../../../../src/main/${path}`, import.meta.url).href)

/** Runs a program in which no file can become larger than 4 KiB: the system then takes a part of a longer write. */
function runLimited(program: string) {
  const { stdout, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -f 8 && exec "$0" --input-type=module-typescript -e "$1"', process.execPath, program],
    { encoding: 'utf8' },
  )
  return stdout + stderr
}

it.skipIf(process.platform === 'win32').each([
  [
    'note or list of a backup',
    `import { systemDisk } from ${source('features/backup/disk.ts')}`,
    'systemDisk.write(file, text)',
  ],
  [
    'list of sessions that are still needed',
    `import { writeHolds } from ${source('core/store/library/holds.ts')}`,
    "writeHolds(file, new Map([['01ke6sjt80k', { why: text, data: null }]]))",
  ],
])('never takes a part of a %s for the whole', (_what, imported, write) => {
  const file = join(makeFolder('disk'), 'file')
  const program = `${imported}
    const [file, text] = [${JSON.stringify(file)}, 'x'.repeat(100_000)]
    try { ${write}; console.log('written') } catch (error) { console.log(error.code) }`
  expect(runLimited(program)).toBe('EFBIG\n')
})

it('leaves the old file and no draft if the new one can’t be written', () => {
  const folder = makeFolder('disk')
  const file = join(folder, 'note.json')
  replaceFile(systemDisk, file, 'old', folder)
  const full = {
    ...systemDisk,
    write(path: string) {
      systemDisk.write(path, 'ne')
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    },
  }
  expect(() => replaceFile(full, file, 'new', folder)).toThrow('no space')
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(existsSync(`${file}.tmp`)).toBe(false)
})

it.each([
  ['ENOSPC', 'disk-full', 'The backup failed: the disk of /mnt is full.'],
  ['SQLITE_FULL', 'disk-full', 'The backup failed: the disk of /mnt is full.'],
  ['SQLITE_IOERR_WRITE', 'disk-error', 'The backup failed: the disk of /mnt reported an error.'],
])('names the disk that failed with %s, which isn’t the store’s', (code, failure, message) => {
  const thrown = Object.assign(new Error('database or disk is full'), { code })
  expect(diskError(thrown, 'The backup', '/mnt')).toMatchObject({ code: failure, message })
})
