/** `tapedeck export`: writes ticks or bars to a file, with a manifest next to it. */
import { resolve } from 'node:path'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  EXPORT_FORMATS,
  EXPORT_KINDS,
  SEPARATORS,
  SPLITS,
  formatOfName,
  separatorOfName,
  type ExportFormat,
  type ExportKind,
  type ExportRequest,
  type Separator,
} from '../../../shared/features/export/export.ts'
import { BAR_SOURCES, INTERVAL_LABELS } from '../../../shared/core/market/market.ts'
import { exportSettings, type ExportPreset } from '../../../shared/features/export/settings.ts'
import { FEED_IDS, isFeedId, recordingId } from '../../../shared/base/units.ts'
import { estimateExport } from './estimate.ts'
import { findExisting } from './names.ts'
import { runExport } from './run.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { defineCommand, instant, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { createProgressLine } from '../../command-line/progress-line.ts'
import { withReader } from '../../core/store/with-reader.ts'

export const exportCommand = defineCommand({
  examples: [
    ['One session of trades as CSV, with the raw messages', '--feed crypto/XT --session ID --raw --out btc.csv'],
    [
      'Five-minute bars of two symbols in a time range',
      '--feed crypto/XT --what bars --interval 5m --symbol BTC-USD --symbol ETH-USD --from 2026-01-05T00:00:00Z --out bars.csv',
    ],
    ['Quotes as Parquet, one file per UTC day', '--feed forex/C --split day --out quotes.parquet'],
    ['With a preset saved in the window', '--preset "Excel" --session ID --out day.csv'],
  ],
  options: {
    feed: { type: 'string', value: 'FEED', help: 'The feed, such as crypto/XT', words: FEED_IDS },
    symbol: { type: 'string', multiple: true, value: 'S', help: 'Only this symbol, by any alias; repeatable' },
    session: { type: 'string', multiple: true, value: 'ID', help: 'Only this session; repeatable' },
    source: { type: 'string', value: 'KEY', help: 'Only this source; required if several have the feed' },
    from: { type: 'string', value: 'T', help: 'Start at this event time: ISO 8601 with a zone, or epoch ms' },
    to: { type: 'string', value: 'T', help: 'End before this event time' },
    what: {
      type: 'string',
      value: EXPORT_KINDS.join('|'),
      help: 'What to export (default: ticks)',
      words: EXPORT_KINDS,
    },
    interval: {
      type: 'string',
      value: '1m',
      help: `Bar length: ${INTERVAL_LABELS.join(', ')}`,
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
      help: 'File to write; with --split, the symbol or day comes before its extension',
      file: true,
    },
    split: { type: 'string', value: 'symbol|day', help: 'Write one file per symbol or UTC day', words: SPLITS },
    raw: { type: 'boolean', help: 'Add a column with each message exactly as it arrived' },
    bom: { type: 'boolean', help: 'Start with a byte order mark, for spreadsheets' },
    separator: { type: 'string', value: 'C', help: 'Column separator: comma (default; tab for FILE.tsv), ; | or tab' },
    extended: { type: 'boolean', help: 'Bars: add feed, end time and VWAP (tapedeck/bars/2)' },
    force: { type: 'boolean', help: 'Replace an existing file' },
    'allow-empty': { type: 'boolean', help: 'Write a file without rows if nothing matches' },
    preset: { type: 'string', value: 'NAME', help: 'Start from this preset of the window; other options override it' },
  },
  async run(values, context) {
    const out = values.text('out')
    if (out === undefined) throw new UsageError('name the file to write with --out')
    const request = requestOf(values, context, out)
    if (!values.on('force')) await refuseExisting(resolve(out), request)
    const json = values.on('json')
    const line = createProgressLine(context, !json)
    const result = await withReader(values, context, async (reader) => {
      const { rows: all } = line.shown ? await estimateExport(reader, request) : { rows: 0 }
      return runExport(reader, request, resolve(out), {
        signal: context.signal,
        refuseEmpty: !values.on('allow-empty'),
        onOverlap: (sentence) => context.err(`tapedeck: ${sentence}\n`),
        onProgress: ({ rows, bytes }) => line.draw(rows, all, `${(bytes / 1e6).toFixed(1)} MB`, 'rows'),
      })
    }).finally(() => line.clear())
    const { rows, bytes, feed, source, sha256, manifest, files } = result
    if (json) {
      const one = { rows, bytes, sha256, manifest, feed, source }
      context.out(`${JSON.stringify(request.split === 'none' ? one : { ...one, files })}\n`)
    } else if (request.split === 'none') {
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

/** Builds the request from the command line. Missing options come from the preset, then from the defaults. */
function requestOf(values: Values, context: Context, out: string): ExportRequest {
  const saved = presetOf(values, context)
  const what = oneOf(values, 'what', EXPORT_KINDS) ?? saved?.what ?? 'ticks'
  const format = formatOf(oneOf(values, 'format', EXPORT_FORMATS) ?? saved?.format, out)
  const { preset, dropped } = applicableTo(what, format, saved)
  if (dropped.length > 0) context.err(`tapedeck: not applied from the preset: ${dropped.join(', ')}\n`)
  const feed = values.text('feed') ?? preset.feed
  if (feed === undefined || !isFeedId(feed)) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}`)
  const symbols = values.texts('symbol')
  return {
    what,
    feed,
    symbols: symbols.length > 0 ? symbols : (preset.symbols ?? []),
    sessions: [...new Set(values.texts('session'))].map(recordingId),
    source: values.text('source') ?? null,
    fromMs: instant(values, 'from') ?? null,
    toMs: instant(values, 'to') ?? null,
    of: oneOf(values, 'of', BAR_SOURCES) ?? preset.of ?? null,
    interval: oneOf(values, 'interval', INTERVAL_LABELS) ?? preset.interval ?? '1m',
    format,
    extended: values.on('extended') || (preset.extended ?? false),
    raw: values.on('raw') || (preset.raw ?? false),
    bom: values.on('bom') || (preset.bom ?? false),
    separator: separatorFor(values, preset, out),
    split: oneOf(values, 'split', SPLITS) ?? preset.split ?? 'none',
  }
}

/** Removes preset options that don't apply to this export. `dropped` lists the ones that were set. */
function applicableTo(what: ExportKind, format: ExportFormat, preset: Partial<ExportPreset> = {}) {
  const { raw, extended, bom, separator = ',' } = preset
  const isCsv = format === 'csv'
  const dropped = [
    ...(raw === true && what !== 'ticks' ? ['raw messages (ticks only)'] : []),
    ...(extended === true && what !== 'bars' ? ['extended columns (bars only)'] : []),
    ...(bom === true && !isCsv ? ['byte order mark (CSV only)'] : []),
    ...(separator !== ',' && !isCsv ? ['separator (CSV only)'] : []),
  ]
  const applicable = {
    ...preset,
    raw: raw === true && what === 'ticks',
    extended: extended === true && what === 'bars',
    bom: bom === true && isCsv,
    separator: isCsv ? separator : ',',
  } as const
  return { preset: applicable, dropped }
}

/** The format from --format, the preset or the file extension. Throws UsageError if they disagree. */
function formatOf(asked: ExportFormat | undefined, out: string): ExportFormat {
  const named = formatOfName(out)
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
  if (there === undefined) return
  throw new CodedError('usage', `${there} already exists.`, {
    hint: 'Choose another name, or replace the file with --force.',
  })
}

function presetOf(values: Values, { dataDir }: Context): ExportPreset | undefined {
  const name = values.text('preset')
  if (name === undefined) return undefined
  const { presets } = createSettingsStore(settingsFile(dataDir), [exportSettings]).get().exports
  const found = presets.find((preset) => preset.name === name)
  if (found !== undefined) return found
  throw new CodedError('usage', `No preset is named "${name}".`, {
    hint:
      presets.length === 0
        ? 'Save one in the export dialog of the window.'
        : `Saved presets: ${presets.map((preset) => preset.name).join(', ')}.`,
  })
}

function oneOf<const T extends string>(values: Values, name: string, words: readonly T[]): T | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const word = words.find((one) => one === text)
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
