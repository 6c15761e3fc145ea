/**
 * Formats numbers: fixed decimals, a real minus sign, an em dash for missing values. Knows nothing about markets.
 * Caches one Intl.NumberFormat per format, because creating one costs more than a thousand uses.
 */
import { t } from '../../shared/base/text.ts'

export const MINUS = '\u2212'
export const DASH = '\u2014'

export type Maybe = number | null | undefined

function usable(value: Maybe): value is number {
  return value !== null && value !== undefined && Number.isFinite(value)
}

/** A BCP 47 locale for Intl. For `system` and tags that Intl rejects, the system's own. */
function knownLocale(tag: string): string | undefined {
  if (tag === 'system') return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

export class NumberText {
  readonly #locale: string | undefined
  readonly #fixed = new Map<number, Intl.NumberFormat>()
  readonly #significant: Intl.NumberFormat
  readonly #whole: Intl.NumberFormat

  /** `tag`: BCP 47, or `system`. */
  constructor(tag: string) {
    this.#locale = knownLocale(tag)
    this.#whole = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 0 })
    this.#significant = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 8 })
  }

  #format(decimals: number): Intl.NumberFormat {
    const n = Math.min(20, Math.max(0, Math.trunc(decimals)))
    let format = this.#fixed.get(n)
    if (!format) {
      format = new Intl.NumberFormat(this.#locale, { minimumFractionDigits: n, maximumFractionDigits: n })
      this.#fixed.set(n, format)
    }
    return format
  }

  /** Exactly `decimals` decimals: 1.1 with 5 is "1.10000". A value that rounds to zero has no sign. */
  fixed(value: Maybe, decimals: number): string {
    if (!usable(value)) return DASH
    const text = this.#format(decimals).format(Math.abs(value))
    return value < 0 && !roundsToZero(value, decimals) ? MINUS + text : text
  }

  /** Like `fixed`, with a plus sign above zero. */
  signed(value: Maybe, decimals: number): string {
    if (!usable(value)) return DASH
    const text = this.#format(decimals).format(Math.abs(value))
    if (roundsToZero(value, decimals)) return text
    return (value < 0 ? MINUS : '+') + text
  }

  /** Whole numbers with grouping. */
  whole(value: Maybe): string {
    if (!usable(value)) return DASH
    return value < 0 && Math.round(value) !== 0
      ? MINUS + this.#whole.format(-value)
      : this.#whole.format(Math.abs(value))
  }

  /** As many decimals as the value has, up to eight. */
  plain(value: Maybe): string {
    if (!usable(value)) return DASH
    return value < 0 ? MINUS + this.#significant.format(-value) : this.#significant.format(value)
  }

  /** Compact with a unit letter: 18,204 is "18.20K". Below ten thousand, at most two decimals. */
  short(value: Maybe): string {
    if (!usable(value)) return DASH
    const size = Math.abs(value)
    const unit = SHORT_UNITS.find((u) => size >= u.from)
    if (!unit) return size >= 100 ? this.fixed(value, 0) : this.plain(roundTo(value, size >= 1 ? 2 : 4))
    return this.fixed(value / unit.by, 2) + unit.letter
  }

  /** At the tick of an axis: plain, or compact if it has many digits. */
  tick(value: Maybe): string {
    return usable(value) && Math.abs(value) >= 1e7 ? this.short(value) : this.plain(value)
  }

  /** Bytes with a decimal unit: 412000000 is "412 MB". */
  bytes(value: Maybe): string {
    if (!usable(value)) return DASH
    let n = value
    let unit = 0
    while (Math.abs(n) >= 1000 && unit < BYTE_UNITS.length - 1) {
      n /= 1000
      unit++
    }
    return `${this.fixed(n, unit === 0 || n >= 100 ? 0 : 1)} ${BYTE_UNITS[unit]}`
  }

  /** Milliseconds as a latency: "0.4 ms", "6 ms", "1.25 s". */
  latency(ms: Maybe): string {
    if (!usable(ms)) return DASH
    if (ms < 10) return t('{n} ms', { n: this.fixed(ms, 1) })
    return ms < 1000 ? t('{n} ms', { n: this.fixed(ms, 0) }) : t('{n} s', { n: this.fixed(ms / 1000, 2) })
  }
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB']
const SHORT_UNITS = [
  { from: 1e12, by: 1e12, letter: 'T' },
  { from: 1e9, by: 1e9, letter: 'B' },
  { from: 1e6, by: 1e6, letter: 'M' },
  { from: 1e4, by: 1e3, letter: 'K' },
]

function roundTo(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

/** The direction of a signed number as displayed: a value that rounds to zero has none. */
export function toneOf(value: Maybe, decimals: number): '' | 'up' | 'down' {
  if (!usable(value) || roundsToZero(value, decimals)) return ''
  return value > 0 ? 'up' : 'down'
}

function roundsToZero(value: number, decimals: number): boolean {
  return Math.abs(value) < 0.5 * 10 ** -decimals
}

/** An age for a narrow column: "0.3s", "14s", "3m", "2h", "5d". Never negative. */
export function ageText(ms: Maybe): string {
  if (!usable(ms)) return DASH
  const s = Math.max(0, ms) / 1000
  const whole = (n: number) => ({ n: String(Math.floor(n)) })
  if (s < 10) return t('{n}s', { n: (Math.floor(s * 10) / 10).toFixed(1) })
  if (s < 60) return t('{n}s', whole(s))
  if (s < 3600) return t('{n}m', whole(s / 60))
  return s < 86_400 ? t('{n}h', whole(s / 3600)) : t('{n}d', whole(s / 86_400))
}

/** An age in a sentence: "120 ms ago", "14 s ago", "3 min ago". */
export function agoText(ms: Maybe): string {
  if (!usable(ms)) return DASH
  const elapsed = Math.max(0, ms)
  const whole = (unit: number) => ({ n: String(Math.floor(elapsed / unit)) })
  if (elapsed < 1000) return t('{n} ms ago', { n: String(Math.floor(elapsed / 10) * 10) })
  if (elapsed < 60_000) return t('{n} s ago', whole(1000))
  if (elapsed < 3_600_000) return t('{n} min ago', whole(60_000))
  return elapsed < 86_400_000 ? t('{n} h ago', whole(3_600_000)) : t('{n} d ago', whole(86_400_000))
}

/** A length of time as a clock: "00:12:33", from one day on "1d 02:03:04". */
export function elapsedText(ms: Maybe): string {
  if (!usable(ms)) return DASH
  const s = Math.floor(Math.max(0, ms) / 1000)
  const two = (n: number) => String(n).padStart(2, '0')
  const clock = `${two(Math.floor(s / 3600) % 24)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
  return s < 86_400 ? clock : t('{n}d {clock}', { n: String(Math.floor(s / 86_400)), clock })
}

/**
 * A share in percent that is never overstated: anything less than all never reads "100 %", and values close to it get
 * enough decimals to show what is missing: "99.98 %", "99.9997 %".
 */
export function shareText(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return DASH
  if (share >= 1) return '100 %'
  for (let decimals = 2; decimals <= 6; decimals++) {
    const shown = Math.floor(share * 100 * 10 ** decimals + 1e-6) / 10 ** decimals
    const says = shown < 100 && (!/^99\.9+$/.test(shown.toFixed(decimals)) || share * 100 - shown < 1e-9)
    if (says) return `${shown.toFixed(decimals)} %`
  }
  return '> 99.99999 %'
}
