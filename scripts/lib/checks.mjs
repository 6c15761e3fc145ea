// The checks of the project as one table: `npm test` runs the rows of group `test`, `npm run verify` all of them.
// Each row writes a report into reports/, and the closing count is computed from those reports alone.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { findElectron } from './electron.mjs'
import { pinnedNode, root } from './ensure.mjs'
import { counted, together, unfinishedFiles } from './report.mjs'

const bin = (name, ...args) => [join(root, 'node_modules', ...name.split('/')), ...args]
const reports = join(root, 'reports')

const noElectron = () =>
  findElectron()
    ? undefined
    : 'no Electron binary here: "npx install-electron" fetches it, or ELECTRON_OVERRIDE_DIST_PATH names one'

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {string} title
 * @property {'test' | 'verify'} group
 * @property {string[][]} commands each run by the pinned Node, stopping at the first that fails
 * @property {string} [report] a vitest or Playwright JSON report that the command writes
 * @property {(files: readonly string[]) => string[]} [again] what failed once more: the files that vitest left
 *   unfinished, or the whole of a check without a report
 * @property {true} [still] it reads only what nobody changes meanwhile, and writes only files of its own: it may run
 *   beside another such one
 * @property {() => string | undefined} [skip] the reason why it cannot run here
 * @property {string} [unable] why it could not be done, where its command ends with 77: it counts as skipped
 * @property {() => Record<string, string>} [env]
 */

/** @type {readonly Check[]} */
export const CHECKS = [
  { id: 'lint', title: 'Lint and walls', group: 'test', still: true, commands: [bin('eslint/bin/eslint.js', '.')] },
  {
    id: 'format',
    title: 'Format',
    group: 'test',
    still: true,
    commands: [bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')],
  },
  { id: 'types', title: 'Types', group: 'test', still: true, commands: [[join(root, 'scripts', 'types.mjs')]] },
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
    again: (files) =>
      bin(
        'vitest/vitest.mjs',
        'run',
        ...files,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${join(reports, 'again.json')}`,
      ),
  },
  {
    id: 'e2e',
    title: 'The browser host, in Chromium',
    group: 'test',
    commands: [bin('@playwright/test/cli.js', 'test', '--project=speed')],
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
    skip: noElectron,
  },
  {
    id: 'pack',
    title: 'The package: its files, sizes, native modules',
    group: 'verify',
    still: true,
    commands: [[join(root, 'scripts', 'pack-check.mjs')]],
    skip: () =>
      process.platform === 'linux' || findElectron({})
        ? undefined
        : 'packing needs Electron here: "npx install-electron"',
  },
  {
    id: 'audit',
    title: 'Known faults of what is shipped',
    group: 'verify',
    still: true,
    unable: 'the registry answers no audits here',
    commands: [[join(root, 'scripts', 'audit.mjs')]],
  },
  {
    id: 'packed',
    // The row above made it.
    title: 'The packed program starts, records and ends',
    group: 'verify',
    commands: [bin('@playwright/test/cli.js', 'test', '--project=packed')],
    report: 'packed.json',
    env: () => ({
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'packed.json'),
      TAPEDECK_CHROMIUM: findChromium() ?? '',
    }),
    skip: noElectron,
  },
  { id: 'dead', title: 'Dead code', group: 'verify', still: true, commands: [bin('knip/bin/knip.js')] },
  {
    id: 'loss',
    title: 'Loss: kill -9, full disk, a million messages, hostile frames',
    group: 'verify',
    still: true,
    commands: [[join(root, 'tests', 'loss', 'run.ts')]],
  },
  {
    id: 'bench',
    title: 'Benchmarks hold their floors',
    group: 'verify',
    commands: [[join(root, 'scripts', 'bench.mjs'), '--check']],
    // Figures of a machine that others use at the same time: one bad moment is no verdict.
    again: () => [join(root, 'scripts', 'bench.mjs'), '--check'],
  },
]

function spawned(check, command) {
  return new Promise((resolve) => {
    // What runs beside another says what it has to say in one piece, at its end.
    const child = spawn(pinnedNode(), command, {
      cwd: root,
      stdio: check.still ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ...check.env?.(),
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      },
    })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => said.push(part))
    child.on('error', () => resolve(1))
    child.on('close', (exit) => {
      if (said.length > 0) process.stdout.write(Buffer.concat(said))
      resolve(exit ?? 1)
    })
  })
}

async function run(check) {
  if (check.report) rmSync(join(reports, check.report), { force: true })
  for (const command of check.commands) {
    const code = await spawned(check, command)
    if (code !== 0) return code
  }
  return 0
}

/** A runner's own report; undefined when there is none or it is torn, which counts as a failure of its check. */
function read(file) {
  try {
    return JSON.parse(readFileSync(join(reports, file), 'utf8'))
  } catch {
    return undefined
  }
}

/** One run of a check, and of what it left unfinished once more: a test that passes only then is told as flaky. */
async function held(check) {
  const code = await run(check)
  if (code === 77 && check.unable !== undefined) return { passed: 0, failed: 0, skipped: 1, why: check.unable }
  if (!check.report) {
    const late = code !== 0 && check.again !== undefined && (await spawned(check, check.again([]))) === 0
    const good = code === 0 || late
    return {
      passed: good ? 1 : 0,
      failed: good ? 0 : 1,
      skipped: 0,
      flaky: late ? [check.title] : [],
      failures: good ? [] : [check.title],
    }
  }
  const report = read(check.report)
  const counts = counted(report)
  if (!counts) return { passed: 0, failed: 1, skipped: 0, flaky: [], failures: ['no report was written'] }
  if (code === 0) return counts
  const files = check.again ? unfinishedFiles(report) : []
  if (!check.again || files.length === 0 || files.length > 5) return { ...counts, failed: Math.max(counts.failed, 1) }
  console.log(`\n── ${check.title}: ${files.length} ${files.length === 1 ? 'file' : 'files'} once more, alone`)
  rmSync(join(reports, 'again.json'), { force: true })
  const failedAgain = await spawned(check, check.again(files))
  const second = read('again.json')
  if (!second) return { ...counts, failed: Math.max(counts.failed, 1) }
  const joined = together(report, second)
  return failedAgain ? { ...joined, failed: Math.max(joined.failed, 1) } : joined
}

/** Runs one check, says how it went, and answers its row of the report. */
async function rowOf(check) {
  const why = check.skip?.()
  if (why) {
    console.log(`\n── ${check.title}: skipped, ${why}`)
    return { id: check.id, passed: 0, failed: 0, skipped: 1, why }
  }
  console.log(`\n── ${check.title}`)
  const started = Date.now()
  const counts = await held(check)
  const seconds = (Date.now() - started) / 1000
  console.log(`── ${check.title}: ${counts.passed} passed, ${counts.failed} failed in ${seconds.toFixed(1)} s`)
  return { id: check.id, ...counts, seconds }
}

/**
 * Runs checks in order, the still ones first and two at a time, going on after a failure; writes
 * reports/checks-<name>.json; answers whether all held.
 */
export async function runChecks(name, checks) {
  mkdirSync(reports, { recursive: true })
  const rows = new Map()
  const still = checks.filter((check) => check.still)
  const lane = async () => {
    for (let check = still.shift(); check; check = still.shift()) rows.set(check, await rowOf(check))
  }
  await Promise.all([lane(), lane()])
  for (const check of checks) if (!check.still) rows.set(check, await rowOf(check))
  const inOrder = checks.map((check) => rows.get(check))
  writeFileSync(join(reports, `checks-${name}.json`), JSON.stringify(inOrder, null, 2))
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
      : `${row.passed} passed, ${row.failed} failed${row.skipped ? `, ${row.skipped} skipped` : ''}${row.flaky?.length ? `, ${row.flaky.length} only in a second run` : ''}  (${row.seconds?.toFixed(1)} s)`
    console.log(`  ${row.failed ? '✗' : row.why ? '–' : '✓'} ${row.id.padEnd(10)} ${note}`)
  }
  for (const row of rows) {
    for (const text of row.flaky ?? []) console.log(`\n  ! ${row.id}, passed only in a second run: ${text}`)
    for (const text of row.failures ?? []) console.log(`\n  ✗ ${row.id}: ${text}`)
  }
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
  return sum('failed') === 0 && sum('passed') > 0
}
