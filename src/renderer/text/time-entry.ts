/** Parses typed instants: time, date, or both, in any zone; ISO 8601; epoch ms; an offset from now. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, UNIT_MS } from '../../shared/base/durations.ts'
import { t } from '../../shared/base/text.ts'
import { Zone } from './zone.ts'
import { allZones, knownZone, systemZone, timeText, zoneAbbreviation, zonePlace } from './zone-time.ts'

export interface TimeEntryContext {
  /** The IANA zone to use if the text names none. */
  readonly zone: string
  readonly nowMs: number
  /** Only instants within [fromMs, toMs] are accepted. */
  readonly fromMs: number
  readonly toMs: number
}
export type TimeEntry =
  | {
      readonly ok: true
      readonly ms: number
      /** The time came twice, because clocks went back: how to enter the other one. */
      readonly note?: string
    }
  | { readonly ok: false; readonly why: string }

export const TIME_EXAMPLES = '14:03, 14:03:22.500 New York, 4 Nov 09:30, 2026-11-04T14:03:22Z, +5m, start or end'

/** The most days of a replay on which a time without a date is searched. */
const MAX_DAYS = 800

const UNITS: Readonly<Record<string, number>> = { ...UNIT_MS, sec: UNIT_MS.s, min: UNIT_MS.m }
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Zone abbreviations with a single meaning, in hours east of UTC. Ambiguous ones are omitted. */
const FIXED: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  EST: -5,
  EDT: -4,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  JST: 9,
  HKT: 8,
  SGT: 8,
  AEST: 10,
  AEDT: 11,
}
const PLACES: Readonly<Record<string, string>> = {
  ET: 'America/New_York',
  CT: 'America/Chicago',
  PT: 'America/Los_Angeles',
  NY: 'America/New_York',
  NYC: 'America/New_York',
  LDN: 'Europe/London',
}

/** The instants of a wall time: none if the clocks skipped it, two if they repeated it. */
type Instants = (wall: number) => readonly number[]

function ofZone(name: string): Instants {
  const zone = new Zone(name)
  return (wall) =>
    [...new Set([zone.offset(wall - DAY_MS), zone.offset(wall + DAY_MS)])]
      .map((offset) => wall - offset)
      .filter((ms) => zone.wall(ms) === wall)
      .toSorted((a, b) => a - b)
}
const ofOffset =
  (offsetMs: number): Instants =>
  (wall) => [wall - offsetMs]

interface NamedZone {
  readonly instants: Instants
  /** The wall time of an instant, for reading dates. */
  readonly wall: (ms: number) => number
}

function named(name: string): NamedZone {
  const zone = new Zone(name)
  return { instants: ofZone(name), wall: (ms) => zone.wall(ms) }
}
function fixed(offsetMs: number): NamedZone {
  return { instants: ofOffset(offsetMs), wall: (ms) => ms + offsetMs }
}

/** The zone that a text names; undefined if there is no such zone. */
function zoneNamed(text: string, otherwise: string): NamedZone | undefined {
  if (text === '') return named(otherwise)
  const offset = /^(?:UTC|GMT)?\s*([+\-\u2212])(\d{1,2})(?::?([0-5]\d))?$/i.exec(text)
  if (offset) {
    const [, sign, hours, minutes] = offset
    const size = Number(hours) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS
    return size > 14 * HOUR_MS ? undefined : fixed(sign === '+' ? size : -size)
  }
  const upper = text.toUpperCase()
  const hours = FIXED[upper]
  if (hours !== undefined) return fixed(hours * HOUR_MS)
  if (upper === 'LOCAL') return named(systemZone())
  const place = PLACES[upper]
  if (place) return named(place)
  if (text.includes('/') && knownZone(text)) return named(text)
  const found = allZones().find((zone) => zonePlace(zone).toUpperCase() === upper)
  return found ? named(found) : undefined
}

interface Day {
  readonly month: number
  readonly day: number
  /** Null if not given: then any year that fits. */
  readonly year: number | null
}

function dayOf(iso: string | undefined, day: string | undefined, month: string | undefined, year: string | undefined) {
  if (iso !== undefined) {
    const [y, m, d] = iso.split('-').map(Number)
    return { year: y ?? 0, month: (m ?? 0) - 1, day: d ?? 0 } satisfies Day
  }
  const index = MONTHS.indexOf((month ?? '').slice(0, 3).toLowerCase())
  return { year: year === undefined ? null : Number(year), month: index, day: Number(day) } satisfies Day
}

const isDay = (year: number, { month, day }: Day) => {
  const date = new Date(Date.UTC(year, month, day))
  return date.getUTCMonth() === month && date.getUTCDate() === day
}

const PATTERN =
  /^(?:(\d{4}-\d{2}-\d{2})|(\d{1,2})\.?\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?)?(?:[t\s,]*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(.*)$/i

const no = (why: string): TimeEntry => ({ ok: false, why })

/** Parses a typed instant. If there is no such instant, returns a sentence that says why. */
export function parseTimeEntry(typed: string, context: TimeEntryContext): TimeEntry {
  const text = typed
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i, '')
  if (text === '') return no(t('Enter a time, such as {TIME_EXAMPLES}.', { TIME_EXAMPLES }))
  if (/^start$/i.test(text)) return { ok: true, ms: context.fromMs }
  if (/^end$/i.test(text)) return { ok: true, ms: context.toMs }
  if (/^\d{12,14}$/.test(text)) return within([Number(text)], 1, context)
  const step = /^([+\-\u2212])\s?(\d+(?:\.\d+)?)\s?(ms|s|sec|m|min|h|d)$/i.exec(text)
  if (step) {
    const size = Number(step[2]) * (UNITS[(step[3] ?? '').toLowerCase()] ?? 0)
    return within([Math.round(context.nowMs + (step[1] === '+' ? size : -size))], 1, context)
  }

  const match = PATTERN.exec(text)
  const [, iso, day, month, year, hour, minute, second, fraction, rest = ''] = match ?? []
  const hasDay = iso !== undefined || day !== undefined
  if (!match || (!hasDay && hour === undefined))
    return no(t('“{typed}” isn’t a valid time. Try {TIME_EXAMPLES}.', { typed: typed.trim(), TIME_EXAMPLES }))
  const zone = zoneNamed(rest.trim(), context.zone)
  if (!zone)
    return no(t('Unknown time zone “{rest}”. Try UTC, New York, Europe/London or +02:00.', { rest: rest.trim() }))
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59)
    return no(t('Hours go up to 23, minutes and seconds up to 59.'))
  const time =
    Number(hour ?? 0) * HOUR_MS +
    Number(minute ?? 0) * MINUTE_MS +
    Number(second ?? 0) * SECOND_MS +
    Number((fraction ?? '').padEnd(3, '0').slice(0, 3))
  const days = hasDay ? daysNamed(dayOf(iso, day, month, year), zone, context) : daysOf(zone, context)
  if (days.length === 0) return no(t('There is no such date.'))
  const instants = days.flatMap((midnight) => zone.instants(midnight + time))
  if (instants.length === 0) return no(t('That time doesn’t exist: clocks were set forward.'))
  const precision =
    fraction !== undefined ? 1 : second !== undefined ? SECOND_MS : hour !== undefined ? MINUTE_MS : DAY_MS
  const entry = within(instants, precision, context)
  if (!entry.ok) return entry
  const other = instants.find((ms) => ms !== entry.ms && zone.wall(ms) === zone.wall(entry.ms))
  return other === undefined ? entry : { ...entry, note: twiceNote(zone.wall(other) - other) }
}

/** `offsetMs`: of the other instant with the same local time, east of UTC. */
function twiceNote(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MINUTE_MS
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return t('Clocks went back, so this time came twice. For the other one, add {offset}.', {
    offset: `${offsetMs < 0 ? '-' : '+'}${hour}:${minute}`,
  })
}

/** The midnights (wall time) that a date may mean: one per year of the range if it names no year. */
function daysNamed(day: Day, zone: NamedZone, { fromMs, toMs }: TimeEntryContext): number[] {
  if (day.month < 0) return []
  const first = day.year ?? new Date(zone.wall(fromMs)).getUTCFullYear()
  const last = day.year ?? new Date(zone.wall(toMs)).getUTCFullYear()
  const midnights: number[] = []
  for (let year = first; year <= last; year++) if (isDay(year, day)) midnights.push(Date.UTC(year, day.month, day.day))
  return midnights
}
/** The midnights (wall time) of every day in the range, or only of days around now if there are too many. */
function daysOf(zone: NamedZone, { fromMs, toMs, nowMs }: TimeEntryContext): number[] {
  const dayNumber = (ms: number) => Math.floor(zone.wall(ms) / DAY_MS)
  const [first, last] = [dayNumber(fromMs), dayNumber(toMs)]
  if (last - first > MAX_DAYS) return [-1, 0, 1].map((by) => (dayNumber(nowMs) + by) * DAY_MS)
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * DAY_MS)
}

/** The instant in the range that is nearest to now. `precision`: the unit of the typed text, ms. */
function within(instants: readonly number[], precision: number, context: TimeEntryContext): TimeEntry {
  const { fromMs, toMs, nowMs, zone } = context
  const near = (a: number, b: number) => Math.abs(a - nowMs) - Math.abs(b - nowMs)
  const inside = instants
    .map((ms) => (ms < fromMs && ms + precision > fromMs ? fromMs : ms))
    .filter((ms) => ms >= fromMs && ms <= toMs)
    .toSorted(near)
  if (inside[0] !== undefined) return { ok: true, ms: inside[0] }
  const [nearest] = instants.toSorted(near)
  if (nearest === undefined || !Number.isFinite(nearest) || Math.abs(nearest) > 8.64e15)
    return no(t('That isn’t a valid calendar date.'))
  const said = (ms: number) => `${timeText(ms, zone, 'stamp')} ${zoneAbbreviation(zone, ms)}`
  return no(
    nearest < fromMs
      ? t('{said} is before the recorded data starts ({said2}).', { said: said(nearest), said2: said(fromMs) })
      : t('{said} is after the recorded data ends ({said2}).', { said: said(nearest), said2: said(toMs) }),
  )
}
