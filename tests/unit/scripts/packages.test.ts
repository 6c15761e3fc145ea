/** What a release is made of, as the packager is told. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { signingEnv } from '../../../scripts/lib/signing.mjs'
import { makeFolder } from '../../kit/folder.ts'

const release = readFileSync('.github/workflows/release.yml', 'utf8')

/** The steps of a workflow's jobs, in order, each as its text. */
const stepsOf = (file: string): readonly string[] =>
  readFileSync(`.github/workflows/${file}`, 'utf8')
    .split(/^ {6}- /m)
    .slice(1)

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

test('the channel follows from the version: a beta isn’t offered on the stable channel', async () => {
  expect((await config()).default.publish).toBeNull()
  vi.stubEnv('TAPEDECK_UPDATE_URL', 'https://updates.invalid/tapedeck')
  expect((await config()).default.publish).toEqual([{ provider: 'generic', url: 'https://updates.invalid/tapedeck' }])
})

test('an address of updates without TLS makes no package', async () => {
  vi.stubEnv('TAPEDECK_UPDATE_URL', 'http://updates.invalid/tapedeck')
  await expect(config()).rejects.toThrow('https://')
})

test('of the keychain and the store only the binary of the processor goes in', async () => {
  const { files } = (await config()).default
  const excluded = files.indexOf('!node_modules/@napi-rs/keyring-*/**')
  expect(files[excluded + 1]).toBe('node_modules/@napi-rs/keyring-${platform}-${arch}*/**')
})

describe('signing', () => {
  const PEM = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----'
  let folder: string | undefined
  const signing = (env: Readonly<Record<string, string>>) => {
    folder = makeFolder('signing')
    return signingEnv(env, folder)
  }

  test('a secret that is not there arrives empty, and is left out', () => {
    const env = { PATH: '/bin', CSC_LINK: '', CSC_KEY_PASSWORD: ' ', APPLE_API_KEY: '', APPLE_API_KEY_ID: '' }
    expect(signing(env)).toEqual({ PATH: '/bin' })
    expect(signing({ CSC_LINK: 'base64', CSC_KEY_PASSWORD: 'x' })).toEqual({
      CSC_LINK: 'base64',
      CSC_KEY_PASSWORD: 'x',
    })
  })

  test('the text of an API key becomes a file that only its owner may read; a path stays one', () => {
    const { APPLE_API_KEY: path = '' } = signing({ APPLE_API_KEY: PEM })
    expect(path).toBe(join(folder ?? '', 'AuthKey.p8'))
    expect(readFileSync(path, 'utf8')).toBe(`${PEM}\n`)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(signing({ APPLE_API_KEY: '/keys/a.p8' })).toEqual({ APPLE_API_KEY: '/keys/a.p8' })
  })

  test.each([
    ['no certificate', {}, false, false],
    ['an API key alone', { APPLE_API_KEY: 'a.p8' }, false, false],
    ['a certificate', { CSC_LINK: 'base64' }, true, false],
    ['one of the keychain, and an API key', { CSC_NAME: 'Tapedeck', APPLE_API_KEY: 'a.p8' }, true, true],
  ])('%s decides on the hardened runtime and notarisation of a Mac', async (_, env, hardened, notarised) => {
    for (const name of ['CSC_LINK', 'CSC_NAME', 'APPLE_API_KEY', 'APPLE_ID']) vi.stubEnv(name, '')
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const { hardenedRuntime, notarize } = (await config()).default.mac
    expect([hardenedRuntime, notarize]).toEqual([hardened, notarised])
  })

  test('a job is given the certificate of its own system only', () => {
    const given = stepsOf('release.yml')
      .filter((step) => step.includes('_CERTIFICATE'))
      .map((step) => [/if: (.+)/.exec(step)?.[1], [...new Set(step.match(/(?:MAC|WINDOWS)(?=_CERTIFICATE)/g))]])
    expect(given).toEqual([
      ["runner.os == 'macOS'", ['MAC']],
      ["runner.os == 'Windows'", ['WINDOWS']],
    ])
    // `a && b || c` falls through to c where b is empty.
    expect(release).not.toMatch(/secrets\.\w+ \|\|/)
  })
})

describe('the clients', () => {
  const jobs = new Map(
    release
      .slice(release.indexOf('\njobs:\n'))
      .split(/^(?= {2}\w+:$)/m)
      .slice(1)
      .map((text) => [/\w+/.exec(text)?.[0], text]),
  )
  const conditionOf = (job: string) => /^ {4}if: (.+)$/m.exec(jobs.get(job) ?? '')?.[1]

  test('go to the registries only where a variable says so, once a person has published the draft', () => {
    expect([...jobs.keys()]).toEqual(['package', 'server', 'clients', 'publish', 'npm', 'pypi'])
    for (const job of ['package', 'server', 'clients']) expect(conditionOf(job)).toBe("github.event_name == 'push'")
    expect(jobs.get('publish')).toContain('needs: [package, server, clients]')
    for (const registry of ['npm', 'pypi'])
      expect(conditionOf(registry)).toBe(
        `github.event_name == 'release' && vars.TAPEDECK_PUBLISH_${registry.toUpperCase()} == 'true'`,
      )
  })

  test.each(['npm', 'pypi'])('go to %s without a secret, byte for byte as this workflow attested them', (registry) => {
    const text = jobs.get(registry) ?? ''
    expect(text).toContain('id-token: write\n')
    expect(text).not.toContain('secrets.')
    const order = ['gh release download', 'sha256sum --check', 'gh attestation verify', `name: To `].map((step) =>
      text.indexOf(step),
    )
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((a, b) => a - b))
  })
})

test.each(['checks.yml', 'release.yml'])('%s lets the sandbox of Electron start before any check does', (file) => {
  const steps = stepsOf(file)
  const sandbox = steps.findIndex((step) => step.includes('chmod 4755 node_modules/electron/dist/chrome-sandbox'))
  expect(steps[sandbox]).toContain("if: runner.os == 'Linux'\n")
  expect(sandbox).toBeGreaterThan(steps.findIndex((step) => step.includes('run: npx install-electron')))
  expect(sandbox).toBeLessThan(steps.findIndex((step) => step.includes('npm run verify')))
})
