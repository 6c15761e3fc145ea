// Runs checks of the table in checks.mjs. Each writes a report into reports/, and the closing count is computed from those
// reports alone. Nothing is run twice: a test that fails has failed. What counts when something cannot run is in report.mjs.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, cpus, setPriority } from 'node:os'
import { delimiter, join } from 'node:path'
import { createBeat } from './beat.mjs'
import { reports } from './checks.mjs'
import { pinnedNode, root } from './ensure.mjs'
import { lackingLines, machineOf, notRun, outcomeOf, sumOf } from './report.mjs'
import { schedule } from './schedule.mjs'

/** A low priority, as nice counts: a tenth of what the others get, and whatever they leave. */
const NICE = 10

/** Starts a command of a check with the pinned Node. */
function start(check, command, stdio) {
  const options = {
    cwd: root,
    stdio,
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...check.env?.(),
      PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
    },
  }
  const words = [pinnedNode(), ...command]
  if (check.background !== 'low') return spawn(words[0], words.slice(1), options)
  // A process inherits its priority, so it has to be low from the start.
  if (process.platform !== 'win32') return spawn('nice', ['-n', String(NICE), ...words], options)
  const child = spawn(words[0], words.slice(1), options)
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  return child
}

/** Bytes of a command's last output that are kept. */
const TAIL = 4_000

/**
 * Runs a command to its end and resolves with its exit code and the end of its output. A background check prints all of
 * its output at its end, so that it isn't mixed with that of others. `isDrawing`: it has the terminal to itself, and its
 * output isn't known.
 */
function spawned(check, command, { beat, isDrawing }) {
  return new Promise((resolve) => {
    const child = start(check, command, isDrawing ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'])
    const output = []
    let tail = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part) => {
        tail = (tail + part).slice(-TAIL)
        if (check.background) return output.push(part)
        beat.heard()
        process.stdout.write(part)
      })
    child.on('error', (error) => resolve({ code: 1, tail: error.message }))
    child.on('close', (exit) => {
      if (output.length > 0) process.stdout.write(Buffer.concat([Buffer.from(`\n── ${check.title}\n`), ...output]))
      resolve({ code: exit ?? 1, tail })
    })
  })
}

async function run(check, context) {
  if (check.report) rmSync(join(reports, check.report), { force: true })
  for (const command of check.commands) {
    const result = await spawned(check, command, context)
    if (result.code !== 0) return result
  }
  return { code: 0, tail: '' }
}

/** How long a check took, and how busy the machine was meanwhile, also with other checks. Older reports lack that. */
const took = ({ seconds, busy }) =>
  `${seconds.toFixed(1)} s${busy === undefined ? '' : `, processors ${(busy * 100).toFixed(0)} % busy`}`

/** A report in reports/; undefined when there is none or it is cut off, which counts as a failure. */
function read(file) {
  try {
    return JSON.parse(readFileSync(join(reports, file), 'utf8'))
  } catch {
    return undefined
  }
}

/** Processor time that the machine has spent on everything, of all cores, ms. */
const spentMs = () => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

/** Runs one check, prints how it went, and returns its row of the report. */
async function rowOf(check, machine, context) {
  const why = check.skip?.()
  if (why) {
    console.log(`\n── ${check.title}: not run, ${why}`)
    return { id: check.id, why, ...notRun(check.title, [check.id], why, machine) }
  }
  const { beat, isDrawing } = context
  console.log(`\n── ${check.title}${check.background && !isDrawing ? ': started in the background' : ''}`)
  const started = Date.now()
  const before = spentMs()
  beat.begin(check.title, isDrawing)
  const { code, tail } = await run(check, context)
  beat.end(check.title)
  const counts = outcomeOf(check, { code, tail, report: check.report && read(check.report) }, machine)
  const seconds = (Date.now() - started) / 1000
  // Whether more checks at a time would help, or only less work.
  const busy = (spentMs() - before) / (seconds * 1000 * cpus().length)
  console.log(`── ${check.title}: ${counts.passed} passed, ${counts.failed} failed in ${took({ seconds, busy })}`)
  return { id: check.id, ...counts, seconds, busy }
}

const rowsFile = (name) => `checks-${name}.json`

/**
 * Runs checks as schedule.mjs orders them, continuing after a failure; writes reports/checks-<name>.json; returns whether
 * all passed.
 */
export async function runChecks(name, checks) {
  mkdirSync(reports, { recursive: true })
  // Counts of an earlier run must not stand in for a run that does not come to its end.
  rmSync(join(reports, rowsFile(name)), { force: true })
  const machine = machineOf()
  const beat = createBeat({ all: checks.length, now: () => performance.now(), print: (line) => console.log(line) })
  const context = { beat, isDrawing: checks.length === 1 && process.stdout.isTTY === true }
  const started = Date.now()
  const ticking = setInterval(() => beat.tick(), 1_000)
  const rows = await schedule(checks, (check) => rowOf(check, machine, context))
  clearInterval(ticking)
  writeFileSync(join(reports, rowsFile(name)), JSON.stringify(rows, null, 2))
  console.log(`\n${checks.length} checks ran in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
  return summarise([name], checks)
}

/** Ids of the checks that a run left a result of. */
export const ranIn = (name) => new Set((read(rowsFile(name)) ?? []).map(({ id }) => id))

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
  for (const row of rows) {
    const { id, why, passed, failed, skipped, unable, flaky } = row
    const also = `${skipped ? `, ${skipped} skipped` : ''}${unable.length ? `, ${unable.length} not possible here` : ''}${flaky.length ? `, ${flaky.length} ONLY IN A SECOND RUN` : ''}`
    const note = why
      ? `not run: ${why}`
      : `${passed} passed, ${failed} failed${also}  (${row.seconds === undefined ? 'not started' : took(row)})`
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
