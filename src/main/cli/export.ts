/** `tapedeck export`: ticks or bars to a file, with a manifest beside it. */
import { resolve } from 'node:path'
import { BAR_SOURCES, INTERVAL_LABELS, type BarSource, type Interval } from '../../shared/market.ts'
import { FEED_IDS, feedAsset, isFeedId, recordingId } from '../../shared/units.ts'
import { FEEDS } from '../../service/feeds.ts'
import { exportBars } from '../export/bars.ts'
import { SEPARATORS, type ExportResult } from '../export/options.ts'
import { exportTicks } from '../export/ticks.ts'
import { instant, UsageError, type Command, type Values } from './command.ts'
import { EXIT } from './exit.ts'
import { withReader } from './with-reader.ts'

const PROGRESS_MS = 200

export const exportCommand: Command = {
  name: 'export',
  summary: 'Exports ticks or bars with a manifest beside the file; a partial file is never left under its name.',
  options: {
    feed: { type: 'string', value: 'FEED', help: 'The feed, such as crypto/XT' },
    symbol: {
      type: 'string',
      multiple: true,
      value: 'S',
      help: 'Only this symbol, in the service’s spelling; repeats',
    },
    session: { type: 'string', value: 'ID', help: 'Only this session' },
    source: { type: 'string', value: 'KEY', help: 'Only this source; needed where several hold the feed' },
    from: { type: 'string', value: 'T', help: 'From this event time on: ISO 8601 with a zone, or epoch ms' },
    to: { type: 'string', value: 'T', help: 'Up to, not including, this event time' },
    what: { type: 'string', value: 'ticks|bars', help: 'Default: ticks' },
    interval: { type: 'string', value: '1m', help: `Length of bars: ${INTERVAL_LABELS.join(', ')}` },
    of: {
      type: 'string',
      value: 'KIND',
      help: `What bars are built from: ${BAR_SOURCES.join(', ')} (default: as the feed)`,
    },
    format: { type: 'string', value: 'csv|jsonl', help: 'Default: csv' },
    out: { type: 'string', value: 'FILE', help: 'File to write' },
    raw: { type: 'boolean', help: 'A column with the message exactly as it arrived' },
    bom: { type: 'boolean', help: 'Begin with a byte order mark, for spreadsheets' },
    separator: { type: 'string', value: 'C', help: 'Between columns: comma (default), ; | or tab' },
  },
  async run(values, context) {
    const feed = values.text('feed')
    if (feed === undefined || !isFeedId(feed)) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}`)
    const out = values.text('out')
    if (out === undefined) throw new UsageError('--out names the file to write')
    const what = oneOf(values, 'what', ['ticks', 'bars'] as const) ?? 'ticks'
    const format = oneOf(values, 'format', ['csv', 'jsonl', 'parquet'] as const) ?? 'csv'
    if (format === 'parquet') throw new UsageError('--format parquet is not yet in this version')
    const session = values.text('session')
    let drawn = -Infinity
    const json = values.on('json')
    const common = {
      out: resolve(out),
      session: session === undefined ? undefined : recordingId(session),
      source: values.text('source'),
      fromMs: instant(values, 'from'),
      toMs: instant(values, 'to'),
      bom: values.on('bom'),
      separator: separatorOf(values),
      signal: context.signal,
      onProgress({ rows, bytes }: { readonly rows: number; readonly bytes: number }) {
        const now = context.clock.monoNs() / 1e6
        if (!context.interactive || json || now - drawn < PROGRESS_MS) return
        drawn = now
        context.err(`\r\x1b[K${rows} rows, ${(bytes / 1e6).toFixed(1)} MB`)
      },
    }
    const symbols = values.texts('symbol')
    const wanted = symbols.length === 0 ? undefined : symbols
    const result = await withReader(values, context, (reader): Promise<ExportResult> => {
      if (what === 'ticks') {
        return exportTicks(reader, {
          ...common,
          feed,
          symbols: wanted,
          format,
          raw: values.on('raw'),
        })
      }
      if (format !== 'csv') throw new UsageError('bars are exported as csv')
      const of: BarSource = oneOf(values, 'of', BAR_SOURCES) ?? barSourceOf(FEEDS[feed].kind)
      const interval: Interval = oneOf(values, 'interval', INTERVAL_LABELS) ?? '1m'
      return exportBars(reader, { ...common, asset: feedAsset(feed), symbols: wanted, of, interval })
    })
    if (context.interactive && !json) context.err('\r\x1b[K')
    context.out(
      json
        ? `${JSON.stringify(result)}\n`
        : `${result.rows} rows, ${result.bytes} bytes, manifest ${result.manifest}\n`,
    )
    return EXIT.ok
  },
}

function barSourceOf(kind: 'trade' | 'quote' | 'bar'): BarSource {
  return kind === 'trade' ? 'trade' : kind === 'quote' ? 'mid' : 'service'
}

function oneOf<const T extends string>(values: Values, name: string, words: readonly T[]): T | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const word = words.find((one) => one === text)
  if (word === undefined) throw new UsageError(`--${name} is one of ${words.join(', ')}, not "${text}"`)
  return word
}

function separatorOf(values: Values): (typeof SEPARATORS)[number] | undefined {
  const text = values.text('separator')
  if (text === undefined) return undefined
  const word = SEPARATORS.find(
    (one) => one === (text === 'tab' || text === '\\t' ? '\t' : text === 'comma' ? ',' : text),
  )
  if (word === undefined) throw new UsageError('--separator is comma, tab, ; or |')
  return word
}
