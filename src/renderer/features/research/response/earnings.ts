/** Reads earnings from responses of any shape: calendars, history with surprises, transcripts. Pure. */
import type { Report } from '../../../../shared/features/research/reports.ts'
import { isList, isObject, isScalar, own, type Value } from '../../../../shared/features/research/value.ts'

export { reportsOf, reportTable, type Report } from '../../../../shared/features/research/reports.ts'

/** The UTC day of an instant, `YYYY-MM-DD`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The Monday of a day's week, `YYYY-MM-DD`. */
export function weekOf(day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`)
  const weekday = (new Date(ms).getUTCDay() + 6) % 7
  return new Date(ms - weekday * 86_400_000).toISOString().slice(0, 10)
}

/** Monday to Friday of a week, plus weekend days that have reports. */
export function daysOf(week: string, reports: readonly Report[]): readonly string[] {
  const monday = Date.parse(`${week}T00:00:00Z`)
  const days = Array.from({ length: 7 }, (_, i) => new Date(monday + i * 86_400_000).toISOString().slice(0, 10))
  return days.filter((day, i) => i < 5 || reports.some((one) => one.day === day))
}

export interface Speech {
  readonly speaker: string
  readonly text: string
}

/** The speeches of a transcript. Empty if no transcript was found. */
export function speechesOf(value: Value | undefined): readonly Speech[] {
  if (isList(value)) {
    const speeches = value.flatMap((one): Speech[] => {
      if (!isObject(one)) return []
      const find = (names: readonly string[]) =>
        names.map((name) => own(one, name)).find((found) => typeof found === 'string')
      const text = find(['text', 'content', 'speech', 'paragraph'])
      const speaker = find(['speaker', 'name', 'participant', 'role'])
      return typeof text === 'string' ? [{ speaker: typeof speaker === 'string' ? speaker : '', text }] : []
    })
    if (speeches.length > 0) return speeches
    return value.flatMap((one) => (isScalar(one) ? [] : speechesOf(one))).slice(0, 5_000)
  }
  if (!isObject(value)) return []
  for (const name of ['transcript', 'content', 'text', 'body']) {
    const found = own(value, name)
    if (typeof found === 'string' && found.length > 200) return paragraphs(found)
  }
  for (const one of Object.values(value)) {
    const found = isScalar(one) ? [] : speechesOf(one)
    if (found.length > 0) return found
  }
  return []
}

/** Splits a transcript written as one "Speaker: text" per line. */
function paragraphs(text: string): readonly Speech[] {
  return text
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const match = /^([\p{L}.,'’ -]{2,60}):\s+(.+)$/u.exec(line)
      return match === null ? { speaker: '', text: line } : { speaker: match[1], text: match[2] }
    })
}
