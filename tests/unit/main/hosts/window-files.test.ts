import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPages } from '../../../../src/main/hosts/window-files.ts'
import { makeFolder } from '../../../kit/folder.ts'

/** The types that a recursive `readdir` reports: those on the disk, or every entry as a folder. */
const recursive = vi.hoisted(() => ({ reports: 'types' }))

// Inside an asar Electron answers `readdir` itself. One reading of its source has the recursive, typed form report
// every entry as a folder; the listing of one folder is right in all versions.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const readdir = async (path: string, options: { recursive?: boolean; withFileTypes: true }) => {
    const entries = await real.readdir(path, options)
    if (options.recursive && recursive.reports === 'folders') {
      for (const entry of entries) Object.assign(entry, { isFile: () => false, isDirectory: () => true })
    }
    return entries
  }
  return { ...real, readdir }
})

let folder: string
beforeEach(async () => {
  folder = makeFolder('pages')
  await mkdir(join(folder, 'assets', 'fonts'), { recursive: true })
  await mkdir(join(folder, 'empty'))
  await writeFile(join(folder, 'index.html'), '<!doctype html>')
  await writeFile(join(folder, 'assets', 'main.js'), 'export {}')
  await writeFile(join(folder, 'assets', 'fonts', 'mono.woff2'), 'font')
})
afterEach(async () => {
  recursive.reports = 'types'
})

test.each(['types', 'folders'])('serves every file where a recursive listing reports %s', async (reports) => {
  recursive.reports = reports
  const pages = await openPages(folder, "'self'")
  const statuses = ['/', '/index.html', '/assets/main.js', '/assets/fonts/mono.woff2'].map(
    async (path) => (await pages.read(path)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200])
})

test('serves nothing but files of the build', async () => {
  const pages = await openPages(folder, "'self'")
  for (const path of ['', '/assets', '/assets/', '/empty', '/../secret', '/assets/../index.html', '//index.html']) {
    expect((await pages.read(path)).status).toBe(404)
  }
})

test('refuses a folder that is not there', async () => {
  await expect(openPages(join(folder, 'nowhere'), "'self'")).rejects.toMatchObject({ code: 'ENOENT' })
})
