/** The made-up market of the fake terminal: its instruments, their first rows, its dice. */
import type { QuoteRow } from '../../../../src/shared/core/status/status.ts'
import type { AssetClass, InstrumentId } from '../../../../src/shared/base/units.ts'

export interface Seed {
  readonly asset: AssetClass
  readonly symbol: string
  readonly name: string
  readonly price: number
  readonly decimals: number
  readonly pip?: number
  readonly change: number
}
export const SEEDS: readonly Seed[] = [
  { asset: 'crypto', symbol: 'BTC-USD', name: 'Bitcoin / US dollar', price: 64_123.5, decimals: 2, change: 0.0128 },
  { asset: 'crypto', symbol: 'ETH-USD', name: 'Ether / US dollar', price: 2610.18, decimals: 2, change: -0.0042 },
  { asset: 'crypto', symbol: 'SOL-USD', name: 'Solana / US dollar', price: 154.302, decimals: 3, change: 0.0371 },
  { asset: 'crypto', symbol: 'DOGE-USD', name: 'Dogecoin / US dollar', price: 0.10482, decimals: 5, change: 0 },
  { asset: 'crypto', symbol: 'XRP-USD', name: 'XRP / US dollar', price: 0.5231, decimals: 4, change: 0.011 },
  { asset: 'crypto', symbol: 'ADA-USD', name: 'Cardano / US dollar', price: 0.3521, decimals: 4, change: -0.021 },
  { asset: 'crypto', symbol: 'LTC-USD', name: 'Litecoin / US dollar', price: 71.22, decimals: 2, change: 0.004 },
  {
    asset: 'forex',
    symbol: 'EURUSD',
    name: 'Euro / US dollar',
    price: 1.09312,
    decimals: 5,
    pip: 1e-4,
    change: 0.0011,
  },
  {
    asset: 'forex',
    symbol: 'USDJPY',
    name: 'US dollar / yen',
    price: 147.204,
    decimals: 3,
    pip: 0.01,
    change: -0.0035,
  },
  {
    asset: 'forex',
    symbol: 'GBPUSD',
    name: 'Pound / US dollar',
    price: 1.27588,
    decimals: 5,
    pip: 1e-4,
    change: 0.0004,
  },
  {
    asset: 'forex',
    symbol: 'NZDUSD',
    name: 'NZ dollar / US dollar',
    price: 0.6012,
    decimals: 5,
    pip: 1e-4,
    change: -0.0018,
  },
  {
    asset: 'forex',
    symbol: 'AUDUSD',
    name: 'Australian / US dollar',
    price: 0.6571,
    decimals: 5,
    pip: 1e-4,
    change: 0.002,
  },
  { asset: 'stocks', symbol: 'AAPL', name: 'Apple Inc.', price: 213.06, decimals: 2, change: -0.0071 },
  { asset: 'stocks', symbol: 'SPY', name: 'SPDR S&P 500 ETF', price: 531.62, decimals: 2, change: 0.0022 },
  {
    asset: 'stocks',
    symbol: 'IBM',
    name: 'International Business Machines',
    price: 191.45,
    decimals: 2,
    change: 0.0009,
  },
  { asset: 'stocks', symbol: 'NVDA', name: 'NVIDIA Corp.', price: 104.75, decimals: 2, change: -0.0102 },
]

/** mulberry32: small, seeded, the same everywhere. */
export function randomOf(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A row of which nothing is known yet. */
export function emptyRow(instrument: InstrumentId, asset: AssetClass, symbol: string): QuoteRow {
  return {
    instrument,
    asset,
    symbol,
    name: null,
    last: null,
    lastOf: null,
    lastEventMs: null,
    lastRecvMs: null,
    tick: null,
    flash: 0,
    bid: null,
    ask: null,
    bidSize: null,
    askSize: null,
    open: null,
    high: null,
    low: null,
    volume: null,
    rangeOf: null,
    reference: null,
    referenceOf: null,
    decimals: 2,
    pip: null,
    freshness: 'waiting',
    spark: [],
    mapping: null,
  }
}
