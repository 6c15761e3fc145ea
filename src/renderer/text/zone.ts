/** Wall time in an IANA zone, fast enough to call for every visible bar. Pure except for Intl. */
import { HOUR_MS } from '../../shared/base/durations.ts'

const QUARTER = 900_000

/** Offsets of one zone, cached by quarter of an hour: every zone change of the tz database falls on one. */
export class Zone {
  readonly name: string
  readonly #offsets = new Map<number, number>()
  readonly #parts: Intl.DateTimeFormat
  readonly #abbreviation: Intl.DateTimeFormat

  /** Unknown zone names fall back to UTC. `local` is the machine's own zone. */
  constructor(name: string) {
    let zone = name === 'local' || name === '' ? Intl.DateTimeFormat().resolvedOptions().timeZone : name
    const options = {
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    } as const
    let parts: Intl.DateTimeFormat
    try {
      parts = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone })
    } catch {
      zone = 'UTC'
      parts = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone })
    }
    this.name = zone
    this.#parts = parts
    this.#abbreviation = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' })
  }

  /** Zone offset at an instant, ms east of UTC. */
  offset(ms: number): number {
    const quarter = Math.floor(ms / QUARTER)
    const known = this.#offsets.get(quarter)
    if (known !== undefined) return known
    if (this.#offsets.size > 50_000) this.#offsets.clear()
    const at = quarter * QUARTER
    const field: Record<string, number> = {}
    for (const part of this.#parts.formatToParts(at)) field[part.type] = Number(part.value)
    const wall = Date.UTC(field.year, field.month - 1, field.day, field.hour, field.minute, field.second)
    const offset = wall - at
    this.#offsets.set(quarter, offset)
    return offset
  }

  /** Wall time as if it were UTC: read its fields with the UTC getters of Date. */
  wall(ms: number): number {
    return ms + this.offset(ms)
  }

  /** Whether this wall time happens twice (the hour repeated when clocks go back). */
  repeated(ms: number): boolean {
    const wall = this.wall(ms)
    return this.wall(ms - HOUR_MS) === wall || this.wall(ms + HOUR_MS) === wall
  }

  /** "EDT", "GMT+2": the zone's short name at an instant. */
  abbreviation(ms: number): string {
    return this.#abbreviation.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? ''
  }
}
