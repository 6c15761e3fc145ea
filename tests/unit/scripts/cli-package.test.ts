/** The package for servers: what it holds, what it depends on, and its manual. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isPacked, reachable } from '../../../scripts/lib/cli-package.mjs'
import { controlText, debVersion, DEPENDS } from '../../../scripts/lib/deb.mjs'
import { manPage } from '../../../scripts/lib/man-page.mjs'
import { COMMANDS, COMMON_OPTIONS } from '../../../src/main/hosts/cli/table.ts'

const about = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string
  readonly description: string
  readonly homepage: string
  readonly devDependencies: Readonly<Record<string, string>>
}

describe('what the package holds', () => {
  it('is what the command line reaches, and the packages that this imports', () => {
    const files: Readonly<Record<string, string>> = {
      'cli.js': 'import { a } from "./chunks/a.js";\nimport"./chunks/b.js"',
      'chunks/a.js': 'const b = () => import("./b.js"); export { c } from "ws"; import("electron-updater-like")',
      'chunks/b.js':
        'import { x } from "@nats-io/kv"; import y from "pg/lib/y.js"; import "node:fs"; const s = "from text"',
      'index.js': 'import "electron-updater"',
    }
    expect(reachable((file) => files[file], ['ws', 'pg', '@nats-io/kv', 'electron-updater'], ['cli.js'])).toEqual({
      files: ['chunks/a.js', 'chunks/b.js', 'cli.js'],
      packages: ['@nats-io/kv', 'pg', 'ws'],
    })
  })

  it.each([
    ['node_modules/better-sqlite3/prebuilds/linux-x64.node', true],
    ['node_modules/better-sqlite3/prebuilds/linux-arm64.node', false],
    ['node_modules/better-sqlite3/prebuilds', true],
    ['node_modules/better-sqlite3/deps/sqlite3.c', false],
    ['node_modules/ws/lib/websocket.js', true],
    ['node_modules/ws/README.md', false],
    ['node_modules/pg/LICENSE', true],
  ])('%s: %s', (file, packed) => {
    expect(isPacked(file, { platform: 'linux', arch: 'x64' })).toBe(packed)
  })

  it('is run by the pinned Node, whose licence is here', () => {
    expect(existsSync(`packaging/licenses/node-${about.devDependencies.node}.txt`)).toBe(true)
  })
})

describe('the Debian package', () => {
  it('names what it is, and sorts a prerelease before its release', () => {
    const control = controlText({ ...about, version: '1.2.0-beta.1' }, { arch: 'arm64', bytes: 2_049 })
    expect(control).toContain('\nVersion: 1.2.0~beta.1\nArchitecture: arm64\n')
    expect(control).toContain('\nInstalled-Size: 3\n')
    for (const line of control.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect(debVersion('1.2.0')).toBe('1.2.0')
  })

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'depends on every library that its binaries load, in the version that they need [needs linux]',
    () => {
      const keyring = readdirSync('node_modules/@napi-rs/keyring-linux-x64-gnu').find((name) => name.endsWith('.node'))
      const binaries = [
        'node_modules/node/bin/node',
        'node_modules/better-sqlite3/prebuilds/linux-x64.node',
        `node_modules/@napi-rs/keyring-linux-x64-gnu/${keyring}`,
      ]
      const text = binaries.map((file) => spawnSync('objdump', ['-p', file], { encoding: 'utf8' }).stdout).join('\n')
      const libraries = [...text.matchAll(/NEEDED\s+(\S+)/g)].map(([, name]) => name)
      /** Debian's package of each library. */
      const packageOf = (library: string): string | undefined =>
        [
          ['libc6', /^(libc|libm|libdl|librt|libpthread|ld-linux-x86-64)\.so/],
          ['libstdc++6', /^libstdc\+\+\.so\.6$/],
          ['libgcc-s1', /^libgcc_s\.so\.1$/],
        ].find(([, pattern]) => (pattern as RegExp).test(library))?.[0] as string | undefined // as in the rows above
      expect(new Set(libraries.map(packageOf))).toEqual(new Set(Object.keys(DEPENDS)))
      const newest = (prefix: string): string =>
        [...text.matchAll(new RegExp(`\\b${prefix}_(\\d+(?:\\.\\d+)*)`, 'g'))]
          .map(([, version]) => version)
          .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
          .at(-1) ?? ''
      expect(newest('GLIBC')).toBe(DEPENDS.libc6)
      // 3.4.29 came with GCC 11.
      expect([newest('GLIBCXX'), DEPENDS['libstdc++6']]).toEqual(['3.4.29', '11'])
      expect(newest('GCC')).toBe('4.2.0')
    },
  )
})

it('the manual describes every command and option, and has no line that roff would misread', async () => {
  const page = await manPage({ version: '1.2.3', date: '2026-01-05' })
  const escaped = (text: string): string => text.replaceAll('-', '\\-')
  for (const { name, load } of COMMANDS) {
    expect(page).toContain(`.SS "tapedeck ${escaped(name)}`)
    for (const option of Object.keys((await load()).options)) expect(page).toContain(escaped(`--${option}`))
  }
  for (const option of Object.keys(COMMON_OPTIONS)) expect(page).toContain(escaped(`--${option}`))
  for (const line of page.split('\n')) expect(line).toMatch(/^(?:\.[A-Z]{1,2}\b|\\&|[^.'])|^$/)
})
