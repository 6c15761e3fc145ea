/** Formats times in any IANA zone. Caches one Intl.DateTimeFormat per zone and shape. */
import { DASH, type Maybe } from './format.ts'

const SHAPES = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  millis: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  stamp: {
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
export type TimeShape = keyof typeof SHAPES
const ISO_SHAPES = {
  ...SHAPES,
  day: { year: 'numeric', month: '2-digit', day: '2-digit' },
  stamp: { ...SHAPES.stamp, month: '2-digit' },
} as const satisfies Record<TimeShape, Intl.DateTimeFormatOptions>

const cache = new Map<string, Intl.DateTimeFormat>()

/** BCP 47 locale of dates, `system`, or `iso`. en-GB: day before month. The clock always has 24 hours. */
let dateTag = 'en-GB'
/** Sets the date format for new texts; existing texts don't change. */
export function useDates(tag: string): void {
  dateTag = tag
}
const localeOf = (tag: string): string | undefined => {
  if (tag === 'system') return undefined
  // Swedish writes dates as ISO 8601 does.
  if (tag === 'iso') return 'sv-SE'
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return 'en-GB'
  }
}

function formatter(zone: string, shape: TimeShape, tag: string): Intl.DateTimeFormat {
  // Clock times contain no date and are the same in every locale.
  const dated = shape === 'day' || shape === 'stamp'
  const locale = dated ? localeOf(tag) : 'en-GB'
  const key = `${shape} ${zone} ${locale ?? ''}`
  let found = cache.get(key)
  if (!found) {
    found = new Intl.DateTimeFormat(locale, {
      ...(dated && tag === 'iso' ? ISO_SHAPES[shape] : SHAPES[shape]),
      timeZone: knownZone(zone) ? zone : 'UTC',
    })
    cache.set(key, found)
  }
  return found
}

/** Cached results, because asking Intl takes as long as the rest of a frame. */
const known = new Map<string, boolean>()

/** Whether Intl knows the zone. */
export function knownZone(zone: string): boolean {
  const cached = known.get(zone)
  if (cached !== undefined) return cached
  let found = true
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    found = false
  }
  known.set(zone, found)
  return found
}

/** The system's IANA zone. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Formats a UTC instant in ms. An unknown zone becomes UTC, a missing time a dash. `tag` is as in `useDates`. */
export function timeText(ms: Maybe, zone: string, shape: TimeShape = 'time', tag: string = dateTag): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return DASH
  return formatter(zone, shape, tag).format(ms).replace(',', '')
}

/** The zone's short name at an instant: "UTC", "EDT", "GMT+2". It changes with daylight saving. */
export function zoneAbbreviation(zone: string, ms: number): string {
  const key = `short ${zone}`
  let found = cache.get(key)
  if (!found) {
    found = new Intl.DateTimeFormat('en-US', { timeZone: knownZone(zone) ? zone : 'UTC', timeZoneName: 'short' })
    cache.set(key, found)
  }
  return found.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? zone
}

/** A sentence of the terminal, which has instants as ISO 8601 in UTC, with its instants in a zone. */
export function zonedText(sentence: string, zone: string): string {
  return sentence.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})Z/g, (iso: string, millis: string) => {
    const ms = Date.parse(iso)
    return `${timeText(ms, zone, 'stamp')}${millis} ${zoneAbbreviation(zone, ms)}`
  })
}

/** The place of a zone: "New York" for "America/New_York". */
export function zonePlace(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/** Every zone that Intl knows, UTC first. */
export function allZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}
