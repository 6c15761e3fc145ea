/** What `npm test -- --changed` runs for a list of changed files. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { narrowChecks, planChanged } from '../../../scripts/lib/changed.mjs'
import { machineOf, outcomeOf } from '../../../scripts/lib/report.mjs'

const CHECKS = ['lint', 'format', 'types', 'unit', 'e2e', 'speed', 'electron'].map((id) => ({
  id,
  title: id,
  commands: [[`/bin/${id}`, 'run', '--reporter=json']],
}))
const plan = (...files: string[]) => planChanged(files, () => true)
const run = (...files: string[]) => narrowChecks(CHECKS, plan(...files))
const idsOf = (...files: string[]) => run(...files).map(({ id }) => id)

describe('the checks of a changed', () => {
  test.each([
    ['source', ['src/main/rpc/carrier.ts'], ['lint', 'format', 'types', 'unit']],
    ['component', ['src/renderer/App.svelte'], ['lint', 'format', 'types', 'unit']],
    ['page', ['docs/guide/start.md'], ['format', 'unit']],
    ['script', ['scripts/pack.mjs'], ['lint', 'format', 'unit']],
    ['story', ['tests/e2e/story.spec.ts'], ['lint', 'format', 'types', 'e2e']],
    ['story that is timed', ['tests/e2e/browser/speed.spec.ts'], ['lint', 'format', 'types', 'speed']],
  ])('%s', (_what, files, ids) => expect(idsOf(...files)).toEqual(ids))

  test('file that is gone: types, and the tests that read the tree, but nothing on the file itself', () => {
    const gone = planChanged(['src/main/rpc/carrier.ts'], () => false)
    expect(gone).toMatchObject({ lint: [], format: [], types: true, related: [], stories: [] })
    expect(gone.tests).toContain('tests/unit/house')
    expect(narrowChecks(CHECKS, gone).map(({ id }) => id)).toEqual(['lint', 'types', 'unit'])
  })
})

test('vitest gets the changed files, and the tests that read files by path', () => {
  const [unit] = narrowChecks(CHECKS, plan('docs/security.md', 'src/shared/base/units.ts')).filter(
    ({ id }) => id === 'unit',
  )
  expect(unit?.commands).toEqual([
    expect.arrayContaining(['related', 'docs/security.md', 'src/shared/base/units.ts', 'tests/unit/docs']),
  ])
  expect(unit?.commands[0]).not.toContain('run')
})

test('a change that no test depends on is not a failure', () => {
  const [unit] = run('.editorconfig').filter(({ id }) => id === 'unit')
  const nothing = { numTotalTests: 0, success: true, testResults: [] }
  const outcome = outcomeOf(
    { ...unit, id: 'unit', title: 'Unit', report: 'unit.json' },
    { code: 0, report: nothing },
    machineOf({}),
  )
  expect(outcome).toMatchObject({ passed: 0, failed: 0 })
})

test('the rules that need types read everything once a type can have changed', () => {
  const [lint] = run('src/shared/base/units.ts')
  expect(lint?.commands.map(([file, ...args]) => [file?.split('/').at(-1), ...args])).toEqual([
    ['oxlint'],
    ['eslint.js', '--no-warn-ignored', 'src/shared/base/units.ts'],
  ])
})

test('lint and format get only the changed files', () => {
  const [lint, format] = run('docs/security.md', 'scripts/pack.mjs')
  expect(lint?.commands[1]?.slice(1)).toEqual(['--no-warn-ignored', 'scripts/pack.mjs'])
  expect(format?.commands[0]).toEqual(expect.arrayContaining(['docs/security.md', 'scripts/pack.mjs']))
})

test('the tests that it adds exist', () => {
  const every = ['clients/python/a.py', 'docs/figures.md', 'src/renderer/a.css', 'src/main/a.ts', 'scripts/a.mjs']
  const { tests } = plan(...every)
  expect(tests.length).toBeGreaterThan(5)
  expect(tests.filter((path) => !existsSync(path))).toEqual([])
})
