/** Formats lengths of time. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/base/durations.ts'
import { t } from '../../shared/base/text.ts'

/** The two largest units of a length in ms, the second only if it isn't zero: "350 ms", "42 s", "1 h 5 min". */
export function twoUnits(ms: number): string {
  if (ms < SECOND_MS) return t('{n} ms', { n: String(Math.round(ms)) })
  if (ms < MINUTE_MS) return t('{n} s', { n: String(Math.floor(ms / SECOND_MS)) })
  const [big, small] = ms < HOUR_MS ? [MINUTE_MS, SECOND_MS] : ms < DAY_MS ? [HOUR_MS, MINUTE_MS] : [DAY_MS, HOUR_MS]
  const n = String(Math.floor(ms / big))
  const rest = String(Math.floor((ms % big) / small))
  if (ms < HOUR_MS) return rest === '0' ? t('{n} min', { n }) : t('{n} min {rest} s', { n, rest })
  if (ms < DAY_MS) return rest === '0' ? t('{n} h', { n }) : t('{n} h {rest} min', { n, rest })
  return rest === '0' ? t('{n} d', { n }) : t('{n} d {rest} h', { n, rest })
}
