/** Files that come in: how they are told apart, how their columns are read. */
import type { FeedId, RecordingId } from '../../base/units.ts'

/** What a column of a table of ticks holds. `received` is the time of receipt, `raw` the whole message. */
export const IMPORT_FIELDS = [
  'symbol',
  'time',
  'received',
  'price',
  'size',
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

/** How a table that is not ours is read. */
export interface CsvMapping {
  /** One a column; null: not read. */
  readonly columns: readonly (ImportField | null)[]
  readonly feed: FeedId
  /** Zone of times that name none: an IANA name or "UTC". */
  readonly zone: string
  /** The symbol of every row, where no column holds one; '' otherwise. */
  readonly symbol: string
  /** How the times of the table are written, such as `DD.MM.YYYY HH:mm:ss`; absent: ISO 8601 or since 1970. */
  readonly dateFormat?: string | undefined
  /** Which instant a local time means that the zone has twice; absent: a table with such a time is refused. */
  readonly repeated?: RepeatedTime | undefined
}

/** Of two instants of one local time, where clocks are set back: the first or the second. */
export const REPEATED_TIMES = ['first', 'second'] as const
export type RepeatedTime = (typeof REPEATED_TIMES)[number]

/**
 * `package`: one session as a file; `ticks`: our own CSV; `lines`: our own JSON Lines; `table`: any other CSV.
 */
export type ImportKind = 'package' | 'ticks' | 'lines' | 'table'

/** A line that cannot be taken, counted from 1 with the header. */
export interface ImportProblem {
  readonly line: number
  readonly text: string
  /** The table is refused for it: what the line means is the user's to say. */
  readonly refuses?: true
}

/** A look at a file before it is imported. */
export interface ImportPreview {
  readonly kind: ImportKind
  readonly name: string
  readonly bytes: number
  /** Names of the columns, of a table without a header made up. */
  readonly columns: readonly string[]
  /** The first rows, as text. */
  readonly rows: readonly (readonly string[])[]
  /** Of a table: as asked for, or guessed. */
  readonly mapping: CsvMapping | null
  readonly problems: readonly ImportProblem[]
  /** Whether the messages are there to the byte, or are written anew in the feed's shape. */
  readonly exact: boolean
  /** Gaps that its manifest tells and that come with it; null: no manifest of it is there. */
  readonly gaps: number | null
}

/** What an import answers. */
export interface ImportDone {
  readonly sessions: readonly { readonly session: RecordingId; readonly messages: number }[]
  readonly messages: number
  /** The store held it before; nothing was written. */
  readonly already: boolean
  /** Lines that were left out, and the first of them. */
  readonly skipped: number
  readonly problems: readonly ImportProblem[]
}
