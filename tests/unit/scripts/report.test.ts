import { describe, expect, test } from 'vitest'
// Scripts, not part of the program's types.
import {
  counted,
  lackingLines,
  machineOf,
  notRun,
  outcomeOf,
  sumOf,
  UNABLE,
  type Machine,
} from '../../../scripts/lib/report.mjs'

const DESK = machineOf({}, 'linux')
const CI = machineOf({ CI: 'true' }, 'linux')

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
const vitest = (success: boolean, ...testResults: ReturnType<typeof file>[]) => ({
  numTotalTests: testResults.flatMap((each) => each.assertionResults).length,
  success,
  testResults,
})
const spec = (title: string, status: string) => ({
  title,
  tests: [{ status, results: [{ error: { message: 'late' } }] }],
})
const playwright = (...specs: ReturnType<typeof spec>[]) => ({
  stats: {},
  suites: [{ file: 'story.spec.ts', specs: [], suites: [{ file: 'story.spec.ts', specs }] }],
})

describe('a vitest report', () => {
  test('passes by its passed tests', () => {
    const report = vitest(true, file('a', one('x', 'passed')), file('b', one('y', 'passed')))
    expect(counted(report, CI)).toEqual({
      passed: 2,
      failed: 0,
      skipped: 0,
      lacking: [],
      unable: [],
      flaky: [],
      failures: [],
    })
  })

  test('names a failure with its first words, without colors', () => {
    const report = vitest(false, file('a', one('x', 'failed'), one('z', 'passed')))
    expect(counted(report, CI)).toMatchObject({
      passed: 1,
      failed: 1,
      failures: ['a › x\n      AssertionError: x\n          at x'],
    })
  })

  test('counts a file that could not be read, and a process that died', () => {
    const unread = { ...file('a'), status: 'failed', message: 'SyntaxError' }
    expect(counted(vitest(false, unread), CI)).toMatchObject({ failed: 1, failures: ['a\n      SyntaxError'] })
    const died = vitest(false, file('a', one('x', 'passed')))
    expect(counted(died, CI)).toMatchObject({ passed: 1, failed: 1 })
  })
})

test('a Playwright test that passes only in its second run is neither passed nor failed, and is named', () => {
  const counts = counted(playwright(spec('good', 'expected'), spec('slow', 'flaky'), spec('bad', 'unexpected')), DESK)
  expect(counts).toMatchObject({ passed: 1, failed: 1, skipped: 0 })
  expect(counts?.flaky).toEqual(['story.spec.ts › slow\n      late'])
  expect(counts?.failures).toEqual(['story.spec.ts › bad\n      late'])
})

test('a Playwright error outside any test is a failure', () => {
  expect(counted({ stats: {}, suites: [], errors: [{ message: 'no such project' }] }, DESK)).toMatchObject({
    failed: 1,
    failures: ['no such project'],
  })
})

describe('what did not run', () => {
  const skips: readonly (readonly [string, unknown])[] = [
    ['a skipped test', vitest(true, file('a', one('x', 'skipped'), one('y', 'passed')))],
    ['a test left for later', vitest(true, file('a', one('x', 'todo'), one('y', 'passed')))],
    ['a test that was begun and not ended', vitest(true, file('a', one('x', 'pending'), one('y', 'passed')))],
    ['a skipped spec', playwright(spec('x', 'skipped'), spec('y', 'expected'))],
  ]
  test.each(skips)('%s is a failure in continuous integration, and skipped elsewhere', (_, report) => {
    expect(counted(report, DESK)).toMatchObject({ passed: 1, failed: 0, skipped: 1, failures: [] })
    const counts = counted(report, CI)
    expect(counts).toMatchObject({ passed: 1, failed: 1, skipped: 0 })
    expect(counts?.failures[0]).toMatch(/› x\n +skipped: /)
  })

  const needs = (what: string) => vitest(true, file('a', one(`opens [needs ${what}]`, 'skipped')))
  const excuses: readonly (readonly [string, Machine, string, boolean])[] = [
    ['declared', machineOf({ CI: '1', TAPEDECK_UNABLE: 'audit, soffice' }, 'linux'), 'soffice', true],
    ['not declared', machineOf({ CI: '1', TAPEDECK_UNABLE: 'audit' }, 'linux'), 'soffice', false],
    ['of another platform', machineOf({ CI: '1' }, 'darwin'), 'linux', true],
    ['of this platform', machineOf({ CI: '1' }, 'linux'), 'linux', false],
  ]
  test.each(excuses)('a need that is %s excuses accordingly', (_, machine, what, excused) => {
    const counts = counted(needs(what), machine)
    expect(counts).toMatchObject({ passed: 0, failed: excused ? 0 : 1, skipped: 0 })
    expect(counts?.unable).toHaveLength(excused ? 1 : 0)
  })

  test('skipped tests say what they need, outside of continuous integration', () => {
    const title = (needs: string, n: number) => one(`test ${n} ${needs}`, 'skipped')
    const [nats, both] = ['[needs nats-server]', '[needs nats-server] [needs postgresql]']
    const report = vitest(true, file('a', title(nats, 1), title(both, 2), title(nats, 3), title('', 4)))
    expect(lackingLines(counted(report, DESK)?.lacking ?? [])).toEqual([
      '2 tests skipped, not found: nats-server. On Debian: apt-get install nats-server',
      '1 test skipped, not found: nats-server, postgresql. On Debian: apt-get install nats-server postgresql',
    ])
    expect(counted(report, CI)).toMatchObject({ failed: 4, lacking: [] })
  })

  test('a whole check is excused by its id alone', () => {
    const machine = machineOf({ CI: 'true', TAPEDECK_UNABLE: 'audit' }, 'linux')
    expect(notRun('Audit', ['audit'], 'no answer', machine)).toMatchObject({ failed: 0, unable: ['Audit: no answer'] })
    expect(notRun('Electron', ['electron'], 'no binary', machine)).toMatchObject({ failed: 1, unable: [] })
  })
})

describe('the outcome of a check', () => {
  const plain = { id: 'lint', title: 'Lint' }
  const reported = { id: 'unit', title: 'Unit', report: 'unit.json' }
  const good = vitest(true, file('a', one('x', 'passed')))
  test.each([
    ['a command that ends with 0', plain, { code: 0 }, { passed: 1, failed: 0 }],
    ['a command that ends otherwise', plain, { code: 3 }, { passed: 0, failed: 1 }],
    ['a report whose tests passed', reported, { code: 0, report: good }, { passed: 1, failed: 0 }],
    ['the same from a runner that failed', reported, { code: 1, report: good }, { passed: 1, failed: 1 }],
    ['no report', reported, { code: 0 }, { passed: 0, failed: 1 }],
    ['a report without tests', reported, { code: 0, report: vitest(true) }, { passed: 0, failed: 1 }],
    ['a report of another kind', reported, { code: 0, report: {} }, { passed: 0, failed: 1 }],
    ['what could not be done, undeclared', plain, { code: UNABLE }, { passed: 0, failed: 1 }],
  ])('%s', (_, check, run, counts) => {
    expect(outcomeOf(check, run, CI)).toMatchObject(counts)
  })

  test('a command that fails without a report is told by its last lines', () => {
    const tail = 'it began\n\n\u001b[31mdisk: FAILED: nothing was stored\u001b[0m\n1 failed\n'
    expect(outcomeOf(plain, { code: 1, tail }, CI).failures).toEqual([
      'Lint\n      it began\n      disk: FAILED: nothing was stored\n      1 failed',
    ])
    const long = Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n')
    expect(outcomeOf(plain, { code: 1, tail: long }, CI).failures[0].split('\n')).toHaveLength(9)
  })

  test('what could not be done, and is declared so, neither passed nor failed', () => {
    const machine = machineOf({ CI: 'true', TAPEDECK_UNABLE: 'lint' }, 'linux')
    expect(outcomeOf(plain, { code: UNABLE }, machine)).toMatchObject({ passed: 0, failed: 0 })
    expect(outcomeOf(plain, { code: 1 }, machine)).toMatchObject({ passed: 0, failed: 1 })
  })
})

test('sums add up', () => {
  const all = [
    { passed: 2, failed: 1, skipped: 0, lacking: ['d'], unable: ['a'], flaky: [], failures: ['b'] },
    { passed: 1, failed: 0, skipped: 3, lacking: ['d', 'e'], unable: [], flaky: [], failures: ['c'] },
  ]
  expect(sumOf(all)).toEqual({
    passed: 3,
    failed: 1,
    skipped: 3,
    lacking: ['d', 'd', 'e'],
    unable: ['a'],
    flaky: [],
    failures: ['b', 'c'],
  })
})
