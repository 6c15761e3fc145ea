/** Rows and columns of bar exports; those of schema 1 as CSV and with typed columns. */
import type { Bar, BarSource, Interval } from '../../../../shared/core/market/market.ts'
import type { ExportFormat, Separator, SheetStyle } from '../../../../shared/features/export/export.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { createTimeWriter, textRoom, TIME_ROOM, writeText } from '../rows/cells.ts'
import { beginLongBars, LONG_BAR_COLUMNS, type BarTable } from './bar-cells.ts'
import type { BeginTable, TableColumn } from '../tables/table.ts'
import type { ByteSink } from '../../../base/file-sink.ts'

export interface BarRowOptions {
  /** Default: CSV. */
  readonly format?: ExportFormat | undefined
  readonly of: BarSource
  readonly interval: Interval
  /** Default: 1, which has no JSON Lines. */
  readonly schema?: 1 | 2 | undefined
  /** Schema 1: adds `EXTENDED_COLUMNS`. */
  readonly extended?: boolean | undefined
  readonly bom?: boolean | undefined
  readonly separator?: Separator | undefined
  readonly sheet?: SheetStyle | undefined
}

/** Columns of `tapedeck/bars/1`. */
export const BAR_COLUMNS = [
  'symbol',
  'start_ms',
  'start_iso',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'count',
  'complete',
  'of',
] as const

/** Additional columns of `tapedeck/bars/1+extended`. */
export const EXTENDED_COLUMNS = ['feed', 'end_ms', 'end_iso', 'vwap'] as const

/** The CSV columns with types. The start appears twice: as epoch ms and as a UTC timestamp. */
const TYPED_COLUMNS: readonly TableColumn[] = [
  { name: 'symbol', is: 'text' },
  { name: 'start_ms', is: 'whole', optional: false },
  { name: 'start_time', is: 'time', optional: false },
  { name: 'open', is: 'number', optional: false },
  { name: 'high', is: 'number', optional: false },
  { name: 'low', is: 'number', optional: false },
  { name: 'close', is: 'number', optional: false },
  { name: 'volume', is: 'number', optional: true },
  { name: 'count', is: 'whole', optional: false },
  { name: 'complete', is: 'bool' },
  { name: 'of', is: 'text' },
]

const TYPED_EXTENDED: readonly TableColumn[] = [
  { name: 'feed', is: 'text' },
  { name: 'end_ms', is: 'whole', optional: false },
  { name: 'end_time', is: 'time', optional: false },
  { name: 'vwap', is: 'number', optional: true },
]

export type BarSchema = 'tapedeck/bars/1' | 'tapedeck/bars/1+extended' | 'tapedeck/bars/2'
/** The schema name for the manifest. */
export const barSchema = ({ schema, extended }: Pick<BarRowOptions, 'schema' | 'extended'>): BarSchema =>
  schema === 2 ? 'tapedeck/bars/2' : extended === true ? 'tapedeck/bars/1+extended' : 'tapedeck/bars/1'

/** Whether the rows have a VWAP, which rereads every trade. */
export const hasVwap = (options: Pick<BarRowOptions, 'schema' | 'extended'>): boolean =>
  options.schema === 2 || options.extended === true

/** Header cells of a bar export. */
export function barColumns({
  format,
  schema,
  extended,
}: Pick<BarRowOptions, 'format' | 'schema' | 'extended'>): readonly string[] {
  if (schema === 2) return LONG_BAR_COLUMNS
  if (format === 'parquet' || format === 'arrow') return typedColumns(extended).map(({ name }) => name)
  return extended === true ? [...BAR_COLUMNS, ...EXTENDED_COLUMNS] : BAR_COLUMNS
}

const typedColumns = (extended: boolean | undefined): readonly TableColumn[] =>
  extended === true ? [...TYPED_COLUMNS, ...TYPED_EXTENDED] : TYPED_COLUMNS

const NUMBER_ROOM = 26

/**
 * Writes the header, if the format has one, and returns the row writer. `feed`: the feed the bars are built from. `begin`:
 * the format's, if it has typed columns.
 */
export function beginBars(file: ByteSink, options: BarRowOptions, feed: FeedId, begin: BeginTable | null): BarTable {
  const { format = 'csv', separator = ',', bom = false, of, interval, schema } = options
  if (schema === 2)
    return beginLongBars(file, format, { feed, interval, of }, { separator, bom, sheet: options.sheet }, begin)
  if (begin !== null) return createBarTable(begin, file, options, feed)
  if (bom) file.text('\ufeff')
  file.text(`${barColumns(options).join(separator)}\n`)
  return { of: (symbol) => createBarRow(symbol, options, feed, file), end: () => undefined }
}

function createBarTable(begin: BeginTable, file: ByteSink, options: BarRowOptions, feed: FeedId): BarTable {
  const { of, extended } = options
  const table = begin(file, typedColumns(extended), { schema: barSchema(options), zone: 'UTC' })
  return {
    end: () => table.end(),
    of: (symbol) => (bar, vwap) => {
      table.text(0, symbol)
      table.number(1, bar.startMs)
      table.number(2, bar.startMs)
      table.number(3, bar.open)
      table.number(4, bar.high)
      table.number(5, bar.low)
      table.number(6, bar.close)
      table.number(7, bar.volume ?? NaN)
      table.number(8, bar.count)
      table.bool(9, bar.complete)
      table.text(10, of)
      if (extended === true) {
        table.text(11, feed)
        table.number(12, bar.endMs)
        table.number(13, bar.endMs)
        table.number(14, vwap)
      }
      table.row()
    },
  }
}

const encoder = new TextEncoder()

function createBarRow(
  symbol: string,
  { of, separator: separatorText = ',', extended = false }: BarRowOptions,
  feed: FeedId,
  file: ByteSink,
): (bar: Bar, vwap: number) => void {
  const separator = separatorText.charCodeAt(0)
  const time = createTimeWriter(separator)
  const end = createTimeWriter(separator)
  const text = encoder.encode(symbol)
  const cell = new Uint8Array(textRoom(text))
  const name = cell.subarray(0, writeText(cell, 0, text, separator, true))
  const after = extended ? `${separatorText}${feed}${separatorText}` : '\n'
  const tails = [false, true].map((complete) =>
    encoder.encode(`${separatorText}${complete ? 'true' : 'false'}${separatorText}${of}${after}`),
  )
  const number = (value: number): void => {
    file.bytes[file.at++] = separator
    file.at += encoder.encodeInto(String(value), file.bytes.subarray(file.at)).written
  }
  const absent = (): void => {
    file.bytes[file.at++] = separator
  }
  const instant = (writer: typeof time, ms: number): void => {
    file.at = writer.write(file.bytes, new DataView(file.bytes.buffer), file.at, ms)
  }
  return (bar, vwap) => {
    const tail = tails[bar.complete ? 1 : 0]
    file.room(name.length + 2 * TIME_ROOM + 7 * (NUMBER_ROOM + 1) + tail.length + 4)
    file.bytes.set(name, file.at)
    file.at += name.length
    file.bytes[file.at++] = separator
    instant(time, bar.startMs)
    number(bar.open)
    number(bar.high)
    number(bar.low)
    number(bar.close)
    if (bar.volume === null) absent()
    else number(bar.volume)
    number(bar.count)
    file.bytes.set(tail, file.at)
    file.at += tail.length
    if (!extended) return
    instant(end, bar.endMs)
    if (Number.isNaN(vwap)) absent()
    else number(vwap)
    file.bytes[file.at++] = 10
  }
}
