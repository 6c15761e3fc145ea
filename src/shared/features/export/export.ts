/** What can be taken out as a file: the same words for the window, for presets and for the command line. */
import { exportPhrase } from './texts.ts'
import { hasBars, type BarSource, type Interval } from '../../core/market/market.ts'
import type { FeedId, RecordingId } from '../../base/units.ts'

export const EXPORT_FORMATS = ['csv', 'parquet', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
export const EXPORT_KINDS = ['ticks', 'bars'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]
export const SEPARATORS = [',', ';', '\t', '|'] as const
export type Separator = (typeof SEPARATORS)[number]
/** One file, or one for each symbol or UTC day. */
export const SPLITS = ['none', 'symbol', 'day'] as const
export type Split = (typeof SPLITS)[number]

/** What to export. Everything but the place it is written to. */
export interface ExportRequest {
  readonly what: ExportKind
  /** Of bars: one that sends bars is meant itself; any other names its market. */
  readonly feed: FeedId
  /** In any spelling; empty: every symbol. */
  readonly symbols: readonly string[]
  /** Only these; empty: every one of the source. */
  readonly sessions: readonly RecordingId[]
  /** Key of a source; needed where several hold the feed. */
  readonly source: string | null
  /** Event time, [from, to), UTC ms; null: open. */
  readonly fromMs: number | null
  readonly toMs: number | null
  /** What bars are built from; null: as the feed. */
  readonly of: BarSource | null
  readonly interval: Interval
  readonly format: ExportFormat
  /** Ticks: a column with the message as it arrived (JSON Lines always have it). */
  readonly raw: boolean
  /** Bars: also the feed, the end and the VWAP of each (schema `tapedeck/bars/2`); absent: not. */
  readonly extended?: boolean | undefined
  /** CSV: begin with a byte order mark, for spreadsheets. */
  readonly bom: boolean
  /** CSV: between columns. */
  readonly separator: Separator
  readonly split: Split
}

/** One file that was written, with its manifest beside. */
export interface ExportedFile {
  readonly path: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  /** Path of the manifest. */
  readonly manifest: string
}

/** What an export answers: of one file its hash and manifest, of several what each has. */
export interface ExportDone {
  readonly rows: number
  readonly bytes: number
  /** The feed whose messages the rows are, or are built from, and the source that recorded it. */
  readonly feed: FeedId
  readonly source: string
  /** Null where there are several files. */
  readonly sha256: string | null
  readonly manifest: string | null
  readonly files: readonly ExportedFile[]
}

/** What an export would be, told before it is made. */
export interface ExportEstimate {
  /** About so many rows and bytes; bars are counted as if every interval had one. */
  readonly rows: number
  readonly bytes: number
  /** About so many files. */
  readonly files: number
  /** A file of the same name is there; null: no name was given. */
  readonly exists: boolean | null
  /** Room on the disk of the folder, bytes; null: not known. */
  readonly freeBytes: number | null
}

/** What cannot be combined, in a sentence; null: nothing stands against it. */
export function exportConflict(request: ExportRequest): string | null {
  const { what, format, raw, bom, separator, fromMs, toMs, of, interval, extended } = request
  if (what === 'bars' && format === 'jsonl') return exportPhrase('exporting.no-lines-of-bars')
  if (what === 'ticks' && extended === true) return exportPhrase('exporting.no-extended-ticks')
  if (what === 'bars' && raw) return exportPhrase('exporting.no-raw-bars')
  if (what === 'bars' && of !== null && !hasBars(of, interval)) return exportPhrase('exporting.no-service-bars')
  if (format !== 'csv' && (bom || separator !== ',')) return exportPhrase('exporting.csv-only')
  if (fromMs !== null && toMs !== null && toMs <= fromMs) return exportPhrase('exporting.range-turned')
  return null
}

/** Endings of the files of each format. */
export const EXTENSIONS: Readonly<Record<ExportFormat, string>> = { csv: '.csv', parquet: '.parquet', jsonl: '.jsonl' }

/** Endings that name a format beside its own. */
const OTHER_ENDINGS: Readonly<Record<string, ExportFormat>> = { '.ndjson': 'jsonl', '.tsv': 'csv' }

/** The format that a file's ending names; undefined for an ending of none of them. */
export function formatOfName(name: string): ExportFormat | undefined {
  const lower = name.toLowerCase()
  const other = Object.entries(OTHER_ENDINGS).find(([ending]) => lower.endsWith(ending))?.[1]
  return other ?? EXPORT_FORMATS.find((format) => lower.endsWith(EXTENSIONS[format]))
}

/** The separator that a file's ending promises; undefined: any. */
export const separatorOfName = (name: string): Separator | undefined =>
  name.toLowerCase().endsWith('.tsv') ? '\t' : undefined

/** A typed name with an ending of the format: its own where it has one. */
export const fileNameOf = (name: string, format: ExportFormat): string =>
  formatOfName(name) === format ? name : `${name}${EXTENSIONS[format]}`

/** Why a file of this name can't hold what is exported, in a sentence; null: it can. */
export function nameConflict(
  name: string,
  { format, separator }: Pick<ExportRequest, 'format' | 'separator'>,
): string | null {
  const promised = separatorOfName(name)
  if (promised === undefined || (format === 'csv' && separator === promised)) return null
  return exportPhrase('exporting.tsv-needs-tabs')
}
