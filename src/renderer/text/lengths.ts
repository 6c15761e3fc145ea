/** Formats lengths of time. */
import { t } from '../../shared/base/text.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The two largest units of a length in ms, the second only if it isn't zero: "350 ms", "42 s", "1 h 5 min". */
export function twoUnits(ms: number): string {
  if (ms < SECOND) return t('{n} ms', { n: String(Math.round(ms)) })
  if (ms < MINUTE) return t('{n} s', { n: String(Math.floor(ms / SECOND)) })
  const [big, small] = ms < HOUR ? [MINUTE, SECOND] : ms < DAY ? [HOUR, MINUTE] : [DAY, HOUR]
  const n = String(Math.floor(ms / big))
  const rest = String(Math.floor((ms % big) / small))
  if (ms < HOUR) return rest === '0' ? t('{n} min', { n }) : t('{n} min {rest} s', { n, rest })
  if (ms < DAY) return rest === '0' ? t('{n} h', { n }) : t('{n} h {rest} min', { n, rest })
  return rest === '0' ? t('{n} d', { n }) : t('{n} d {rest} h', { n, rest })
}
