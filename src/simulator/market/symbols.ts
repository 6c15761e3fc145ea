/**
 * How a made-up instrument trades: price, decimals, spread, rate. Known ones have rows; any other follows from its
 * name.
 */
import { DEMO_SYMBOLS } from '../../service/demo-symbols.ts'
import { instrumentKey, type AssetClass } from '../../shared/base/units.ts'
import { fraction, hashText } from './random.ts'

export interface Profile {
  /** The price it trades around. */
  readonly base: number
  readonly decimals: number
  /** Usual spread in ticks. */
  readonly spread: number
  readonly tradesPerSecond: number
  readonly quotesPerSecond: number
  /** Standard deviation of a daily move, as a fraction. */
  readonly volatility: number
  /** Typical size of a trade. */
  readonly size: number
  readonly sizeDecimals: number
}

/** US dollars for one unit. */
const CURRENCIES: Readonly<Record<string, number>> = {
  USD: 1,
  EUR: 1.085,
  GBP: 1.2725,
  AUD: 0.6602,
  NZD: 0.6051,
  CAD: 0.7293,
  CHF: 1.1184,
  JPY: 0.00638,
  SEK: 0.0949,
  NOK: 0.0935,
  DKK: 0.1455,
  MXN: 0.0544,
  ZAR: 0.0546,
  CNH: 0.1391,
  INR: 0.01193,
  SGD: 0.743,
  HKD: 0.128,
  TRY: 0.0301,
  PLN: 0.2532,
  HUF: 0.00276,
  CZK: 0.0431,
}

/** Price in US dollars, decimals, trades per second. */
const COINS: Readonly<Record<string, readonly [number, number, number]>> = {
  BTC: [61_800, 2, 20],
  ETH: [2_680, 2, 15],
  SOL: [152.4, 2, 5],
  XRP: [0.6112, 4, 4],
  DOGE: [0.10234, 5, 4],
  ADA: [0.3421, 4, 3],
  LTC: [62.14, 2, 3],
  BCH: [342.1, 2, 2],
  DOT: [4.871, 3, 2],
  AVAX: [22.41, 2, 2],
  LINK: [10.62, 3, 2],
  UNI: [6.214, 3, 2],
  ATOM: [4.912, 3, 1.5],
  XLM: [0.0982, 5, 1.5],
  ETC: [18.92, 2, 1.5],
  FIL: [3.712, 3, 1],
  AAVE: [98.4, 2, 1],
  NEAR: [4.021, 3, 1.5],
  SHIB: [0.00001392, 8, 3],
}

/** Price, trades per second, daily move. */
const STOCKS: Readonly<Record<string, readonly [number, number, number]>> = {
  SPY: [552.1, 8, 0.009],
  QQQ: [472.3, 6, 0.012],
  IBM: [191.2, 2, 0.013],
  AAPL: [226.4, 6, 0.014],
  MSFT: [416.8, 4, 0.014],
  NVDA: [121.3, 9, 0.03],
  TSLA: [214.6, 7, 0.034],
  AMZN: [176.9, 5, 0.018],
  GOOGL: [163.4, 3, 0.017],
  META: [521.7, 3, 0.02],
  'BRK.B': [452.3, 1, 0.008],
  JPM: [214.8, 2, 0.012],
  V: [268.1, 1.5, 0.01],
  JNJ: [161.2, 1.5, 0.009],
  WMT: [75.3, 2, 0.01],
  PG: [170.4, 1.5, 0.009],
  XOM: [116.2, 2, 0.013],
  KO: [70.4, 1.5, 0.008],
  DIS: [90.2, 1.5, 0.014],
  INTC: [21.3, 3, 0.03],
  AMD: [148.6, 5, 0.03],
  NFLX: [701.4, 1.5, 0.02],
  BAC: [39.7, 2.5, 0.013],
  GE: [172.3, 1.5, 0.015],
  F: [10.9, 2.5, 0.018],
  GM: [47.6, 1.5, 0.018],
  BA: [172.6, 2, 0.02],
  CSCO: [50.3, 1.5, 0.011],
  ORCL: [140.2, 1.5, 0.016],
  T: [21.1, 2, 0.011],
}

/** The profile of an instrument, by its key (`instrumentKey`). Every key has one. */
export function profileOf(asset: AssetClass, key: string): Profile {
  const own = fraction(hashText(key, 11))
  switch (asset) {
    case 'crypto':
      return coin(key, own)
    case 'forex':
      return pair(key, own)
    case 'stocks':
      return stock(key, own)
  }
}

function coin(key: string, own: number): Profile {
  const quote = ['USDT', 'USDC', 'USD', 'EUR', 'GBP', 'JPY', 'BTC', 'ETH'].find(
    (q) => key.length > q.length && key.endsWith(q),
  )
  const known = COINS[quote === undefined ? key : key.slice(0, -quote.length)]
  const dollars = known?.[0] ?? 10 ** (own * 5 - 2)
  const unit = quote === undefined ? 1 : (COINS[quote]?.[0] ?? CURRENCIES[quote] ?? 1)
  const base = dollars / unit
  const decimals = known !== undefined && (unit === 1 || base === dollars) ? known[1] : decimalsFor(base)
  const trades = known?.[2] ?? 0.5 + own * 3
  return {
    base,
    decimals,
    spread: Math.max(1, Math.round(base * 0.00012 * 10 ** decimals)),
    tradesPerSecond: trades,
    quotesPerSecond: trades * 1.3,
    volatility: 0.035,
    size: 900 / dollars,
    sizeDecimals: dollars > 1_000 ? 5 : dollars > 10 ? 3 : dollars > 0.01 ? 1 : 0,
  }
}

function pair(key: string, own: number): Profile {
  const first = CURRENCIES[key.slice(0, 3)]
  const second = CURRENCIES[key.slice(3)]
  const base = first !== undefined && second !== undefined ? first / second : 0.5 + own
  const decimals = base > 20 ? 3 : 5
  return {
    base,
    decimals,
    spread: Math.max(4, Math.round(base * 0.00011 * 10 ** decimals)),
    tradesPerSecond: 0,
    quotesPerSecond: ['USD', 'EUR', 'JPY', 'GBP'].some((c) => key.includes(c)) ? 3.5 + own * 2 : 2,
    volatility: 0.006,
    size: 1,
    sizeDecimals: 0,
  }
}

function stock(key: string, own: number): Profile {
  const known = STOCKS[key]
  const base = known?.[0] ?? Math.round(10 ** (0.8 + own * 1.9) * 100) / 100
  const trades = known?.[1] ?? 0.4 + own * 2
  return {
    base,
    decimals: 2,
    spread: Math.max(1, Math.round(base * 0.00008 * 100)),
    tradesPerSecond: trades,
    quotesPerSecond: trades * 1.2,
    volatility: known?.[2] ?? 0.02,
    size: 100,
    sizeDecimals: 0,
  }
}

/** Enough decimals for five significant figures of a price, at most eight. */
function decimalsFor(base: number): number {
  return Math.min(8, Math.max(2, 4 - Math.floor(Math.log10(base))))
}

const names = new Map(DEMO_SYMBOLS.map((row) => [`${row.asset}:${instrumentKey(row.asset, row.symbol)}`, row.name]))

/** The name of an instrument, or its key if it isn't in the catalog. */
export function nameOf(asset: AssetClass, key: string): string {
  return names.get(`${asset}:${key}`) ?? key
}
