/** Earnings out of answers of any shape: calendars by day, history with surprises, transcripts. Pure. */
import type { Reading, Table } from '../../../shared/adaptive/read.ts'
import { numberOf, timeOf } from '../../../shared/adaptive/types.ts'
import { isList, isObject, isScalar, own, scalarText, type Value } from '../../../shared/adaptive/value.ts'

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
  /** `YYYY-MM-DD`, as the service says it. */
  readonly day: string
  readonly symbol: string
  readonly company: string
  readonly time: string
  readonly period: string
  /** Numbers as sent; NaN: not said. */
  readonly estimate: number
  readonly actual: number
  /** As sent; NaN: not sent. It is not computed: services differ in what they divide by. */
  readonly surprise: number
}

/** The table of an answer that has days and estimates or results. */
export function reportTable(reading: Reading): Table | undefined {
  return reading.tables.find((table) => {
    const at = places(table)
    return at.date >= 0 && (at.estimate >= 0 || at.actual >= 0)
  })
}

/** Its rows, oldest first. Rows without a readable day are left to the plain table. */
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

/** Monday of a day's week, `YYYY-MM-DD`. */
export function weekOf(day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`)
  const weekday = (new Date(ms).getUTCDay() + 6) % 7
  return new Date(ms - weekday * 86_400_000).toISOString().slice(0, 10)
}

/** The five working days of a week, and the weekend where something is on it. */
export function daysOf(week: string, reports: readonly Report[]): readonly string[] {
  const monday = Date.parse(`${week}T00:00:00Z`)
  const days = Array.from({ length: 7 }, (_, i) => new Date(monday + i * 86_400_000).toISOString().slice(0, 10))
  return days.filter((day, i) => i < 5 || reports.some((one) => one.day === day))
}

export interface Speech {
  readonly speaker: string
  readonly text: string
}

/** A transcript as speeches, or as one text; empty: none was found. */
export function speechesOf(value: Value | undefined): readonly Speech[] {
  if (isList(value)) {
    const speeches = value.flatMap((one): Speech[] => {
      if (!isObject(one)) return []
      const find = (names: readonly string[]) =>
        names.map((name) => own(one, name)).find((found) => typeof found === 'string')
      const text = find(['text', 'content', 'speech', 'paragraph'])
      const speaker = find(['speaker', 'name', 'participant', 'role'])
      return typeof text === 'string' ? [{ speaker: typeof speaker === 'string' ? speaker : '', text }] : []
    })
    if (speeches.length > 0) return speeches
    return value.flatMap((one) => (isScalar(one) ? [] : speechesOf(one))).slice(0, 5_000)
  }
  if (!isObject(value)) return []
  for (const name of ['transcript', 'content', 'text', 'body']) {
    const found = own(value, name)
    if (typeof found === 'string' && found.length > 200) return paragraphs(found)
  }
  for (const one of Object.values(value)) {
    const found = isScalar(one) ? [] : speechesOf(one)
    if (found.length > 0) return found
  }
  return []
}

/** "Name: what they say" by line, as transcripts are commonly written. */
function paragraphs(text: string): readonly Speech[] {
  return text
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const match = /^([\p{L}.,'’ -]{2,60}):\s+(.+)$/u.exec(line)
      return match === null ? { speaker: '', text: line } : { speaker: match[1], text: match[2] }
    })
}
