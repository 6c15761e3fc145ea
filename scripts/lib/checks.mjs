// The checks of the project as one table: `npm test` runs the rows of group `test`, `npm run verify` all of them.
// Each row writes a report into reports/, and the closing count is computed from those reports alone. Nothing is run
// twice: a test that fails has failed. What counts when something cannot run is in report.mjs.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createBeat } from './beat.mjs'
import { findChromium } from './chromium.mjs'
import { findElectron } from './electron.mjs'
import { pinnedNode, root } from './ensure.mjs'
import { lackingLines, machineOf, notRun, outcomeOf, sumOf } from './report.mjs'

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
 * @property {true} [still] it reads only what nobody changes meanwhile, and writes only files of its own: it may run
 *   beside another such one
 * @property {() => string | undefined} [skip] the reason why it cannot run here
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
    id: 'cold',
    title: 'A new Debian records without a display, is killed, scraped and verified',
    group: 'verify',
    still: true,
    commands: [[join(root, 'scripts', 'cold-debian.mjs')]],
  },
  {
    id: 'audit',
    title: 'Known faults of what is shipped',
    group: 'verify',
    still: true,
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
  },
]

/** What runs beside another says what it has to say in one piece, at its end. On a terminal, the others draw there. */
const isDrawing = (check) => !check.still && process.stdout.isTTY === true

function spawned(check, command, beat) {
  return new Promise((resolve) => {
    const child = spawn(pinnedNode(), command, {
      cwd: root,
      stdio: isDrawing(check) ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...check.env?.(),
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      },
    })
    const said = []
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part) => {
        if (check.still) return said.push(part)
        beat.heard()
        process.stdout.write(part)
      })
    child.on('error', () => resolve(1))
    child.on('close', (exit) => {
      if (said.length > 0) process.stdout.write(Buffer.concat(said))
      resolve(exit ?? 1)
    })
  })
}

async function run(check, beat) {
  if (check.report) rmSync(join(reports, check.report), { force: true })
  for (const command of check.commands) {
    const code = await spawned(check, command, beat)
    if (code !== 0) return code
  }
  return 0
}

/** A report in reports/; undefined when there is none or it is cut off, which counts as a failure. */
function read(file) {
  try {
    return JSON.parse(readFileSync(join(reports, file), 'utf8'))
  } catch {
    return undefined
  }
}

/** Runs one check, prints how it went, and returns its row of the report. */
async function rowOf(check, machine, beat) {
  const why = check.skip?.()
  if (why) {
    console.log(`\n── ${check.title}: not run, ${why}`)
    return { id: check.id, why, ...notRun(check.title, [check.id], why, machine) }
  }
  console.log(`\n── ${check.title}`)
  const started = Date.now()
  beat.begin(check.title, isDrawing(check))
  const code = await run(check, beat)
  beat.end(check.title)
  const counts = outcomeOf(check, { code, report: check.report && read(check.report) }, machine)
  const seconds = (Date.now() - started) / 1000
  console.log(`── ${check.title}: ${counts.passed} passed, ${counts.failed} failed in ${seconds.toFixed(1)} s`)
  return { id: check.id, ...counts, seconds }
}

const rowsFile = (name) => `checks-${name}.json`

/**
 * Runs checks in order, the still ones first and two at a time, continuing after a failure; writes
 * reports/checks-<name>.json; returns whether all passed.
 */
export async function runChecks(name, checks) {
  mkdirSync(reports, { recursive: true })
  // Counts of an earlier run must not stand in for a run that does not come to its end.
  rmSync(join(reports, rowsFile(name)), { force: true })
  const machine = machineOf()
  const rows = new Map()
  const still = checks.filter((check) => check.still)
  const beat = createBeat({ all: checks.length, now: () => performance.now(), print: (line) => console.log(line) })
  const ticking = setInterval(() => beat.tick(), 1_000)
  const lane = async () => {
    for (let check = still.shift(); check; check = still.shift()) rows.set(check, await rowOf(check, machine, beat))
  }
  await Promise.all([lane(), lane()])
  for (const check of checks) if (!check.still) rows.set(check, await rowOf(check, machine, beat))
  clearInterval(ticking)
  const inOrder = checks.map((check) => rows.get(check))
  writeFileSync(join(reports, rowsFile(name)), JSON.stringify(inOrder, null, 2))
  return summarise([name], checks)
}

/**
 * Prints the closing line from the reports of earlier runs (`names`), in which each of `checks` must have a row; returns
 * whether nothing failed and something passed.
 */
export function summarise(names, checks) {
  const found = new Map(names.flatMap((name) => read(rowsFile(name)) ?? []).map((row) => [row.id, row]))
  const rows = checks.map(
    ({ id, title }) =>
      found.get(id) ?? {
        id,
        passed: 0,
        failed: 1,
        skipped: 0,
        lacking: [],
        unable: [],
        flaky: [],
        failures: [`${title}\n      did not run`],
      },
  )
  const total = sumOf(rows)
  console.log('')
  for (const { id, why, seconds, passed, failed, skipped, unable, flaky } of rows) {
    const also = `${skipped ? `, ${skipped} skipped` : ''}${unable.length ? `, ${unable.length} not possible here` : ''}${flaky.length ? `, ${flaky.length} ONLY IN A SECOND RUN` : ''}`
    const note = why ? `not run: ${why}` : `${passed} passed, ${failed} failed${also}  (${seconds?.toFixed(1)} s)`
    console.log(`  ${failed ? '✗' : passed === 0 ? '–' : '✓'} ${id.padEnd(10)} ${note}`)
  }
  for (const line of lackingLines(total.lacking)) console.log(`\n  – ${line}`)
  for (const { id, unable } of rows) for (const text of unable) console.log(`\n  – ${id}, not possible here: ${text}`)
  for (const { id, flaky } of rows)
    for (const text of flaky) console.log(`\n  ! ${id}, passed only in a second run: ${text}`)
  for (const { id, failures } of rows) for (const text of failures) console.log(`\n  ✗ ${id}: ${text}`)
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  return total.failed === 0 && total.passed > 0
}
