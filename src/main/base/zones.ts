/** Local times of IANA zones and the instants they stand for. */
import { DAY_MS, MINUTE_MS } from '../../shared/base/durations.ts'
import { CodedError } from '../../shared/base/errors.ts'

/**
 * Returns a function from a zone's local time (ms, as if it were UTC) to its instants (UTC ms, ascending). There is one
 * instant, or none if clocks were set forward past that time, or two if they were set back. Throws `usage` for an
 * unknown zone.
 */
export function createZone(zone: string): (wallMs: number) => readonly number[] {
  const offsetAt = createOffsets(zone)
  if (zone === 'UTC') return (wallMs) => [wallMs]
  return (wallMs) => {
    // Zones are at most 14 hours from UTC, so the offset now is the one a day before or a day after.
    const offsets = new Set([offsetAt(wallMs - DAY_MS), offsetAt(wallMs + DAY_MS)])
    return [...offsets]
      .map((offset) => wallMs - offset)
      .filter((ms) => ms + offsetAt(ms) === wallMs)
      .sort((a, b) => a - b)
  }
}

/** Returns a function from an instant to the zone's offset then: local time minus UTC, ms. */
export function createOffsets(zone: string): (ms: number) => number {
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
    const at = Math.floor(ms / (15 * MINUTE_MS)) * 15 * MINUTE_MS
    let offset = known.get(at)
    if (offset === undefined) {
      if (known.size > 10_000) known.clear()
      const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      known.set(at, (offset = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - at))
    }
    return offset
  }
}
