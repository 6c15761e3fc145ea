/** `tapedeck doctor`: checks what recording here depends on, and says what to do. Leaves nothing behind. */
import { jsonLine } from '../../base/json-schema.ts'
import { existsSync, lstatSync, statSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { toFailure } from '../../../shared/base/errors.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { aligned } from '../../command-line/aligned.ts'
import { defineCommand, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { zstdProblem } from '../../base/zstd.ts'
import { defaultStorePath } from '../../core/settings/paths.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { openStoreReader } from '../../core/store/open.ts'
import { readCrashes } from '../../features/diagnostics/crashes.ts'
import { probeFolder } from './probe-folder.ts'

/** `warn`: works, but somebody should look. `fail`: something doesn't work. */
interface Check {
  readonly check: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly text: string
}

/** Below this, a day of many symbols may not fit. */
const LOW_BYTES = 5e9
/** Below this, a recording would soon end. */
const LEAST_BYTES = 1e8

export const doctor = defineCommand({
  storeless: true,
  examples: [
    ['What is wrong here, if anything', ''],
    ['For monitoring: exit code 1 if something fails', '--json --quiet'],
  ],
  options: {},
  async run(values, context) {
    const found: Check[] = []
    const looks = [
      checkProgram,
      checkFolder,
      within('settings', checkSettings),
      within('account', checkAccount),
      within('store', checkStore),
      within('disk', checkDisk),
      within('crashes', checkCrashes),
    ]
    for (const look of looks) {
      found.push(await look(values, context))
    }
    if (values.on('json')) for (const one of found) context.out(jsonLine('doctor', one))
    else context.out(aligned(found.map(({ check, result, text }) => [result, check, text])))
    return found.some(({ result }) => result === 'fail') ? EXIT.failed : EXIT.ok
  },
})

type Look = (values: Values, context: Context) => Check | Promise<Check>

const checkProgram: Look = (_values, { version }) => {
  const problem = zstdProblem()
  const text = `Tapedeck ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`
  return { check: 'program', result: problem === null ? 'ok' : 'warn', text: problem ?? text }
}

/** Whether something is at a path, even a link to nothing, in whose place no folder can be made. */
function isTaken(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** What stands where the app's folder, or one that it is in, would be; null if nothing does. */
function obstacle({ dataDir }: Context): string | null {
  let folder = dataDir
  while (!isTaken(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return existsSync(folder) && statSync(folder).isDirectory() ? null : folder
}

/** A check of what is in the app's folder, which has nothing to read while that can't be one. */
const within =
  (check: string, look: Look): Look =>
  (values, context) =>
    obstacle(context) === null ? look(values, context) : { check, result: 'fail', text: 'Not checked: see folder.' }

const checkFolder: Look = (_values, context) => {
  const { dataDir } = context
  const other = obstacle(context)
  if (other !== null)
    return { check: 'folder', result: 'fail', text: `${other} isn’t a folder. Name another one with --home.` }
  const problem = probeFolder(dataDir)
  return problem === null
    ? { check: 'folder', result: 'ok', text: dataDir }
    : { check: 'folder', result: 'fail', text: problem }
}

const settingsOf = ({ dataDir }: Context) => {
  const file = settingsFile(dataDir)
  // Reading must not set a bad file aside.
  return createSettingsStore({ ...file, setAside: () => undefined })
}

/** As `storePath`, without setting bad settings aside. */
const storeFile = (values: Values, context: Context): string =>
  resolve(values.text('store') ?? (settingsOf(context).get().recording.storePath || defaultStorePath(context.dataDir)))

const checkSettings: Look = (_values, context) => {
  const { problem } = settingsOf(context)
  if (problem === null) return { check: 'settings', result: 'ok', text: 'valid' }
  const text = 'settings.json can’t be read. The next start keeps it as settings.bad.json and uses the defaults.'
  return { check: 'settings', result: 'fail', text }
}

const checkAccount: Look = (_values, context) => {
  const { source, baseUrl, user } = settingsOf(context).get().account
  if (source === 'service') return { check: 'account', result: 'ok', text: `${user} at ${baseUrl}` }
  return {
    check: 'account',
    result: 'warn',
    text: 'none: only the demo market can be recorded. Sign in with "tapedeck login" or the window.',
  }
}

const checkStore: Look = async (values, context) => {
  const file = storeFile(values, context)
  if (!existsSync(file)) return { check: 'store', result: 'ok', text: `${file} (created by the first recording)` }
  try {
    const reader = await openStoreReader({ file, worker: context.workers.reader })
    try {
      const rows = await reader.sessions(true)
      const cutOff = rows.filter(({ clean, live }) => !clean && !live).length
      const text = `${file}: ${countText(rows.length, 'session')}${rows.some(({ live }) => live) ? ', recording now' : ''}`
      if (cutOff === 0) return { check: 'store', result: 'ok', text }
      return { check: 'store', result: 'warn', text: `${text}; ${cutOff} cut off. Run "tapedeck verify".` }
    } finally {
      await reader.close()
    }
  } catch (thrown) {
    const { message, hint = '' } = toFailure(thrown)
    return { check: 'store', result: 'fail', text: `${file}: ${message} ${hint}`.trim() }
  }
}

const checkDisk: Look = (values, context) => {
  let folder = dirname(storeFile(values, context))
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const left = free < 1e9 ? `${Math.floor(free / 1e6)} MB` : `${(free / 1e9).toFixed(1)} GB`
  const text = `${left} free at ${folder}`
  if (free < LEAST_BYTES)
    return { check: 'disk', result: 'fail', text: `${text}: too little to record. Free some space, or use --store.` }
  const problem = folder === context.dataDir ? null : probeFolder(folder)
  if (problem !== null) return { check: 'disk', result: 'fail', text: problem.replaceAll('--home', '--store') }
  return { check: 'disk', result: free < LOW_BYTES ? 'warn' : 'ok', text }
}

const checkCrashes: Look = (_values, { dataDir }) => {
  const count = readCrashes(dataDir).length
  if (count === 0) return { check: 'crashes', result: 'ok', text: 'none' }
  return { check: 'crashes', result: 'warn', text: `${countText(count, 'report')} in ${dataDir}/crashes` }
}
