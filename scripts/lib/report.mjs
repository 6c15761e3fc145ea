// Turns what a check did into counts. On a machine of continuous integration (`ci`) whatever did not run counts as
// failed: a skip that nobody reads hides a fault as well as a failure that nobody reads.
//
// The one way out is to be declared unable. The machine lists in TAPEDECK_UNABLE what it cannot do (`audit,soffice`);
// a check is named there by its id, a test by a `[needs soffice]` in its title. `[needs linux]`, `[needs macos]` and
// `[needs windows]` are answered by the platform itself. What is excused so is counted apart and printed.

/**
 * @typedef {object} Machine
 * @property {boolean} ci skips count as failures
 * @property {ReadonlySet<string>} unable what it has declared that it cannot do
 *
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped did not run, and nobody minds: never on a machine of continuous integration
 * @property {readonly string[]} lacking of each skipped test that says so, what it needs, such as `nats-server postgresql`
 * @property {readonly string[]} unable what did not run because the machine declared so
 * @property {readonly string[]} flaky what passed only in a second run: neither passed nor failed, and always printed
 * @property {readonly string[]} failures one text per failure: its name and the first lines of why
 */

const PLATFORMS = { linux: 'linux', darwin: 'macos', win32: 'windows' }

/** Debian's packages of what tests need beyond Node and the packages of the project. */
export const DEBIAN = {
  python: 'python3-numpy python3-zstandard',
  wheel: 'python3-pip python3-setuptools python3-venv python3-wheel',
  pandas: 'python3-pandas',
  r: 'r-base-core',
  jq: 'jq curl',
  soffice: 'libreoffice-calc',
  'nats-server': 'nats-server',
  postgresql: 'postgresql',
}

/**
 * What a machine is, out of its environment.
 * @returns {Machine}
 */
export function machineOf(env = process.env, platform = process.platform) {
  const declared = (env.TAPEDECK_UNABLE ?? '').split(',').map((name) => name.trim())
  const others = Object.values(PLATFORMS).filter((name) => name !== PLATFORMS[platform])
  return {
    ci: env.CI !== undefined && env.CI !== '' && env.CI !== 'false',
    unable: new Set([...declared, ...others].filter((name) => name !== '')),
  }
}

const firstLines = (text, count = 6) =>
  String(text ?? '')
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .slice(0, count)
    .join('\n      ')

/**
 * Counts of something that did not run: unable where one of `needs` is declared, else failed or skipped.
 * @param {string} name
 * @param {readonly string[]} needs
 * @param {string} why
 * @param {Machine} machine
 * @returns {Counts}
 */
export function notRun(name, needs, why, machine) {
  const none = { passed: 0, failed: 0, skipped: 0, lacking: [], unable: [], flaky: [], failures: [] }
  if (needs.some((need) => machine.unable.has(need))) return { ...none, unable: [`${name}: ${why}`] }
  if (!machine.ci) return { ...none, skipped: 1 }
  return { ...none, failed: 1, failures: [`${name}\n      skipped: ${why}`] }
}

/**
 * The sum of counts.
 * @param {readonly Counts[]} all
 * @returns {Counts}
 */
export function sumOf(all) {
  const sum = (key) => all.reduce((total, one) => total + one[key], 0)
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    lacking: all.flatMap(({ lacking }) => lacking),
    unable: all.flatMap(({ unable }) => unable),
    flaky: all.flatMap(({ flaky }) => flaky),
    failures: all.flatMap(({ failures }) => failures),
  }
}

/**
 * A line for each combination of things that skipped tests need: how many tests, and what to install.
 * @param {readonly string[]} lacking
 * @returns {readonly string[]}
 */
export function lackingLines(lacking) {
  return [...new Set(lacking)].map((combination) => {
    const count = lacking.filter((one) => one === combination).length
    const needs = combination.split(' ')
    const packages = needs.flatMap((need) => DEBIAN[need] ?? [])
    const install = packages.length === 0 ? '' : ` On Debian: apt-get install ${packages.join(' ')}`
    return `${count} ${count === 1 ? 'test' : 'tests'} skipped, not found: ${needs.join(', ')}.${install}`
  })
}

const passed = { passed: 1, failed: 0, skipped: 0, lacking: [], unable: [], flaky: [], failures: [] }
const failed = (text) => ({ passed: 0, failed: 1, skipped: 0, lacking: [], unable: [], flaky: [], failures: [text] })

/** Counts of one test by its state. */
function countsOf(name, state, why, machine) {
  if (state === 'passed') return passed
  if (state === 'failed') return failed(`${name}\n      ${firstLines(why)}`)
  if (state === 'flaky') return { ...passed, passed: 0, flaky: [`${name}\n      ${firstLines(why)}`] }
  const needs = [...name.matchAll(/\[needs ([\w-]+)\]/g)].map(([, need]) => need)
  const counts = notRun(name, needs, 'the test was skipped', machine)
  return counts.skipped > 0 && needs.length > 0 ? { ...counts, lacking: [needs.join(' ')] } : counts
}

function ofVitest(report, machine) {
  const tests = report.testResults.flatMap((file) =>
    file.assertionResults.length === 0 && file.status === 'failed'
      ? [failed(`${file.name}\n      ${firstLines(file.message)}`)]
      : file.assertionResults.map((test) =>
          countsOf(`${file.name} › ${test.fullName}`, test.status, test.failureMessages?.[0], machine),
        ),
  )
  const sum = sumOf(tests)
  // A run that failed without a failed test died on the way.
  return report.success || sum.failed > 0 ? sum : sumOf([sum, failed('the run ended before its tests did')])
}

const PLAYWRIGHT_STATES = { expected: 'passed', unexpected: 'failed', flaky: 'flaky', skipped: 'skipped' }

function ofPlaywright(report, machine) {
  const tests = []
  const walk = (suite) => {
    for (const spec of suite.specs ?? [])
      for (const test of spec.tests) {
        const why = test.results.find((result) => result.error)?.error?.message
        const name = `${suite.file} › ${spec.title}`
        tests.push(countsOf(name, PLAYWRIGHT_STATES[test.status] ?? 'failed', why, machine))
      }
    for (const inner of suite.suites ?? []) walk(inner)
  }
  for (const suite of report.suites ?? []) walk(suite)
  // What happens outside any test: a configuration or a file that cannot be read.
  const errors = (report.errors ?? []).map((error) => failed(firstLines(error.message)))
  return sumOf([...tests, ...errors])
}

/**
 * Counts of a vitest or Playwright report; undefined where it is neither.
 * @param {unknown} report
 * @param {Machine} machine
 * @returns {Counts | undefined}
 */
export function counted(report, machine) {
  if (typeof report?.numTotalTests === 'number') return ofVitest(report, machine)
  if (report?.stats) return ofPlaywright(report, machine)
  return undefined
}

/** Ends a check's command with this code to say that it could not be done here. */
export const UNABLE = 77

/** The last lines that say something. */
const lastLines = (text, count = 8) =>
  text
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-count)

/**
 * What one run of a check comes to.
 * @param {{ id: string, title: string, report?: string, canBeEmpty?: boolean }} check `canBeEmpty`: it may run no test
 * @param {{ code: number, report?: unknown, tail?: string }} run its exit code; its report, where it writes one; the end
 *   of what it printed
 * @param {Machine} machine
 * @returns {Counts}
 */
export function outcomeOf({ id, title, report: file, canBeEmpty = false }, { code, report, tail = '' }, machine) {
  if (code === UNABLE) return notRun(title, [id], 'it could not be done here, and says why above', machine)
  if (file === undefined) return code === 0 ? passed : failed([title, ...lastLines(tail)].join('\n      '))
  const counts = counted(report, machine)
  if (!counts) return failed(`${title}\n      no report was written`)
  if (counts.failed === 0 && code !== 0) return sumOf([counts, failed(`${title}\n      ended with code ${code}`)])
  if (counts.passed + counts.failed === 0 && !canBeEmpty) return sumOf([counts, failed(`${title}\n      ran no test`)])
  return counts
}
