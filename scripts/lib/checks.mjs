// The checks of the project as one table: `npm test` runs the rows of group `test`, `npm run verify` all of them.
import { join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { findElectron } from './electron.mjs'
import { root } from './ensure.mjs'

const bin = (name, ...args) => [join(root, 'node_modules', ...name.split('/')), ...args]
/** Where the checks write their reports. */
export const reports = join(root, 'reports')

const noElectron = () =>
  findElectron()
    ? undefined
    : 'no Electron binary here: "npx install-electron" fetches it, or ELECTRON_OVERRIDE_DIST_PATH names one'

const noChromium = () =>
  findChromium()
    ? undefined
    : 'no Chromium found: install it with "apt-get install chromium" or set TAPEDECK_CHROMIUM to its path'

/** Environment of a Playwright run, which writes its report into `file` of reports/. */
const storyEnv = (file) => () => ({
  PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, file),
  TAPEDECK_CHROMIUM: findChromium() ?? '',
})

const loss = (...names) => [join(root, 'tests', 'loss', 'run.ts'), ...names]

/**
 * @typedef {object} Check
 * @property {string} id
 * @property {string} title
 * @property {'test' | 'verify'} group
 * @property {string[][]} commands each run by the pinned Node, stopping at the first that fails
 * @property {string} [report] a vitest or Playwright JSON report that the command writes
 * @property {'low' | 'normal'} [background] it measures no time, reads only what nobody changes meanwhile, and writes only
 *   files of its own: it runs beside the others, with this priority. Low: it computes, and takes what they leave.
 *   Normal: it mostly waits
 * @property {true} [alone] it measures time: nothing runs beside it
 * @property {string} [after] the id of the check whose files it reads
 * @property {() => string | undefined} [skip] the reason why it cannot run here
 * @property {() => Record<string, string>} [env]
 */

/** @type {readonly Check[]} */
export const CHECKS = [
  {
    id: 'lint',
    title: 'Lint and walls',
    group: 'test',
    background: 'low',
    // The first needs types, so a change anywhere can break it; the second doesn't.
    commands: [bin('oxlint/bin/oxlint'), bin('eslint/bin/eslint.js', '.')],
  },
  {
    id: 'format',
    title: 'Format',
    group: 'test',
    background: 'low',
    commands: [bin('oxfmt/bin/oxfmt', '--check')],
  },
  { id: 'types', title: 'Types', group: 'test', background: 'low', commands: [[join(root, 'scripts', 'types.mjs')]] },
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
    env: storyEnv('e2e.json'),
    skip: noChromium,
  },
  {
    id: 'speed',
    title: 'The window under many symbols stays quick',
    group: 'test',
    alone: true,
    commands: [bin('@playwright/test/cli.js', 'test', '--project=speed', '--no-deps')],
    report: 'speed.json',
    env: storyEnv('speed.json'),
    skip: noChromium,
  },
  {
    id: 'electron',
    title: 'The Electron app',
    group: 'test',
    commands: [bin('@playwright/test/cli.js', 'test', '--project=electron')],
    report: 'electron.json',
    env: storyEnv('electron.json'),
    skip: noElectron,
  },
  {
    id: 'pack',
    title: 'The package: its files, sizes, native modules',
    group: 'verify',
    background: 'low',
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
    background: 'normal',
    commands: [[join(root, 'scripts', 'cold-debian.mjs')]],
  },
  {
    id: 'audit',
    title: 'Known faults of what is shipped',
    group: 'verify',
    background: 'low',
    commands: [[join(root, 'scripts', 'audit.mjs')]],
  },
  {
    id: 'packed',
    title: 'The packed program starts, records and ends',
    group: 'verify',
    after: 'pack',
    commands: [bin('@playwright/test/cli.js', 'test', '--project=packed')],
    report: 'packed.json',
    env: storyEnv('packed.json'),
    skip: noElectron,
  },
  { id: 'dead', title: 'Dead code', group: 'verify', background: 'low', commands: [bin('knip/bin/knip.js')] },
  {
    id: 'gaps',
    title: 'Loss: kill -9 in every phase, and each loss within a gap',
    group: 'test',
    background: 'normal',
    commands: [loss('gaps')],
  },
  {
    id: 'damage',
    title: 'Loss: damaged stores',
    group: 'verify',
    background: 'low',
    commands: [loss('damage')],
  },
  {
    id: 'loss',
    // These have to keep up with a market or a clock, so they need a core each.
    title: 'Loss: kill -9 in a burst, full disk, a million messages, hostile frames',
    group: 'verify',
    commands: [loss('crash', 'hostile', 'disk', 'million')],
  },
  {
    id: 'bench',
    title: 'Benchmarks hold their floors',
    group: 'verify',
    alone: true,
    commands: [[join(root, 'scripts', 'bench.mjs'), '--check']],
  },
]

/**
 * What `npm test` runs. `isAhead`: also the background checks of `npm run verify`, which use what stories and unit tests
 * leave of the machine.
 */
export const testChecks = (isAhead) =>
  CHECKS.filter(({ group, background }) => group === 'test' || (isAhead && background !== undefined))

/** What `npm run verify -- --rest` runs after an `npm test` that ran the checks of these ids. */
export const restChecks = (ran) => CHECKS.filter(({ id, group }) => group === 'verify' && !ran.has(id))
