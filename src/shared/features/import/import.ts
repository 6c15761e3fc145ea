/** Files to import: how to recognize them and read their columns. */
import type { FeedId, SessionId } from '../../base/units.ts'

/**
 * What a column of a tick table contains. `received`: the receive time. `raw`: the whole message. `correction`: a
 * number above 1 if a trade was canceled later, or if the row cancels or corrects another one.
 */
export const IMPORT_FIELDS = [
  'symbol',
  'time',
  'received',
  'price',
  'size',
  'correction',
  'bid',
  'ask',
  'bidSize',
  'askSize',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'end',
  'raw',
] as const
export type ImportField = (typeof IMPORT_FIELDS)[number]

/** How to read a table from another program. */
export interface CsvMapping {
  /** One per column; null: ignored. */
  readonly columns: readonly (ImportField | null)[]
  readonly feed: FeedId
  /** The zone of times without one: an IANA name or "UTC". */
  readonly zone: string
  /** The symbol of every row if no column has it, else ''. */
  readonly symbol: string
  /** How times are written, such as `DD.MM.YYYY HH:mm:ss`. Absent: ISO 8601, or a number since 1970. */
  readonly dateFormat?: string | undefined
  /** Whole prices are billionths, as Databento writes them. */
  readonly fixedPrices?: boolean | undefined
  /** Which time a local time means that occurs twice in the zone. Absent: a table with such a time is refused. */
  readonly repeated?: RepeatedTime | undefined
}

/** When clocks are set back, a local time occurs twice: the first or the second. */
export const REPEATED_TIMES = ['first', 'second'] as const
export type RepeatedTime = (typeof REPEATED_TIMES)[number]

/**
 * `package`: one session as a file; `ticks`: our own CSV; `lines`: our own JSON Lines; `table`: any other CSV.
 */
export type ImportKind = 'package' | 'ticks' | 'lines' | 'table'

/** A line that can't be imported, counted from 1 with the header. 0: the mapping of a preview can't be used. */
export interface ImportProblem {
  readonly line: number
  readonly text: string
  /** The table is refused because only the user knows what the line means. */
  readonly refuses?: true
}

/** The most problems that are listed. The rest are only counted. */
export const MAX_LISTED_PROBLEMS = 20

/** A preview of a file before import. */
export interface ImportPreview {
  readonly kind: ImportKind
  readonly name: string
  readonly bytes: number
  /** Column names. Generated if the table has no header. */
  readonly columns: readonly string[]
  /** The first rows, as text. */
  readonly rows: readonly (readonly string[])[]
  /** For a table: the requested mapping, or the detected one. */
  readonly mapping: CsvMapping | null
  readonly problems: readonly ImportProblem[]
  /** Whether messages are stored byte for byte, instead of written again in the feed's shape. */
  readonly exact: boolean
  /** Gaps in its manifest, which are imported too. Null without a manifest. */
  readonly gaps: number | null
}

export interface ImportDone {
  readonly sessions: readonly { readonly session: SessionId; readonly messages: number }[]
  readonly messages: number
  /** The store had it already; nothing was written. */
  readonly already: boolean
  /** The number of skipped lines, and the first of them. */
  readonly skipped: number
  readonly problems: readonly ImportProblem[]
}
