/** Export requests and their rules, shared by the window, presets and the command line. */
import { t } from '../../base/text.ts'
import { hasBars, type BarSource, type Interval } from '../../core/market/market.ts'
import type { FeedId, SessionId } from '../../base/units.ts'

export const EXPORT_FORMATS = ['csv', 'parquet', 'jsonl', 'arrow'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
export const EXPORT_KINDS = ['ticks', 'bars'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]
/** Versions of the columns. */
export const EXPORT_SCHEMAS = [1, 2] as const
export type ExportSchema = (typeof EXPORT_SCHEMAS)[number]
export const SEPARATORS = [',', ';', '\t', '|'] as const
export type Separator = (typeof SEPARATORS)[number]
/** One file, or one per symbol or UTC day. */
export const SPLITS = ['none', 'symbol', 'day'] as const
export type Split = (typeof SPLITS)[number]

/** What to export, without where to write it. */
export interface ExportRequest {
  readonly what: ExportKind
  /** For bars: a bar feed means its own bars, any other feed stands for its market. */
  readonly feed: FeedId
  /** Symbols or aliases. Empty for every symbol. */
  readonly symbols: readonly string[]
  /** Only these sessions. Empty for every session of the source. */
  readonly sessions: readonly SessionId[]
  /** The key of a source. Required if several sources have the feed. */
  readonly source: string | null
  /** Event time [from, to), UTC ms. Null for no limit. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** Ticks: only those after this seq, in each session. */
  readonly afterSeq?: number | undefined
  /** What bars are built from. Null for the feed's own kind. */
  readonly of: BarSource | null
  readonly interval: Interval
  readonly format: ExportFormat
  /** 1: columns as in the messages. 2: whole words, the same in every format. Absent: 1, as in presets saved before 2. */
  readonly schema?: ExportSchema | undefined
  /**
   * Ticks: adds a column with the message as it arrived; JSON Lines then have one line for each message, as it arrived.
   * JSON Lines of schema 1 always do.
   */
  readonly raw: boolean
  /** Bars of schema 1: adds feed, end time and VWAP. */
  readonly extended?: boolean | undefined
  /** CSV: starts with a byte order mark, for spreadsheets. */
  readonly bom: boolean
  /** CSV: the column separator. */
  readonly separator: Separator
  /** CSV of schema 2: times and numbers for a spreadsheet, and files of no more rows than it takes. */
  readonly sheet?: SheetStyle | undefined
  readonly split: Split
}

/** How a spreadsheet is to read times. */
export interface SheetStyle {
  /** IANA zone of the times. */
  readonly zone: string
}

/** A written file and its manifest. */
export interface ExportedFile {
  readonly path: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  readonly manifest: string
}

/** The result of an export: hash and manifest of one file, or of each of several. */
export interface ExportDone {
  readonly rows: number
  readonly bytes: number
  /** The feed the rows come from, and the source that recorded it. */
  readonly feed: FeedId
  readonly source: string
  /** Null if there are several files. */
  readonly sha256: string | null
  readonly manifest: string | null
  readonly files: readonly ExportedFile[]
}

export interface ExportEstimate {
  /** Approximate rows and bytes. Counts a bar for every interval. */
  readonly rows: number
  readonly bytes: number
  readonly files: number
  /** Whether a file of this name exists. Null if no name was given. */
  readonly exists: boolean | null
  /** Free space on the folder's disk in bytes. Null if unknown. */
  readonly freeBytes: number | null
}

/** Why the options of a request can't be combined, as a sentence, or null. */
export function exportConflict(request: ExportRequest): string | null {
  const { what, format, raw, bom, separator, fromMs, toMs, of, interval, extended, schema = 1 } = request
  if (what === 'bars' && format === 'jsonl' && schema === 1)
    return t('Schema 1 has no bars as JSON Lines. Choose CSV or Parquet, or schema 2.')
  if (what === 'ticks' && extended === true) return t('Only bars have an end time and a VWAP.')
  if (what === 'bars' && raw) return t('Bars have no raw message. Leave out the raw column.')
  if (what === 'bars' && of !== null && !hasBars(of, interval))
    return t('The service’s bars last whole seconds. Build others from trades, bid, ask, or mid.')
  if (format !== 'csv' && (bom || separator !== ',')) return t('A byte order mark and a separator apply to CSV only.')
  if (request.sheet !== undefined && (format !== 'csv' || schema === 1))
    return t('Spreadsheet times apply to CSV of schema 2 only.')
  if (fromMs !== null && toMs !== null && toMs <= fromMs) return t('The end must be after the start.')
  return null
}

/** The file extension of each format. */
const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  csv: '.csv',
  parquet: '.parquet',
  jsonl: '.jsonl',
  arrow: '.arrow',
}

/** Other extensions that imply a format. */
const OTHER_ENDINGS: Readonly<Record<string, ExportFormat>> = {
  '.ndjson': 'jsonl',
  '.tsv': 'csv',
  '.arrows': 'arrow',
  '.feather': 'arrow',
}

/** The format implied by a file name's extension, or undefined. */
export function formatOfName(name: string): ExportFormat | undefined {
  const lower = name.toLowerCase()
  const other = Object.entries(OTHER_ENDINGS).find(([ending]) => lower.endsWith(ending))?.[1]
  return other ?? EXPORT_FORMATS.find((format) => lower.endsWith(EXTENSIONS[format]))
}

/** Whether a file name asks for Arrow's stream format, which pipes get, too. Other Arrow files have a footer. */
export const isArrowStreamName = (name: string): boolean => name.toLowerCase().endsWith('.arrows')

/** The separator implied by a file name's extension, or undefined for any. */
export const separatorOfName = (name: string): Separator | undefined =>
  name.toLowerCase().endsWith('.tsv') ? '\t' : undefined

/** A typed file name with an extension of the format. Keeps a suitable extension. */
export const fileNameOf = (name: string, format: ExportFormat): string =>
  formatOfName(name) === format ? name : `${name}${EXTENSIONS[format]}`

/** Why a file name doesn't fit the request, as a sentence, or null. */
export function nameConflict(
  name: string,
  { format, separator }: Pick<ExportRequest, 'format' | 'separator'>,
): string | null {
  const promised = separatorOfName(name)
  if (promised === undefined || (format === 'csv' && separator === promised)) return null
  return t('A .tsv file is separated by tabs. Choose CSV with Tab as the separator, or another file name.')
}
