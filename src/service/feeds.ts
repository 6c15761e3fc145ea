/**
 * The service's eleven feeds, one row each (docs/service.md#feeds). Codecs, planner, store, simulator, command line
 * and docs derive from this table. `shape` is `documented` where the service describes the fields, and `likely` where
 * they are an assumption that is tried first and marked as such.
 */
import type { RecordKind } from '../shared/core/market/market.ts'
import { FEED_IDS, type AssetClass, type FeedId } from '../shared/base/units.ts'

/** The JSON key of each part of a message. Parts without a key aren't in the message. */
export interface FieldMap {
  readonly symbol: string
  readonly price?: string
  readonly size?: string
  readonly bid?: string
  readonly ask?: string
  readonly bidSize?: string
  readonly askSize?: string
  readonly open?: string
  readonly high?: string
  readonly low?: string
  readonly close?: string
  readonly volume?: string
  /** The event time of trades and quotes. */
  readonly time?: string
  readonly start?: string
  readonly end?: string
}

export interface Feed {
  readonly id: FeedId
  readonly asset: AssetClass
  /** The `ev` of every message and the last path segment. */
  readonly code: string
  readonly path: string
  readonly kind: Exclude<RecordKind, 'unknown'>
  readonly shape: 'documented' | 'likely'
  readonly fields: FieldMap
  /** The documented minimum plan; null if undocumented. */
  readonly minimumPlan: 'Premium' | null
  /** Length of the feed's bars in ms, or null if it sends none. Assumed: XAS, CAS and A by second, XA, CA and AM by minute. */
  readonly barMs: number | null
  readonly title: string
}

const ohlc = { open: 'o', high: 'h', low: 'l', close: 'c', volume: 'v', start: 's', end: 'e' } as const
const pairBar: FieldMap = { symbol: 'pair', ...ohlc }
const stockBar: FieldMap = { symbol: 'sym', ...ohlc }

const rows: Record<FeedId, Omit<Feed, 'id' | 'asset' | 'code' | 'path'>> = {
  'crypto/XA': {
    kind: 'bar',
    shape: 'documented',
    fields: pairBar,
    minimumPlan: 'Premium',
    barMs: 60_000,
    title: 'Crypto minute bars',
  },
  'crypto/XAS': {
    kind: 'bar',
    shape: 'documented',
    fields: pairBar,
    minimumPlan: 'Premium',
    barMs: 1_000,
    title: 'Crypto second bars',
  },
  'crypto/XQ': {
    kind: 'quote',
    shape: 'documented',
    fields: { symbol: 'pair', bid: 'bp', ask: 'ap', time: 't' },
    minimumPlan: 'Premium',
    barMs: null,
    title: 'Crypto quotes',
  },
  'crypto/XT': {
    kind: 'trade',
    shape: 'documented',
    fields: { symbol: 'pair', price: 'p', size: 's', time: 't' },
    minimumPlan: 'Premium',
    barMs: null,
    title: 'Crypto trades',
  },
  'forex/C': {
    kind: 'quote',
    shape: 'documented',
    fields: { symbol: 'p', bid: 'b', ask: 'a', time: 't' },
    minimumPlan: 'Premium',
    barMs: null,
    title: 'Forex quotes',
  },
  'forex/CA': {
    kind: 'bar',
    shape: 'documented',
    fields: pairBar,
    minimumPlan: 'Premium',
    barMs: 60_000,
    title: 'Forex minute bars',
  },
  'forex/CAS': {
    kind: 'bar',
    shape: 'likely',
    fields: pairBar,
    minimumPlan: null,
    barMs: 1_000,
    title: 'Forex second bars',
  },
  'stocks/A': {
    kind: 'bar',
    shape: 'likely',
    fields: stockBar,
    minimumPlan: null,
    barMs: 1_000,
    title: 'Stock second bars',
  },
  'stocks/AM': {
    kind: 'bar',
    shape: 'likely',
    fields: stockBar,
    minimumPlan: null,
    barMs: 60_000,
    title: 'Stock minute bars',
  },
  'stocks/Q': {
    kind: 'quote',
    shape: 'likely',
    fields: { symbol: 'sym', bid: 'bp', ask: 'ap', bidSize: 'bs', askSize: 'as', time: 't' },
    minimumPlan: null,
    barMs: null,
    title: 'Stock quotes',
  },
  'stocks/T': {
    kind: 'trade',
    shape: 'likely',
    fields: { symbol: 'sym', price: 'p', size: 's', time: 't' },
    minimumPlan: null,
    barMs: null,
    title: 'Stock trades',
  },
}

export const FEEDS: Readonly<Record<FeedId, Feed>> = Object.fromEntries(
  FEED_IDS.map((id) => {
    const [asset, code] = id.split('/') as [AssetClass, string] // FeedId is `${AssetClass}/${code}`
    return [id, { id, asset, code, path: `/ws/${id}/`, ...rows[id] }]
  }),
) as Record<FeedId, Feed> // built from every FeedId

/** The feed of a path such as `/ws/crypto/XT/`, or undefined. */
export function feedOfPath(path: string): Feed | undefined {
  return Object.values(FEEDS).find((feed) => feed.path === path)
}

/** The feeds needed to show an instrument's quote, its tape and bars built from trades. */
export const TICK_FEEDS: Readonly<Record<AssetClass, readonly FeedId[]>> = {
  crypto: ['crypto/XT', 'crypto/XQ'],
  forex: ['forex/C'],
  stocks: ['stocks/T', 'stocks/Q'],
}

/** The most tickers a connection can hold (docs/service.md#limits). */
export const TICKERS_PER_CONNECTION = 50
