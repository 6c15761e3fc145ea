/** The type of a column, judged by its values and its name. Units come only from a name or a value. */
import { ExactNumber, scalarText, type Scalar } from './value.ts'

/**
 * `percent`: the values have a percent sign, or the name says percent. `period`: a year or quarter. `date`: a day
 * without a time. `instant`: a point in time.
 */
export type ColumnType = 'number' | 'percent' | 'date' | 'instant' | 'period' | 'boolean' | 'link' | 'text'

const NUMBER_TEXT = /^[+-]?(\d+(,\d{3})*|\d*)(\.\d+)?(e[+-]?\d+)?$/i
const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/
const PERIOD =
  /^((19|20)\d{2}([-/ ]?(Q[1-4]|[1-4]Q|H[12]|FY|\d{2}))?|(Q[1-4]|[1-4]Q|FY|H[12])[-/ ]?(FY)?(19|20)\d{2}|(Q[1-4]|[1-4]Q)[-/ ]?'?\d{2})$/i
const TIME_NAME =
  /(^|[._ ])(t|ts|time|timestamp|date|datetime|day|at|on|epoch|published|updated|created)$|(At|Date|Time|Timestamp|_at|_ts|_ms)$/
const PERCENT_NAME = /(percent(age)?|pct)($|[_. ])|(Percent(age)?|Pct)$/i

/** The number in a value, in any way that services write numbers; NaN if none. Ignores a percent sign. */
export function numberOf(value: Scalar): number {
  if (typeof value === 'number') return value
  if (value instanceof ExactNumber) return value.value
  if (typeof value !== 'string') return NaN
  const text = value.trim().replace(/\s?%$/, '')
  return /\d/.test(text) && NUMBER_TEXT.test(text) ? Number(text.replaceAll(',', '')) : NaN
}

/** Whether a value is a text with a percent sign, so that its unit needs no guess. */
export const hasPercentSign = (value: Scalar): boolean => typeof value === 'string' && value.trimEnd().endsWith('%')

/**
 * UTC ms of a value in a column of times; NaN if it isn't one. Text without a zone counts as UTC and is shown as
 * written. Numbers are seconds, milliseconds, microseconds or nanoseconds since 1970, by magnitude (years 1990 to
 * 2100).
 */
export function timeOf(value: Scalar): number {
  if (typeof value === 'number' || value instanceof ExactNumber) {
    const n = typeof value === 'number' ? value : value.value
    for (const unit of [1_000, 1, 1e-3, 1e-6]) {
      const ms = n * unit
      if (ms >= Date.UTC(1990, 0) && ms < Date.UTC(2100, 0)) return ms
    }
    return NaN
  }
  if (typeof value !== 'string') return NaN
  if (DATE.test(value)) return Date.parse(`${value}T00:00:00Z`)
  if (INSTANT.test(value)) {
    const iso = value.replace(' ', 'T')
    return Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(iso) ? iso : `${iso}Z`)
  }
  return NaN
}

/** The sort value of a period: its year and part as one number; NaN if it isn't a period. */
export function periodOf(value: Scalar): number {
  const number = value instanceof ExactNumber ? value.value : value
  const text = typeof number === 'number' && Number.isInteger(number) ? String(number) : number
  if (typeof text !== 'string' || !PERIOD.test(text.trim())) return NaN
  const part =
    /(?:Q|H)([1-4])/i.exec(text)?.[1] ?? /([1-4])Q/i.exec(text)?.[1] ?? /^\d{4}[-/ ]?(\d{2})$/.exec(text.trim())?.[1]
  return yearIn(text) + (part === undefined ? 0.99 : Number(part) / 100)
}

/** The year in a period's name: 2024 in "Q4 2024", "2024Q4" and "4Q24"; NaN if there is none. */
function yearIn(text: string): number {
  const whole = /(?<!\d)(?:19|20)\d{2}/.exec(text)?.[0]
  if (whole !== undefined) return Number(whole)
  const short = /(?:Q[1-4]|[1-4]Q)[-/ ]?(?:FY)?'?(\d{2})$/i.exec(text.trim())?.[1]
  return short === undefined ? NaN : 2_000 + Number(short)
}

const ORDINALS = ['first', 'second', 'third', 'fourth']

/**
 * The part of a year by its name: quarter 1 to 4, 0 for a whole year, NaN for anything else, such as a half. `year` is
 * NaN if the name has none. Reads "Q4", "4Q24", "2024-Q4", "Fourth quarter", "4" and "FY".
 */
export function fiscalPartOf(value: Scalar): { readonly quarter: number; readonly year: number } {
  const text = scalarText(value).trim()
  const year = yearIn(text)
  if (text === '' || /^(fy|annual|(full|fiscal)?[ _-]?year|0)?[-/ ]*((19|20)\d{2})?$/i.test(text))
    return { quarter: 0, year }
  const digit =
    /(?:^|\D)([1-4])q/i.exec(text)?.[1] ??
    /(?:^|[^a-z])f?q([1-4])(?!\d)/i.exec(text)?.[1] ??
    /^([1-4])(?:\.0*)?$/.exec(text)?.[1] ??
    /(?:^|\D)([1-4])(?:st|nd|rd|th)?[ _-]?(?:fiscal[ _-]?)?quarter/i.exec(text)?.[1] ??
    /quarter[ _-]?([1-4])(?!\d)/i.exec(text)?.[1]
  if (digit !== undefined) return { quarter: Number(digit), year }
  const word = /(first|second|third|fourth)[ _-]?(?:fiscal[ _-]?)?quarter/i.exec(text)?.[1]
  return { quarter: word === undefined ? NaN : ORDINALS.indexOf(word.toLowerCase()) + 1, year }
}

/**
 * Whether the first values of unnamed rows are times: integers in the range of times since 1970 that never decrease, or
 * never increase. Other numbers are unlikely to be both.
 */
export function isTimeLine(values: readonly Scalar[]): boolean {
  const numbers = values.map(numberOf)
  if (numbers.length < 2 || values.some((value) => typeof value === 'string')) return false
  if (!numbers.every((n) => Number.isInteger(n) && !Number.isNaN(timeOf(n)))) return false
  const steps = numbers.slice(1).map((n, i) => Math.sign(n - numbers[i]))
  return steps.some((step) => step !== 0) && (steps.every((step) => step >= 0) || steps.every((step) => step <= 0))
}

/** Whether an object key is a time or a period. Objects with such keys are tables. */
export function isTimeKey(key: string): boolean {
  return DATE.test(key) || INSTANT.test(key) || PERIOD.test(key) || /^1\d{9}(\d{3})?$/.test(key)
}

/** The type of a column that all of its present values agree with. */
export function typeOf(name: string, values: Iterable<Scalar>): ColumnType {
  let seen = 0
  const could = { boolean: true, number: true, percentSign: true, time: true, dayOnly: true, period: true, link: true }
  const timeName = TIME_NAME.test(name)
  for (const value of values) {
    if (value === null || value === '') continue
    seen++
    const isNumber = typeof value === 'number' || value instanceof ExactNumber
    could.boolean &&= typeof value === 'boolean'
    could.number &&= !Number.isNaN(numberOf(value))
    could.percentSign &&= hasPercentSign(value)
    // A number is a time only if its column name says so, because it could be anything.
    could.time &&= (isNumber ? timeName : true) && !Number.isNaN(timeOf(value))
    could.dayOnly &&= typeof value === 'string' && DATE.test(value)
    could.period &&= !Number.isNaN(periodOf(value)) && (!isNumber || /year|period|since|founded/i.test(name))
    could.link &&= typeof value === 'string' && /^https?:\/\/\S+$/i.test(value)
  }
  if (seen === 0) return 'text'
  if (could.boolean) return 'boolean'
  if (could.link) return 'link'
  if (could.time) return could.dayOnly ? 'date' : 'instant'
  if (could.period) return 'period'
  if (could.number) return could.percentSign || PERCENT_NAME.test(name) ? 'percent' : 'number'
  return 'text'
}
