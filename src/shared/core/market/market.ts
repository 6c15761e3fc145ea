/** The market records that messages decode to. Times are UTC ms. */
import { DAY_MS, UNIT_MS, type DurationUnit } from '../../base/durations.ts'
import type { AssetClass, FeedId, Price, ServiceSymbol, Size, UnixMs } from '../../base/units.ts'

export type RecordKind = 'trade' | 'quote' | 'bar' | 'unknown'

interface RecordBase {
  readonly feed: FeedId
  readonly symbol: ServiceSymbol
}

/** A trade (XT, T). */
export interface Trade extends RecordBase {
  readonly kind: 'trade'
  readonly price: Price
  /** Absent if the message carries none. */
  readonly size?: Size
  readonly eventMs?: UnixMs
}

/** The best bid and ask (XQ, C, Q). A side the message doesn't carry is absent. */
export interface Quote extends RecordBase {
  readonly kind: 'quote'
  readonly bid?: Price
  readonly ask?: Price
  readonly bidSize?: Size
  readonly askSize?: Size
  readonly eventMs?: UnixMs
}

/** A bar sent by the service (XA, XAS, CA, CAS, A, AM), covering [startMs, endMs). */
export interface ServiceBar extends RecordBase {
  readonly kind: 'bar'
  readonly open: Price
  readonly high: Price
  readonly low: Price
  readonly close: Price
  readonly volume?: Size
  readonly startMs: UnixMs
  readonly endMs?: UnixMs
}

/** A message that no codec or mapping could read. Only its raw text is reliable. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly feed: FeedId
  readonly symbol?: ServiceSymbol
  readonly eventMs?: UnixMs
  /** Why it couldn't be read, for the log. */
  readonly why: string
}

export type MarketRecord = Trade | Quote | ServiceBar | Unknown

/** What bars are built from. `service` shows the service's own bars unchanged. */
export const BAR_SOURCES = ['trade', 'bid', 'ask', 'mid', 'service'] as const
export type BarSource = (typeof BAR_SOURCES)[number]

/** The intervals that menus offer, in ms. Any other one can be typed. `1D` follows the calendar. */
const OFFERED = {
  '100ms': 100,
  '250ms': 250,
  '500ms': 500,
  '1s': 1_000,
  '5s': 5_000,
  '15s': 15_000,
  '30s': 30_000,
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1D': DAY_MS,
} as const

/**
 * The label of a bar length, used on screen, on the command line and in files: `7s`, `45m`, `2h`, or `1D`. Each length
 * has one label, in the largest unit that divides it.
 */
export type Interval = `${number}${'ms' | 's' | 'm' | 'h'}` | '1D'
export const INTERVAL_LABELS = Object.keys(OFFERED) as readonly (keyof typeof OFFERED)[] // keys of a literal object

/** Shorter bars would be single records. */
const SHORTEST_MS = 100
/** What can be typed, as an example for hints. */
export const INTERVAL_EXAMPLES = '7s, 3m, 45m, 2h or 1D'

/**
 * The interval of a typed length, from 100 ms to less than a day, or one day: `90` and `90m` (minutes without a unit),
 * `120m` (2h), `7s`, `250ms`, `1d`. Undefined for anything else.
 */
export function parseInterval(text: string): Interval | undefined {
  const [, digits, unit = 'm'] = /^(\d{1,8})(ms|[smhd])?$/i.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const ms = Number(digits) * UNIT_MS[unit.toLowerCase() as DurationUnit] // as the pattern says
  if (ms === DAY_MS) return '1D'
  if (!(ms >= SHORTEST_MS && ms < DAY_MS)) return undefined
  for (const label of ['h', 'm', 's'] as const) if (ms % UNIT_MS[label] === 0) return `${ms / UNIT_MS[label]}${label}`
  return `${ms}ms`
}

/** Whether a value is the label of an interval. */
export function isInterval(value: unknown): value is Interval {
  return typeof value === 'string' && parseInterval(value) === value
}

/** The length of an interval in ms; that of `1D` is nominal. */
export function msOf(interval: Interval): number {
  if (Object.hasOwn(OFFERED, interval)) return OFFERED[interval as keyof typeof OFFERED] // just checked
  const [, digits, unit] = /^(\d+)(ms|[smh])$/.exec(interval) ?? []
  return Number(digits) * UNIT_MS[unit as DurationUnit] // as the pattern says; NaN without a match
}

/** The intervals of a menu: those on offer, and the current one in its place. */
export function intervalChoices(current: Interval): readonly Interval[] {
  return [...new Set([...INTERVAL_LABELS, current])].toSorted((a, b) => msOf(a) - msOf(b))
}

/** The shortest bars the service sends, ms. */
const SHORTEST_SERVICE_BAR_MS = 1_000

/** The service's bar feeds of each market by bar length (docs/architecture.md#bars). Those of stocks are assumed. */
export const SERVICE_BAR_FEEDS: Readonly<Record<AssetClass, { readonly second: FeedId; readonly minute: FeedId }>> = {
  crypto: { second: 'crypto/XAS', minute: 'crypto/XA' },
  forex: { second: 'forex/CAS', minute: 'forex/CA' },
  stocks: { second: 'stocks/A', minute: 'stocks/AM' },
}

/**
 * The default feed for service bars of an interval: the minute feed for whole minutes, the second feed for whole
 * seconds. Undefined if the service's bars can't build it.
 */
export function serviceBarFeed(asset: AssetClass, intervalMs: number): FeedId | undefined {
  const { second, minute } = SERVICE_BAR_FEEDS[asset]
  if (intervalMs % 60_000 === 0) return minute
  return intervalMs % SHORTEST_SERVICE_BAR_MS === 0 ? second : undefined
}

/** Whether bars of a source and interval exist. The service's own build whole seconds only. */
export function hasBars(of: BarSource, interval: Interval): boolean {
  return of !== 'service' || msOf(interval) % SHORTEST_SERVICE_BAR_MS === 0
}

/** One bar over [startMs, endMs), UTC. */
export interface Bar {
  readonly startMs: UnixMs
  readonly endMs: UnixMs
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** The sum of sizes; null if the records carry none (quotes). */
  readonly volume: number | null
  /** The number of records in the bar. */
  readonly count: number
  /** False for a bar inside which a connection opened and for every bar a gap touches. */
  readonly complete: boolean
}

/** One row of time and sales. */
export interface Print {
  readonly seq: number
  readonly eventMs: UnixMs | null
  readonly recvMs: UnixMs
  readonly price: number
  readonly size: number | null
  /** Against the previous trade: up 1, down -1, equal 0; null if unknown, at the start or after a gap. */
  readonly direction: -1 | 0 | 1 | null
}
