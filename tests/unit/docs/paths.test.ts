/** The files, names and tests that the documents cite exist. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOTS = ['src', 'tests', 'scripts', 'benchmarks', 'packaging', 'resources', 'docs', '.github']
const all = [
  ...readdirSync('.'),
  ...ROOTS.flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)),
  ),
].map((file) => file.replaceAll('\\', '/'))
/** Every file or folder whose path ends with `path`. */
const found = (path: string): readonly string[] => all.filter((file) => `/${file}`.endsWith(`/${path}`))

const FILE = /^[^\s…]*[\w-]\.(?:ts|mjs|svelte|yml|css|nsh|sh|html|svg)$/
const FOLDER = /^(?:src|tests|scripts|packaging|resources|docs)\/[\w/.-]+$/
const jobs = (file: string): string => readFileSync(`.github/workflows/${file}.yml`, 'utf8')

interface Problem {
  readonly line: number
  readonly text: string
}

/** Citations in a document that lead nowhere. */
function brokenCitations(document: string): readonly Problem[] {
  return readFileSync(document, 'utf8')
    .split('\n')
    .flatMap((text, i) => {
      const problems: string[] = []
      for (const cell of text.split(/(?<!\\)\|/)) {
        let files: readonly string[] = []
        for (const [, code, quoted] of cell.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
          const contents = () => files.map((file) => readFileSync(file, 'utf8'))
          if (code !== undefined && (FILE.test(code) || FOLDER.test(code))) {
            files = found(code)
            if (files.length === 0) problems.push(`there is no ${code}`)
            files = files.filter((file) => FILE.test(file))
          } else if (quoted !== undefined && files.length > 0 && !contents().some((one) => one.includes(quoted))) {
            problems.push(`no "${quoted}" in ${files.join(', ')}`)
          } else if (code !== undefined && /^[a-z]+[A-Z]\w+$/.test(code) && files.length > 0) {
            if (!contents().some((one) => one.includes(code))) problems.push(`no ${code} in ${files.join(', ')}`)
          }
        }
      }
      return problems.map((problem) => ({ line: i + 1, text: problem }))
    })
}

describe.each(['docs/architecture.md', 'docs/security.md', 'docs/release.md'])('%s', (document) => {
  it('cites files', () => {
    expect(readFileSync(document, 'utf8').match(/`[\w/.-]+\.(?:ts|mjs|yml)`/g)?.length ?? 0).toBeGreaterThan(3)
  })
})

const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((page) => page.endsWith('.md'))

describe.each(['README.md', 'CONTRIBUTING.md', ...pages.map((page) => join('docs', page))])('%s', (document) => {
  it('cites only files, names and tests that exist', () => expect(brokenCitations(document)).toEqual([]))
})

describe('docs/release.md', () => {
  it('cites only workflow steps that exist', () => {
    const text = readFileSync('docs/release.md', 'utf8')
    const named = [...text.matchAll(/`(release|checks)`, "([^"]+)"/g)]
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter(([, file = '', step = '']) => !jobs(file).includes(step)).map(([all]) => all)).toEqual([])
  })
})
