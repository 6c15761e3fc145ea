/** Formats, sorts, filters and exports cells of tables of unknown shape. */
import { orderOf, type Column, type Table } from '../../../../shared/features/research/read.ts'
import { hasPercentSign, numberOf, timeOf, type ColumnType } from '../../../../shared/features/research/types.ts'
import { ExactNumber, scalarText, type Scalar } from '../../../../shared/features/research/value.ts'
import { t } from '../../../../shared/base/text.ts'
import { DASH, type NumberText } from '../../../text/format.ts'
import { timeText } from '../../../text/zone-time.ts'
import { dayOf } from './earnings.ts'
import { figureText, figureTone, type FigureKind } from './figure-kinds.ts'

export interface CellLook {
  readonly numbers: NumberText
  /** IANA zone in which instants are shown. */
  readonly zone: string
  /** Number format by key. Without it, every received digit is shown. */
  readonly kinds?: (key: string) => FigureKind | null
}

/** A cell's display text. Values that don't fit the column type stay as received. Only known kinds are rounded. */
export function cellText(type: ColumnType, value: Scalar, look: CellLook, key = ''): string {
  if (value === null || value === '') return DASH
  const { numbers, zone } = look
  switch (type) {
    case 'number': {
      const n = numberOf(value)
      const kind = look.kinds?.(key) ?? null
      // A column can have both 12% and 0.12.
      const isAsSent = kind === null || Number.isNaN(n) || hasPercentSign(value)
      return isAsSent ? exactText(value, numbers) : figureText(kind, n, numbers)
    }
    case 'percent': {
      const n = typeof value === 'string' ? NaN : numberOf(value)
      const kind = look.kinds?.(key) ?? null
      return kind === null || Number.isNaN(n) ? scalarText(value) : figureText(kind, n, numbers)
    }
    case 'instant': {
      const ms = timeOf(value)
      return Number.isNaN(ms) ? scalarText(value) : timeText(ms, zone, 'stamp')
    }
    case 'boolean':
      return value === true ? t('yes') : value === false ? t('no') : scalarText(value)
    case 'date':
    case 'period':
    case 'link':
    case 'text':
      return scalarText(value)
  }
}

/** The direction of a growth rate as displayed; '' for any other cell. */
export const cellTone = (value: Scalar, look: CellLook, key: string): '' | 'up' | 'down' =>
  hasPercentSign(value) ? '' : figureTone(look.kinds?.(key) ?? null, numberOf(value))

/** Decimal digits that always survive a round trip through a double. */
const SAFE_DIGITS = 15

/** A number with all received digits, grouped if it is a plain decimal; anything else as received. */
export function exactText(value: Scalar, numbers: NumberText): string {
  const text = scalarText(value)
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) return text
  const plain = /^-?(\d+)(?:\.(\d+))?$/.exec(text)
  const n = numberOf(value)
  if (plain === null || Object.is(n, -0)) return text
  const decimals = plain[2]?.length ?? 0
  return plain[1].length + decimals > SAFE_DIGITS ? text : numbers.fixed(n, decimals)
}

/** Whether a column is right-aligned, so that digits line up. */
export const isNumeric = (type: ColumnType): boolean => type === 'number' || type === 'percent'

/** The first row dated `day` (`YYYY-MM-DD`, UTC); -1 if there is none. */
export function rowOfDay(table: Table, day: string): number {
  const dates = table.columns.flatMap(({ type }, i) => (type === 'date' || type === 'instant' ? [i] : []))
  for (let row = 0; row < table.rows; row++) {
    for (const column of dates) {
      const ms = timeOf(table.cell(row, column))
      if (!Number.isNaN(ms) && dayOf(ms) === day) return row
    }
  }
  return -1
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Indexes of the table's rows, filtered and sorted. Absent values always come last. */
export function arrange(
  table: Table,
  sort: { readonly column: number; readonly descending: boolean } | null,
  filter: string,
): Uint32Array {
  const wanted = filter.trim().toLowerCase()
  const rows: number[] = []
  for (let row = 0; row < table.rows; row++) {
    if (wanted === '' || matches(table, row, wanted)) rows.push(row)
  }
  if (sort === null || table.columns[sort.column] === undefined) return Uint32Array.from(rows)
  const { type } = table.columns[sort.column]
  const keys = new Map(rows.map((row) => [row, orderOf(type, table.cell(row, sort.column))]))
  const sign = sort.descending ? -1 : 1
  rows.sort((a, b) => compare(keys.get(a), keys.get(b), sign) || a - b)
  return Uint32Array.from(rows)
}

function compare(a: number | string | undefined, b: number | string | undefined, sign: number): number {
  const noA = a === undefined || Number.isNaN(a)
  const noB = b === undefined || Number.isNaN(b)
  if (noA || noB) return Number(noA) - Number(noB)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  return collator.compare(String(a), String(b)) * sign
}

function matches(table: Table, row: number, wanted: string): boolean {
  return table.columns.some((_, column) => scalarText(table.cell(row, column)).toLowerCase().includes(wanted))
}

/** A table as CSV with exact values and LF line ends. Text a spreadsheet would run as a formula is escaped. */
export function tableCsv(table: Table, rows: ArrayLike<number>): string {
  const lines = [table.columns.map(({ key }) => quoted(key)).join(',')]
  for (let i = 0; i < rows.length; i++) {
    lines.push(table.columns.map((_, column) => csvCell(table.cell(rows[i], column))).join(','))
  }
  return `${lines.join('\n')}\n`
}

function csvCell(value: Scalar): string {
  if (value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return scalarText(value)
  return quoted(value)
}

/** Quotes a CSV cell. Following OWASP, text that starts like a formula gets a leading apostrophe; numbers don't. */
function quoted(text: string): string {
  const risky = /^[=+\-@\t\r]/.test(text) && Number.isNaN(numberOf(text))
  const plain = risky ? `'${text}` : text
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Column headings. Columns with the same title get their full key. */
export function headings(columns: readonly Column[]): readonly string[] {
  return columns.map(({ title, key }) => (columns.filter((one) => one.title === title).length > 1 ? key : title))
}
