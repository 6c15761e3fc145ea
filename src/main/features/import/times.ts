/** Times of tables: as services send them, in a format of the user's, or local to a zone where they name none. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { RepeatedTime } from '../../../shared/features/import/import.ts'
import { inRange, readTime } from '../../../service/codecs/times.ts'
import { createDateFormat } from './date-format.ts'

const LOCAL = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A time as read: UTC ms; or why there is none. `skipped`, `repeated`: the zone doesn't have it, or has it twice. */
export type TimeReading = number | 'none' | 'skipped' | 'repeated'

export interface TimeOptions {
  /** IANA zone of times that name none. */
  readonly zone: string
  /** Every time of the table is written so; absent: ISO 8601, or s, ms, µs or ns since 1970 by their size. */
  readonly dateFormat?: string | undefined
  /** Which instant a repeated local time means; absent: such a time is `repeated`. */
  readonly repeated?: RepeatedTime | undefined
}

/** A reader of times. Throws `usage` for a zone or a format that is none. */
export function createTimeReader({ zone, dateFormat, repeated }: TimeOptions): (text: string) => TimeReading {
  const instantsOf = createZone(zone)
  const format = dateFormat === undefined ? null : createDateFormat(dateFormat)
  const local = (wallMs: number): TimeReading => {
    const instants = instantsOf(wallMs)
    const [first, second] = instants
    if (first === undefined) return 'skipped'
    if (second !== undefined && repeated === undefined) return 'repeated'
    const ms = second !== undefined && repeated === 'second' ? second : first
    return inRange(ms) ? ms : 'none'
  }
  return (text) => {
    const time = text.trim()
    if (format !== null) {
      const read = format(time)
      if (read === undefined) return 'none'
      if (read.zoned) return inRange(read.ms) ? read.ms : 'none'
      return local(read.ms)
    }
    if (LOCAL.test(time)) {
      const wall = readTime(time)?.ms
      return wall === undefined ? 'none' : local(wall)
    }
    const value = /^\d{9,19}(?:\.\d+)?$/.test(time) ? Number(time) : time
    return readTime(value)?.ms ?? 'none'
  }
}

/**
 * The instants of a zone's local times, ascending: one; none where clocks were set forward over it; two where they
 * were set back over it. Local times count as if they were UTC, ms.
 */
function createZone(zone: string): (wallMs: number) => readonly number[] {
  const offsetAt = createOffsets(zone)
  if (zone === 'UTC') return (wallMs) => [wallMs]
  return (wallMs) => {
    // Zones are at most 14 hours from UTC: what held a day before and after is all that may hold at the time itself.
    const offsets = new Set([offsetAt(wallMs - DAY), offsetAt(wallMs + DAY)])
    return [...offsets]
      .map((offset) => wallMs - offset)
      .filter((ms) => ms + offsetAt(ms) === wallMs)
      .sort((a, b) => a - b)
  }
}

/** Local time minus UTC, ms, at instants of a zone. */
function createOffsets(zone: string): (ms: number) => number {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (cause) {
    throw new CodedError('usage', `No such time zone: "${zone}".`, {
      hint: 'Use a name such as Europe/Berlin.',
      cause,
    })
  }
  const known = new Map<number, number>()
  return (ms) => {
    // Offsets change on whole quarters of an hour.
    const at = Math.floor(ms / (15 * MINUTE)) * 15 * MINUTE
    let offset = known.get(at)
    if (offset === undefined) {
      if (known.size > 10_000) known.clear()
      const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      known.set(at, (offset = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - at))
    }
    return offset
  }
}
