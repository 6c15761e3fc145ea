/**
 * Financial statements from responses of any shape: one record per fiscal period, whether the service returns one period
 * per response, as documented, or a list of them. Pure.
 */
import { fiscalPartOf, numberOf } from '../../../../../shared/features/research/types.ts'
import {
  entriesOf,
  isList,
  isObject,
  isScalar,
  scalarText,
  type Scalar,
  type Value,
  type ValueObject,
} from '../../../../../shared/features/research/value.ts'
import { t } from '../../../../../shared/base/text.ts'

/** A fiscal period; `quarter` 0: the full year. */
export interface Period {
  readonly year: number
  readonly quarter: number
}

export interface Statement {
  readonly label: string
  readonly annual: boolean
  /** The last day of the period, `YYYY-MM-DD`. */
  readonly ends: string
  /** The fiscal year, else the year in the period's name; NaN if unknown. */
  readonly year: number
  /** 1 to 4; 0: a full year; NaN: unknown, or another part of a year, such as a half. */
  readonly quarter: number
  /** As the service wrote it; '' if it didn't. */
  readonly currency: string
  /** Figures by key in snake_case, in the order of the response. Null: sent as missing. */
  readonly figures: ReadonlyMap<string, Scalar>
}

const ENDS = /^(period_ending|period_end(_date)?|ending|end(_date)?|fiscal_date_ending|report_date|date)$/
const YEAR = /^(fiscal_year|calendar_year|year)$/
const PART = /^(period|quarter|fiscal_(period|quarter))$/
const CURRENCY = /^(reported_)?currency$/
const DAY = /^\d{4}-\d{2}-\d{2}/
/** Fewer figures are a list of something else with dates. */
const FEWEST_FIGURES = 3
const DEEPEST = 4

/** A key in snake_case: `netIncome` and `net_income` are one line. */
export const lineKey = (key: string): string => key.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()

/**
 * The statements of several responses, oldest first, one per period. Pass newest responses first: the first one for a
 * period wins. Empty if none of them has the shape of a statement.
 */
export function statementsOf(responses: readonly Value[]): readonly Statement[] {
  const byPeriod = new Map<string, Statement>()
  for (const response of responses) {
    const found = recordsOf(response, '', 0)
    for (const one of found.map(({ record, currency }) => statementOf(record, currency, isQuarterly(found)))) {
      if (one === null) continue
      const key = `${one.ends} ${one.annual}`
      if (!byPeriod.has(key)) byPeriod.set(key, one)
    }
  }
  return [...byPeriod.values()].sort((a, b) => (a.ends < b.ends ? -1 : a.ends > b.ends ? 1 : 0))
}

interface Found {
  readonly record: ValueObject
  readonly currency: string
}

/** The dated records of a response: a list of them, or the one object with a date. */
function recordsOf(value: Value, currency: string, depth: number): readonly Found[] {
  if (depth > DEEPEST || isScalar(value)) return []
  if (isList(value)) {
    const records = value.filter(isObject).filter((one) => endOf(one) !== '')
    return records.length > 0
      ? records.map((record) => ({ record, currency: textOf(record, CURRENCY) || currency }))
      : value.flatMap((one) => recordsOf(one, currency, depth + 1))
  }
  if (!isObject(value)) return []
  const own = textOf(value, CURRENCY) || currency
  if (endOf(value) !== '') return [{ record: value, currency: own }]
  return entriesOf(value).flatMap(([, one]) => recordsOf(one, own, depth + 1))
}

const find = (record: ValueObject, name: RegExp): Scalar => {
  const found = entriesOf(record).find(([key, one]) => name.test(lineKey(key)) && isScalar(one))?.[1]
  return found !== undefined && isScalar(found) ? found : null
}
const textOf = (record: ValueObject, name: RegExp): string => scalarText(find(record, name))
function endOf(record: ValueObject): string {
  const text = textOf(record, ENDS)
  return DAY.test(text) ? text.slice(0, 10) : ''
}

/** Whether records without a period's name follow each other by quarters. */
function isQuarterly(found: readonly Found[]): boolean {
  const days = found.map(({ record }) => Date.parse(endOf(record)) / 86_400_000).sort((a, b) => a - b)
  return days.some((day, i) => i > 0 && day - days[i - 1] > 0 && day - days[i - 1] < 200)
}

/** A period as a response names it. */
export type NamedPeriod = Omit<Statement, 'currency' | 'figures'>

/** The fiscal period that a record names. `quarterly`: one without a period's name isn't a year. */
export function namedPeriodOf(record: ValueObject, quarterly: boolean): NamedPeriod {
  const ends = endOf(record)
  const named = find(record, PART)
  const part = fiscalPartOf(named)
  const quarter = named === null && quarterly ? NaN : part.quarter
  const said = numberOf(find(record, YEAR))
  const year = Number.isInteger(said) ? said : part.year
  return { label: labelOf(quarter, year, scalarText(named), ends), annual: quarter === 0, ends, year, quarter }
}

function statementOf(record: ValueObject, currency: string, quarterly: boolean): Statement | null {
  const figures = new Map<string, Scalar>()
  collect(record, figures, 0)
  let numbers = 0
  for (const one of figures.values()) if (one !== null) numbers++
  if (numbers < FEWEST_FIGURES) return null
  return { ...namedPeriodOf(record, quarterly), currency, figures }
}

const NO_FIGURE = /^(cik|id|symbol|ticker|accepted_date|filing_date|calendar_year|fiscal_year|year|quarter|period)$/

/** Collects the numbers of a record and of its parts, such as `margins`, by their own key. */
function collect(record: ValueObject, into: Map<string, Scalar>, depth: number): void {
  for (const [name, one] of entriesOf(record)) {
    const key = lineKey(name)
    if (isObject(one) && depth < 2) collect(one, into, depth + 1)
    else if (isScalar(one) && !NO_FIGURE.test(key) && !ENDS.test(key) && !CURRENCY.test(key) && !into.has(key)) {
      if (one === null || !Number.isNaN(numberOf(one))) into.set(key, one)
    }
  }
}

/** Label of a period. Parts that aren't quarters keep the service's name; without a year, uses the last day. */
function labelOf(quarter: number, year: number, named: string, ends: string): string {
  if (!Number.isNaN(quarter) && !Number.isNaN(year)) return periodLabel({ year, quarter })
  const when = Number.isNaN(year) ? ends : String(year)
  if (quarter === 0) return when
  return Number.isNaN(quarter) ? `${named} ${named === '' ? ends : when}`.trim() : `Q${quarter} ${when}`
}

export const periodLabel = ({ year, quarter }: Period): string =>
  quarter === 0 ? String(year) : t('Q{quarter} {year}', { quarter: String(quarter), year: String(year) })

/** The number of a line; NaN if it is missing, text, or beyond a double. */
export function figureOf(statement: Statement | null | undefined, key: string): number {
  const n = numberOf(statement?.figures.get(key) ?? null)
  return Number.isFinite(n) ? n : NaN
}

/** The position of a period in fiscal time, in quarters; NaN if its year or quarter is unknown. */
export const orderOf = ({ year, quarter }: Period): number => year * 4 + (quarter === 0 ? 4 : quarter)
const periodAt = (order: number, annual: boolean): Period => {
  const quarter = ((order - 1) % 4) + 1
  const year = (order - quarter) / 4
  // A fiscal year in progress has no statement, so the last year whose fourth quarter has ended counts.
  return annual ? { year: quarter === 4 ? year : year - 1, quarter: 0 } : { year, quarter }
}
const isDated = ({ year, quarter }: Period): boolean => Number.isInteger(year) && Number.isInteger(quarter)

/** Up to `count` missing periods, going back from the newest known one, newest first. Empty if no year is known. */
export function missingPeriods(known: readonly Period[], annual: boolean, count: number): readonly Period[] {
  const has = new Set(known.filter(isDated).map(periodLabel))
  return latestPeriods(known, annual, count + has.size)
    .filter((period) => !has.has(periodLabel(period)))
    .slice(0, count)
}

/** The `count` fiscal periods up to the newest known one, newest first. Empty if no year is known. */
function latestPeriods(known: readonly Period[], annual: boolean, count: number): readonly Period[] {
  const dated = known.filter(isDated)
  const newest = Math.max(...dated.map(orderOf))
  if (!Number.isFinite(newest)) return []
  return Array.from({ length: count }, (_, i) => periodAt(newest - i * (annual ? 4 : 1), annual))
}

/** A column of a grid: a period, and its statement if there is one. */
export interface GridColumn {
  readonly label: string
  readonly statement: Statement | null
}

/**
 * At most `count` columns, newest first, one per fiscal period: a period without a statement between two others is an
 * empty column, so that neighbors are always neighbors in time.
 */
export function gridColumns(known: readonly Statement[], annual: boolean, count: number): readonly GridColumn[] {
  const shown = known.filter((one) => one.annual === annual)
  const newestFirst = shown.toReversed().map((statement) => ({ label: statement.label, statement }))
  if (shown.length === 0 || !shown.every(isDated)) return newestFirst.slice(0, count)
  const byLabel = new Map(shown.map((statement) => [periodLabel(statement), statement]))
  const columns = latestPeriods(shown, annual, count).map((period) => {
    const label = periodLabel(period)
    return { label, statement: byLabel.get(label) ?? null }
  })
  const last = columns.findLastIndex(({ statement }) => statement !== null)
  return columns.slice(0, last + 1)
}

/** Says how many periods were received where fewer than `count` were, and which; '' where none is missing. */
export function receivedText(columns: readonly GridColumn[], annual: boolean, count: number): string {
  const received = columns.filter(({ statement }) => statement !== null)
  if (received.length === 0 || received.length >= count) return ''
  const amounts = { count: received.length, of: count }
  const [from, to] = [received[received.length - 1].label, received[0].label]
  const periods = from === to ? from : t('{from} to {to}', { from, to })
  return annual
    ? t('{count} of {of} fiscal years received: {periods}.', { ...amounts, periods })
    : t('{count} of {of} fiscal quarters received: {periods}.', { ...amounts, periods })
}

const YEAR_DAYS = 364.5
const YEAR_SLACK_DAYS = 15

/** The statement of the same period one fiscal year earlier; by the last day if fiscal periods are unknown. */
export function yearBefore(one: Statement, known: readonly Statement[]): Statement | null {
  const days = (a: Statement) => (Date.parse(one.ends) - Date.parse(a.ends)) / 86_400_000
  return (
    known.find((other) =>
      isDated(one) && isDated(other)
        ? other.year === one.year - 1 && other.quarter === one.quarter
        : other.annual === one.annual && Math.abs(days(other) - YEAR_DAYS) < YEAR_SLACK_DAYS,
    ) ?? null
  )
}

/**
 * Growth of a line over the same period a year earlier, as a fraction. NaN if a value is missing. Null if the earlier
 * value isn't positive, because no percentage describes that change.
 */
export function growthOf(one: Statement, known: readonly Statement[], key: string): number | null {
  const now = figureOf(one, key)
  const then = figureOf(yearBefore(one, known), key)
  if (Number.isNaN(now) || Number.isNaN(then)) return NaN
  return then > 0 ? (now - then) / then : null
}

/** A line over another as a fraction, such as a margin over revenue. NaN if missing or if the other isn't positive. */
export function shareOf(one: Statement, key: string, of: string): number {
  const whole = figureOf(one, of)
  return whole > 0 ? figureOf(one, key) / whole : NaN
}
