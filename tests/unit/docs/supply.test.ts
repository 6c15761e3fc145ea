/** Dependencies are pinned: packages by digest, actions by commit. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

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
})
