/** Parses times in a user-defined format, such as `DD.MM.YYYY HH:mm:ss.SSS`. */
import { DATE_FORMAT_HELP } from '../../../shared/features/import/date-formats.ts'
import { CodedError } from '../../../shared/base/errors.ts'

/** A parsed time: UTC ms if its text has an offset (`zoned`), else local time as if it were UTC. */
export interface FormattedTime {
  readonly ms: number
  readonly zoned: boolean
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The pattern of each format token. Other characters match themselves. */
const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '\\d{4}',
  MMM: '[A-Za-z]{3}',
  MM: '\\d\\d',
  M: '\\d{1,2}',
  DD: '\\d\\d',
  D: '\\d{1,2}',
  HH: '\\d\\d',
  H: '\\d{1,2}',
  hh: '\\d\\d',
  h: '\\d{1,2}',
  mm: '\\d\\d',
  ss: '\\d\\d',
  S: '\\d{1,9}',
  A: '[AaPp][Mm]',
  Z: 'Z|(?:GMT|UTC)?[+-]\\d\\d:?\\d\\d',
}
const TOKEN = /YYYY|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|S+|A|Z|[^A-Za-z]|[A-Za-z]/g

/**
 * Creates a parser for a format. It returns undefined for text that doesn't match, or a day the month doesn't have.
 * Throws `usage` for a format without year, month and day, or with an unknown or repeated token.
 */
export function createDateFormat(format: string): (text: string) => FormattedTime | undefined {
  const names: string[] = []
  let pattern = ''
  for (const part of format.match(TOKEN) ?? []) {
    const token = /^S+$/.test(part) ? 'S' : part
    const matches = TOKENS[token]
    if (matches === undefined) {
      if (/[A-Za-z]/.test(part) && part !== 'T') throw wrongFormat(format, `"${part}" isn’t part of a time`)
      pattern += part.replace(/[^A-Za-z0-9 ]/g, '\\$&')
      continue
    }
    // Tokens for the same field count as one, such as M, MM and MMM.
    const name = token.startsWith('M')
      ? 'M'
      : token.toUpperCase() === 'HH'
        ? token.slice(1)
        : token === 'DD'
          ? 'D'
          : token
    if (names.includes(name)) throw wrongFormat(format, `"${part}" occurs twice`)
    names.push(name)
    pattern += `(${matches})`
  }
  for (const needed of ['YYYY', 'M', 'D']) {
    if (!names.includes(needed)) throw wrongFormat(format, 'it needs year, month and day')
  }
  if (names.includes('h') !== names.includes('A') || (names.includes('h') && names.includes('H'))) {
    throw wrongFormat(format, 'write hours as HH, or as hh with A')
  }
  const whole = new RegExp(`^${pattern}$`)
  return (text) => {
    const match = whole.exec(text)
    return match === null ? undefined : timeOf(new Map(names.map((name, i) => [name, match[i + 1] ?? ''])))
  }
}

function timeOf(parts: ReadonlyMap<string, string>): FormattedTime | undefined {
  const number = (name: string): number => Number(parts.get(name) ?? 0)
  const monthText = (parts.get('M') ?? '').toLowerCase()
  const month = /^\d/.test(monthText) ? Number(monthText) - 1 : MONTHS.indexOf(monthText)
  const half = parts.get('A')?.toLowerCase()
  const h = number('h')
  if (half !== undefined && (h < 1 || h > 12)) return undefined
  const hour = half === undefined ? number('H') : (h % 12) + (half === 'pm' ? 12 : 0)
  const [day, minute, second] = [number('D'), number('mm'), number('ss')]
  const midnight = Date.UTC(number('YYYY'), month, day)
  if (month < 0 || new Date(midnight).getUTCDate() !== day || new Date(midnight).getUTCMonth() !== month)
    return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const fraction = Number((parts.get('S') ?? '').padEnd(6, '0').slice(0, 6)) / 1_000
  const local = midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
  const zone = parts.get('Z')
  if (zone === undefined) return { ms: local, zoned: false }
  if (zone === 'Z') return { ms: local, zoned: true }
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  return { ms: local - offset, zoned: true }
}

const wrongFormat = (format: string, why: string): CodedError =>
  new CodedError('usage', `"${format}" isn’t a valid time format: ${why}.`, { hint: `Use ${DATE_FORMAT_HELP}.` })
