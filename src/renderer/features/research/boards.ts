/** Reads price boards from responses of any shape. Pure. */
import type { Column, Reading, Table } from '../../../shared/features/research/read.ts'
import { numberOf } from '../../../shared/features/research/types.ts'
import { scalarText } from '../../../shared/features/research/value.ts'

export interface BoardRow {
  /** The symbol that the history endpoint takes; '' if the service sent none. */
  readonly symbol: string
  readonly name: string
  readonly unit: string
  /** As received; NaN if absent. */
  readonly price: number
  readonly change: number
  readonly changePercent: number
}

const NAMES = {
  symbol: /^(symbol|ticker|code|key)$/i,
  name: /^(name|commodity|title|description|key)$/i,
  unit: /^(unit|currency|quote_?unit)$/i,
  price: /^(price|last|close|value|rate)$/i,
  change: /^(change|day_?change|change_?abs(olute)?)$/i,
  percent: /^(change_?(percent(age)?|pct)|percent_?change|changes_?percentage)$/i,
} as const

const isCalled = (pattern: RegExp, { key, type }: Column): boolean =>
  pattern.test(key) && type !== 'date' && type !== 'instant'

/** The first table with a price and a name or symbol; undefined if there is none. Dates name nothing: they are a history. */
export function boardTable(reading: Reading): Table | undefined {
  return reading.tables.find(({ columns }) => {
    const has = (pattern: RegExp) => columns.some((column) => isCalled(pattern, column))
    return has(NAMES.price) && (has(NAMES.symbol) || has(NAMES.name))
  })
}

/** The board's rows, in the service's order. */
export function boardOf(table: Table): readonly BoardRow[] {
  const place = (pattern: RegExp): number => table.columns.findIndex((column) => isCalled(pattern, column))
  const at = {
    symbol: place(NAMES.symbol),
    name: place(NAMES.name),
    unit: place(NAMES.unit),
    price: place(NAMES.price),
    change: place(NAMES.change),
    percent: place(NAMES.percent),
  }
  const text = (row: number, column: number): string => (column < 0 ? '' : scalarText(table.cell(row, column)))
  const number = (row: number, column: number): number => (column < 0 ? NaN : numberOf(table.cell(row, column)))
  return Array.from({ length: table.rows }, (_, row) => ({
    symbol: text(row, at.symbol),
    name: text(row, at.name) || text(row, at.symbol),
    unit: text(row, at.unit),
    price: number(row, at.price),
    change: number(row, at.change),
    changePercent: number(row, at.percent),
  }))
}
