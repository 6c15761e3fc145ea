/** The market records that messages decode to. Times are UTC ms. */
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

/** Intervals in ms, by the label used on screen and on the command line. `1D` follows the calendar. */
export const INTERVALS = {
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
  '1D': 86_400_000,
} as const
export type Interval = keyof typeof INTERVALS
export const INTERVAL_LABELS = Object.keys(INTERVALS) as readonly Interval[] // keys of a literal object

/** The shortest bars the service sends, ms. */
export const SHORTEST_SERVICE_BAR_MS = 1_000

/** The service's bar feeds of each market by bar length (docs/architecture.md#bars). Those of stocks are assumed. */
export const SERVICE_BAR_FEEDS: Readonly<Record<AssetClass, { readonly second: FeedId; readonly minute: FeedId }>> = {
  crypto: { second: 'crypto/XAS', minute: 'crypto/XA' },
  forex: { second: 'forex/CAS', minute: 'forex/CA' },
  stocks: { second: 'stocks/A', minute: 'stocks/AM' },
}

/**
 * The default feed for service bars of an interval: the minute feed from one minute up, otherwise the second feed.
 * Undefined if the interval is shorter than the service's bars.
 */
export function serviceBarFeed(asset: AssetClass, intervalMs: number): FeedId | undefined {
  const { second, minute } = SERVICE_BAR_FEEDS[asset]
  if (intervalMs >= 60_000) return minute
  return intervalMs < SHORTEST_SERVICE_BAR_MS ? undefined : second
}

/** Whether bars of a source and interval exist. The service sends none shorter than a second. */
export function hasBars(of: BarSource, interval: Interval): boolean {
  return of !== 'service' || INTERVALS[interval] >= SHORTEST_SERVICE_BAR_MS
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
