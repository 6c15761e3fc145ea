/** Reads the times and durations of every option: one grammar for all commands. */
import { DAY_MS, UNIT_MS, type DurationUnit } from '../../shared/base/durations.ts'
import { createOffsets, createZone } from '../base/zones.ts'
import type { Clock } from '../base/clock.ts'
import { toFailure } from '../../shared/base/errors.ts'
import { UsageError, type Option, type Values } from './command.ts'

/** The times that `instant` takes, for help. */
export const INSTANT_HELP = '2026-01-05, 2026-01-05T09:30Z, 09:30, today, yesterday, now, -1h, or epoch ms'

/** The zone of times without one, for commands with such options. */
export const ZONE_OPTION: Option = {
  type: 'string',
  value: 'ZONE',
  help: 'Zone of times without one, such as America/New_York (default: UTC)',
}

/** A length of time such as 30s, 5m, 1.5h, 2d or 250ms, in ms; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2] as DurationUnit] // as the pattern says
}

/** Reads an option with a length of time, ms. Throws UsageError. */
export function duration(values: Values, name: string): number | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const ms = parseDuration(text)
  if (ms === undefined) throw new UsageError(`--${name} takes a time such as 30s, 5m, 1h or 2d, not "${text}"`)
  return ms
}

/** Reads `--zone`; undefined: it isn't given. Throws UsageError for a zone that doesn't exist. */
export function zoneOption(values: Values): string | undefined {
  const zone = values.text('zone')
  if (zone === undefined) return undefined
  try {
    createOffsets(zone)
  } catch (thrown) {
    throw new UsageError(`--zone: ${sentenceOf(thrown)}`)
  }
  return zone
}

/** Reads an option with an instant, UTC ms; times without a zone are in `--zone`. Throws UsageError. */
export function instant(values: Values, name: string, clock: Clock): number | undefined {
  const text = values.text(name)
  if (text === undefined) return undefined
  const zone = zoneOption(values) ?? 'UTC'
  try {
    const ms = parseInstant(text, { nowMs: clock.wallMs(), zone })
    if (ms !== undefined) return ms
  } catch (thrown) {
    throw new UsageError(`--${name}: ${sentenceOf(thrown)}`)
  }
  throw new UsageError(`--${name} takes ${INSTANT_HELP}, not "${text}"`)
}

const sentenceOf = (thrown: unknown): string => {
  if (thrown instanceof UsageError) return thrown.message
  const { message, hint = '' } = toFailure(thrown)
  return `${message} ${hint}`.trim().replace(/\.$/, '')
}

const CLOCK = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/
const DATED = /^(?:(\d{4}-\d\d-\d\d)|today|yesterday)(?:[T ](.+))?$/

/**
 * The instant that a text names, UTC ms; undefined if it names none. A date is its first instant, a time of day is
 * today's. A zone or offset at the end outranks `zone`. Throws UsageError for a local time that clocks skipped or
 * repeated, CodedError `usage` for an unknown zone.
 */
export function parseInstant(
  text: string,
  { nowMs, zone }: { readonly nowMs: number; readonly zone: string },
): number | undefined {
  const trimmed = text.trim()
  if (trimmed === 'now') return nowMs
  // With a fraction, as receive times are written.
  if (/^(?:0|\d{11,16})(?:\.\d{1,6})?$/.test(trimmed)) return Number(trimmed)
  if (trimmed.startsWith('-')) {
    const ms = parseDuration(trimmed.slice(1))
    return ms === undefined ? undefined : nowMs - ms
  }
  const { local, offsetMs, named } = splitZone(trimmed)
  const where = named ?? zone
  const todayMs = (): number => dayOf(nowMs + (offsetMs ?? createOffsets(where)(nowMs)))
  const wallMs = parseLocal(local, todayMs)
  if (wallMs === undefined) return undefined
  if (offsetMs !== undefined) return wallMs - offsetMs
  const [first, second] = createZone(where)(wallMs)
  if (first === undefined || second !== undefined) {
    const why = first === undefined ? 'never occurred: clocks were set forward' : 'occurred twice: clocks were set back'
    throw new UsageError(`"${local}" in ${where} ${why}. Write the time with its offset, such as 02:30+01:00`)
  }
  return first
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS

/** Splits `09:30 America/New_York`, `09:30Z` or `09:30+02:00`. */
function splitZone(text: string): { local: string; offsetMs?: number; named?: string } {
  const zone = /^(.*\S)\s+([A-Za-z][\w+-]*(?:\/[\w+-]+)*)$/.exec(text)
  if (zone !== null && zone[2].toLowerCase() !== 'z') return { local: zone[1], named: zone[2] }
  const offset = /^(.*:\d\d(?:\.\d+)?)\s*(?:([Zz])|([+-])(\d\d):?(\d\d))$/.exec(text)
  if (offset === null) return { local: text }
  const [, local, isUtc, sign, hours, minutes] = offset
  const ms = isUtc === undefined ? (Number(hours) * 60 + Number(minutes)) * 60_000 : 0
  return { local, offsetMs: sign === '-' ? -ms : ms }
}

/** A local date, time or both, as if it were UTC. */
function parseLocal(text: string, todayMs: () => number): number | undefined {
  const dated = DATED.exec(text)
  const clock = CLOCK.exec(dated === null ? text : (dated[2] ?? '00:00'))
  if (clock === null) return undefined
  const [, hours, minutes, seconds = '0', fraction = '0'] = clock
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const inDay =
    (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000 + Number(fraction.padEnd(3, '0'))
  if (dated === null || dated[1] === undefined) {
    return todayMs() - (text.startsWith('yesterday') ? DAY_MS : 0) + inDay
  }
  const midnight = Date.parse(`${dated[1]}T00:00:00Z`)
  const isReal = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(dated[1])
  return isReal ? midnight + inDay : undefined
}
