import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openInBrowser } from '../../../../../src/main/hosts/browser/open.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const ADDRESS = 'http://127.0.0.1:4321/#token=abc-DEF_123'

let folder: string
let home: string
beforeEach(async () => {
  folder = makeFolder('open')
  home = join(folder, 'home')
})
afterEach(async () => {
  vi.unstubAllEnvs()
})

/** Puts a program of our own in the place of the system's opener. It writes down its arguments and the page it was given. */
async function standInForOpener(exitCode = 0): Promise<{ args(): Promise<string>; page(): Promise<string> }> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/args'\ncat "$(printf '%s' "$1" | sed 's|^file://||')" > '${folder}/page'\nexit ${exitCode}\n`,
  )
  await chmod(join(bin, 'xdg-open'), 0o755)
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
  vi.stubEnv('DISPLAY', ':0')
  return {
    args: () => readFile(join(folder, 'args'), 'utf8'),
    page: () => readFile(join(folder, 'page'), 'utf8'),
  }
}

// What the opener is called and how modes read is the platform's; the page is the same everywhere.
describe.runIf(process.platform === 'linux')('opening the browser [needs linux]', () => {
  test('gives the opener a page that only this user can read, not the address', async () => {
    const opener = await standInForOpener()
    const { opened, remove } = await openInBrowser(ADDRESS, home)
    expect(opened).toBe(true)
    const args = await opener.args()
    expect(args).not.toContain('abc-DEF_123')
    const file = fileURLToPath(args.trim())
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    expect(await opener.page()).toContain(`content="0; url=${ADDRESS}"`)
    await remove()
    await remove()
    expect(await readdir(home)).toEqual([])
  })

  test('replaces a page that was left behind, and follows no link', async () => {
    await standInForOpener()
    await mkdir(home)
    await writeFile(join(folder, 'precious'), 'as it was')
    await symlink(join(folder, 'precious'), join(home, 'open-4321.html'))
    expect((await openInBrowser(ADDRESS, home)).opened).toBe(true)
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('as it was')
    expect((await openInBrowser(ADDRESS, home)).opened).toBe(true)
    expect(await readdir(home)).toEqual(['open-4321.html'])
  })

  test('leaves no page where no browser starts', async () => {
    await standInForOpener(3)
    expect((await openInBrowser(ADDRESS, home)).opened).toBe(false)
    expect(await readdir(home)).toEqual([])
  })

  test('opens nothing where the page cannot be written', async () => {
    await standInForOpener()
    await writeFile(home, 'a file where the folder should be')
    expect((await openInBrowser(ADDRESS, home)).opened).toBe(false)
  })

  test('writes markup of an address as text', async () => {
    const opener = await standInForOpener()
    await openInBrowser(`http://127.0.0.1:4321/#"><script>'&`, home)
    const page = await opener.page()
    expect(page).not.toContain('<script>')
    expect(page).not.toMatch(/url=[^"]*'/)
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'nonsense'])('opens nothing for %s', async (url) => {
    await standInForOpener()
    expect((await openInBrowser(url, home)).opened).toBe(false)
    await expect(stat(home)).rejects.toThrow(/ENOENT/)
  })

  test('opens nothing without a display', async () => {
    await standInForOpener()
    vi.stubEnv('DISPLAY', '')
    vi.stubEnv('WAYLAND_DISPLAY', '')
    expect((await openInBrowser(ADDRESS, home)).opened).toBe(false)
    await expect(stat(home)).rejects.toThrow(/ENOENT/)
  })
})
