// Reads the JSON reports of the runners: how many passed and failed, and what is worth a second run.

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} flaky names of tests that passed only in their second run
 * @property {readonly string[]} failures one text per failed test: its name and the first lines of why
 */

const firstLines = (text, count = 6) =>
  String(text ?? '')
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .slice(0, count)
    .join('\n      ')

/**
 * Counts of a vitest or Playwright report; undefined where the text is neither.
 * @param {unknown} report
 * @returns {Counts | undefined}
 */
export function counted(report) {
  if (typeof report?.numTotalTests === 'number') {
    const failures = report.testResults.flatMap((file) => [
      ...file.assertionResults
        .filter((test) => test.status === 'failed')
        .map((test) => `${file.name} › ${test.fullName}\n      ${firstLines(test.failureMessages[0])}`),
      ...(file.status === 'failed' && file.assertionResults.length === 0
        ? [`${file.name}\n      ${firstLines(file.message)}`]
        : []),
    ])
    return {
      passed: report.numPassedTests,
      // A run that failed without a failed test died on the way.
      failed: report.numFailedTests + (report.success || report.numFailedTests ? 0 : 1),
      skipped: report.numPendingTests + report.numTodoTests,
      flaky: [],
      failures,
    }
  }
  if (!report?.stats) return undefined
  /** @type {string[]} */
  const flaky = []
  /** @type {string[]} */
  const failures = []
  const walk = (suite) => {
    for (const spec of suite.specs ?? [])
      for (const test of spec.tests) {
        const why = test.results.find((result) => result.error)?.error?.message
        if (test.status === 'flaky') flaky.push(`${suite.file} › ${spec.title}\n      ${firstLines(why)}`)
        if (test.status === 'unexpected') failures.push(`${suite.file} › ${spec.title}\n      ${firstLines(why)}`)
      }
    for (const inner of suite.suites ?? []) walk(inner)
  }
  for (const suite of report.suites ?? []) walk(suite)
  const { expected, flaky: late, unexpected, skipped } = report.stats
  return { passed: expected + late, failed: unexpected, skipped, flaky, failures }
}

/**
 * Files of a vitest report to run once more: those with a failure, and those whose process died under them, whose
 * tests stand there as begun or are missing.
 * @param {any} report
 * @returns {string[]}
 */
export function unfinishedFiles(report) {
  return report.testResults
    .filter(
      (file) =>
        file.status === 'failed' ||
        file.assertionResults.some((test) => test.status !== 'passed' && test.status !== 'skipped'),
    )
    .map((file) => file.name)
}

/**
 * The counts of a run of which some files were run again, alone: what failed first and passed then is flaky, and said.
 * @param {any} first the vitest report of the whole
 * @param {any} second the report of the second run
 * @returns {Counts}
 */
export function together(first, second) {
  const again = new Map(second.testResults.map((file) => [file.name, file]))
  const joined = {
    ...first,
    success: second.success,
    testResults: first.testResults.map((file) => again.get(file.name) ?? file),
  }
  const tests = joined.testResults.flatMap((file) => file.assertionResults)
  const of = (status) => tests.filter((test) => test.status === status).length
  const counts = counted({
    ...joined,
    numPassedTests: of('passed'),
    numFailedTests: of('failed'),
    numPendingTests: of('pending') + of('skipped'),
    numTodoTests: of('todo'),
  })
  const nowPassed = (name) => counts?.failures.every((failure) => !failure.startsWith(name)) === true
  const before = counted(first)?.failures ?? []
  const died = unfinishedFiles(first).filter((name) => !before.some((failure) => failure.startsWith(name)))
  return {
    passed: counts?.passed ?? 0,
    failed: counts?.failed ?? 1,
    skipped: counts?.skipped ?? 0,
    failures: counts?.failures ?? [],
    flaky: [
      ...before.filter((failure) => nowPassed(failure.slice(0, failure.indexOf('\n')))),
      ...died.filter(nowPassed).map((name) => `${name}\n      its process died in the first run`),
    ],
  }
}
