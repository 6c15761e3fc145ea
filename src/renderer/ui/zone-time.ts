/** Times as text in any IANA zone. One Intl.DateTimeFormat per zone and shape is kept. */
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

const cache = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string, shape: TimeShape): Intl.DateTimeFormat {
  const key = `${shape} ${zone}`
  let found = cache.get(key)
  if (!found) {
    // en-GB: day before month, 24 hours; the locale of numbers does not reach times.
    found = new Intl.DateTimeFormat('en-GB', { ...SHAPES[shape], timeZone: knownZone(zone) ? zone : 'UTC' })
    cache.set(key, found)
  }
  return found
}

/** Whether Intl knows the zone. */
export function knownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The system's own IANA zone. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** A UTC instant in ms as text; an unknown zone is shown in UTC; a missing time is a dash. */
export function timeText(ms: Maybe, zone: string, shape: TimeShape = 'time'): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return DASH
  return formatter(zone, shape).format(ms).replace(',', '')
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

/** A zone's place as a person says it: "America/New_York" is "New York". */
export function zonePlace(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/** Every zone that Intl knows, UTC first. */
export function allZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}
