import { t } from './text.ts'

/** "5 min", "1 h 30 min", "250 ms". */
export function durationLabel(ms: number): string {
  if (ms < 1_000) return t('{n} ms', { n: String(Math.round(ms)) })
  const s = Math.round(ms / 1_000)
  if (s < 60) return t('{n} s', { n: String(s) })
  const min = Math.floor(s / 60)
  if (min < 60)
    return s % 60 === 0
      ? t('{n} min', { n: String(min) })
      : t('{n} min {rest} s', { n: String(min), rest: String(s % 60) })
  const h = Math.floor(min / 60)
  if (h < 48)
    return min % 60 === 0
      ? t('{n} h', { n: String(h) })
      : t('{n} h {rest} min', { n: String(h), rest: String(min % 60) })
  const days = Math.floor(h / 24)
  return t({ one: '{n} day', other: '{n} days' }, { count: days, n: String(days) })
}
