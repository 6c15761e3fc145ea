/** One row per indicator. Menus, charts, the technical pane and the tests derive from it. */
import type { BarValues, Indicator } from './indicator.ts'
import {
  adx,
  atr,
  bollinger,
  cci,
  donchian,
  ema,
  ichimoku,
  keltner,
  macd,
  obv,
  rsi,
  sma,
  stochastic,
  vwap,
  williamsR,
  wma,
  type DayOf,
  type PriceOf,
} from './indicators.ts'

export interface Parameter {
  readonly key: string
  readonly title: string
  readonly value: number
  readonly least: number
  readonly most: number
  /**
   * The key of the parameter whose value this one takes by default. Charts and alerts saved before this parameter
   * existed keep one length for both.
   */
  readonly follows?: string
}

export interface IndicatorRow {
  readonly id: ChartIndicatorId
  readonly title: string
  /** As shown in a legend. */
  readonly short: string
  /** Drawn over the prices or in its own pane. */
  readonly place: 'price' | 'own'
  readonly parameters: readonly Parameter[]
  /** One line each, in the order of the values. */
  readonly outputs: readonly string[]
  /** Whether the user can choose its price. */
  readonly takesPrice: boolean
  /** Its default price. */
  readonly usualPrice: PriceName
  /** The unit of its values: prices (with the instrument's decimals), an index, or a volume. */
  readonly unit: 'price' | 'index' | 'volume'
  /** How it is drawn besides lines. */
  readonly drawn?: {
    /** Horizontal lines in its own pane, and the values that the pane always includes. */
    readonly levels?: readonly number[]
    readonly between?: readonly [number, number]
    /** Two outputs with a fill between them. */
    readonly ground?: readonly [number, number]
    /** An output drawn as columns from zero. */
    readonly columns?: number
    /** How many bars later each output is drawn (negative: earlier), by the parameters. */
    readonly shifts?: (values: readonly number[]) => readonly number[]
  }
  /**
   * Takes one value per parameter, in order. `dayOf` returns where days begin, for indicators that restart each day.
   */
  create(values: readonly number[], price: PriceOf, dayOf?: DayOf): Indicator
}

const utcDay: DayOf = (ms) => Math.floor(ms / 86_400_000) * 86_400_000

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
/** As named by the service: the endpoint with the same id computes the same indicator. */
export type IndicatorId = (typeof INDICATOR_IDS)[number]

/** The indicators that a chart can draw. */
export const CHART_INDICATOR_IDS = [
  ...INDICATOR_IDS,
  'wma',
  'vwap',
  'atr',
  'obv',
  'cci',
  'donchian',
  'keltner',
  'ichimoku',
] as const
export type ChartIndicatorId = (typeof CHART_INDICATOR_IDS)[number]

/** Prices that an indicator can use. */
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

export const INDICATORS: Readonly<Record<ChartIndicatorId, IndicatorRow>> = {
  sma: {
    id: 'sma',
    title: 'Simple moving average',
    short: 'SMA',
    place: 'price',
    parameters: [length(20)],
    outputs: ['SMA'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'price',
    create: ([n], price) => sma(n, price),
  },
  ema: {
    id: 'ema',
    title: 'Exponential moving average',
    short: 'EMA',
    place: 'price',
    parameters: [length(20)],
    outputs: ['EMA'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'price',
    create: ([n], price) => ema(n, price),
  },
  rsi: {
    id: 'rsi',
    title: 'Relative strength index',
    short: 'RSI',
    place: 'own',
    parameters: [length(14)],
    outputs: ['RSI'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'index',
    drawn: { levels: [30, 70], between: [0, 100] },
    create: ([n], price) => rsi(n, price),
  },
  macd: {
    id: 'macd',
    title: 'MACD',
    short: 'MACD',
    place: 'own',
    parameters: [length(12, 'fast', 'Fast'), length(26, 'slow', 'Slow'), length(9, 'signal', 'Signal')],
    outputs: ['MACD', 'Signal', 'Histogram'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'price',
    drawn: { levels: [0], columns: 2 },
    create: ([fast, slow, signal], price) => macd(fast, slow, signal, price),
  },
  'bollinger-bands': {
    id: 'bollinger-bands',
    title: 'Bollinger bands',
    short: 'BB',
    place: 'price',
    parameters: [length(20), { key: 'width', title: 'Deviations', value: 2, least: 0.1, most: 20 }],
    outputs: ['Middle', 'Upper', 'Lower'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'price',
    drawn: { ground: [1, 2] },
    create: ([n, width], price) => bollinger(n, width, price),
  },
  stochastic: {
    id: 'stochastic',
    title: 'Stochastic oscillator',
    short: 'Stoch',
    place: 'own',
    parameters: [length(14), length(3, 'slowing', 'Slowing'), length(3, 'signal', 'Signal')],
    outputs: ['%K', '%D'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'index',
    drawn: { levels: [20, 80], between: [0, 100] },
    create: ([n, slowing, signal]) => stochastic(n, slowing, signal),
  },
  adx: {
    id: 'adx',
    title: 'Average directional index',
    short: 'ADX',
    place: 'own',
    parameters: [length(14, 'period', 'DI length'), { ...length(14, 'smoothing', 'ADX smoothing'), follows: 'period' }],
    outputs: ['ADX', '+DI', '−DI'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'index',
    drawn: { levels: [25] },
    create: ([n, smoothing]) => adx(n, smoothing),
  },
  'williams-r': {
    id: 'williams-r',
    title: 'Williams %R',
    short: '%R',
    place: 'own',
    parameters: [length(14)],
    outputs: ['%R'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'index',
    drawn: { levels: [-20, -80], between: [-100, 0] },
    create: ([n]) => williamsR(n),
  },
  wma: {
    id: 'wma',
    title: 'Weighted moving average',
    short: 'WMA',
    place: 'price',
    parameters: [length(20)],
    outputs: ['WMA'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'price',
    create: ([n], price) => wma(n, price),
  },
  vwap: {
    id: 'vwap',
    title: 'Volume-weighted average price',
    short: 'VWAP',
    place: 'price',
    parameters: [{ key: 'width', title: 'Deviations', value: 1, least: 0.1, most: 20 }],
    outputs: ['VWAP', 'Upper', 'Lower'],
    takesPrice: true,
    usualPrice: 'hlc3',
    unit: 'price',
    create: ([width], price, dayOf = utcDay) => vwap(width, price, dayOf),
  },
  atr: {
    id: 'atr',
    title: 'Average true range',
    short: 'ATR',
    place: 'own',
    parameters: [length(14)],
    outputs: ['ATR'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'price',
    create: ([n]) => atr(n),
  },
  obv: {
    id: 'obv',
    title: 'On-balance volume',
    short: 'OBV',
    place: 'own',
    parameters: [],
    outputs: ['OBV'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'volume',
    create: () => obv(),
  },
  cci: {
    id: 'cci',
    title: 'Commodity channel index',
    short: 'CCI',
    place: 'own',
    parameters: [length(20)],
    outputs: ['CCI'],
    takesPrice: true,
    usualPrice: 'hlc3',
    unit: 'index',
    drawn: { levels: [-100, 100] },
    create: ([n], price) => cci(n, price),
  },
  donchian: {
    id: 'donchian',
    title: 'Donchian channel',
    short: 'DC',
    place: 'price',
    parameters: [length(20)],
    outputs: ['Middle', 'Upper', 'Lower'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'price',
    drawn: { ground: [1, 2] },
    create: ([n]) => donchian(n),
  },
  keltner: {
    id: 'keltner',
    title: 'Keltner channel',
    short: 'KC',
    place: 'price',
    parameters: [
      length(20),
      { key: 'width', title: 'ATR multiplier', value: 2, least: 0.1, most: 20 },
      length(10, 'ranges', 'ATR length'),
    ],
    outputs: ['Middle', 'Upper', 'Lower'],
    takesPrice: true,
    usualPrice: 'close',
    unit: 'price',
    drawn: { ground: [1, 2] },
    create: ([n, width, ranges], price) => keltner(n, width, ranges, price),
  },
  ichimoku: {
    id: 'ichimoku',
    title: 'Ichimoku cloud',
    short: 'Ichimoku',
    place: 'price',
    parameters: [
      length(9, 'conversion', 'Conversion'),
      length(26, 'base', 'Base'),
      length(52, 'leading', 'Leading B'),
      { ...length(26, 'shift', 'Shift'), least: 0, most: 500 },
    ],
    outputs: ['Conversion', 'Base', 'Leading A', 'Leading B', 'Lagging'],
    takesPrice: false,
    usualPrice: 'close',
    unit: 'price',
    drawn: { ground: [2, 3], shifts: ([, , , shift]) => [0, 0, shift, shift, -shift] },
    create: ([conversion, base, leading]) => ichimoku(conversion, base, leading),
  },
}

/** The volume profile of the visible bars. It belongs to a range instead of a bar, so it isn't a row of the table. */
export const VOLUME_PROFILE = {
  title: 'Volume profile (visible range)',
  short: 'VP',
  parameters: [
    { key: 'levels', title: 'Levels', value: 48, least: 4, most: 200 },
    { key: 'width', title: 'Width, %', value: 28, least: 5, most: 80 },
  ],
} as const satisfies { title: string; short: string; parameters: readonly Parameter[] }

/**
 * One value per parameter, in order. A missing or invalid value becomes the default or the value of the parameter it
 * follows. Lengths are integers.
 */
export function parameterValues(
  row: { readonly parameters: readonly Parameter[] },
  given: Readonly<Record<string, number>>,
): readonly number[] {
  const values: Record<string, number> = {}
  for (const { key, value, least, most, follows } of row.parameters) {
    const usual = follows === undefined ? value : values[follows]
    const wanted = given[key] ?? usual
    const isValid = Number.isFinite(wanted) && wanted >= least && wanted <= most
    values[key] = !isValid ? usual : Number.isInteger(least) ? Math.round(wanted) : wanted
  }
  return row.parameters.map(({ key }) => values[key])
}

/** Values in the order of the parameters, as saved in an alert. Parameters added later follow another. */
export function withFollowers(
  row: { readonly parameters: readonly Parameter[] },
  values: readonly number[],
): readonly number[] {
  const all = [...values]
  for (const { follows } of row.parameters.slice(values.length)) {
    const followed = row.parameters.findIndex(({ key }) => key === follows)
    if (followed < 0) break
    all.push(all[followed])
  }
  return all
}

/** The values for every bar, one row per bar; NaN: absent. */
export function computeAll(
  row: IndicatorRow,
  values: readonly number[],
  price: PriceOf,
  bars: readonly BarValues[],
): readonly (readonly number[])[] {
  const indicator = row.create(values, price)
  return bars.map((bar) => indicator.push(bar))
}
