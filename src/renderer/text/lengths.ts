/** Lengths of time in words of the catalogue. */
import { say } from './catalogue.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The two greatest units of a length in ms, the second only where it is not zero: "350 ms", "42 s", "1 h 5 min". */
export function twoUnits(ms: number): string {
  if (ms < SECOND) return say('span.ms', { n: String(Math.round(ms)) })
  if (ms < MINUTE) return say('span.s', { n: String(Math.floor(ms / SECOND)) })
  const [big, small, one, both] =
    ms < HOUR
      ? ([MINUTE, SECOND, 'span.min', 'span.min-s'] as const)
      : ms < DAY
        ? ([HOUR, MINUTE, 'span.h', 'span.h-min'] as const)
        : ([DAY, HOUR, 'span.d', 'span.d-h'] as const)
  const n = Math.floor(ms / big)
  const rest = Math.floor((ms - n * big) / small)
  return rest === 0 ? say(one, { n: String(n) }) : say(both, { n: String(n), rest: String(rest) })
}
