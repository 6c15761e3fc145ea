import { expect, test } from 'vitest'
// A script, not part of the program's types.
import { counted, together, unfinishedFiles } from '../../../scripts/lib/report.mjs'

const one = (title: string, status: string) => ({
  fullName: title,
  status,
  failureMessages: status === 'failed' ? [`\u001b[31mAssertionError: ${title}\u001b[39m\n    at x`] : [],
})
const file = (name: string, ...tests: ReturnType<typeof one>[]) => ({
  name,
  status: tests.some((each) => each.status === 'failed') ? 'failed' : 'passed',
  message: '',
  assertionResults: tests,
})
function vitest(success: boolean, ...testResults: ReturnType<typeof file>[]) {
  const all = testResults.flatMap((each) => each.assertionResults)
  const of = (status: string) => all.filter((each) => each.status === status).length
  return {
    numTotalTests: all.length,
    numPassedTests: of('passed'),
    numFailedTests: of('failed'),
    numPendingTests: of('pending') + of('skipped'),
    numTodoTests: 0,
    success,
    testResults,
  }
}

test('a clean run has nothing to run again', () => {
  const report = vitest(true, file('a', one('x', 'passed')), file('b', one('y', 'skipped')))
  expect(counted(report)).toEqual({ passed: 1, failed: 0, skipped: 1, flaky: [], failures: [] })
  expect(unfinishedFiles(report)).toEqual([])
})

test('a failure is named with its first words, without colours', () => {
  const report = vitest(false, file('a', one('x', 'failed'), one('z', 'passed')))
  expect(counted(report)?.failures).toEqual(['a › x\n      AssertionError: x\n          at x'])
})

test('what failed first and passed alone is told as flaky', () => {
  const first = vitest(false, file('a', one('x', 'failed'), one('z', 'passed')), file('b', one('y', 'passed')))
  expect(unfinishedFiles(first)).toEqual(['a'])
  const both = together(first, vitest(true, file('a', one('x', 'passed'), one('z', 'passed'))))
  expect(both).toMatchObject({ passed: 3, failed: 0, failures: [] })
  expect(both.flaky).toHaveLength(1)
  expect(both.flaky[0]).toMatch(/^a › x/)
})

test('what fails twice has failed', () => {
  const first = vitest(false, file('a', one('x', 'failed')), file('b', one('y', 'passed')))
  const both = together(first, vitest(false, file('a', one('x', 'failed'))))
  expect(both).toMatchObject({ passed: 1, failed: 1, flaky: [] })
})

test('a process that died leaves tests begun: its file is run again, and told', () => {
  const first = vitest(false, file('a', one('x', 'pending')), file('b', one('y', 'passed')))
  expect(counted(first)?.failed).toBe(1)
  expect(unfinishedFiles(first)).toEqual(['a'])
  const both = together(first, vitest(true, file('a', one('x', 'passed'))))
  expect(both).toMatchObject({ passed: 2, failed: 0 })
  expect(both.flaky).toEqual(['a\n      its process died in the first run'])
})

test('Playwright tells flaky tests itself', () => {
  const spec = (title: string, status: string) => ({
    title,
    tests: [{ status, results: [{ error: { message: 'late' } }] }],
  })
  const report = {
    stats: { expected: 1, flaky: 1, unexpected: 1, skipped: 0 },
    suites: [
      {
        file: 'story.spec.ts',
        specs: [spec('good', 'expected')],
        suites: [{ file: 'story.spec.ts', specs: [spec('slow', 'flaky'), spec('bad', 'unexpected')] }],
      },
    ],
  }
  expect(counted(report)).toEqual({
    passed: 2,
    failed: 1,
    skipped: 0,
    flaky: ['story.spec.ts › slow\n      late'],
    failures: ['story.spec.ts › bad\n      late'],
  })
})

test('a torn report is none', () => {
  expect(counted({})).toBeUndefined()
  expect(counted(undefined)).toBeUndefined()
})
