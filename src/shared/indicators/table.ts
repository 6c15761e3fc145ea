/** Every indicator as a row: menus, charts, the technical pane and the tests derive from it. */
import type { BarValues, Indicator } from './indicator.ts'
import { adx, bollinger, ema, macd, rsi, sma, stochastic, williamsR, type PriceOf } from './indicators.ts'

export interface Parameter {
  readonly key: string
  readonly title: string
  readonly value: number
  readonly least: number
  readonly most: number
}

export interface IndicatorRow {
  readonly id: IndicatorId
  readonly title: string
  /** Drawn over the prices, or in a pane of its own. */
  readonly place: 'price' | 'own'
  readonly parameters: readonly Parameter[]
  /** One line each, in the order of the values. */
  readonly outputs: readonly string[]
  /** Whether it works on a price that can be chosen. */
  readonly takesPrice: boolean
  /** Takes one value a parameter, in their order. */
  create(values: readonly number[], price: PriceOf): Indicator
}

export const INDICATOR_IDS = [
  'sma',
  'ema',
  'rsi',
  'macd',
  'bollinger-bands',
  'stochastic',
  'adx',
  'williams-r',
] as const
/** As the service names its own: the endpoint of the same id computes the same indicator there. */
export type IndicatorId = (typeof INDICATOR_IDS)[number]

/** Those that a chart can draw. */
export const CHART_INDICATOR_IDS = [...INDICATOR_IDS] as const
export type ChartIndicatorId = (typeof CHART_INDICATOR_IDS)[number]

/** Prices that an indicator can work on. */
export const PRICE_NAMES = ['close', 'open', 'high', 'low', 'hl2', 'hlc3', 'ohlc4'] as const
export type PriceName = (typeof PRICE_NAMES)[number]
export const PRICES: Readonly<Record<PriceName, PriceOf>> = {
  close: (bar: BarValues) => bar.close,
  open: (bar: BarValues) => bar.open,
  high: (bar: BarValues) => bar.high,
  low: (bar: BarValues) => bar.low,
  hl2: (bar: BarValues) => (bar.high + bar.low) / 2,
  hlc3: (bar: BarValues) => (bar.high + bar.low + bar.close) / 3,
  ohlc4: (bar: BarValues) => (bar.open + bar.high + bar.low + bar.close) / 4,
}

const length = (value: number, key = 'period', title = 'Length'): Parameter => ({
  key,
  title,
  value,
  least: 1,
  most: 5_000,
})

export const INDICATORS: Readonly<Record<IndicatorId, IndicatorRow>> = {
  sma: {
    id: 'sma',
    title: 'Simple moving average',
    place: 'price',
    parameters: [length(20)],
    outputs: ['SMA'],
    takesPrice: true,
    create: ([n], price) => sma(n, price),
  },
  ema: {
    id: 'ema',
    title: 'Exponential moving average',
    place: 'price',
    parameters: [length(20)],
    outputs: ['EMA'],
    takesPrice: true,
    create: ([n], price) => ema(n, price),
  },
  rsi: {
    id: 'rsi',
    title: 'Relative strength index',
    place: 'own',
    parameters: [length(14)],
    outputs: ['RSI'],
    takesPrice: true,
    create: ([n], price) => rsi(n, price),
  },
  macd: {
    id: 'macd',
    title: 'MACD',
    place: 'own',
    parameters: [length(12, 'fast', 'Fast'), length(26, 'slow', 'Slow'), length(9, 'signal', 'Signal')],
    outputs: ['MACD', 'Signal', 'Histogram'],
    takesPrice: true,
    create: ([fast, slow, signal], price) => macd(fast, slow, signal, price),
  },
  'bollinger-bands': {
    id: 'bollinger-bands',
    title: 'Bollinger bands',
    place: 'price',
    parameters: [length(20), { key: 'width', title: 'Deviations', value: 2, least: 0.1, most: 20 }],
    outputs: ['Middle', 'Upper', 'Lower'],
    takesPrice: true,
    create: ([n, width], price) => bollinger(n, width, price),
  },
  stochastic: {
    id: 'stochastic',
    title: 'Stochastic oscillator',
    place: 'own',
    parameters: [length(14), length(3, 'slowing', 'Slowing'), length(3, 'signal', 'Signal')],
    outputs: ['%K', '%D'],
    takesPrice: false,
    create: ([n, slowing, signal]) => stochastic(n, slowing, signal),
  },
  adx: {
    id: 'adx',
    title: 'Average directional index',
    place: 'own',
    parameters: [length(14)],
    outputs: ['ADX', '+DI', '−DI'],
    takesPrice: false,
    create: ([n]) => adx(n),
  },
  'williams-r': {
    id: 'williams-r',
    title: 'Williams %R',
    place: 'own',
    parameters: [length(14)],
    outputs: ['%R'],
    takesPrice: false,
    create: ([n]) => williamsR(n),
  },
}

/** Values of every bar, one row a bar; NaN: absent. */
export function computeAll(
  row: IndicatorRow,
  values: readonly number[],
  price: PriceOf,
  bars: readonly BarValues[],
): readonly (readonly number[])[] {
  const indicator = row.create(values, price)
  return bars.map((bar) => indicator.push(bar))
}
