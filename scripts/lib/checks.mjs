// The checks of the project as one table: `npm test` runs the rows of group `test`, `npm run verify` all of them.
// Each row writes a report into reports/, and the closing count is computed from those reports alone.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { pinnedNode, root } from './ensure.mjs'

const bin = (name, ...args) => [join(root, 'node_modules', ...name.split('/')), ...args]
const reports = join(root, 'reports')

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {string} title
 * @property {'test' | 'verify'} group
 * @property {string[][]} commands each run by the pinned Node, stopping at the first that fails
 * @property {string} [report] a vitest or Playwright JSON report that the command writes
 * @property {() => string | undefined} [skip] the reason why it cannot run here
 * @property {() => Record<string, string>} [env]
 */

/** @type {readonly Check[]} */
export const CHECKS = [
  {
    id: 'format',
    title: 'Format',
    group: 'test',
    commands: [bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')],
  },
  { id: 'lint', title: 'Lint and walls', group: 'test', commands: [bin('eslint/bin/eslint.js', '.')] },
  { id: 'types', title: 'Types', group: 'test', commands: [[join(root, 'scripts', 'types.mjs')]] },
  {
    id: 'unit',
    title: 'Unit and contract',
    group: 'test',
    commands: [
      bin(
        'vitest/vitest.mjs',
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${join(reports, 'unit.json')}`,
      ),
    ],
    report: 'unit.json',
  },
  {
    id: 'e2e',
    title: 'The browser host, in Chromium',
    group: 'test',
    commands: [bin('@playwright/test/cli.js', 'test', '--project=browser')],
    report: 'e2e.json',
    env: () => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'e2e.json'), TAPEDECK_CHROMIUM: findChromium() ?? '' }),
    skip: () =>
      findChromium()
        ? undefined
        : 'no Chromium found: install it with "apt-get install chromium" or set TAPEDECK_CHROMIUM to its path',
  },
  {
    id: 'electron',
    title: 'The Electron app',
    group: 'test',
    commands: [bin('@playwright/test/cli.js', 'test', '--project=electron')],
    report: 'electron.json',
    env: () => ({
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'electron.json'),
      TAPEDECK_CHROMIUM: findChromium() ?? '',
    }),
    skip: () =>
      process.env.ELECTRON_OVERRIDE_DIST_PATH || existsSync(join(root, 'node_modules', 'electron', 'path.txt'))
        ? undefined
        : 'no Electron binary here: "npx install-electron" fetches it, or ELECTRON_OVERRIDE_DIST_PATH names one',
  },
  { id: 'dead', title: 'Dead code', group: 'verify', commands: [bin('knip/bin/knip.js')] },
  {
    id: 'loss',
    title: 'Loss: kill -9, full disk, a million messages, hostile frames',
    group: 'verify',
    commands: [[join(root, 'tests', 'loss', 'run.ts')]],
  },
  {
    id: 'bench',
    title: 'Benchmarks hold their floors',
    group: 'verify',
    commands: [[join(root, 'scripts', 'bench.mjs'), '--check']],
  },
]

function run(check) {
  const report = check.report ? join(reports, check.report) : undefined
  if (report) rmSync(report, { force: true })
  return check.commands.reduce(
    (before, command) =>
      before.then(
        (code) =>
          code ||
          new Promise((resolve) => {
            const child = spawn(pinnedNode(), command, {
              cwd: root,
              stdio: ['ignore', 'inherit', 'inherit'],
              env: {
                ...process.env,
                ...check.env?.(),
                PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
              },
            })
            child.on('error', () => resolve(1))
            child.on('exit', (exit) => resolve(exit ?? 1))
          }),
      ),
    Promise.resolve(0),
  )
}

/** Counts of a runner's own JSON report; undefined when there is none or it is torn. */
function counted(file) {
  if (!existsSync(file)) return undefined
  try {
    const json = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof json.numTotalTests === 'number')
      return {
        passed: json.numPassedTests,
        failed: json.numFailedTests + (json.success || json.numFailedTests ? 0 : 1),
        skipped: json.numPendingTests + json.numTodoTests,
      }
    if (json.stats)
      return {
        passed: json.stats.expected + json.stats.flaky,
        failed: json.stats.unexpected,
        skipped: json.stats.skipped,
      }
  } catch {
    return undefined // a torn report counts as a failure of its check
  }
  return undefined
}

/** Runs checks in order, going on after a failure; writes reports/checks-<name>.json; answers whether all held. */
export async function runChecks(name, checks) {
  mkdirSync(reports, { recursive: true })
  const rows = []
  for (const check of checks) {
    const why = check.skip?.()
    if (why) {
      console.log(`\n── ${check.title}: skipped, ${why}`)
      rows.push({ id: check.id, passed: 0, failed: 0, skipped: 1, why })
      continue
    }
    console.log(`\n── ${check.title}`)
    const started = Date.now()
    const code = await run(check)
    const fromReport = check.report
      ? counted(join(reports, check.report))
      : { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
    const counts = fromReport ?? { passed: 0, failed: 1, skipped: 0 }
    if (code !== 0 && counts.failed === 0) counts.failed = 1
    rows.push({ id: check.id, ...counts, seconds: (Date.now() - started) / 1000 })
    console.log(
      `── ${check.title}: ${counts.passed} passed, ${counts.failed} failed in ${((Date.now() - started) / 1000).toFixed(1)} s`,
    )
  }
  writeFileSync(join(reports, `checks-${name}.json`), JSON.stringify(rows, null, 2))
  return summarise([name])
}

/** Prints the closing line from the reports of earlier runs; true when nothing failed and something passed. */
export function summarise(names) {
  const rows = names.flatMap((name) => {
    const file = join(reports, `checks-${name}.json`)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [{ id: name, passed: 0, failed: 1, skipped: 0 }]
  })
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0)
  console.log('')
  for (const row of rows) {
    const note = row.why
      ? `skipped: ${row.why}`
      : `${row.passed} passed, ${row.failed} failed${row.skipped ? `, ${row.skipped} skipped` : ''}  (${row.seconds?.toFixed(1)} s)`
    console.log(`  ${row.failed ? '✗' : row.why ? '–' : '✓'} ${row.id.padEnd(10)} ${note}`)
  }
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
  return sum('failed') === 0 && sum('passed') > 0
}
