/** `tapedeck import`: imports session files, Tapedeck exports, and tables of ticks. */
import { jsonLine } from '../../base/json-schema.ts'
import { randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from '../../base/make-folder.ts'
import { listUnfinishedFiles } from '../../core/jobs/unfinished-files.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { DATE_FORMAT_HELP } from '../../../shared/features/import/date-formats.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  IMPORT_FIELDS,
  REPEATED_TIMES,
  type CsvMapping,
  type ImportDone,
  type ImportField,
} from '../../../shared/features/import/import.ts'
import { FEED_IDS, isFeedId } from '../../../shared/base/units.ts'
import { ownBarMapping } from './own-bars.ts'
import { manifestFeed } from './manifest.ts'
import { suggestMapping } from './mapping.ts'
import { VENDORS, assumedBars, hasOtherBars, vendorMapping } from './vendors.ts'
import { importFile, type FileImportStore } from './file.ts'
import { readIn } from './file-reading.ts'
import type { ImportWatch } from './run.ts'
import { isPackage } from '../sessions/unpack.ts'
import { fileFailure } from '../../base/file-sink.ts'
import { openStoreReader } from '../../core/store/open.ts'
import { newSessionId } from '../../core/store/types/session-id.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { createProgressLine } from '../../command-line/progress-line.ts'
import { storePath } from '../../core/store/store-path.ts'
import { openCommandWriter } from '../../core/store/with-reader.ts'

export const importCommand = defineCommand({
  positionals: 'FILE …|-',
  examples: [
    ['A session from another machine', 'monday.tapedeck'],
    ['A Tapedeck export, with the gaps listed in the manifest next to it', 'btc.csv'],
    [
      'Any table of trades; columns are found by name, --map sets the others',
      'trades.csv --feed stocks/T --zone America/New_York --map when=time,qty=size',
    ],
    [
      'A table with German local times',
      'dax.csv --feed stocks/T --symbol SAP --zone Europe/Berlin --date-format "DD.MM.YYYY HH:mm:ss"',
    ],
    ['From another program', '- < btc.csv'],
    ['Trades from Binance; the symbol is in the name', 'BTCUSDT-trades-2024-01-15.csv'],
    ['A table of one symbol', 'eurusd.csv --feed forex/C --symbol EURUSD'],
  ],
  options: {
    feed: { type: 'string', value: 'FEED', help: 'Tables: the feed of the rows', words: FEED_IDS },
    map: {
      type: 'string',
      multiple: true,
      value: 'COLUMN=FIELD,…',
      help: `Tables: what the columns contain: ${IMPORT_FIELDS.join(', ')}, or none`,
    },
    preset: {
      type: 'string',
      value: 'VENDOR',
      help: `Tables: columns of this vendor (default: recognized by their names): ${VENDORS.map(({ id }) => id).join(', ')}`,
      words: VENDORS.map(({ id }) => id),
    },
    symbol: { type: 'string', value: 'S', help: 'Tables without a symbol column: the symbol of every row' },
    zone: { type: 'string', value: 'ZONE', help: 'Tables: time zone of times without one (default: UTC)' },
    'date-format': {
      type: 'string',
      value: 'FORMAT',
      help: `Tables: format of the times: ${DATE_FORMAT_HELP}`,
    },
    repeated: {
      type: 'string',
      value: 'first|second',
      help: 'Tables: which instant to use for a local time that occurred twice because clocks went back; required if there is one',
      words: REPEATED_TIMES,
    },
  },
  async run(values, context) {
    const files = values.texts('')
    if (files.length === 0) throw new UsageError('name the files to import')
    if (files.includes('-')) {
      if (files.length > 1) throw new UsageError('standard input is a single file: import others on their own')
      return withInput(context, async (path) => {
        const mapping = await mappingOf(path, 'standard input', values, context)
        report(await bringIn(path, mapping, values, context), 'standard input', values, context)
        return EXIT.ok
      })
    }
    const paths = files.map((file) => resolve(file))
    for (const path of paths) {
      if (!existsSync(path)) throw new CodedError('not-found', `No such file: ${path}.`)
      const about = statSync(path)
      if (about.isDirectory()) {
        throw new CodedError('usage', `${path} is a folder.`, { hint: 'Name the files in it one by one.' })
      }
      if (!about.isFile()) {
        throw new CodedError('usage', `${path} is a device or pipe, which can be read only once.`, {
          hint: `Import what it contains with: tapedeck import - < ${path}`,
        })
      }
    }
    // All options are checked before anything is imported.
    const mappings = []
    for (const path of paths) mappings.push(await mappingOf(path, basename(path), values, context))
    for (const [i, path] of paths.entries()) {
      report(await bringIn(path, mappings[i] ?? null, values, context), basename(path), values, context)
    }
    return EXIT.ok
  },
})

function report(done: ImportDone, name: string, values: Values, context: Context): void {
  const json = values.on('json')
  for (const { session, messages } of done.sessions) {
    context.out(json ? jsonLine('import', { session, messages }) : `${session}: ${countText(messages, 'message')}\n`)
  }
  if (done.already) context.err(`${name} is already in the store.\n`)
  for (const { line, text } of done.problems) context.err(`tapedeck: ${name}, line ${line}: ${text}\n`)
  if (done.skipped > 0) context.err(`tapedeck: ${name}: skipped ${countText(done.skipped, 'line')}.\n`)
}

/** Saves standard input as a file that only the user can read, for as long as `use` takes: an import reads it twice. */
async function withInput<T>({ input, dataDir, signal }: Context, use: (path: string) => Promise<T>): Promise<T> {
  if (input === undefined) throw new UsageError('standard input is a terminal: pipe a file into it')
  makeFolder(dataDir)
  const unfinished = listUnfinishedFiles(dataDir)
  const folder = join(dataDir, `import-${randomBytes(6).toString('hex')}`)
  const path = join(folder, 'standard-input')
  try {
    try {
      unfinished.add(folder)
      mkdirSync(folder, { mode: 0o700 })
      await pipeline(input, createWriteStream(path, { mode: 0o600 }), { signal })
    } catch (thrown) {
      if (signal.aborted) throw new CodedError('cancelled', 'The import was canceled.', { cause: thrown })
      throw fileFailure(thrown, path)
    }
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    unfinished.done()
  }
}

/** Imports one file. Needs the store's lock, so it fails while Tapedeck is running; import in its window instead. */
async function bringIn(
  path: string,
  mapping: CsvMapping | null,
  values: Values,
  context: Context,
): Promise<ImportDone> {
  const name = basename(path)
  const file = storePath(values, context)
  const writer = await openCommandWriter(values, context)
  const line = createProgressLine(context, !values.on('json'))
  try {
    const store: FileImportStore = {
      library: writer.library,
      newId: newSessionId,
      reading: readIn(context.workers.imports),
      async sessions() {
        const reader = await openStoreReader({ file, worker: context.workers.reader })
        try {
          return await reader.sessions()
        } finally {
          await reader.close()
        }
      },
    }
    const watch: ImportWatch = {
      signal: context.signal,
      onProgress: ({ done, messages }) => line.draw(Math.round(done * 100), 100, countText(messages, 'message'), '%'),
    }
    const manifestPath = `${path}.manifest.json`
    const manifest = existsSync(manifestPath) ? manifestPath : undefined
    return await importFile({ path, name, bytes: statSync(path).size, manifest }, mapping, store, watch)
  } finally {
    line.clear()
    await writer.close()
  }
}

/** What says how a table is read. Our own files say it themselves. */
const TABLE_OPTIONS = ['feed', 'map', 'preset', 'symbol', 'zone', 'date-format', 'repeated'] as const

/** Throws `usage` if options for tables are given with a file that isn't one. */
function refuseTableOptions(name: string, what: string, values: Values): null {
  const given = TABLE_OPTIONS.filter((option) => values.texts(option).length > 0 || values.text(option) !== undefined)
  if (given.length === 0) return null
  const options = given.map((option) => `--${option}`).join(' and ')
  throw new UsageError(`${name} is ${what} and says itself what it holds: import it without ${options}`)
}

/** Throws `usage` for a zip file, and `unexpected-answer` for an empty file and for a session file that isn't one. */
async function refuseOther(path: string, title: string): Promise<void> {
  const handle = await open(path, 'r')
  const start = Buffer.alloc(4)
  let length: number
  try {
    ;({ bytesRead: length } = await handle.read(start, 0, start.length, 0))
  } finally {
    await handle.close()
  }
  if (length === 0) throw new CodedError('unexpected-answer', `${title} is empty.`)
  if (start.toString('latin1') === 'PK\u0003\u0004') {
    throw new CodedError('usage', `${title} is a zip file or a workbook.`, {
      hint: 'Unpack the zip file, or save the sheet as CSV, and import that.',
    })
  }
  if (title.toLowerCase().endsWith('.tapedeck'))
    throw new CodedError('unexpected-answer', `${title} isn’t a session file of Tapedeck, or its start is corrupt.`)
}

/**
 * Returns a table's mapping: guessed from the column names, then overridden by the options. Null for other files.
 * `title`: the file, for people.
 */
async function mappingOf(path: string, title: string, values: Values, context: Context): Promise<CsvMapping | null> {
  const feed = values.text('feed')
  if (feed !== undefined && !isFeedId(feed)) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}`)
  if (await isPackage(path)) return refuseTableOptions(title, 'a session file', values)
  await refuseOther(path, title)
  const kind = await readIn(context.workers.imports).kindOf(path, context.signal)
  if (kind.is !== 'table') return refuseTableOptions(title, 'an export of Tapedeck', values)
  const vendor = values.text('preset')
  if (vendor !== undefined && !VENDORS.some(({ id }) => id === vendor)) {
    throw new UsageError(`--preset takes one of ${VENDORS.map(({ id }) => id).join(', ')}, not "${vendor}"`)
  }
  if ((vendor !== undefined || feed === undefined) && hasOtherBars(kind, basename(path), vendor)) {
    throw new UsageError(`the bars of ${title} aren’t of one minute or one second, and no feed has others`)
  }
  const assumed = feed === undefined ? assumedBars(kind, basename(path), vendor) : null
  if (assumed !== null) {
    context.err(`tapedeck: ${title} doesn’t say how long its bars are: they are taken for ${assumed.unit}.\n`)
  }
  if (vendor !== undefined && vendorMapping(kind, basename(path), vendor) === null) {
    throw new UsageError(`${title} doesn’t have the columns of ${vendor}`)
  }
  const guessed = suggestMapping(kind, basename(path), await manifestFeed(`${path}.manifest.json`), vendor)
  const isKnown =
    vendorMapping(kind, basename(path), vendor) !== null ||
    ownBarMapping(kind, await manifestFeed(`${path}.manifest.json`)) !== null
  const columns = [...guessed.columns]
  for (const pair of values.texts('map').flatMap((text) => text.split(','))) {
    const [, column, word] = /^(.+)=([A-Za-z]+)$/.exec(pair) ?? []
    const field = IMPORT_FIELDS.find((one) => one === word) ?? (word === 'none' ? null : undefined)
    const at = kind.columns.findIndex((one) => one === column)
    if (field === undefined) throw new UsageError(`--map takes COLUMN=FIELD with ${IMPORT_FIELDS.join(', ')} or none`)
    if (at < 0) throw new UsageError(`${title} has no column "${column}", only ${kind.columns.join(', ')}`)
    columns.forEach((one: ImportField | null, i) => {
      if (one === field) columns[i] = null // An explicit mapping replaces a guess.
    })
    columns[at] = field
  }
  if (feed === undefined && !isKnown) {
    throw new UsageError(`${title} isn’t a Tapedeck export: name the feed of its rows with --feed`)
  }
  const word = values.text('repeated')
  const repeated = REPEATED_TIMES.find((one) => one === word)
  if (word !== undefined && repeated === undefined)
    throw new UsageError(`--repeated takes first or second, not "${word}"`)
  const zone = values.text('zone') ?? 'UTC'
  return {
    ...guessed,
    columns,
    feed: feed ?? guessed.feed,
    zone,
    symbol: values.text('symbol') ?? guessed.symbol,
    dateFormat: values.text('date-format') ?? guessed.dateFormat,
    repeated,
  }
}
