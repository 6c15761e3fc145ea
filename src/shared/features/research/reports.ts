/** Earnings reports from responses of any shape. Pure. */
import type { Reading, Table } from './read.ts'
import { numberOf, timeOf } from './types.ts'
import { scalarText } from './value.ts'

const NAMES = {
  date: /^(date|report_?date|earnings_?date|day)$/i,
  symbol: /^(symbol|ticker)$/i,
  company: /^(company(_?name)?|name)$/i,
  time: /^(time|hour|session|when|report_?time)$/i,
  period: /^(quarter|fiscal_?period|period|fiscal_?quarter)$/i,
  year: /^(fiscal_?year|year)$/i,
  estimate: /^(eps_?estimated?|eps_?consensus|estimated?_?eps|estimate)$/i,
  actual: /^(eps_?actual|actual_?eps|reported_?eps|actual|eps)$/i,
  surprise: /^(surprise_?(percent(age)?|pct)|percent_?surprise)$/i,
} as const
type Name = keyof typeof NAMES

function places(table: Table): Record<Name, number> {
  const found = Object.entries(NAMES).map(([name, pattern]) => [
    name,
    table.columns.findIndex(({ key }) => pattern.test(key)),
  ])
  return Object.fromEntries(found) as Record<Name, number> // one place a name
}

export interface Report {
  /** `YYYY-MM-DD`, as the service wrote it. */
  readonly day: string
  readonly symbol: string
  readonly company: string
  readonly time: string
  readonly period: string
  /** Numbers as sent; NaN if absent. */
  readonly estimate: number
  readonly actual: number
  /** As sent; NaN if absent. Not computed, because services divide by different values. */
  readonly surprise: number
}

/** The table of a response that has dates and estimates or results. */
export function reportTable(reading: Reading): Table | undefined {
  return reading.tables.find((table) => {
    const at = places(table)
    return at.date >= 0 && (at.estimate >= 0 || at.actual >= 0)
  })
}

/** Its rows, oldest first. Rows without a readable date only appear in the plain table. */
export function reportsOf(table: Table): readonly Report[] {
  const at = places(table)
  const text = (row: number, name: Name): string => (at[name] < 0 ? '' : scalarText(table.cell(row, at[name])))
  const number = (row: number, name: Name): number => (at[name] < 0 ? NaN : numberOf(table.cell(row, at[name])))
  const reports: Report[] = []
  for (let row = 0; row < table.rows; row++) {
    const ms = timeOf(table.cell(row, at.date))
    if (Number.isNaN(ms)) continue
    reports.push({
      day: new Date(ms).toISOString().slice(0, 10),
      symbol: text(row, 'symbol'),
      company: text(row, 'company'),
      time: text(row, 'time'),
      period: [text(row, 'period'), text(row, 'year')].filter((one) => one !== '').join(' '),
      estimate: number(row, 'estimate'),
      actual: number(row, 'actual'),
      surprise: number(row, 'surprise'),
    })
  }
  return reports.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.symbol < b.symbol ? -1 : 1))
}
