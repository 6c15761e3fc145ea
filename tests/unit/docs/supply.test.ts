/** Dependencies are pinned: packages by digest, actions by commit. Workflows install what tests need, or declare that they lack it. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEBIAN } from '../../../scripts/lib/report.mjs'

interface Entry {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry> // the lockfile's own format, version 3
}
const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true)

describe('package-lock.json', () => {
  it('has a SHA-512 digest for everything but optional build tools', () => {
    expect(entries.length).toBeGreaterThan(100)
    const bare = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    expect(bare.filter(([, { dev, optional }]) => dev !== true || optional !== true).map(([path]) => path)).toEqual([])
    // Binaries of these two for other systems. Remove this exception once a registry provides their digests.
    const known = /^node_modules\/(?:@duckdb\/node-bindings|@oxc-parser\/binding)-/
    expect(bare.map(([path]) => path).filter((path) => !known.test(path))).toEqual([])
  })

  it('names no registry', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
  })
})

describe('the workflows', () => {
  const folder = '.github/workflows/'
  it.each(readdirSync(folder))('%s pins each action by commit and names the version', (file) => {
    const used = [...readFileSync(`${folder}${file}`, 'utf8').matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([])
  })

  const tests = readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('report.test.ts'))
    .map((name) => readFileSync(`tests/${name}`, 'utf8'))
  const named = tests.flatMap((text) => [...text.matchAll(/\[needs ([\w-]+)\]/g)].map(([, need = '']) => need))
  // The test of docs/guide/data.md makes the titles of these.
  const needs = [...new Set([...named, 'pandas', 'polars', 'pyarrow', 'r', 'r-arrow'])].filter(
    (need) => need !== 'linux',
  )
  const declared = (text: string): readonly string[][] =>
    [...text.matchAll(/TAPEDECK_UNABLE:.*&& '([^']*)' \|\| '([^']*)'/g)].flatMap(([, ...lists]) =>
      lists.map((list) => list.split(',')),
    )

  // What is neither there nor declared counts as failed (docs/decisions/0015-skips-fail-in-ci.md).
  it.each(['checks.yml', 'release.yml'])('%s installs what tests need, or declares that it lacks it', (file) => {
    const text = readFileSync(`${folder}${file}`, 'utf8')
    const [elsewhere = [], ubuntu = []] = declared(text)
    expect(needs.length).toBeGreaterThan(6)
    expect(needs.filter((need) => !elsewhere.includes(need))).toEqual([])
    const apt = [...text.matchAll(/apt-get install (.*)/g)].flatMap(([, list = '']) => list.split(' '))
    const pip = [...text.matchAll(/pip" install (.*)/g)].flatMap(([, list = '']) => list.split(/[ =]+/))
    const isInstalled = (need: string): boolean =>
      pip.includes(need) || (DEBIAN[need]?.split(' ').every((name) => apt.includes(name)) ?? false)
    expect(needs.filter((need) => !ubuntu.includes(need) && !isInstalled(need))).toEqual([])
  })
})
