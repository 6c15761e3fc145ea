/** Every fenced block of every document is run by a test, is compared with what it describes, or says why neither. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compileFormula } from '../../../src/shared/core/market/formula/compile.ts'
import { blocksIn, blocksOf, commandsOf, DOCUMENTS, NOT_RUN } from './blocks.ts'

/** The tests that run the blocks of a page, by language. Text after a block that prints it is checked with that block. */
const RUN_BY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { sh: 'readme' },
  'CONTRIBUTING.md': { sh: 'blocks', '': 'blocks' },
  'clients/python/README.md': { python: 'api' },
  'clients/typescript/README.md': { ts: 'api' },
  'docs/format.md': { sh: 'format', text: 'format' },
  'docs/guide/alerts.md': { sh: 'examples' },
  'docs/guide/api.md': { sh: 'api', python: 'api', ts: 'api', json: 'api' },
  'docs/guide/backup.md': { sh: 'examples' },
  'docs/guide/command-line.md': { sh: 'examples' },
  'docs/guide/data.md': { sh: 'data', sql: 'data', python: 'data', r: 'data', text: 'data' },
  'docs/guide/files.md': { python: 'data' },
  'docs/guide/formulas.md': { '': 'blocks' },
  'docs/guide/servers.md': { sh: 'examples', json: 'servers' },
  'docs/guide/start.md': { sh: 'blocks' },
  'docs/guide/team.md': { sh: 'team', '': 'team' },
}
/** Blocks that aren't commands, programs, or what those print. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'docs/decisions/0059-signed-heads.md': 'the shape of what is signed',
}

it('finds blocks whatever their fences and info strings are', () => {
  const text = ['```c++', 'a', '```', '```sh title="x"', 'b', '```', '~~~sh', '```', '~~~', '````shell-session', 'd']
  const found = blocksIn([...text, '````', '', '  ```', '  e', '  ```', ''].join('\n'))
  expect(found.map(({ language, code }) => [language, code])).toEqual([
    ['c++', 'a\n'],
    ['sh', 'b\n'],
    ['sh', '```\n'],
    ['shell-session', 'd\n'],
    ['', 'e\n'],
  ])
})

it.each(DOCUMENTS)('misses no block of %s', (page) => {
  const fences = [...readFileSync(page, 'utf8').matchAll(/^[\s>]*(?:`{3}|~{3})/gm)]
  expect(fences).toHaveLength(2 * blocksOf(page).length)
})

it('has a test for each language of each page, and no other', () => {
  const found = DOCUMENTS.flatMap((page) => blocksOf(page).map(({ language }) => `${page} ${language}`))
  const known = [
    ...Object.entries(RUN_BY).flatMap(([page, by]) => Object.keys(by).map((language) => `${page} ${language}`)),
    ...Object.keys(DESCRIPTIONS).map((page) => `${page} `),
  ]
  expect([...new Set(found)].toSorted()).toEqual(known.toSorted())
})

it('is found by each of these tests with the pages that it runs', () => {
  for (const [page, by] of Object.entries(RUN_BY))
    for (const name of Object.values(by)) {
      const test = `tests/unit/docs/${name}.test.ts`
      const text = readFileSync(test, 'utf8')
      // `examples` takes the commands of every page that no other test runs as a whole.
      const takes = name === 'examples' || name === 'blocks' ? text.includes('DOCUMENTS') : text.includes(page)
      expect([page, test, takes]).toEqual([page, test, true])
    }
})

it('runs every command but these', () => {
  const all = new Set(DOCUMENTS.flatMap(commandsOf))
  expect(all.size).toBeGreaterThan(100)
  expect(Object.keys(NOT_RUN).filter((command) => !all.has(command))).toEqual([])
  for (const page of ['CONTRIBUTING.md', 'docs/guide/start.md'])
    expect(commandsOf(page).filter((command) => !(command in NOT_RUN))).toEqual([])
})

it('compiles the formula that the guide shows', () => {
  const [formula] = blocksOf('docs/guide/formulas.md')
  expect(compileFormula(formula?.code ?? '')).toMatchObject({ ok: true })
})

it('shows folders that exist in the tree of CONTRIBUTING.md', () => {
  const tree = blocksOf('CONTRIBUTING.md').find(({ language }) => language === '')?.code ?? ''
  const folders = [...tree.matchAll(/^(\S+?)\/?(?=\s)/gm)].map(([, folder = '']) => folder)
  expect(folders.length).toBeGreaterThan(8)
  expect(folders.filter((folder) => !existsSync(folder))).toEqual([])
})
