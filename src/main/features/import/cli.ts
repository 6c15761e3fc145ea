/** `tapedeck import`: imports session files, Tapedeck exports, and tables of ticks. */
import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
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
import { kindOfText } from './kinds.ts'
import { guessMapping } from './mapping.ts'
import { importFile, type FileImportStore } from './file.ts'
import type { ImportWatch } from './run.ts'
import { isPackage } from '../sessions/unpack.ts'
import { openStoreReader, openStoreWriter } from '../../core/store/open.ts'
import { newRecordingId } from '../../core/store/types/recording-id.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { createProgressLine } from '../../command-line/progress-line.ts'
import { storePath } from '../../core/store/store-path.ts'

export const importCommand = defineCommand({
  positionals: 'FILE …',
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
      help: 'Tables: which instant a local time means that occurred twice, as clocks went back; required if there is one',
      words: REPEATED_TIMES,
    },
  },
  async run(values, context) {
    const files = values.texts('')
    if (files.length === 0) throw new UsageError('name the files to import')
    const paths = files.map((file) => resolve(file))
    for (const path of paths) {
      if (!existsSync(path) || !statSync(path).isFile()) {
        throw new CodedError('not-found', `No such file: ${path}.`)
      }
    }
    const json = values.on('json')
    for (const path of paths) {
      const done = await bringIn(path, values, context)
      for (const { session, messages } of done.sessions) {
        context.out(
          json ? `${JSON.stringify({ session, messages })}\n` : `${session}: ${countText(messages, 'message')}\n`,
        )
      }
      if (done.already) context.err(`${basename(path)} is already in the store.\n`)
      for (const { line, text } of done.problems) context.err(`${basename(path)}, line ${line}: ${text}\n`)
      if (done.skipped > 0) context.err(`${basename(path)}: skipped ${countText(done.skipped, 'line')}.\n`)
    }
    return EXIT.ok
  },
})

/** Imports one file. Needs the store's lock, so it fails while Tapedeck is running; import in its window instead. */
async function bringIn(path: string, values: Values, context: Context): Promise<ImportDone> {
  const name = basename(path)
  const mapping = await mappingOf(path, values)
  const file = storePath(values, context)
  const writer = await openStoreWriter({
    file,
    worker: context.workers.store,
    onNotice: ({ message, hint }) => context.err(`${message} ${hint}\n`),
  })
  const line = createProgressLine(context, !values.on('json'))
  try {
    const store: FileImportStore = {
      library: writer.library,
      newId: newRecordingId,
      async sessions() {
        const reader = await openStoreReader({ file, worker: context.workers.reader })
        return reader.sessions().finally(() => reader.close())
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

/** Returns a table's mapping: guessed from the column names, then overridden by the options. Null for other files. */
async function mappingOf(path: string, values: Values): Promise<CsvMapping | null> {
  const feed = values.text('feed')
  if (feed !== undefined && !isFeedId(feed)) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}`)
  if (await isPackage(path)) return null
  const kind = await kindOfText(path)
  if (kind.is !== 'table') return null
  const guessed = guessMapping(kind.columns)
  const columns = [...guessed.columns]
  for (const pair of values.texts('map').flatMap((text) => text.split(','))) {
    const [, column, word] = /^(.+)=([A-Za-z]+)$/.exec(pair) ?? []
    const field = IMPORT_FIELDS.find((one) => one === word) ?? (word === 'none' ? null : undefined)
    const at = kind.columns.findIndex((one) => one === column)
    if (field === undefined) throw new UsageError(`--map takes COLUMN=FIELD with ${IMPORT_FIELDS.join(', ')} or none`)
    if (at < 0) throw new UsageError(`${basename(path)} has no column "${column}", only ${kind.columns.join(', ')}`)
    columns.forEach((one: ImportField | null, i) => {
      if (one === field) columns[i] = null // An explicit mapping replaces a guess.
    })
    columns[at] = field
  }
  if (feed === undefined) {
    throw new UsageError(`${basename(path)} isn’t a Tapedeck export: name the feed of its rows with --feed`)
  }
  const word = values.text('repeated')
  const repeated = REPEATED_TIMES.find((one) => one === word)
  if (word !== undefined && repeated === undefined)
    throw new UsageError(`--repeated takes first or second, not "${word}"`)
  const zone = values.text('zone') ?? 'UTC'
  return { columns, feed, zone, symbol: values.text('symbol') ?? '', dateFormat: values.text('date-format'), repeated }
}
