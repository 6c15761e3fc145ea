/** Places and formats the labels of the time axis. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/base/durations.ts'
import { languageTag, t } from '../../../shared/base/text.ts'
import type { Zone } from '../../text/zone.ts'

/** Steps between labels, ms; the last ones stand for months and years. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 10 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS,
  MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS,
  HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 4 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS,
  DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 31 * DAY_MS, 92 * DAY_MS, 366 * DAY_MS,
] // oxfmt-ignore

const monthName = new Intl.DateTimeFormat(languageTag(), { month: 'short', timeZone: 'UTC' })
const MONTHS = Array.from({ length: 12 }, (_, month) => monthName.format(Date.UTC(2026, month)))
const two = (n: number): string => String(n).padStart(2, '0')

export interface AxisLabel {
  /** Index into the rows. */
  readonly index: number
  readonly text: string
  /** A change of day, month or year, drawn bolder. */
  readonly major: boolean
}

/** Bucket of a wall time under a step: two rows in one bucket never both get a label. */
function bucket(wall: number, step: number): number {
  if (step < 31 * DAY_MS) return Math.floor(wall / step)
  const date = new Date(wall)
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth()
  if (step < 92 * DAY_MS) return months
  return step < 366 * DAY_MS ? Math.floor(months / 3) : date.getUTCFullYear()
}

/** Text of an instant on the axis: the day where the day changes, else the time at the step's precision. */
export function axisText(ms: number, step: number, dayChanged: boolean, zone: Zone): string {
  const date = new Date(zone.wall(ms))
  const month = MONTHS[date.getUTCMonth()]
  if (step >= 366 * DAY_MS) return String(date.getUTCFullYear())
  if (step >= 31 * DAY_MS) return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : month
  if (step >= DAY_MS || dayChanged) return t('{day} {month}', { day: String(date.getUTCDate()), month })
  const hm = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
  const text =
    step >= MINUTE_MS
      ? hm
      : step >= SECOND_MS
        ? `${hm}:${two(date.getUTCSeconds())}`
        : `${hm}:${two(date.getUTCSeconds())}.${String(date.getUTCMilliseconds()).padStart(3, '0')}`
  return zone.repeated(ms) ? `${text} ${zone.abbreviation(ms)}` : text
}

const wallDay = (ms: number, zone: Zone): number => Math.floor(zone.wall(ms) / DAY_MS)

/**
 * Full text of an instant for the crosshair, at the precision of the interval. Without the date if the instant is on the
 * same day as `dayOfMs`, UTC ms, if that is given.
 */
export function crosshairText(ms: number, intervalMs: number, zone: Zone, dayOfMs: number | null = null): string {
  const date = new Date(zone.wall(ms))
  const day = t('{day} {month} {year}', {
    day: String(date.getUTCDate()),
    month: MONTHS[date.getUTCMonth()],
    year: String(date.getUTCFullYear()),
  })
  if (intervalMs >= DAY_MS) return day
  const seconds = intervalMs % MINUTE_MS !== 0 ? `:${two(date.getUTCSeconds())}` : ''
  const fraction = intervalMs % SECOND_MS !== 0 ? `.${String(date.getUTCMilliseconds()).padStart(3, '0')}` : ''
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${seconds}${fraction}`
  const isSameDay = dayOfMs !== null && wallDay(ms, zone) === wallDay(dayOfMs, zone)
  return `${isSameDay ? '' : `${day} `}${time}${zone.repeated(ms) ? ` ${zone.abbreviation(ms)}` : ''}`
}

/**
 * Labels for the rows [from, to) of a chart with `barPx` px per row. Uses the smallest step whose labels are at least
 * `minPx` apart; each label is at the first row of its bucket.
 */
export function axisLabels(
  timestamps: (index: number) => number,
  from: number,
  to: number,
  barPx: number,
  intervalMs: number,
  zone: Zone,
  minPx = 84,
): AxisLabel[] {
  if (to <= from) return []
  const perLabel = Math.max(1, Math.ceil(minPx / barPx))
  // Use the rows' mean distance, not the interval: markets close, and ticks have no interval.
  const span = timestamps(to - 1) - timestamps(from)
  const pace = to - from > 1 ? span / (to - from - 1) : intervalMs
  const step =
    STEPS.find((s) => s >= Math.max(1, Math.min(pace, Math.max(intervalMs, pace * 0.5))) * perLabel) ?? 366 * DAY_MS
  const labels: AxisLabel[] = []
  let lastIndex = -Infinity
  let previousWall = from > 0 ? zone.wall(timestamps(from - 1)) : NaN
  for (let i = from; i < to; i++) {
    const ms = timestamps(i)
    const wall = zone.wall(ms)
    const dayChanged = !Number.isNaN(previousWall) && Math.floor(wall / DAY_MS) !== Math.floor(previousWall / DAY_MS)
    const crossed = Number.isNaN(previousWall)
      ? wall % step === 0
      : bucket(wall, step) !== bucket(previousWall, step) || wall < previousWall
    previousWall = wall
    if (!crossed) continue
    if (i - lastIndex < perLabel) {
      // A day label replaces the one it would collide with.
      if (!dayChanged || labels.length === 0 || labels[labels.length - 1].major) continue
      labels.pop()
    }
    labels.push({ index: i, text: axisText(ms, step, dayChanged, zone), major: dayChanged || step >= DAY_MS })
    lastIndex = i
  }
  // A few rows may include no round time; then label the last row.
  if (labels.length === 0)
    labels.push({
      index: to - 1,
      text: axisText(timestamps(to - 1), Math.min(step, intervalMs), false, zone),
      major: false,
    })
  return labels
}
