/** Times of tables: as services send them, or local to a zone where they name none. */
import { CodedError } from '../../shared/errors.ts'
import { inRange, readTime } from '../../service/codecs/times.ts'

const LOCAL = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/
const HOUR = 3_600_000

/**
 * A reader of times in UTC ms: seconds, ms, µs or ns since 1970 by their size, ISO 8601 with a zone, or
 * without one in `zone`. Answers NaN for what is no time. A local time that a change of the clocks skips or
 * doubles is taken by the offset before it. Throws `usage` for a zone that is none.
 */
export function createTimeReader(zone: string): (text: string) => number {
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
    throw new CodedError('usage', `There is no time zone "${zone}".`, {
      hint: 'Use a name such as Europe/Berlin.',
      cause,
    })
  }
  const offsets = new Map<number, number>()
  /** Local minus UTC of an instant's quarter of an hour. */
  const offsetAt = (ms: number): number => {
    const key = Math.floor(ms / (HOUR / 4))
    let offset = offsets.get(key)
    if (offset === undefined) {
      if (offsets.size > 10_000) offsets.clear()
      const at = key * (HOUR / 4)
      const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      const local = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second)
      offsets.set(key, (offset = local - at))
    }
    return offset
  }
  const utc = zone === 'UTC'
  return (text) => {
    const time = text.trim()
    if (!LOCAL.test(time)) {
      if (/^\d{9,19}(?:\.\d+)?$/.test(time)) return readTime(Number(time))?.ms ?? NaN
      return readTime(time)?.ms ?? NaN
    }
    const wall = readTime(time)?.ms ?? NaN
    if (utc || Number.isNaN(wall)) return wall
    const before = wall - offsetAt(wall - 26 * HOUR)
    // the offset that holds at the instant itself; before a change both agree
    const near = wall - offsetAt(before)
    const ms = wall - offsetAt(near) === near ? near : before
    return inRange(ms) ? ms : NaN
  }
}
