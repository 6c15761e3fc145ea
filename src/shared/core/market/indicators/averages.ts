/** Moving averages and what is drawn around them, by their authors' formulas. */
import { ABSENT, comparing, lookingBack, stepping, type Indicator, type Smoother, type Take } from './indicator.ts'
import { smoothed, trueRange, type PriceOf } from './indicators.ts'
import type { WrittenSpec } from './row.ts'
import { PRICE_LINE, ofLength, length } from './row.ts'
import { delayed, exponential, highest, lowest, simple, sum, weighted, wilder, Window } from './windows.ts'

/** Wilder's smoothed average: [average]. New Concepts in Technical Trading Systems, 1978. */
const rma = smoothed(wilder)

/** Volume-weighted moving average: [average], the volume-weighted mean of n prices. Absent for bars without volume. */
function vwma(n: number, price: PriceOf): Indicator {
  const money = sum(n)
  const volumes = sum(n)
  return stepping((bar, take) => {
    const volume = bar.volume ?? 0
    const traded = money[take](price(bar) * volume)
    const all = volumes[take](volume)
    return [bar.volume !== null && all > 0 ? traded / all : ABSENT]
  })
}

/** Hull's average: the weighted average of √n values of 2 WMA(n/2) − WMA(n). alanhull.com/hull-moving-average. */
function hullOf(n: number): Smoother {
  const half = weighted(Math.max(1, Math.floor(n / 2)))
  const whole = weighted(n)
  const last = weighted(Math.max(1, Math.floor(Math.sqrt(n))))
  return stepping((value, take) => last[take](2 * half[take](value) - whole[take](value)))
}
/** [average] */
const hull = smoothed(hullOf)

/** Double and triple exponential averages: [average]. Mulloy, Stocks & Commodities 12:1, 1994. */
const dema = smoothed((n) => {
  const [one, two] = [exponential(n), exponential(n)]
  return stepping((value, take) => {
    const first = one[take](value)
    return 2 * first - two[take](first)
  })
})
const tema = smoothed((n) => {
  const [one, two, three] = [exponential(n), exponential(n), exponential(n)]
  return stepping((value, take) => {
    const first = one[take](value)
    const second = two[take](first)
    return 3 * first - 3 * second + three[take](second)
  })
})

/**
 * Kaufman's adaptive average: [average]. It starts with the nth price; the share it then moves by depends on how
 * straight the last n moves were. Trading Systems and Methods, 1998.
 */
function kama(n: number, fast: number, slow: number, price: PriceOf): Indicator {
  const ago = delayed(n)
  const path = sum(n)
  const [quick, lazy] = [2 / (fast + 1), 2 / (slow + 1)]
  let before = ABSENT
  let count = 0
  let average = ABSENT
  const next = (value: number, take: Take): number => {
    const moved = Math.abs(value - ago[take](value))
    const walked = path[take](Math.abs(value - before))
    if (count + 1 <= n) return count + 1 === n ? value : ABSENT
    const straight = walked > 0 ? Math.min(1, moved / walked) : 0
    return average + (straight * (quick - lazy) + lazy) ** 2 * (value - average)
  }
  return stepping((bar, take) => {
    const value = next(price(bar), take)
    if (take === 'push') {
      average = value
      before = price(bar)
      count++
    }
    return [value]
  })
}

/** The end of the least-squares line through n prices: [end]. It equals 3 WMA − 2 SMA. */
const linearRegression = smoothed((n) => {
  const [weights, mean] = [weighted(n), simple(n)]
  return stepping((value, take) => 3 * weights[take](value) - 2 * mean[take](value))
})

/** Lines at a percentage around the simple average: [middle, upper, lower]. */
function envelope(n: number, percent: number, price: PriceOf): Indicator {
  const mean = simple(n)
  return stepping((bar, take) => {
    const middle = mean[take](price(bar))
    return [middle, middle * (1 + percent / 100), middle * (1 - percent / 100)]
  })
}

/** Population deviation of n prices: [deviation]. */
function deviation(n: number, price: PriceOf): Indicator {
  const window = new Window(n)
  return lookingBack(
    (bar) => [window.peek(price(bar)).deviation],
    (bar) => window.push(price(bar)),
  )
}

/** Chandelier exit (LeBeau): [below the highest high, above the lowest low], by a multiple of the average true range. */
function chandelier(n: number, multiple: number): Indicator {
  const [high, low, range] = [highest(n), lowest(n), wilder(n)]
  return comparing((bar, before, take) => {
    const apart = multiple * range[take](trueRange(bar, before))
    return [high[take](bar.high) - apart, low[take](bar.low) + apart]
  })
}

const percent = { key: 'percent', title: 'Percent', value: 2.5, least: 0.1, most: 50 }

export const AVERAGE_ROWS = {
  rma: { ...PRICE_LINE, ...ofLength(14, rma), title: 'Smoothed moving average (Wilder)', short: 'RMA' },
  vwma: { ...PRICE_LINE, ...ofLength(20, vwma), title: 'Volume-weighted moving average', short: 'VWMA' },
  hull: { ...PRICE_LINE, ...ofLength(20, hull), title: 'Hull moving average', short: 'HMA' },
  dema: { ...PRICE_LINE, ...ofLength(20, dema), title: 'Double exponential moving average', short: 'DEMA' },
  tema: { ...PRICE_LINE, ...ofLength(20, tema), title: 'Triple exponential moving average', short: 'TEMA' },
  kama: {
    ...PRICE_LINE,
    title: 'Adaptive moving average (Kaufman)',
    short: 'KAMA',
    parameters: [length(10), length(2, 'fast', 'Fast'), length(30, 'slow', 'Slow')],
    create: ([n, fast, slow], price) => kama(n, fast, slow, price),
  },
  'linear-regression': {
    ...PRICE_LINE,
    ...ofLength(20, linearRegression),
    title: 'Linear regression (end point)',
    short: 'LSMA',
  },
  envelope: {
    ...PRICE_LINE,
    title: 'Moving average envelope',
    short: 'ENV',
    parameters: [length(20), percent],
    outputs: ['Middle', 'Upper', 'Lower'],
    drawn: { ground: [1, 2] },
    create: ([n, apart], price) => envelope(n, apart, price),
  },
  deviation: { ...PRICE_LINE, ...ofLength(20, deviation), place: 'own', title: 'Standard deviation', short: 'StdDev' },
  chandelier: {
    ...PRICE_LINE,
    title: 'Chandelier exit',
    short: 'CE',
    parameters: [length(22), { key: 'width', title: 'ATR multiplier', value: 3, least: 0.1, most: 20 }],
    outputs: ['Long', 'Short'],
    takesPrice: false,
    create: ([n, width]) => chandelier(n, width),
  },
} as const satisfies Record<string, WrittenSpec>
