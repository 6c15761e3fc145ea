/** The bill of materials and the notes of a release. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sectionOf } from '../../../scripts/lib/changelog.mjs'
import { cycloneDx, type Shipped } from '../../../scripts/lib/sbom.mjs'

const about = { name: 'tapedeck', version: '1.2.3', description: 'x', license: 'MIT' }
const packages: readonly Shipped[] = [
  { name: '@nats-io/kv', version: '3.4.0', licence: 'Apache-2.0', integrity: `sha512-${btoa('\u0001\u00ff')}` },
  { name: 'undici', version: '8.12.4', licence: '(MIT OR CC0-1.0)' },
  { name: 'odd', version: '1.0.0', licence: '' },
]
const node = { name: 'node', version: '24.21.0', licence: 'MIT', purl: 'pkg:generic/node@24.21.0' }

describe('the bill of materials', () => {
  const bom = cycloneDx(about, packages, [node], '2026-01-05T00:00:00.000Z')

  it('names every package that ships and what runs it, with addresses, licences and digests', () => {
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
    expect(bom.components.map(({ type, purl }) => [type, purl])).toEqual([
      ['platform', 'pkg:generic/node@24.21.0'],
      ['library', 'pkg:npm/%40nats-io/kv@3.4.0'],
      ['library', 'pkg:npm/undici@8.12.4'],
      ['library', 'pkg:npm/odd@1.0.0'],
    ])
    expect(bom.components[1]).toMatchObject({
      group: '@nats-io',
      name: 'kv',
      hashes: [{ alg: 'SHA-512', content: '01ff' }],
      licenses: [{ license: { id: 'Apache-2.0' } }],
    })
    expect(bom.components.slice(2).map(({ licenses }) => licenses)).toEqual([[{ expression: 'MIT OR CC0-1.0' }], []])
    expect(bom.dependencies).toEqual([{ ref: 'tapedeck@1.2.3', dependsOn: bom.components.map(({ purl }) => purl) }])
  })

  it('has the same number for the same content, and another for other content', () => {
    expect(bom.serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
    expect(cycloneDx(about, packages, [node], 'later').serialNumber).toBe(bom.serialNumber)
    expect(cycloneDx(about, packages.slice(1), [node], 'later').serialNumber).not.toBe(bom.serialNumber)
  })
})

describe('the notes of a release', () => {
  it('are the section of its version', () => {
    const text = '# Changelog\n\n## Unreleased\n\n- c\n\n## 1.1.0 (2026-01-05)\n\n### A\n\n- b\n\n## 1.0.0\n\n- a\n'
    expect(sectionOf(text, '1.1.0')).toBe('### A\n\n- b')
    expect(sectionOf(text, '1.0.0')).toBe('- a')
    expect(sectionOf(text, 'Unreleased')).toBe('- c')
    expect(sectionOf(text, '1.1')).toBeUndefined()
    expect(sectionOf('## 2.0.0\n\n## 1.0.0\n', '2.0.0')).toBeUndefined()
  })

  it('exist for what this checkout would release', () => {
    const text = readFileSync('CHANGELOG.md', 'utf8')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    expect(sectionOf(text, version) ?? sectionOf(text, 'Unreleased')).toMatch(/^- /m)
  })
})
