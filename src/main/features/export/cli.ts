/** `tapedeck export`: writes ticks or bars to a file, with a manifest next to it. */
import { resolve } from 'node:path'
import { countText } from '../../../shared/base/count-text.ts'
import { sizeText } from '../../../shared/base/size-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  EXPORT_SCHEMAS,
  SEPARATORS,
  SPLITS,
  formatOfName,
  separatorOfName,
  type ExportDone,
  type ExportFormat,
  type ExportKind,
  type ExportRequest,
  type Separator,
} from '../../../shared/features/export/export.ts'
import {
  BAR_SOURCES,
  INTERVAL_EXAMPLES,
  INTERVAL_LABELS,
  parseInterval,
  type Interval,
} from '../../../shared/core/market/market.ts'
import { BUILT_IN_PRESETS, exportSettings, type ExportPreset } from '../../../shared/features/export/settings.ts'
import { FEED_IDS, isFeedId, type SessionId } from '../../../shared/base/units.ts'
import { estimateExport } from './estimate.ts'
import { findExisting } from './names.ts'
import { runExport } from './run.ts'
import { isDevice, withDevice } from '../../command-line/device-sink.ts'
import { createStreamFile } from '../../base/file-sink.ts'
import { listUnfinishedFiles } from '../../core/jobs/unfinished-files.ts'
import { jsonLine } from '../../base/json-schema.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { alreadyThere, refuseNoFile } from '../../command-line/out-file.ts'
import { createProgressLine } from '../../command-line/progress-line.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { INSTANT_HELP, instant, ZONE_OPTION, zoneOption } from '../../command-line/times.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { withReader } from '../../core/store/with-reader.ts'

export const exportCommand = defineCommand({
  examples: [
    ['One session of trades as CSV, with the raw messages', '--feed crypto/XT --session ID --raw --out btc.csv'],
    [
      'Five-minute bars of two symbols in a time range',
      '--feed crypto/XT --what bars --interval 5m --symbol BTC-USD --symbol ETH-USD --from 2026-01-05T00:00:00Z --out bars.csv',
    ],
    ['The latest session, into another program', '-f crypto/XT --session latest --out - | gzip > btc.csv.gz'],
    [
      'Into a data frame, without a file between',
      '-f crypto/XT --session latest --format arrow --out - | python3 plot.py',
    ],
    ['Quotes as Parquet, one file per UTC day', '--feed forex/C --split day --out quotes.parquet'],
    ['For Excel, with times of New York', '--preset "Excel (comma)" -f crypto/XT --zone America/New_York -o day.csv'],
    ['With a preset saved in the window', '--preset "Daily" --session ID --out day.csv'],
  ],
  options: {
    feed: { type: 'string', value: 'FEED', help: 'The feed, such as crypto/XT', words: FEED_IDS },
    symbol: { type: 'string', multiple: true, value: 'S', help: 'Only this symbol, by any alias; repeatable' },
    session: { type: 'string', multiple: true, value: 'ID', help: `Only this session: ${SESSION_HELP}; repeatable` },
    source: { type: 'string', value: 'KEY', help: 'Only this source; required if several have the feed' },
    from: { type: 'string', value: 'T', help: `Start at this event time: ${INSTANT_HELP}` },
    to: { type: 'string', value: 'T', help: 'End before this event time' },
    zone: ZONE_OPTION,
    what: {
      type: 'string',
      value: EXPORT_KINDS.join('|'),
      help: 'What to export (default: ticks)',
      words: EXPORT_KINDS,
    },
    interval: {
      type: 'string',
      value: '1m',
      help: `Bar length: any from 100ms to 1D, such as ${INTERVAL_EXAMPLES}`,
      words: INTERVAL_LABELS,
    },
    of: {
      type: 'string',
      value: 'KIND',
      help: `What bars are built from: ${BAR_SOURCES.join(', ')} (default: what the feed carries)`,
      words: BAR_SOURCES,
    },
    format: {
      type: 'string',
      value: EXPORT_FORMATS.join('|'),
      help: 'File format (default: by the extension of FILE, or csv)',
      words: EXPORT_FORMATS,
    },
    out: {
      type: 'string',
      value: 'FILE',
      help: 'File to write, or - for standard output; with --split, the symbol or day comes before its extension',
      file: true,
    },
    split: { type: 'string', value: 'symbol|day', help: 'Write one file per symbol or UTC day', words: SPLITS },
    schema: {
      type: 'string',
      value: EXPORT_SCHEMAS.join('|'),
      help: 'Columns: 2 (default) in whole words, the same in every format; 1 as in the messages',
      words: EXPORT_SCHEMAS.map(String),
    },
    raw: {
      type: 'boolean',
      help: 'Add a column with each message exactly as it arrived; JSON Lines then contain only messages',
    },
    bom: { type: 'boolean', help: 'Start with a byte order mark, for spreadsheets' },
    separator: { type: 'string', value: 'C', help: 'Column separator: comma (default; tab for FILE.tsv), ; | or tab' },
    extended: { type: 'boolean', help: 'Bars of --schema 1: add feed, end time and VWAP' },
    force: { type: 'boolean', help: 'Replace an existing file' },
    'allow-empty': { type: 'boolean', help: 'Write a file without rows if nothing matches' },
    preset: {
      type: 'string',
      value: 'NAME',
      help: `Start from this preset of the window, or ${BUILT_IN_PRESETS.map(({ name }) => `"${name}"`).join(' or ')}; other options override it`,
    },
  },
  async run(values, context) {
    const out = values.text('out')
    if (out === undefined) throw new UsageError('name the file to write with --out')
    const asked = requestOf(values, context, out)
    if (out === '-' || out === '/dev/stdout') return streamOut(asked, '-', outputWriter(context), values, context)
    if (await isDevice(resolve(out))) {
      return withDevice(resolve(out), context.signal, (write) => streamOut(asked, out, write, values, context))
    }
    await refuseNoFile(out)
    if (!values.on('force')) await refuseExisting(resolve(out), asked)
    const json = values.on('json')
    const line = createProgressLine(context, !json)
    const unfinished = listUnfinishedFiles(context.dataDir)
    const result = await withReader(values, context, async (reader) => {
      const request = { ...asked, sessions: await namedSessions(reader, values) }
      const { rows: all } = line.shown ? await estimateExport(reader, request) : { rows: 0 }
      return runExport(reader, request, resolve(out), {
        signal: context.signal,
        file: { replace: values.on('force'), onTemporary: (path) => unfinished.add(path) },
        refuseEmpty: !values.on('allow-empty'),
        onOverlap: (sentence) => context.err(`tapedeck: ${sentence}\n`),
        onProgress: ({ rows, bytes }) => line.draw(rows, all, sizeText(bytes), 'rows'),
      })
    }).finally(() => {
      line.clear()
      unfinished.done()
    })
    const { rows, bytes, feed, source, sha256, manifest, files } = result
    if (json) {
      const one = { rows, bytes, sha256, manifest, feed, source }
      printJson(files.length === 1 && asked.split === 'none' ? one : { ...one, files }, context)
    } else if (asked.split === 'none' && files.length === 1) {
      context.out(
        `${countText(rows, 'row')} of ${feed} from ${source}, ${countText(bytes, 'byte')}, manifest ${manifest}\n`,
      )
    } else {
      for (const file of files)
        context.out(`${file.path}: ${countText(file.rows, 'row')}, ${countText(file.bytes, 'byte')}\n`)
      context.out(
        `${countText(files.length, 'file')}, ${countText(rows, 'row')} of ${feed} from ${source}, ${countText(bytes, 'byte')}\n`,
      )
    }
    return EXIT.ok
  },
})

/** What was written. A stream has no checksum and no manifest; `files` is there if a split was asked for or made. */
const printJson = (
  written: Pick<ExportDone, 'rows' | 'bytes' | 'feed' | 'source'> &
    Partial<Pick<ExportDone, 'sha256' | 'manifest' | 'files'>>,
  context: Context,
): void => context.out(jsonLine('export', written))

type Write = (chunk: Uint8Array) => Promise<void>

const outputWriter =
  (context: Context): Write =>
  async (chunk) => {
    if (context.stream === undefined) context.out(Buffer.from(chunk).toString())
    else await context.stream(chunk)
  }

/** Writes the export to a stream, and what it contains to standard error. `out`: as it was named. */
async function streamOut(
  asked: ExportRequest,
  out: string,
  write: Write,
  values: Values,
  context: Context,
): Promise<number> {
  if (asked.sheet !== undefined)
    throw new UsageError('a spreadsheet needs files of limited length: name one with --out FILE')
  if (asked.split !== 'none') throw new UsageError('--split writes several files: name them with --out FILE')
  if (values.on('json') && out === '-')
    throw new UsageError('--json can’t be combined with --out -: both use standard output')
  let gaps = 0
  const { rows, bytes, feed, source } = await withReader(values, context, async (reader) => {
    const request = { ...asked, sessions: await namedSessions(reader, values) }
    return runExport(reader, request, out, {
      signal: context.signal,
      stream: createStreamFile(write),
      refuseEmpty: !values.on('allow-empty'),
      onOverlap: (sentence) => context.err(`tapedeck: ${sentence}\n`),
      onGaps: (count) => void (gaps = count),
    })
  }).catch((thrown: unknown) => {
    if (!context.signal.aborted) throw thrown
    throw new CodedError('cancelled', 'The export was stopped: what was written is incomplete.', { cause: thrown })
  })
  if (values.on('json')) printJson({ rows, bytes, feed, source }, context)
  // A stream has no manifest, which would list them.
  const missing = gaps === 0 ? '' : `, ${countText(gaps, 'gap')} (tapedeck sessions --gaps lists them)`
  context.err(`${countText(rows, 'row')} of ${feed} from ${source}${missing}\n`)
  return EXIT.ok
}

/** The sessions that --session names. */
async function namedSessions(reader: StoreReader, values: Values): Promise<readonly SessionId[]> {
  const names = values.texts('session')
  if (names.length === 0) return []
  const rows = await reader.sessions(true)
  return [...new Set(names.map((name) => findSession(rows, name).session))]
}

/** Builds the request from the command line, without its sessions. Missing options come from the preset, then from the defaults. */
function requestOf(values: Values, context: Context, out: string): ExportRequest {
  const saved = presetOf(values, context)
  const what = oneOf(values, 'what', EXPORT_KINDS) ?? saved?.what ?? 'ticks'
  const misplaced = ['interval', 'of'].find((name) => what === 'ticks' && values.text(name) !== undefined)
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} needs --what bars`)
  zoneOption(values) // a zone that nothing needs is refused, too, if there is none of that name
  const format = formatOf(oneOf(values, 'format', EXPORT_FORMATS) ?? saved?.format, out)
  const { preset, dropped } = applicableTo(what, format, saved)
  if (dropped.length > 0) context.err(`tapedeck: not applied from the preset: ${dropped.join(', ')}\n`)
  const feed = values.text('feed') ?? preset.feed
  if (feed === undefined) throw new UsageError(`name the feed with --feed: one of ${FEED_IDS.join(', ')}`)
  if (!isFeedId(feed)) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}`)
  const symbols = values.texts('symbol')
  return {
    what,
    feed,
    symbols: symbols.length > 0 ? symbols : (preset.symbols ?? []),
    sessions: [],
    source: values.text('source') ?? null,
    fromMs: instant(values, 'from', context.clock) ?? null,
    toMs: instant(values, 'to', context.clock) ?? null,
    of: oneOf(values, 'of', BAR_SOURCES) ?? preset.of ?? null,
    interval: intervalOf(values) ?? preset.interval ?? '1m',
    format,
    schema: oneOf(values, 'schema', EXPORT_SCHEMAS) ?? (saved === undefined ? 2 : (saved.schema ?? 1)),
    extended: values.on('extended') || (preset.extended ?? false),
    raw: values.on('raw') || (preset.raw ?? false),
    bom: values.on('bom') || (preset.bom ?? false),
    separator: separatorFor(values, preset, out),
    sheet: preset.sheet === true ? { zone: zoneOption(values) ?? localZone() } : undefined,
    split: oneOf(values, 'split', SPLITS) ?? preset.split ?? 'none',
  }
}

/** Also accepts `90` and `1d`, as the window does. */
function intervalOf(values: Values): Interval | undefined {
  const given = values.text('interval')
  if (given === undefined) return undefined
  const interval = parseInterval(given)
  if (interval === undefined)
    throw new UsageError(`--interval takes a length such as ${INTERVAL_EXAMPLES}, not "${given}"`)
  return interval
}

/** Removes preset options that don't apply to this export. `dropped` lists the ones that were set. */
function applicableTo(what: ExportKind, format: ExportFormat, preset: Partial<ExportPreset> = {}) {
  const { raw, extended, bom, separator = ',', sheet } = preset
  const isCsv = format === 'csv'
  const dropped = [
    ...(raw === true && what !== 'ticks' ? ['raw messages (ticks only)'] : []),
    ...(extended === true && what !== 'bars' ? ['extended columns (bars only)'] : []),
    ...(bom === true && !isCsv ? ['byte order mark (CSV only)'] : []),
    ...(sheet === true && !isCsv ? ['spreadsheet times (CSV only)'] : []),
    ...(separator !== ',' && !isCsv ? ['separator (CSV only)'] : []),
  ]
  const applicable = {
    ...preset,
    raw: raw === true && what === 'ticks',
    extended: extended === true && what === 'bars',
    bom: bom === true && isCsv,
    separator: isCsv ? separator : ',',
    sheet: sheet === true && isCsv,
  } as const
  return { preset: applicable, dropped }
}

/** The computer's own zone. */
const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Extensions of files that other programs would take for what an export isn't, and what to use instead. */
const FOREIGN: readonly (readonly [extension: RegExp, instead: string])[] = [
  [
    /\.(?:gz|zst|bz2|xz|lz4|br|zip)$/i,
    'Compress it with another program, such as --out - | gzip > FILE, or use .parquet',
  ],
  [/\.(?:xlsx?|xlsm|xlsb|ods)$/i, 'Use .csv with --preset "Excel (comma)" or "Excel (semicolon)"'],
  [/\.json$/i, 'Use .jsonl, which has a JSON object on each line'],
  [/\.(?:h5|hdf5|pkl|pickle|npy|npz|orc|avro|db|sqlite|duckdb|tapedeck)$/i, 'Use .csv, .parquet, .jsonl or .arrow'],
]

/** Throws UsageError for a file name that promises something else than an export writes. */
function refuseForeign(out: string, asked: ExportFormat | undefined): void {
  if (asked === 'jsonl' && /\.json$/i.test(out)) return
  const [extension, instead] = FOREIGN.find(([pattern]) => pattern.test(out)) ?? []
  if (extension === undefined) return
  throw new UsageError(`export doesn’t write the format ${extension.exec(out)?.[0] ?? ''}. ${instead}`)
}

/** The format from --format, the preset or the file extension. Throws UsageError if they disagree. */
function formatOf(asked: ExportFormat | undefined, out: string): ExportFormat {
  const named = formatOfName(out)
  if (named === undefined) refuseForeign(out, asked)
  if (asked !== undefined && named !== undefined && asked !== named) {
    const meant = separatorOfName(out) === undefined ? named : `tab-separated ${named}`
    throw new UsageError(`--out ${out} has the extension of ${meant}, but the format is ${asked}: change one of them`)
  }
  return asked ?? named ?? 'csv'
}

/** The separator from --separator, the file extension or the preset. Throws UsageError if the first two disagree. */
function separatorFor(values: Values, preset: Pick<ExportPreset, 'separator'>, out: string): Separator {
  const asked = separatorOf(values)
  const named = separatorOfName(out)
  if (asked !== undefined && named !== undefined && asked !== named) {
    throw new UsageError(`--out ${out} is separated by tabs, but --separator is "${asked}": change one of them`)
  }
  return asked ?? named ?? preset.separator ?? ','
}

/** Throws `usage` if a file that the export would write already exists. */
async function refuseExisting(out: string, request: ExportRequest): Promise<void> {
  const there = await findExisting(out, request.split !== 'none')
  if (there !== undefined) throw alreadyThere(there)
}

function presetOf(values: Values, { dataDir }: Context): ExportPreset | undefined {
  const name = values.text('preset')
  if (name === undefined) return undefined
  const { presets } = createSettingsStore(settingsFile(dataDir), [exportSettings]).get().exports
  const found = [...presets, ...BUILT_IN_PRESETS].find((preset) => preset.name === name)
  if (found !== undefined) return found
  throw new CodedError('usage', `No preset is named "${name}".`, {
    hint: `Saved presets: ${presets.map((preset) => preset.name).join(', ') || 'none'}. Built in: ${BUILT_IN_PRESETS.map((preset) => preset.name).join(', ')}.`,
  })
}

function oneOf<const T extends string | number>(values: Values, name: string, words: readonly T[]): T | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const word = words.find((one) => String(one) === text)
  if (word === undefined) throw new UsageError(`--${name} must be one of ${words.join(', ')}, not "${text}"`)
  return word
}

/** Reads --separator: a name or the character itself. */
export function separatorOf(values: Values): Separator | undefined {
  const text = values.text('separator')
  if (text === undefined) return undefined
  const word = SEPARATORS.find(
    (one) => one === (text === 'tab' || text === '\\t' ? '\t' : text === 'comma' ? ',' : text),
  )
  if (word === undefined) throw new UsageError('--separator must be comma, tab, ; or |')
  return word
}
