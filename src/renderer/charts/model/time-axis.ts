/** Places and formats the labels of the time axis. Pure. */
import { languageTag, t } from '../../../shared/base/text.ts'
import type { Zone } from '../../text/zone.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000
/** Steps between labels, ms; the last ones stand for months and years. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 31 * DAY, 92 * DAY, 366 * DAY,
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
  if (step < 31 * DAY) return Math.floor(wall / step)
  const date = new Date(wall)
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth()
  if (step < 92 * DAY) return months
  return step < 366 * DAY ? Math.floor(months / 3) : date.getUTCFullYear()
}

/** Text of an instant on the axis: the day where the day changes, else the time at the step's precision. */
export function axisText(ms: number, step: number, dayChanged: boolean, zone: Zone): string {
  const date = new Date(zone.wall(ms))
  const month = MONTHS[date.getUTCMonth()]
  if (step >= 366 * DAY) return String(date.getUTCFullYear())
  if (step >= 31 * DAY) return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : month
  if (step >= DAY || dayChanged) return t('{day} {month}', { day: String(date.getUTCDate()), month })
  const hm = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
  const text =
    step >= MINUTE
      ? hm
      : step >= SECOND
        ? `${hm}:${two(date.getUTCSeconds())}`
        : `${hm}:${two(date.getUTCSeconds())}.${String(date.getUTCMilliseconds()).padStart(3, '0')}`
  return zone.repeated(ms) ? `${text} ${zone.abbreviation(ms)}` : text
}

/** Full text of an instant for the crosshair, at the precision of the interval. */
export function crosshairText(ms: number, intervalMs: number, zone: Zone): string {
  const date = new Date(zone.wall(ms))
  const day = t('{day} {month} {year}', {
    day: String(date.getUTCDate()),
    month: MONTHS[date.getUTCMonth()],
    year: String(date.getUTCFullYear()),
  })
  if (intervalMs >= DAY) return day
  const seconds = intervalMs % MINUTE !== 0 ? `:${two(date.getUTCSeconds())}` : ''
  const fraction = intervalMs % SECOND !== 0 ? `.${String(date.getUTCMilliseconds()).padStart(3, '0')}` : ''
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${seconds}${fraction}`
  return `${day} ${time}${zone.repeated(ms) ? ` ${zone.abbreviation(ms)}` : ''}`
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
    STEPS.find((s) => s >= Math.max(1, Math.min(pace, Math.max(intervalMs, pace * 0.5))) * perLabel) ?? 366 * DAY
  const labels: AxisLabel[] = []
  let lastIndex = -Infinity
  let previousWall = from > 0 ? zone.wall(timestamps(from - 1)) : NaN
  for (let i = from; i < to; i++) {
    const ms = timestamps(i)
    const wall = zone.wall(ms)
    const dayChanged = !Number.isNaN(previousWall) && Math.floor(wall / DAY) !== Math.floor(previousWall / DAY)
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
    labels.push({ index: i, text: axisText(ms, step, dayChanged, zone), major: dayChanged || step >= DAY })
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
