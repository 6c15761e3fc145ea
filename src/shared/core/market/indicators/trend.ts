/** Trends that hold until a price breaks them, by their authors' formulas. */
import { ABSENT, comparing, folding, type BarValues, type Indicator } from './indicator.ts'
import { trueRange } from './indicators.ts'
import { OVER_PRICES, length, type WrittenSpec } from './row.ts'
import { wilder } from './windows.ts'

interface Bands {
  readonly upper: number
  readonly lower: number
  readonly isUp: boolean
}

/**
 * Supertrend (Seban): [below prices while they rise, above them while they fall], a multiple of the average true range
 * from the middle of the bar. A band only follows the price; a close beyond it turns the trend.
 */
function supertrend(n: number, multiple: number): Indicator {
  const range = wilder(n)
  let bands: Bands | null = null
  return comparing((bar, before, take) => {
    const apart = multiple * range[take](trueRange(bar, before))
    if (Number.isNaN(apart)) return [ABSENT, ABSENT]
    const middle = (bar.high + bar.low) / 2
    let upper = middle + apart
    let lower = middle - apart
    let isUp = bar.close > middle
    if (bands !== null && before !== null) {
      if (upper >= bands.upper && before.close <= bands.upper) upper = bands.upper
      if (lower <= bands.lower && before.close >= bands.lower) lower = bands.lower
      isUp = bands.isUp
    }
    isUp = bar.close > (isUp ? lower : upper)
    if (take === 'push') bands = { upper, lower, isUp }
    return isUp ? [lower, ABSENT] : [ABSENT, upper]
  })
}

interface Stop {
  readonly isUp: boolean
  readonly stop: number
  readonly extreme: number
  readonly factor: number
  /** The two bars before the next one. */
  readonly last: BarValues
  readonly secondLast: BarValues
  /** Before the first turn, the trend is a guess. */
  readonly hasTurned: boolean
}

/**
 * Parabolic stop and reverse (Wilder, New Concepts in Technical Trading Systems, 1978): [stop]. Absent before the first
 * turn, because the trend at the first bar is unknown.
 */
function parabolicSar(step: number, most: number): Indicator {
  const begin = (bar: BarValues): Stop => ({
    isUp: true,
    stop: bar.low,
    extreme: bar.high,
    factor: step,
    last: bar,
    secondLast: bar,
    hasTurned: false,
  })
  const next = (before: Stop | null, bar: BarValues): Stop => {
    if (before === null) return begin(bar)
    const { isUp, extreme, factor, last, secondLast } = before
    const moved = before.stop + factor * (extreme - before.stop)
    const stop = isUp ? Math.min(moved, last.low, secondLast.low) : Math.max(moved, last.high, secondLast.high)
    const after = { last: bar, secondLast: last }
    if (isUp ? bar.low <= stop : bar.high >= stop) {
      const reversed = isUp ? bar.low : bar.high
      return { ...after, isUp: !isUp, stop: extreme, extreme: reversed, factor: step, hasTurned: true }
    }
    const reached = isUp ? Math.max(extreme, bar.high) : Math.min(extreme, bar.low)
    const faster = reached === extreme ? factor : Math.min(most, factor + step)
    return { ...after, isUp, stop, extreme: reached, factor: faster, hasTurned: before.hasTurned }
  }
  return folding<Stop | null>(null, next, (state) => [state?.hasTurned === true ? state.stop : ABSENT])
}

/** A price and how many bars ago it was. */
interface Place {
  readonly price: number
  readonly ago: number
}
interface Swings {
  /** 1: the leg rises. 0: no leg yet, both extremes count. */
  readonly direction: -1 | 0 | 1
  readonly high: Place
  readonly low: Place
  /** Where the leg began; NaN before the first one is confirmed. */
  readonly swing: Place
}

/**
 * ZigZag: [last swing, end of the leg that forms, bars since each]. A swing is the extreme of a leg, confirmed once the
 * price has come back by `percent`. Nothing changes afterwards: a confirmed swing stays, and the values at a bar know
 * nothing of later bars. A bar that could do both extends its leg.
 */
function zigZag(percent: number): Indicator {
  const share = percent / 100
  const older = ({ price, ago }: Place): Place => ({ price, ago: ago + 1 })
  const next = (before: Swings | null, bar: BarValues): Swings => {
    const [top, bottom] = [
      { price: bar.high, ago: 0 },
      { price: bar.low, ago: 0 },
    ]
    if (before === null) return { direction: 0, high: top, low: bottom, swing: { price: ABSENT, ago: 0 } }
    const { direction } = before
    const swing = older(before.swing)
    const high = direction >= 0 && bar.high >= before.high.price ? top : older(before.high)
    const low = direction <= 0 && bar.low <= before.low.price ? bottom : older(before.low)
    // A leg ends where the price comes back from its extreme, in a later bar.
    if (direction >= 0 && high.ago > 0 && bar.low <= high.price * (1 - share))
      return { direction: -1, high, low: bottom, swing: high }
    if (direction <= 0 && low.ago > 0 && bar.high >= low.price * (1 + share))
      return { direction: 1, high: top, low, swing: low }
    return { direction, high, low, swing }
  }
  return folding<Swings | null>(null, next, (state) => {
    if (state === null || state.direction === 0) return [ABSENT, ABSENT, ABSENT, ABSENT]
    const leg = state.direction > 0 ? state.high : state.low
    return [state.swing.price, state.swing.ago, leg.price, leg.ago]
  })
}

export const TREND_ROWS = {
  supertrend: {
    ...OVER_PRICES,
    title: 'Supertrend',
    short: 'Supertrend',
    parameters: [length(10), { key: 'width', title: 'ATR multiplier', value: 3, least: 0.1, most: 20 }],
    outputs: ['Up', 'Down'],
    create: ([n, width]) => supertrend(n, width),
  },
  'parabolic-sar': {
    ...OVER_PRICES,
    title: 'Parabolic SAR',
    short: 'SAR',
    parameters: [
      { key: 'step', title: 'Step', value: 0.02, least: 0.001, most: 1 },
      { key: 'most', title: 'Maximum', value: 0.2, least: 0.001, most: 5 },
    ],
    drawn: { marks: 'dots' },
    create: ([step, most]) => parabolicSar(step, most),
  },
  zigzag: {
    ...OVER_PRICES,
    title: 'ZigZag',
    short: 'ZigZag',
    parameters: [{ key: 'percent', title: 'Reversal, %', value: 1, least: 0.01, most: 90 }],
    outputs: ['Swing', 'Bars since swing', 'Leg', 'Bars since end of leg'],
    drawn: { swings: true },
    create: ([percent]) => zigZag(percent),
  },
} as const satisfies Record<string, WrittenSpec>
