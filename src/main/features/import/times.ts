/** Reads times in tables: as services send them, in a user-defined format, or as local time in a given zone. */
import { CodedError } from '../../../shared/base/errors.ts'
import type { RepeatedTime } from '../../../shared/features/import/import.ts'
import { inRange, readTime } from '../../../service/codecs/times.ts'
import { createDateFormat } from './date-format.ts'

const LOCAL = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * UTC ms, or why there is no time. `none`: not a time. `skipped`, `repeated`: because of a clock change, this local
 * time never occurred or occurred twice.
 */
export type TimeReading = number | 'none' | 'skipped' | 'repeated'

export interface TimeOptions {
  /** IANA zone of times without an offset. */
  readonly zone: string
  /** Format of all times. Absent: ISO 8601, or s, ms, µs or ns since 1970, depending on the magnitude. */
  readonly dateFormat?: string | undefined
  /** Which instant a repeated local time means. Absent: such a time is read as `repeated`. */
  readonly repeated?: RepeatedTime | undefined
}

/** Creates a time reader. Throws `usage` for an invalid zone or format. */
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
 * Returns a function from a zone's local time (ms, as if it were UTC) to its instants (UTC ms, ascending). There is one
 * instant, or none if clocks were set forward past that time, or two if they were set back.
 */
function createZone(zone: string): (wallMs: number) => readonly number[] {
  const offsetAt = createOffsets(zone)
  if (zone === 'UTC') return (wallMs) => [wallMs]
  return (wallMs) => {
    // Zones are at most 14 hours from UTC, so the offset now is the one a day before or a day after.
    const offsets = new Set([offsetAt(wallMs - DAY), offsetAt(wallMs + DAY)])
    return [...offsets]
      .map((offset) => wallMs - offset)
      .filter((ms) => ms + offsetAt(ms) === wallMs)
      .sort((a, b) => a - b)
  }
}

/** Returns a function from an instant to the zone's offset then: local time minus UTC, ms. */
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
    // Offsets change only at a full quarter hour.
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
