/** Oscillators of prices, by their authors' formulas. */
import { ABSENT, comparing, lookingBack, stepping, type Indicator, type Smoother } from './indicator.ts'
import { rsi, trueRange, type PriceOf } from './indicators.ts'
import { OWN_OF_PRICE, OWN_PANE, ofLength, length, type WrittenSpec } from './row.ts'
import { delayed, exponential, Extreme, highest, lowest, simple, sum } from './windows.ts'

/** Stochastic of the relative strength index (Chande and Kroll, The New Technical Trader): [%K, %D], 0 to 100. */
function stochasticRsi(n: number, range: number, slowing: number, signal: number, price: PriceOf): Indicator {
  const strength = rsi(n, price)
  const [high, low, k, d] = [highest(range), lowest(range), simple(slowing), simple(signal)]
  return stepping((bar, take) => {
    const [value] = strength[take](bar)
    const [top, bottom] = [high[take](value), low[take](value)]
    const smooth = k[take](top === bottom ? ABSENT : (100 * (value - bottom)) / (top - bottom))
    return [smooth, d[take](smooth)]
  })
}

/** Rate of change: [percent since n bars ago]. */
function rateOfChange(n: number, price: PriceOf): Indicator {
  const ago = delayed(n)
  return stepping((bar, take) => {
    const from = ago[take](price(bar))
    return [from === 0 ? ABSENT : (100 * (price(bar) - from)) / from]
  })
}

/** Momentum: [price less the one n bars ago]. */
function momentum(n: number, price: PriceOf): Indicator {
  const ago = delayed(n)
  return stepping((bar, take) => [price(bar) - ago[take](price(bar))])
}

/** Aroon (Chande, 1995): [up, down], how recent the extremes of n bars and the one before are, 0 to 100. */
function aroon(n: number): Indicator {
  const [high, low] = [new Extreme(n + 1, 1), new Extreme(n + 1, -1)]
  return lookingBack(
    (bar) => [(100 * (n - high.peekAge(bar.high))) / n, (100 * (n - low.peekAge(bar.low))) / n],
    (bar) => {
      high.push(bar.high)
      low.push(bar.low)
    },
  )
}

/** The distance of two exponential averages in percent of the slow one: [line, signal, histogram]. */
export function percentOscillator(fast: number, slow: number, signal: number, of: PriceOf): Indicator {
  const [short, long, smooth] = [exponential(fast), exponential(slow), exponential(signal)]
  return stepping((bar, take) => {
    const value = of(bar)
    const [near, far] = [short[take](value), long[take](value)]
    const line = far === 0 ? ABSENT : (100 * (near - far)) / far
    const average = smooth[take](line)
    return [line, average, line - average]
  })
}

/** True strength index (Blau, 1991): [index, signal], −100 to 100. Absent if nothing moved. */
function trueStrength(long: number, short: number, signal: number, price: PriceOf): Indicator {
  const twice = (): Smoother => {
    const [one, two] = [exponential(long), exponential(short)]
    return stepping((value, take) => two[take](one[take](value)))
  }
  const [moves, sizes, smooth] = [twice(), twice(), exponential(signal)]
  return comparing((bar, before, take) => {
    const move = before === null ? ABSENT : price(bar) - price(before)
    const [moved, size] = [moves[take](move), sizes[take](Math.abs(move))]
    const index = size > 0 ? (100 * moved) / size : ABSENT
    return [index, smooth[take](index)]
  })
}

/** Ultimate oscillator (Williams, 1985): [index], 0 to 100. Absent if nothing moved. */
function ultimate(short: number, middle: number, long: number): Indicator {
  const lengths = [short, middle, long].map((n) => ({ pressure: sum(n), range: sum(n) }))
  return comparing((bar, before, take) => {
    const bottom = before === null ? ABSENT : Math.min(bar.low, before.close)
    const top = before === null ? ABSENT : Math.max(bar.high, before.close)
    const shares = lengths.map(({ pressure, range }) => {
      const pushed = pressure[take](bar.close - bottom)
      const moved = range[take](top - bottom)
      return moved > 0 ? pushed / moved : ABSENT
    })
    return [(100 * (4 * shares[0] + 2 * shares[1] + shares[2])) / 7]
  })
}

/** Awesome oscillator (Williams, Trading Chaos): [difference of two simple averages of the bars' middles]. */
function awesome(fast: number, slow: number): Indicator {
  const [short, long] = [simple(fast), simple(slow)]
  return stepping((bar, take) => {
    const middle = (bar.high + bar.low) / 2
    return [short[take](middle) - long[take](middle)]
  })
}

/** TRIX (Hutson, 1983): [percent change of a triple exponential average, signal (simple)]. */
function trix(n: number, signal: number, price: PriceOf): Indicator {
  const [one, two, three, ago, smooth] = [exponential(n), exponential(n), exponential(n), delayed(1), simple(signal)]
  return stepping((bar, take) => {
    const value = three[take](two[take](one[take](price(bar))))
    const from = ago[take](value)
    const change = from === 0 ? ABSENT : (100 * (value - from)) / from
    return [change, smooth[take](change)]
  })
}

/** Chande momentum oscillator (The New Technical Trader, 1994): [−100 to 100]. Absent if nothing moved. */
function chandeMomentum(n: number, price: PriceOf): Indicator {
  const [gains, losses] = [sum(n), sum(n)]
  return comparing((bar, before, take) => {
    const move = before === null ? ABSENT : price(bar) - price(before)
    const [up, down] = [gains[take](Math.max(0, move)), losses[take](Math.max(0, -move))]
    return [up + down > 0 ? (100 * (up - down)) / (up + down) : ABSENT]
  })
}

/** Balance of power (Livshin, 2001): [average of (close − open) / (high − low)]. Bars without a range don't count. */
function balanceOfPower(n: number): Indicator {
  const smooth = simple(n)
  return stepping(({ open, high, low, close }, take) => [
    smooth[take](high > low ? (close - open) / (high - low) : ABSENT),
  ])
}

/** Elder ray (Trading for a Living, 1993): [bull power, bear power], the distance of high and low from the average. */
function elderRay(n: number, price: PriceOf): Indicator {
  const mean = exponential(n)
  return stepping((bar, take) => {
    const middle = mean[take](price(bar))
    return [bar.high - middle, bar.low - middle]
  })
}

/**
 * Choppiness index (Dreiss): [0 to 100], the sum of true ranges over the range of true highs and lows, on a logarithmic
 * scale. Absent if nothing moved.
 */
function choppiness(n: number): Indicator {
  const [ranges, high, low] = [sum(n), highest(n), lowest(n)]
  return comparing((bar, before, take) => {
    const isFirst = before === null
    const all = ranges[take](isFirst ? ABSENT : trueRange(bar, before))
    const top = high[take](isFirst ? ABSENT : Math.max(bar.high, before.close))
    const bottom = low[take](isFirst ? ABSENT : Math.min(bar.low, before.close))
    return [top > bottom && n > 1 ? (100 * Math.log10(all / (top - bottom))) / Math.log10(n) : ABSENT]
  })
}

/** Vortex (Botes and Siepman, 2010): [+VI, −VI]. Absent if nothing moved. */
function vortex(n: number): Indicator {
  const [ups, downs, ranges] = [sum(n), sum(n), sum(n)]
  return comparing((bar, before, take) => {
    const up = ups[take](before === null ? ABSENT : Math.abs(bar.high - before.low))
    const down = downs[take](before === null ? ABSENT : Math.abs(bar.low - before.high))
    const all = ranges[take](before === null ? ABSENT : trueRange(bar, before))
    return all > 0 ? [up / all, down / all] : [ABSENT, ABSENT]
  })
}

export const OSCILLATOR_ROWS = {
  'stochastic-rsi': {
    ...OWN_OF_PRICE,
    title: 'Stochastic RSI',
    short: 'StochRSI',
    parameters: [
      length(14),
      length(14, 'range', 'Stochastic length'),
      length(3, 'slowing', 'Slowing'),
      length(3, 'signal', 'Signal'),
    ],
    outputs: ['%K', '%D'],
    drawn: { levels: [20, 80], between: [0, 100] },
    create: ([n, range, slowing, signal], price) => stochasticRsi(n, range, slowing, signal, price),
  },
  roc: { ...OWN_OF_PRICE, ...ofLength(9, rateOfChange), title: 'Rate of change', short: 'ROC', drawn: { levels: [0] } },
  momentum: {
    ...OWN_OF_PRICE,
    ...ofLength(10, momentum),
    unit: 'price',
    title: 'Momentum',
    short: 'Mom',
    outputs: ['Momentum'],
    drawn: { levels: [0] },
  },
  aroon: {
    ...OWN_PANE,
    ...ofLength(25, aroon),
    title: 'Aroon',
    short: 'Aroon',
    outputs: ['Up', 'Down'],
    drawn: { levels: [50], between: [0, 100] },
  },
  ppo: {
    ...OWN_OF_PRICE,
    title: 'Percentage price oscillator',
    short: 'PPO',
    parameters: [length(12, 'fast', 'Fast'), length(26, 'slow', 'Slow'), length(9, 'signal', 'Signal')],
    outputs: ['PPO', 'Signal', 'Histogram'],
    drawn: { levels: [0], columns: 2 },
    create: ([fast, slow, signal], price) => percentOscillator(fast, slow, signal, price),
  },
  tsi: {
    ...OWN_OF_PRICE,
    title: 'True strength index',
    short: 'TSI',
    parameters: [length(25, 'long', 'Long'), length(13, 'short', 'Short'), length(7, 'signal', 'Signal')],
    outputs: ['TSI', 'Signal'],
    drawn: { levels: [0] },
    create: ([long, short, signal], price) => trueStrength(long, short, signal, price),
  },
  ultimate: {
    ...OWN_PANE,
    title: 'Ultimate oscillator',
    short: 'UO',
    parameters: [length(7, 'short', 'Short'), length(14, 'middle', 'Middle'), length(28, 'long', 'Long')],
    drawn: { levels: [30, 70], between: [0, 100] },
    create: ([short, middle, long]) => ultimate(short, middle, long),
  },
  awesome: {
    ...OWN_PANE,
    unit: 'price',
    title: 'Awesome oscillator',
    short: 'AO',
    parameters: [length(5, 'fast', 'Fast'), length(34, 'slow', 'Slow')],
    drawn: { levels: [0], columns: 0 },
    create: ([fast, slow]) => awesome(fast, slow),
  },
  trix: {
    ...OWN_OF_PRICE,
    title: 'TRIX',
    short: 'TRIX',
    parameters: [length(18), length(9, 'signal', 'Signal')],
    outputs: ['TRIX', 'Signal'],
    drawn: { levels: [0] },
    create: ([n, signal], price) => trix(n, signal, price),
  },
  'chande-momentum': {
    ...OWN_OF_PRICE,
    ...ofLength(9, chandeMomentum),
    title: 'Chande momentum oscillator',
    short: 'CMO',
    drawn: { levels: [-50, 50], between: [-100, 100] },
  },
  'balance-of-power': {
    ...OWN_PANE,
    ...ofLength(14, balanceOfPower),
    title: 'Balance of power',
    short: 'BOP',
    drawn: { levels: [0] },
  },
  'elder-ray': {
    ...OWN_OF_PRICE,
    ...ofLength(13, elderRay),
    unit: 'price',
    title: 'Elder ray',
    short: 'Elder',
    outputs: ['Bull power', 'Bear power'],
    drawn: { levels: [0] },
  },
  choppiness: {
    ...OWN_PANE,
    title: 'Choppiness index',
    short: 'CHOP',
    parameters: [{ ...length(14), least: 2 }],
    drawn: { levels: [38.2, 61.8], between: [0, 100] },
    create: ([n]) => choppiness(n),
  },
  vortex: {
    ...OWN_PANE,
    ...ofLength(14, vortex),
    title: 'Vortex',
    short: 'VI',
    outputs: ['+VI', '−VI'],
    drawn: { levels: [1] },
  },
} as const satisfies Record<string, WrittenSpec>
