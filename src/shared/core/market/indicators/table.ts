/** One row per indicator. Menus, charts, the technical pane and the tests derive from it. */
import { cumulativeDelta, delta, RESETS } from './delta.ts'
import type { BarValues } from './indicator.ts'
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
  type PriceOf,
} from './indicators.ts'
import { AVERAGE_ROWS } from './averages.ts'
import { OSCILLATOR_ROWS } from './oscillators.ts'
import {
  OVER_PRICES,
  OWN_OF_PRICE,
  OWN_PANE,
  PRICE_LINE,
  ofLength,
  length,
  takesWhole,
  utcDay,
  type IndicatorSpec,
  type Parameter,
  type WrittenSpec,
} from './row.ts'
import { SESSION_ROWS } from './session-levels.ts'
import { tradeVwap } from './trade-vwap.ts'
import { TREND_ROWS } from './trend.ts'
import { VOLUME_ROWS } from './volume.ts'

export interface IndicatorRow extends IndicatorSpec {
  readonly id: ChartIndicatorId
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
/** As named by the service: the endpoint with the same id computes the same indicator. */
export type IndicatorId = (typeof INDICATOR_IDS)[number]

const MORE = { ...AVERAGE_ROWS, ...TREND_ROWS, ...SESSION_ROWS, ...OSCILLATOR_ROWS, ...VOLUME_ROWS }
const MORE_IDS = Object.keys(MORE) as readonly (keyof typeof MORE)[] // keys of literal objects

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
  'delta',
  'cvd',
  'session-vwap',
  'anchored-vwap',
  ...MORE_IDS,
] as const
export type ChartIndicatorId = (typeof CHART_INDICATOR_IDS)[number]

/** Where an indicator begins; 0: with the first bar. */
const ANCHOR: Parameter = { key: 'anchor', title: 'Anchor', value: 0, least: 0, most: 8.64e15, isInstant: true }
const TRADE_VWAP_OUTPUTS = ['VWAP', '+1 σ', '−1 σ', '+2 σ', '−2 σ', '+3 σ', '−3 σ'] as const
const TRADE_VWAP_BANDS = [1, 2, 3, 4, 5, 6] as const

const ROWS: Readonly<Record<ChartIndicatorId, WrittenSpec>> = {
  sma: { ...PRICE_LINE, ...ofLength(20, sma), title: 'Simple moving average', short: 'SMA' },
  ema: { ...PRICE_LINE, ...ofLength(20, ema), title: 'Exponential moving average', short: 'EMA' },
  rsi: {
    ...OWN_OF_PRICE,
    ...ofLength(14, rsi),
    title: 'Relative strength index',
    short: 'RSI',
    drawn: { levels: [30, 70], between: [0, 100] },
  },
  macd: {
    ...OWN_OF_PRICE,
    unit: 'price',
    title: 'MACD',
    short: 'MACD',
    parameters: [length(12, 'fast', 'Fast'), length(26, 'slow', 'Slow'), length(9, 'signal', 'Signal')],
    outputs: ['MACD', 'Signal', 'Histogram'],
    drawn: { levels: [0], columns: 2 },
    create: ([fast, slow, signal], price) => macd(fast, slow, signal, price),
  },
  'bollinger-bands': {
    ...PRICE_LINE,
    title: 'Bollinger bands',
    short: 'BB',
    parameters: [length(20), { key: 'width', title: 'Deviations', value: 2, least: 0.1, most: 20 }],
    outputs: ['Middle', 'Upper', 'Lower'],
    drawn: { ground: [1, 2] },
    create: ([n, width], price) => bollinger(n, width, price),
  },
  stochastic: {
    ...OWN_PANE,
    title: 'Stochastic oscillator',
    short: 'Stoch',
    parameters: [length(14), length(3, 'slowing', 'Slowing'), length(3, 'signal', 'Signal')],
    outputs: ['%K', '%D'],
    drawn: { levels: [20, 80], between: [0, 100] },
    create: ([n, slowing, signal]) => stochastic(n, slowing, signal),
  },
  adx: {
    ...OWN_PANE,
    title: 'Average directional index',
    short: 'ADX',
    parameters: [length(14, 'period', 'DI length'), { ...length(14, 'smoothing', 'ADX smoothing'), follows: 'period' }],
    outputs: ['ADX', '+DI', '−DI'],
    drawn: { levels: [25] },
    create: ([n, smoothing]) => adx(n, smoothing),
  },
  'williams-r': {
    ...OWN_PANE,
    ...ofLength(14, williamsR),
    title: 'Williams %R',
    short: '%R',
    drawn: { levels: [-20, -80], between: [-100, 0] },
  },
  wma: { ...PRICE_LINE, ...ofLength(20, wma), title: 'Weighted moving average', short: 'WMA' },
  vwap: {
    ...PRICE_LINE,
    title: 'Volume-weighted average price',
    short: 'VWAP',
    parameters: [{ key: 'width', title: 'Deviations', value: 1, least: 0.1, most: 20 }],
    outputs: ['VWAP', 'Upper', 'Lower'],
    usualPrice: 'hlc3',
    create: ([width], price, dayOf = utcDay) => vwap(width, price, dayOf),
  },
  atr: { ...OWN_PANE, ...ofLength(14, atr), unit: 'price', title: 'Average true range', short: 'ATR' },
  obv: { ...OWN_PANE, unit: 'volume', title: 'On-balance volume', short: 'OBV', create: obv },
  cci: {
    ...OWN_OF_PRICE,
    ...ofLength(20, cci),
    title: 'Commodity channel index',
    short: 'CCI',
    usualPrice: 'hlc3',
    drawn: { levels: [-100, 100] },
  },
  donchian: {
    ...OVER_PRICES,
    ...ofLength(20, donchian),
    title: 'Donchian channel',
    short: 'DC',
    outputs: ['Middle', 'Upper', 'Lower'],
    drawn: { ground: [1, 2] },
  },
  keltner: {
    ...PRICE_LINE,
    title: 'Keltner channel',
    short: 'KC',
    parameters: [
      length(20),
      { key: 'width', title: 'ATR multiplier', value: 2, least: 0.1, most: 20 },
      length(10, 'ranges', 'ATR length'),
    ],
    outputs: ['Middle', 'Upper', 'Lower'],
    drawn: { ground: [1, 2] },
    create: ([n, width, ranges], price) => keltner(n, width, ranges, price),
  },
  ichimoku: {
    ...OVER_PRICES,
    title: 'Ichimoku cloud',
    short: 'Ichimoku',
    parameters: [
      length(9, 'conversion', 'Conversion'),
      length(26, 'base', 'Base'),
      length(52, 'leading', 'Leading B'),
      { ...length(26, 'shift', 'Shift'), least: 0, most: 500 },
    ],
    outputs: ['Conversion', 'Base', 'Leading A', 'Leading B', 'Lagging'],
    drawn: { ground: [2, 3], shifts: ([, , , shift]) => [0, 0, shift, shift, -shift] },
    create: ([conversion, base, leading]) => ichimoku(conversion, base, leading),
  },
  delta: {
    ...OWN_PANE,
    unit: 'volume',
    title: 'Volume delta',
    short: 'Delta',
    outputs: ['Delta', 'Least', 'Most'],
    needsSides: true,
    drawn: { levels: [0], columns: 0, bounds: [1, 2] },
    create: delta,
  },
  cvd: {
    ...OWN_PANE,
    unit: 'volume',
    title: 'Cumulative volume delta',
    short: 'CVD',
    parameters: [
      {
        key: 'reset',
        title: 'Reset',
        value: 0,
        least: 0,
        most: RESETS.length - 1,
        choices: ['Each day', 'Each week', 'After a gap', 'Never', 'At the anchor'],
      },
      ANCHOR,
    ],
    outputs: ['CVD', 'Least', 'Most'],
    needsSides: true,
    drawn: { levels: [0], bounds: [1, 2] },
    create: ([reset, anchorMs], _, dayOf = utcDay) => cumulativeDelta(dayOf, RESETS[reset], anchorMs),
  },
  'session-vwap': {
    ...OVER_PRICES,
    title: 'VWAP of trades by session',
    short: 'VWAP trades',
    parameters: [{ key: 'reset', title: 'Reset', value: 0, least: 0, most: 1, choices: ['Each day', 'Each week'] }],
    outputs: TRADE_VWAP_OUTPUTS,
    needsSides: true,
    isSideless: true,
    drawn: { bands: TRADE_VWAP_BANDS },
    create: ([reset], _, dayOf = utcDay) => tradeVwap(dayOf, reset === 0 ? 'day' : 'week'),
  },
  'anchored-vwap': {
    ...OVER_PRICES,
    title: 'VWAP of trades from an anchor',
    short: 'Anchored VWAP',
    parameters: [ANCHOR],
    outputs: TRADE_VWAP_OUTPUTS,
    needsSides: true,
    isSideless: true,
    drawn: { bands: TRADE_VWAP_BANDS },
    create: ([anchorMs], _, dayOf = utcDay) => tradeVwap(dayOf, 'anchor', anchorMs),
  },
  ...MORE,
}
const withDefaults = ([id, spec]: [string, WrittenSpec]) =>
  [id, { parameters: [], outputs: [spec.short], takesPrice: false, usualPrice: 'close', ...spec, id }] as const
export const INDICATORS = Object.fromEntries(Object.entries(ROWS).map(withDefaults)) as Readonly<
  Record<ChartIndicatorId, IndicatorRow> // each row has its key as its id
>

/** What a volume profile covers. */
export const PROFILE_RANGES = ['visible', 'day', 'days', 'marked', 'anchor'] as const
export type ProfileRange = (typeof PROFILE_RANGES)[number]

/** The volume profile of a range. It belongs to a range instead of a bar, so it isn't a row of the table. */
export const VOLUME_PROFILE = {
  title: 'Volume profile',
  short: 'VP',
  parameters: [
    { key: 'levels', title: 'Levels', value: 48, least: 4, most: 200 },
    { key: 'width', title: 'Width, %', value: 28, least: 5, most: 80 },
    {
      key: 'range',
      title: 'Range',
      value: 0,
      least: 0,
      most: PROFILE_RANGES.length - 1,
      choices: ['Visible range', 'Last day in view', 'Last days in view', 'Marked range', 'From the anchor'],
    },
    { key: 'days', title: 'Days', value: 5, least: 2, most: 31 },
    { ...ANCHOR, key: 'from' },
    { ...ANCHOR, key: 'to' },
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
  for (const parameter of row.parameters) {
    const { key, value, least, most, follows } = parameter
    const usual = follows === undefined ? value : values[follows]
    const wanted = given[key] ?? usual
    const isValid = Number.isFinite(wanted) && wanted >= least && wanted <= most
    values[key] = !isValid ? usual : takesWhole(parameter) ? Math.round(wanted) : wanted
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
