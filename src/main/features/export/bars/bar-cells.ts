/** Bars as rows of schema 2: one list of columns for CSV, Parquet and JSON Lines. */
import type { Bar, BarSource, Interval } from '../../../../shared/core/market/market.ts'
import type { ExportFormat, Separator, SheetStyle } from '../../../../shared/features/export/export.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { ByteSink } from '../../../base/file-sink.ts'
import { csvText } from '../../../../shared/base/csv.ts'
import { textRoom, writeText } from '../rows/cells.ts'
import { createSheetCells } from '../rows/sheet.ts'
import type { BeginTable, TableColumn } from '../tables/table.ts'

/** What every bar of an export shares. */
export interface BarTerms {
  readonly feed: FeedId
  readonly interval: Interval
  readonly of: BarSource
}

interface BarRow extends BarTerms {
  readonly symbol: string
  readonly bar: Bar
  /** NaN: none. */
  readonly vwap: number
}

type BarColumn = TableColumn & { readonly value: (row: BarRow) => string | number | boolean }

/** Columns of `tapedeck/bars/2`. Times are UTC ms; NaN is an absent number. */
const COLUMNS: readonly BarColumn[] = [
  { name: 'feed', is: 'text', value: ({ feed }) => feed },
  { name: 'symbol', is: 'text', value: ({ symbol }) => symbol },
  { name: 'interval', is: 'text', value: ({ interval }) => interval },
  { name: 'of', is: 'text', value: ({ of }) => of },
  { name: 'start_time', is: 'time', optional: false, value: ({ bar }) => bar.startMs },
  { name: 'start_ms', is: 'whole', optional: false, value: ({ bar }) => bar.startMs },
  { name: 'end_ms', is: 'whole', optional: false, value: ({ bar }) => bar.endMs },
  { name: 'open', is: 'number', optional: false, value: ({ bar }) => bar.open },
  { name: 'high', is: 'number', optional: false, value: ({ bar }) => bar.high },
  { name: 'low', is: 'number', optional: false, value: ({ bar }) => bar.low },
  { name: 'close', is: 'number', optional: false, value: ({ bar }) => bar.close },
  { name: 'volume', is: 'number', optional: true, value: ({ bar }) => bar.volume ?? NaN },
  { name: 'vwap', is: 'number', optional: true, value: ({ vwap }) => vwap },
  { name: 'count', is: 'whole', optional: false, value: ({ bar }) => bar.count },
  { name: 'complete', is: 'bool', value: ({ bar }) => bar.complete },
]

/** Names of the columns of `tapedeck/bars/2`. */
export const LONG_BAR_COLUMNS: readonly string[] = COLUMNS.map(({ name }) => name)

/** Writes bars one symbol at a time. */
export interface BarTable {
  /** Returns the row writer for one symbol. NaN means no VWAP. */
  of(symbol: string): (bar: Bar, vwap: number) => void
  end(): void
}

/** Writes the header, if the format has one, and returns the row writer. `begin`: the format's, if it has typed columns. */
export function beginLongBars(
  file: ByteSink,
  format: ExportFormat,
  terms: BarTerms,
  csv: BarCsv,
  begin: BeginTable | null,
): BarTable {
  const rows = begin !== null ? typed(begin, file) : format === 'jsonl' ? jsonLines(file) : csvRows(file, csv)
  return {
    of: (symbol) => (bar, vwap) => rows.add({ ...terms, symbol, bar, vwap }),
    end: () => rows.end(),
  }
}

/** How CSV cells are written. */
export interface BarCsv {
  readonly separator: Separator
  readonly bom: boolean
  readonly sheet: SheetStyle | undefined
}

interface Rows {
  add(row: BarRow): void
  end(): void
}

const iso = (ms: number): string => new Date(ms).toISOString()
const encoder = new TextEncoder()
const decoder = new TextDecoder()

function csvRows(file: ByteSink, { separator, bom, sheet }: BarCsv): Rows {
  const local = sheet === undefined ? null : createSheetCells(sheet, separator)
  file.text(`${bom ? '\ufeff' : ''}${LONG_BAR_COLUMNS.join(separator)}\n`)
  const cell = (text: string): string => {
    const bytes = encoder.encode(text)
    const out = new Uint8Array(textRoom(bytes))
    return decoder.decode(out.subarray(0, writeText(out, 0, bytes, separator.charCodeAt(0), true)))
  }
  const cells = (row: BarRow): string[] =>
    COLUMNS.map(({ is, value }) => {
      const it = value(row)
      if (typeof it === 'number') {
        if (Number.isNaN(it)) return ''
        if (is === 'time') return local === null ? iso(it) : local.time(it)
        return local === null ? String(it) : csvText(local.number(String(it)), separator)
      }
      return typeof it === 'boolean' ? String(it) : cell(it)
    })
  return { add: (row) => file.text(`${cells(row).join(separator)}\n`), end: () => undefined }
}

function jsonLines(file: ByteSink): Rows {
  const valueOf = ({ is, value }: BarColumn, row: BarRow): string | number | boolean | null => {
    const it = value(row)
    return typeof it !== 'number' ? it : Number.isNaN(it) ? null : is === 'time' ? iso(it) : it
  }
  return {
    add: (row) =>
      file.text(`${JSON.stringify(Object.fromEntries(COLUMNS.map((one) => [one.name, valueOf(one, row)])))}\n`),
    end: () => undefined,
  }
}

function typed(begin: BeginTable, file: ByteSink): Rows {
  const table = begin(file, COLUMNS, { schema: 'tapedeck/bars/2', zone: 'UTC' })
  return {
    add(row) {
      for (const [at, { value }] of COLUMNS.entries()) {
        const it = value(row)
        if (typeof it === 'number') table.number(at, it)
        else if (typeof it === 'boolean') table.bool(at, it)
        else table.text(at, it)
      }
      table.row()
    },
    end: () => table.end(),
  }
}
