/** Indicators of price and volume, by their authors' formulas. Absent for bars without volume. */
import { ABSENT, comparing, folding, stepping, type BarValues, type Indicator } from './indicator.ts'
import { percentOscillator } from './oscillators.ts'
import { OWN_PANE, ofLength, length, type WrittenSpec } from './row.ts'
import { exponential, sum } from './windows.ts'

/** Money flow index (Quong and Soudack, 1989): [0 to 100]. Absent if nothing moved. */
function moneyFlowIndex(n: number): Indicator {
  const [inflow, outflow] = [sum(n), sum(n)]
  const typical = ({ high, low, close }: BarValues): number => (high + low + close) / 3
  return comparing((bar, before, take) => {
    const move = before === null ? ABSENT : Math.sign(typical(bar) - typical(before))
    const money = typical(bar) * (bar.volume ?? 0)
    const [up, down] = [inflow[take](move > 0 ? money : 0 * move), outflow[take](move < 0 ? money : 0 * move)]
    return [bar.volume !== null && up + down > 0 ? (100 * up) / (up + down) : ABSENT]
  })
}

/** Where a bar closed in its range, times its volume (Chaikin); 0 for a bar without a range. */
function moneyFlow({ high, low, close, volume }: BarValues): number {
  return high > low ? ((close - low - (high - close)) / (high - low)) * (volume ?? 0) : 0
}

/** Chaikin money flow: [−1 to 1]. Absent if nothing was traded. */
function chaikinMoneyFlow(n: number): Indicator {
  const [flows, volumes] = [sum(n), sum(n)]
  return stepping((bar, take) => {
    const [flow, volume] = [flows[take](moneyFlow(bar)), volumes[take](bar.volume ?? 0)]
    return [bar.volume !== null && volume > 0 ? flow / volume : ABSENT]
  })
}

/** Accumulation/distribution line (Chaikin): [sum] since the first bar. */
function accumulation(): Indicator {
  return folding(
    0,
    (total, bar) => total + moneyFlow(bar),
    (total, { volume }) => [volume === null ? ABSENT : total],
  )
}

/** Chaikin oscillator: [difference of two exponential averages of the accumulation/distribution line]. */
function chaikinOscillator(fast: number, slow: number): Indicator {
  const [line, short, long] = [accumulation(), exponential(fast), exponential(slow)]
  return stepping((bar, take) => {
    const [total] = line[take](bar)
    return [short[take](total) - long[take](total)]
  })
}

/** Force index (Elder, 1993): [exponential average of move times volume]. */
function forceIndex(n: number): Indicator {
  const smooth = exponential(n)
  return comparing((bar, before, take) => [
    smooth[take](before === null || bar.volume === null ? ABSENT : (bar.close - before.close) * bar.volume),
  ])
}

/** Price volume trend: [sum of relative moves times volume] from the second bar on. */
function priceVolumeTrend(): Indicator {
  interface Trend {
    readonly close: number
    readonly total: number
  }
  const begin: Trend = { close: ABSENT, total: ABSENT }
  return folding(
    begin,
    (before, { close, volume }) => {
      const step = ((volume ?? 0) * (close - before.close)) / before.close
      return { close, total: Number.isNaN(step) ? before.total : (before.total || 0) + step }
    },
    ({ total }, { volume }) => [volume === null ? ABSENT : total],
  )
}

export const VOLUME_ROWS = {
  mfi: {
    ...OWN_PANE,
    ...ofLength(14, moneyFlowIndex),
    title: 'Money flow index',
    short: 'MFI',
    drawn: { levels: [20, 80], between: [0, 100] },
  },
  cmf: {
    ...OWN_PANE,
    ...ofLength(20, chaikinMoneyFlow),
    title: 'Chaikin money flow',
    short: 'CMF',
    drawn: { levels: [0] },
  },
  accumulation: { ...OWN_PANE, unit: 'volume', title: 'Accumulation/distribution', short: 'A/D', create: accumulation },
  'chaikin-oscillator': {
    ...OWN_PANE,
    unit: 'volume',
    title: 'Chaikin oscillator',
    short: 'CHO',
    parameters: [length(3, 'fast', 'Fast'), length(10, 'slow', 'Slow')],
    drawn: { levels: [0] },
    create: ([fast, slow]) => chaikinOscillator(fast, slow),
  },
  'force-index': {
    ...OWN_PANE,
    ...ofLength(13, forceIndex),
    unit: 'volume',
    title: 'Force index',
    short: 'Force',
    drawn: { levels: [0] },
  },
  'price-volume-trend': {
    ...OWN_PANE,
    unit: 'volume',
    title: 'Price volume trend',
    short: 'PVT',
    create: priceVolumeTrend,
  },
  pvo: {
    ...OWN_PANE,
    title: 'Percentage volume oscillator',
    short: 'PVO',
    parameters: [length(12, 'fast', 'Fast'), length(26, 'slow', 'Slow'), length(9, 'signal', 'Signal')],
    outputs: ['PVO', 'Signal', 'Histogram'],
    drawn: { levels: [0], columns: 2 },
    create: ([fast, slow, signal]) => percentOscillator(fast, slow, signal, ({ volume }) => volume ?? ABSENT),
  },
} as const satisfies Record<string, WrittenSpec>
