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
import { length, takesWhole, utcDay, type IndicatorSpec, type Parameter, type WrittenSpec } from './row.ts'
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
  sma: {
    title: 'Simple moving average',
    short: 'SMA',
    place: 'price',
    parameters: [length(20)],
    outputs: ['SMA'],
    takesPrice: true,
    unit: 'price',
    create: ([n], price) => sma(n, price),
  },
  ema: {
    title: 'Exponential moving average',
    short: 'EMA',
    place: 'price',
    parameters: [length(20)],
    outputs: ['EMA'],
    takesPrice: true,
    unit: 'price',
    create: ([n], price) => ema(n, price),
  },
  rsi: {
    title: 'Relative strength index',
    short: 'RSI',
    place: 'own',
    parameters: [length(14)],
    outputs: ['RSI'],
    takesPrice: true,
    unit: 'index',
    drawn: { levels: [30, 70], between: [0, 100] },
    create: ([n], price) => rsi(n, price),
  },
  macd: {
    title: 'MACD',
    short: 'MACD',
    place: 'own',
    parameters: [length(12, 'fast', 'Fast'), length(26, 'slow', 'Slow'), length(9, 'signal', 'Signal')],
    outputs: ['MACD', 'Signal', 'Histogram'],
    takesPrice: true,
    unit: 'price',
    drawn: { levels: [0], columns: 2 },
    create: ([fast, slow, signal], price) => macd(fast, slow, signal, price),
  },
  'bollinger-bands': {
    title: 'Bollinger bands',
    short: 'BB',
    place: 'price',
    parameters: [length(20), { key: 'width', title: 'Deviations', value: 2, least: 0.1, most: 20 }],
    outputs: ['Middle', 'Upper', 'Lower'],
    takesPrice: true,
    unit: 'price',
    drawn: { ground: [1, 2] },
    create: ([n, width], price) => bollinger(n, width, price),
  },
  stochastic: {
    title: 'Stochastic oscillator',
    short: 'Stoch',
    place: 'own',
    parameters: [length(14), length(3, 'slowing', 'Slowing'), length(3, 'signal', 'Signal')],
    outputs: ['%K', '%D'],
    unit: 'index',
    drawn: { levels: [20, 80], between: [0, 100] },
    create: ([n, slowing, signal]) => stochastic(n, slowing, signal),
  },
  adx: {
    title: 'Average directional index',
    short: 'ADX',
    place: 'own',
    parameters: [length(14, 'period', 'DI length'), { ...length(14, 'smoothing', 'ADX smoothing'), follows: 'period' }],
    outputs: ['ADX', '+DI', '−DI'],
    unit: 'index',
    drawn: { levels: [25] },
    create: ([n, smoothing]) => adx(n, smoothing),
  },
  'williams-r': {
    title: 'Williams %R',
    short: '%R',
    place: 'own',
    parameters: [length(14)],
    outputs: ['%R'],
    unit: 'index',
    drawn: { levels: [-20, -80], between: [-100, 0] },
    create: ([n]) => williamsR(n),
  },
  wma: {
    title: 'Weighted moving average',
    short: 'WMA',
    place: 'price',
    parameters: [length(20)],
    outputs: ['WMA'],
    takesPrice: true,
    unit: 'price',
    create: ([n], price) => wma(n, price),
  },
  vwap: {
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
    title: 'Average true range',
    short: 'ATR',
    place: 'own',
    parameters: [length(14)],
    outputs: ['ATR'],
    unit: 'price',
    create: ([n]) => atr(n),
  },
  obv: {
    title: 'On-balance volume',
    short: 'OBV',
    place: 'own',
    parameters: [],
    outputs: ['OBV'],
    unit: 'volume',
    create: () => obv(),
  },
  cci: {
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
    title: 'Donchian channel',
    short: 'DC',
    place: 'price',
    parameters: [length(20)],
    outputs: ['Middle', 'Upper', 'Lower'],
    unit: 'price',
    drawn: { ground: [1, 2] },
    create: ([n]) => donchian(n),
  },
  keltner: {
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
    unit: 'price',
    drawn: { ground: [1, 2] },
    create: ([n, width, ranges], price) => keltner(n, width, ranges, price),
  },
  ichimoku: {
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
    unit: 'price',
    drawn: { ground: [2, 3], shifts: ([, , , shift]) => [0, 0, shift, shift, -shift] },
    create: ([conversion, base, leading]) => ichimoku(conversion, base, leading),
  },
  delta: {
    title: 'Volume delta',
    short: 'Delta',
    place: 'own',
    parameters: [],
    outputs: ['Delta', 'Least', 'Most'],
    unit: 'volume',
    needsSides: true,
    drawn: { levels: [0], columns: 0, bounds: [1, 2] },
    create: () => delta(),
  },
  cvd: {
    title: 'Cumulative volume delta',
    short: 'CVD',
    place: 'own',
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
    unit: 'volume',
    needsSides: true,
    drawn: { levels: [0], bounds: [1, 2] },
    create: ([reset, anchorMs], _, dayOf = utcDay) => cumulativeDelta(dayOf, RESETS[reset], anchorMs),
  },
  'session-vwap': {
    title: 'VWAP of trades by session',
    short: 'VWAP trades',
    place: 'price',
    parameters: [{ key: 'reset', title: 'Reset', value: 0, least: 0, most: 1, choices: ['Each day', 'Each week'] }],
    outputs: TRADE_VWAP_OUTPUTS,
    unit: 'price',
    needsSides: true,
    drawn: { bands: TRADE_VWAP_BANDS },
    create: ([reset], _, dayOf = utcDay) => tradeVwap(dayOf, reset === 0 ? 'day' : 'week'),
  },
  'anchored-vwap': {
    title: 'VWAP of trades from an anchor',
    short: 'Anchored VWAP',
    place: 'price',
    parameters: [ANCHOR],
    outputs: TRADE_VWAP_OUTPUTS,
    unit: 'price',
    needsSides: true,
    drawn: { bands: TRADE_VWAP_BANDS },
    create: ([anchorMs], _, dayOf = utcDay) => tradeVwap(dayOf, 'anchor', anchorMs),
  },
  ...MORE,
}
const withDefaults = ([id, spec]: [string, WrittenSpec]) =>
  [id, { takesPrice: false, usualPrice: 'close', ...spec, id }] as const
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
