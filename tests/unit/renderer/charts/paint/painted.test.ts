// @vitest-environment jsdom
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import '../../browser-stubs.ts'
import { lastTag } from '../../../../../src/renderer/charts/paint/axis-tags.ts'
import type { AxisTag, ChartPlot, ChartSeries } from '../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import type { GapSpan } from '../../../../../src/shared/core/status/status.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { PLOT, recordedChart, type Painted } from '../recording-canvas.ts'
import { makeBar, type BarParts } from '../../../../kit/market.ts'

const MINUTE = 60_000
const WIDTH = 1_000
const HEIGHT = 600
const SERIES: ChartSeries = { label: 'X', intervalMs: MINUTE, decimals: 2, ticks: false }
function bar(minute: number, open: number, close: number, more: BarParts = {}): Bar {
  const range = { high: Math.max(open, close) + 1, low: Math.min(open, close) - 1 }
  return makeBar({ startMs: minute * MINUTE, open, ...range, close, volume: 5, ...more })
}
const falling = Array.from({ length: 20 }, (_, i) => bar(i, 200 - i * 2, 199 - i * 2))
const rising = Array.from({ length: 20 }, (_, i) => bar(i, 100 + i * 2, 101 + i * 2))
const gap = (fromMinute: number, toMinute: number | null): GapSpan => ({
  feed: 'crypto/XT',
  cause: 'drop',
  fromMs: unixMs(fromMinute * MINUTE),
  toMs: toMinute === null ? null : unixMs(toMinute * MINUTE),
})

const { port, painted, frames } = recordedChart(WIDTH, HEIGHT)
let tags: readonly AxisTag[] = []
port.onTags((next) => (tags = next))
afterAll(() => port.destroy())
beforeEach(() => {
  port.setGaps([])
  port.setStudies([])
  port.setCompared([])
  port.setQuote(null)
  port.clearCrosshair()
  port.setPlot(PLOT)
  port.setStyle('candles')
})

async function show(bars: readonly Bar[], series: Partial<ChartSeries> = {}): Promise<void> {
  port.load({ ...SERIES, ...series }, bars, false, false)
  await frames()
}
/** What was painted around the middle of a bar, in the pane of prices. */
const atBar = (minute: number): readonly Painted[] => {
  const x = port.pixelOf(minute * MINUTE, 0)?.x ?? NaN
  return painted().filter(({ path }) => path.length === 4 && path[0][0] <= x + 1 && path[1][0] >= x - 1)
}
const colorsOf = (list: readonly Painted[]): readonly string[] =>
  [...new Set(list.map(({ color }) => color))].filter((color) => color === 'up' || color === 'down')

describe('candles', () => {
  it.each(['candles', 'bars', 'hollow'] as const)(
    'of a falling market have the color of down, drawn as %s',
    async (style) => {
      port.setStyle(style)
      await show(falling)
      expect(atBar(3)).not.toEqual([])
      for (const { startMs } of falling) expect(colorsOf(atBar(startMs / MINUTE))).toEqual(['down'])
      await show(rising)
      for (const { startMs } of rising) expect(colorsOf(atBar(startMs / MINUTE))).toEqual(['up'])
    },
  )

  it('of heikin-ashi averages follow the averages, and the last trade is a line of its own', async () => {
    port.setStyle('heikin-ashi')
    await show(falling)
    for (const { startMs } of falling.slice(1)) expect(colorsOf(atBar(startMs / MINUTE))).toEqual(['down'])
    expect(tags).toMatchObject([{ of: 'last', price: 161, text: 'L 161.00' }])
  })

  it('have volumes of their own color below', async () => {
    await show([bar(0, 10, 12), bar(1, 12, 9), bar(2, 9, 9)])
    const foot = port.plotArea().height
    const volumes = painted().filter(({ op, alpha }) => op === 'fillRect' && alpha === 0.5)
    expect(foot).toBeLessThan(HEIGHT - 60)
    expect(volumes.map(({ color }) => color).toSorted()).toEqual(['down', 'up', 'up'])
    const [down] = volumes.filter(({ color }) => color === 'down')
    expect(Math.abs(down.at[0] + down.at[2] / 2 - (port.pixelOf(MINUTE, 0)?.x ?? NaN))).toBeLessThan(2)
  })
})

describe('a gap', () => {
  const bars = [...falling.slice(0, 8), ...falling.slice(14)]
  const warned = (): readonly Painted[] => painted().filter(({ color }) => color === 'warn')

  it('is hatched over the time it took, with its cause', async () => {
    await show(bars)
    expect(warned()).toEqual([])
    port.setGaps([gap(8, 14)])
    await frames()
    const left = port.pixelOf(8 * MINUTE, 0)?.x ?? NaN
    const right = port.pixelOf(13 * MINUTE, 0)?.x ?? NaN
    const hatches = warned().filter(({ op, clipped }) => op === 'stroke' && clipped)
    // Once behind the prices, once behind the volume.
    expect(hatches).toHaveLength(2)
    const [{ path }] = hatches
    for (let i = 0; i < path.length; i += 2) {
      expect(path[i + 1][0] - path[i][0]).toBeCloseTo(path[i][1] - path[i + 1][1], 6)
    }
    // Diagonals every few px, all over it.
    expect(path.length / 2).toBeGreaterThanOrEqual((right - left) / 7)
    expect(Math.min(...path.map(([x]) => x))).toBeLessThanOrEqual(left)
    expect(Math.max(...path.map(([x]) => x))).toBeGreaterThanOrEqual(right)
    const grounds = warned().filter(({ op }) => op === 'fillRect')
    expect(grounds[0].at[0]).toBeLessThanOrEqual(left)
    expect(grounds[0].at[0] + grounds[0].at[2]).toBeGreaterThanOrEqual(right)
    expect(warned().some(({ op, text }) => op === 'fillText' && /connection/i.test(text))).toBe(true)
  })

  it('that overlaps the end of a session has one text, its own cause', async () => {
    port.setGaps([
      { ...gap(5, 10), cause: 'quit' },
      { ...gap(5, 10), cause: 'disk' },
    ])
    await show([...rising.slice(0, 5), ...rising.slice(10)])
    expect(painted().flatMap(({ text }) => (/^(no data|not stored)/.test(text) ? [text] : []))).toEqual([
      'not stored: store unavailable',
    ])
  })

  it('has its cause below the legend, and none where that leaves no room', async () => {
    onTestFinished(() => port.setHeadroom(0))
    const cause = () => painted().find(({ text }) => text.startsWith('no data'))
    await show(bars)
    port.setGaps([gap(8, 14)])
    await frames()
    const { height } = port.plotArea()
    expect(cause()?.origin[1]).toBeCloseTo(height / 2, 0)
    port.setHeadroom(height - 300)
    await frames()
    const shown = cause()
    const half = ((shown?.text.length ?? 0) * 6) / 2 // the width of a letter of the recording canvas
    expect(shown?.origin[1]).toBeGreaterThan(height - 300 + half)
    port.setHeadroom(height - 20)
    await frames()
    expect(cause()).toBeUndefined()
  })

  it('that is still open is hatched to the edge of the plot', async () => {
    await show(bars)
    port.setGaps([gap(20, null)])
    await frames()
    const [ground] = warned().filter(({ op }) => op === 'fillRect')
    expect(ground.at[0] + ground.at[2]).toBeCloseTo(port.plotArea().width, 0)
  })

  it('that is still open in a replay is hatched to the replay’s clock', async () => {
    onTestFinished(() => port.setReplayClock(null))
    await show(bars)
    port.setGaps([gap(20, null)])
    const end = async (minute: number): Promise<number> => {
      port.setReplayClock(minute * MINUTE)
      await frames()
      const [ground] = warned().filter(({ op }) => op === 'fillRect')
      return ground.at[0] + ground.at[2]
    }
    const last = port.pixelOf(19 * MINUTE, 0)?.x ?? NaN
    const slot = last - (port.pixelOf(18 * MINUTE, 0)?.x ?? NaN)
    expect(Math.abs((await end(23)) - last - 3.5 * slot)).toBeLessThan(2)
    expect(Math.abs((await end(24)) - last - 4.5 * slot)).toBeLessThan(2)
  })

  it('too narrow to be hatched is one broken line', async () => {
    await show(falling)
    port.setGaps([gap(8.2, 8.21)])
    await frames()
    const [line] = warned().filter(({ op }) => op === 'stroke')
    expect(line).toMatchObject({ clipped: false, dash: [2, 4] })
    expect(line.path.map(([, y]) => y)).toEqual([0, port.plotArea().height])
  })

  it('between bars by trades is one bar wide, and covers a bar only while it lasted', async () => {
    const byTrades = [0, 1, 2].map((minute) => bar(minute, 200, 199, { lengthMs: 1_000 }))
    await show(byTrades, { intervalMs: 1 })
    port.setGaps([gap(0.5, 0.9), gap(0.9, 0.95), gap(2, 2 + 0.5 / 60)])
    await frames()
    const x = (ms: number): number => port.pixelOf(ms, 0)?.x ?? NaN
    const rows = [0, 0.5 * MINUTE, MINUTE, 2 * MINUTE].map(x)
    const wide = rows[1] - rows[0]
    expect(rows.map((at) => at - rows[0])).toEqual([0, wide, 2 * wide, 3 * wide])
    const hatched = warned().filter(({ op }) => op === 'fillRect')
    expect(Math.min(...hatched.map(({ at }) => at[0]))).toBeCloseTo(rows[1] - wide / 2, -1)
    const last = hatched.filter(({ at }) => at[0] > rows[2])
    for (const { at } of last) expect(at[2]).toBeCloseTo(wide / 2, -1)
    expect(last).not.toEqual([])
  })

  it('within a bar marks the bar as incomplete', async () => {
    await show([...falling.slice(0, 5), bar(5, 190, 189, { complete: false }), ...falling.slice(6)])
    const x = port.pixelOf(5 * MINUTE, 0)?.x ?? NaN
    const [mark] = warned().filter(({ op }) => op === 'stroke')
    expect(mark.path).toHaveLength(3)
    expect(mark.path[1][0]).toBeCloseTo(x, 0)
  })
})

describe('bid and ask', () => {
  it('are broken lines in the colors of up and down', async () => {
    await show(falling)
    port.setQuote({ bid: 170, ask: 180 })
    await frames()
    const level = (price: number): number => Math.round((port.pixelOf(0, price)?.y ?? NaN) - port.plotArea().top) + 0.5
    const lines = painted().filter(({ op, dash }) => op === 'stroke' && dash.join() === '6,3')
    expect(lines.map(({ color, path }) => [color, path[0][1]])).toEqual([
      ['up', level(170)],
      ['down', level(180)],
    ])
  })

  it.each([
    ['bid above the last price', 180.5, 180.4],
    ['both right at the last price', 180.01, 180],
    ['both below', 179.9, 179.8],
  ])('have labels that touch the one of the last price but never cover it: %s', async (_, bid, ask) => {
    await show([...falling.slice(0, 19), bar(19, 181, 180)])
    port.setQuote({ bid, ask })
    await frames()
    const { top, height } = port.plotArea()
    const last = lastTag((port.pixelOf(0, 180)?.y ?? NaN) - top, height, 1, false)
    expect(tags.map(({ key }) => key).toSorted()).toEqual(['ask', 'bid'])
    for (const { y } of tags) expect(y + 7.5 <= last.from + 1 || y - 7.5 >= last.to - 1).toBe(true)
    // No room is kept for a countdown that there is not.
    expect(Math.min(...tags.map(({ y }) => Math.abs(y - last.middle)))).toBeLessThan(19)
  })

  it('keep off the last price while the crosshair is on another bar', async () => {
    await show(falling)
    port.stepCrosshair(-15)
    port.update([bar(19, 162, 190)])
    port.setQuote({ bid: 190, ask: 190.02 })
    await frames()
    const last = (port.pixelOf(0, 190)?.y ?? NaN) - port.plotArea().top
    expect(tags).toHaveLength(2)
    for (const { y } of tags) expect(Math.abs(y - last)).toBeGreaterThanOrEqual(17)
  })

  it('have room for their whole text beside the plot', async () => {
    await show(falling)
    const before = WIDTH - port.plotArea().width
    port.setQuote({ bid: 163_456.78, ask: 163_456.79 })
    await frames()
    // Of the recording canvas, on which a letter is 6 px wide.
    expect(WIDTH - port.plotArea().width).toBeGreaterThanOrEqual('B 163,456.78'.length * 6 + 5)
    expect(WIDTH - port.plotArea().width).toBeGreaterThan(before)
  })
})

it('the label of the last price loses its color while nothing is received', async () => {
  const labelOf = (): string | undefined =>
    painted().find(({ op, path }) => op === 'fill' && path.length === 4 && path[0][0] === 0 && path[1][0] > 40)?.color
  await show(falling)
  expect(labelOf()).toBe('down')
  port.setStale(true)
  await frames()
  expect(labelOf()).toBe('dim')
  port.setStale(false)
  await frames()
  expect(labelOf()).toBe('down')
})

describe('what is in view', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => bar(i, 100, 101))

  it.each([2, 19, 48, 300])('is every bar after fitting %d of them', async (count) => {
    await show(many.slice(0, count))
    port.fit()
    await frames()
    const half = ((port.pixelOf(MINUTE, 0)?.x ?? NaN) - (port.pixelOf(0, 0)?.x ?? NaN)) / 2
    const { left, width } = port.plotArea()
    expect((port.pixelOf(0, 0)?.x ?? NaN) - half).toBeGreaterThanOrEqual(left)
    expect((port.pixelOf((count - 1) * MINUTE, 0)?.x ?? NaN) + half).toBeLessThanOrEqual(left + width)
    expect(port.visibleBars()).toHaveLength(count)
  })

  it('alone sets the scale: a low that is left of the edge does not press the bars flat', async () => {
    await show(many)
    const first = port.visibleBars()[0].startMs / MINUTE
    expect(first).toBeGreaterThan(10)
    const y = () => port.pixelOf(0, 100)?.y ?? NaN
    const before = y()
    const deep = many.map((one, i) => (i === first - 1 ? { ...one, low: 10 } : one))
    await show(deep)
    expect(y()).toBe(before)
    await show(many.map((one, i) => (i === first ? { ...one, low: 10 } : one)))
    expect(y()).not.toBe(before)
  })

  it('is the first bar from which compared symbols count percent', async () => {
    const moving = many.map((_, i) => bar(i, 100 + i, 101 + i))
    await show(moving)
    const others = many.map((_, i) => bar(i, 5_000 - i, 4_999 - i))
    port.setCompared([{ label: 'Y', bars: others, gaps: [] }])
    await frames()
    const [first] = port.visibleBars()
    const line = painted().findLast(({ op, path }) => op === 'stroke' && path.length > 50)
    const origin = port.pixelOf(first.startMs, first.close)
    expect(line?.path[0][0]).toBeCloseTo(origin?.x ?? NaN, 0)
    expect(Math.abs((line?.path[0][1] ?? NaN) - (origin?.y ?? NaN))).toBeLessThanOrEqual(1)
  })
})

it('the line of a compared symbol is interrupted by its gaps', async () => {
  await show(rising)
  const others = rising.filter(({ startMs }) => startMs < 8 * MINUTE || startMs >= 14 * MINUTE)
  const lines = (): (readonly number[])[] =>
    painted()
      .filter(({ op, path, clipped }) => op === 'stroke' && path.length >= 6 && !clipped)
      .map(({ path }) => path.map(([x]) => Math.round(x)))
  const columns = (from: number, to: number): readonly number[] =>
    rising.slice(from, to).map(({ startMs }) => Math.round(port.pixelOf(startMs, 0)?.x ?? NaN))
  port.setCompared([{ label: 'Y', bars: others, gaps: [] }])
  await frames()
  expect(lines()).toEqual([columns(0, 20)])
  port.setCompared([{ label: 'Y', bars: others, gaps: [gap(8, 14)] }])
  await frames()
  expect(lines()).toEqual([columns(0, 8), columns(14, 20)])
})

describe('the values of indicators', () => {
  const study = (id: string, kind: 'sma' | 'rsi' | 'parabolic-sar', own: boolean) => ({
    id,
    kind,
    values: { period: 3 },
    price: 'close' as const,
    colours: [],
    palette: [0, 1, 2],
    own,
  })
  it('are labels next to the axis of their pane, and absent if switched off', async () => {
    port.setPlot({ ...PLOT, values: true })
    port.setStudies([study('average', 'sma', false), study('index', 'rsi', true)])
    await show(falling)
    const [average, index] = tags.filter(({ of }) => of === 'study')
    expect(average).toMatchObject({ key: 'average 0', price: 163, text: '163.00' })
    expect(index).toMatchObject({ key: 'index 0', price: 0, text: '0.00' })
    // At its price, and below the pane of prices.
    expect(Math.abs(average.y - (port.pixelOf(0, 163)?.y ?? NaN))).toBeLessThan(40)
    expect(index.y).toBeGreaterThan(port.plotArea().height)
    port.setPlot({ ...PLOT, values: false })
    await show(falling)
    expect(tags.filter(({ of }) => of === 'study')).toEqual([])
  })
})

describe('quotes by price', () => {
  /** Row 100 was bid all the time, row 103 asked half of it, and the middle stood in row 101. */
  const cells = { row: [100, 101, 103, 105], bid: [60, 0, 0, 0], ask: [0, 0, 45, 15], mid: [0, 45, 15, 0] }
  const quotes = { cells, quotedMs: 60, spread: 3, leastSpread: 3, mostSpread: 5 }
  const quoted = (color: string) =>
    painted().filter((one) => one.op === 'fillRect' && one.color === color && !one.clipped)
  const map = { rows: { decimals: 0, group: 1 }, quotesOf: (ms: number) => (ms === 0 ? quotes : undefined) }

  async function showQuotes(plot: Partial<ChartPlot>): Promise<void> {
    port.setQuoteMap(map)
    port.setPlot({ ...PLOT, volume: false, ...plot })
    await show([bar(0, 100, 106), bar(1, 100, 106)])
  }
  const covers = ({ at: [x, y, width, height] }: Painted, minute: number, price: number) => {
    const place = port.pixelOf(minute * MINUTE, price)
    return place !== null && x <= place.x && x + width >= place.x && y <= place.y && y + height >= place.y
  }

  it('are stronger the longer they stood, blank where nothing was quoted, and absent where not read', async () => {
    await showQuotes({ quoteMap: true })
    const found = (color: string, minute: number, price: number) =>
      quoted(color).find((one) => covers(one, minute, price) && one.alpha < 0.8)
    expect(found('up', 0, 100.5)?.alpha).toBeCloseTo(0.75, 9)
    expect(found('down', 0, 103.5)?.alpha).toBeCloseTo(0.75, 9)
    expect(found('down', 0, 105.5)?.alpha).toBeCloseTo(0.33, 9)
    expect([found('up', 0, 104.5), found('down', 0, 104.5), found('up', 1, 100.5)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('say how long the middle stood at each price, from the left edge', async () => {
    await showQuotes({ timeAtPrice: true })
    const [most] = quoted('warn').filter(({ at, alpha }) => at[0] === 0 && alpha === 0.6)
    const [other] = quoted('accent').filter(({ at, alpha }) => at[0] === 0 && alpha === 0.35)
    expect(other.at[2]).toBeCloseTo(most.at[2] / 3, 6)
    port.setQuoteMap(null)
    await frames()
    expect(quoted('warn').filter(({ alpha }) => alpha === 0.6)).toEqual([])
  })
})
