/** What a release is made of, as the packager is told. */
import { readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'

const release = readFileSync('.github/workflows/release.yml', 'utf8')

/** Read anew, as it looks at the environment. */
async function config() {
  vi.resetModules()
  return import('../../../electron-builder.config.mjs')
}
afterEach(() => void vi.unstubAllEnvs())

test('every system gets its packages for both processors, a Mac the zip that it updates itself from', async () => {
  const { linux, mac, win, nsis } = (await config()).default
  const all = [linux, mac, win].map(({ target }) => target)
  expect(all.map((targets) => targets.map(({ target }) => target))).toEqual([
    ['deb', 'rpm', 'AppImage'],
    ['dmg', 'zip'],
    ['nsis'],
  ])
  for (const { arch } of all.flat()) expect(arch).toEqual(['x64', 'arm64'])
  expect(nsis.buildUniversalInstaller).toBe(false)
})

test('one job makes all of a system, so that no list of updates is overwritten by that of another processor', () => {
  const systems = [...release.matchAll(/, system: (\w+)/g)].map(([, system]) => system)
  expect(systems).toEqual(['linux', 'darwin', 'win32'])
  expect(release).not.toMatch(/--(?:x64|arm64)/)
})

test('whatever is made is handed on', async () => {
  const { linux, mac } = (await config()).default
  for (const { target } of [...linux.target, ...mac.target]) expect(release).toContain(`dist/*.${target}\n`)
  expect(release).toContain('dist/*.exe\n')
  expect(release).toContain('dist/*.yml\n')
})

test('an installed Electron goes into packages of this machine alone', async () => {
  const { installedFor } = await config()
  const other = process.arch === 'x64' ? 'arm64' : 'x64'
  expect(installedFor({ platformName: process.platform, arch: other })).toBeNull()
  expect(installedFor({ platformName: 'none', arch: process.arch })).toBeNull()
})

test('the channel is that of the version: a beta is not offered to whoever wants stable releases', async () => {
  expect((await config()).default.publish).toBeNull()
  vi.stubEnv('TAPEDECK_UPDATE_URL', 'https://updates.invalid/tapedeck')
  expect((await config()).default.publish).toEqual([{ provider: 'generic', url: 'https://updates.invalid/tapedeck' }])
})

test('of the keychain and the store only the binary of the processor goes in', async () => {
  const { files } = (await config()).default
  const excluded = files.indexOf('!node_modules/@napi-rs/keyring-*/**')
  expect(files[excluded + 1]).toBe('node_modules/@napi-rs/keyring-${platform}-${arch}*/**')
})
