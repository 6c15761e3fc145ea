/** Reads times in tables: as services send them, in a user-defined format, or as local time in a given zone. */
import type { RepeatedTime } from '../../../shared/features/import/import.ts'
import { inRange, readTime } from '../../../service/codecs/times.ts'
import { createZone } from '../../base/zones.ts'
import { createDateFormat } from './date-format.ts'

const LOCAL = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/

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
