/** Transposes a table of periods: one line item per row, one period per column, newest first. Pure. */
import type { Table } from '../../../../shared/features/research/read.ts'
import { orderOf } from '../../../../shared/features/research/read.ts'
import { scalarText, type Scalar } from '../../../../shared/features/research/value.ts'
import { t } from '../../../../shared/base/text.ts'
import { cellText, cellTone, headings, isNumeric, type CellLook } from './cells.ts'

export interface TurnedCell {
  readonly text: string
  /** The value as received. */
  readonly exact: string
  readonly tone: '' | 'up' | 'down'
}
export interface TurnedLine {
  readonly key: string
  readonly title: string
  readonly numeric: boolean
  readonly cells: readonly TurnedCell[]
}
export interface Turned {
  readonly periods: readonly string[]
  readonly lines: readonly TurnedLine[]
  /** Non-numeric columns whose value is the same in every period. */
  readonly same: readonly { readonly title: string; readonly text: string }[]
}

const FEWEST_COLUMNS = 7
const MAX_PERIODS = 60
const YEAR = /^(fiscal_?year|calendar_?year|year)$/i
const PART = /^(period|quarter|fiscal_?(period|quarter))$/i
const PART_VALUE = /^(Q[1-4]|H[12]|FY|[1-4])$/i

/** The column with a table's periods; -1 if there is none or the table isn't worth transposing. */
export function periodColumn(table: Table): number {
  if (table.rows < 2 || table.rows > MAX_PERIODS || table.columns.length < FEWEST_COLUMNS) return -1
  const days = table.columns.findIndex(({ type }) => type === 'date')
  const at = days >= 0 ? days : table.columns.findIndex(({ type }) => type === 'period')
  if (at < 0) return -1
  // More than one record per period means it is a list of events.
  const seen = new Set<string>()
  for (let row = 0; row < table.rows; row++) seen.add(scalarText(table.cell(row, at)))
  const numbers = table.columns.filter(({ type }) => isNumeric(type)).length
  return seen.size === table.rows && numbers >= table.columns.length / 2 ? at : -1
}

/** Transposes a table; `at` is its period column. */
export function turn(table: Table, at: number, look: CellLook): Turned {
  const { type } = table.columns[at]
  const rows = Array.from({ length: table.rows }, (_, row) => row).sort((a, b) => {
    const [x, y] = [orderOf(type, table.cell(a, at)), orderOf(type, table.cell(b, at))]
    return x < y ? 1 : x > y ? -1 : a - b
  })
  const titles = headings(table.columns)
  const year = table.columns.findIndex(({ key }) => YEAR.test(key))
  const part = table.columns.findIndex(({ key }) => PART.test(key))
  const text = (row: number, column: number) => scalarText(table.cell(row, column))
  // Use names such as "Q3 2025" if they are unique.
  const named = rows.map((row) => {
    const value = part < 0 ? '' : text(row, part)
    const name = PART_VALUE.test(value) ? (/^\d$/.test(value) ? `Q${value}` : value.toUpperCase()) : ''
    return year < 0 ? '' : name === '' || name === 'FY' ? text(row, year) : `${name} ${text(row, year)}`
  })
  const plain = rows.map((row) => text(row, at))
  const periods = new Set(named).size === rows.length && !named.includes('') ? named : plain
  const same: { title: string; text: string }[] = []
  const lines: TurnedLine[] = []
  for (const [i, column] of table.columns.entries()) {
    if (i === at && periods === plain) continue
    if ((i === year || i === part) && periods === named) continue
    const values = rows.map((row): Scalar => table.cell(row, i))
    const texts = values.map((value) => cellText(column.type, value, look, column.key))
    // A line without any value has no type. It stays where the service has it.
    const isEmpty = values.every((value) => value === null || value === '')
    if (!isEmpty && !isNumeric(column.type) && new Set(texts).size === 1)
      same.push({ title: titles[i], text: texts[0] })
    else {
      lines.push({
        key: column.key,
        title: titles[i],
        numeric: isEmpty || isNumeric(column.type),
        cells: values.map((value, r) => ({
          text: texts[r],
          exact: scalarText(value),
          tone: cellTone(value, look, column.key),
        })),
      })
    }
  }
  // Text and date lines go above the numbers.
  return { periods, lines: [...lines.filter((one) => !one.numeric), ...lines.filter((one) => one.numeric)], same }
}

/** The transposed view as a table for export, with exact values. */
export function turnedTable({ periods, lines }: Turned): Table {
  return {
    path: '',
    columns: [
      { key: 'line', title: t('Line'), type: 'text' },
      ...periods.map((period) => ({ key: period, title: period, type: 'text' as const })),
    ],
    rows: lines.length,
    cell: (row, column) => (column === 0 ? lines[row].key : (lines[row].cells[column - 1]?.exact ?? null)),
  }
}
