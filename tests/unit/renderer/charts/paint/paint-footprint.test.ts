// @vitest-environment jsdom
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import '../../browser-stubs.ts'
import type { ChartSeries } from '../../../../../src/renderer/charts/model/chart.ts'
import { detailThatFits, sizeText } from '../../../../../src/renderer/charts/model/footprint.ts'
import type { CellColumns } from '../../../../../src/shared/core/market/flow/cells.ts'
import { PLOT, recordedChart, type Painted } from '../recording-canvas.ts'
import { makeBar } from '../../../../kit/market.ts'

const MINUTE = 60_000
const SERIES: ChartSeries = { label: 'X', intervalMs: MINUTE, decimals: 0, ticks: false }
const ROWS = { decimals: 0, group: 1 }
const LOOK = { content: 'bid-ask', ratio: 3, againstZero: false } as const

/** Rows of [row, sell, buy, unknown]. */
const cells = (...rows: readonly (readonly [number, number, number, number?])[]): CellColumns => ({
  row: rows.map(([row]) => row),
  sell: rows.map(([, sell]) => sell),
  buy: rows.map(([, , buy]) => buy),
  unknown: rows.map(([, , , unknown]) => unknown ?? 0),
  count: rows.map(() => 1),
})
const volumeOf = ({ buy, sell, unknown }: CellColumns) => [...buy, ...sell, ...unknown].reduce((a, b) => a + b, 0)
/** The hand-made footprint of the design. */
const HAND = cells([100, 5, 0], [101, 1, 14], [102, 3, 12], [103, 2, 10], [104, 0, 4, 1])

const { port, painted, frames } = recordedChart(1_000, 600)
afterAll(() => port.destroy())
beforeEach(() => {
  port.setFootprint(null)
  port.setFootprintLook(LOOK)
  port.setStyle('footprint')
  port.selectCell(null)
})

/** Shows bars of these cells a minute apart; undefined: their cells aren't read. */
async function show(list: readonly (CellColumns | undefined)[]): Promise<void> {
  const bars = list.map((one, i) =>
    makeBar({ startMs: i * MINUTE, open: 101, high: 105, low: 100, close: 103, volume: one ? volumeOf(one) : 7 }),
  )
  port.load(SERIES, bars, false, false)
  port.setFootprint({ rows: ROWS, cellsOf: (startMs) => list[startMs / MINUTE] })
  await frames()
}
const texts = (): readonly string[] => painted().flatMap(({ op, text }) => (op === 'fillText' ? [text] : []))
const rects = (color: string, op: Painted['op'] = 'fillRect') =>
  painted().filter((one) => one.op === op && one.color === color)
/** Middle of a row, px. */
const rowY = (row: number) => port.pixelOf(0, row + 0.5)?.y ?? NaN
const covers = ({ at: [, y, , height] }: Painted, row: number) => y <= rowY(row) && y + height >= rowY(row)

describe('a footprint with numbers', () => {
  it('shows sold and bought volume per row, and the totals with their bounds', async () => {
    await show([HAND])
    expect(texts().filter((text) => text === '×')).toHaveLength(5)
    expect(texts()).toEqual(expect.arrayContaining(['5', '0', '14', '12', '10', 'Δ +29 ±1', 'V 52']))
    const x = (text: string) => painted().find((one) => one.text === text)?.at[0] ?? NaN
    expect(x('3'), 'sold is left of bought').toBeLessThan(x('12'))
  })

  it('has its texts above the cells', async () => {
    await show([HAND])
    const ofFootprint = painted().filter(({ op, text }) => op === 'fillText' && /^(14|×|V 52|Δ .*)$/.test(text))
    expect(new Set(ofFootprint.map(({ composite }) => composite))).toEqual(new Set(['source-over']))
  })

  it('fills imbalanced cells and outlines the point of control', async () => {
    await show([HAND])
    const filled = rects('up').filter(({ alpha, at }) => alpha === 0.45 && at[2] > 10)
    expect([102, 103].map((row) => filled.some((one) => covers(one, row)))).toEqual([true, true])
    expect([100, 101, 104].map((row) => filled.some((one) => covers(one, row)))).toEqual([false, false, false])
    expect(rects('warn', 'strokeRect').map((one) => covers(one, 102))).toEqual([true])
  })

  it('only outlines an imbalance that unknown volume could undo', async () => {
    await show([cells([100, 4, 4, 3], [101, 4, 12])])
    expect(rects('up', 'strokeRect')).toHaveLength(1)
    expect(rects('up').filter(({ alpha }) => alpha === 0.45)).toEqual([])
  })

  it('shows delta or total volume instead', async () => {
    await show([HAND])
    port.setFootprintLook({ ...LOOK, content: 'delta' })
    await frames()
    expect(texts()).toEqual(expect.arrayContaining(['−5', '+13', '+9', '+8', '+4']))
    port.setFootprintLook({ ...LOOK, content: 'total' })
    await frames()
    expect(texts()).toEqual(expect.arrayContaining(['5', '15', '12']))
    expect(texts()).not.toContain('×')
  })

  it('marks unknown volume in gray, and volume beyond the cells as unknown', async () => {
    await show([cells([100, 5, 0], [104, 0, 4, 1])])
    expect(rects('dim').some((one) => one.at[3] <= 3 && one.at[1] < rowY(103))).toBe(true)
    const bar = makeBar({ startMs: 0, open: 101, high: 105, low: 100, close: 103, volume: 20 })
    port.load(SERIES, [bar], false, false)
    await frames()
    expect(texts()).toEqual(expect.arrayContaining(['Δ −1 ±11', 'V 20']))
  })

  it('marks stacks beside the cells and unfinished auctions at the edge', async () => {
    await show([cells([100, 1, 1], [101, 1, 9], [102, 1, 9], [103, 1, 9], [104, 3, 0])])
    const stack = rects('up').filter(({ at }) => at[2] === 3 && at[3] > 20)
    expect(stack.some((one) => [101, 102, 103].every((row) => covers(one, row)))).toBe(true)
    expect(stack.some((one) => covers(one, 100) || covers(one, 104))).toBe(false)
    const dots = rects('text').filter(({ at }) => at[2] === 2 && at[3] === 1)
    expect(new Set(dots.map(({ at }) => at[1])).size, 'at the low only').toBe(1)
    expect(dots[0].at[1]).toBeGreaterThan(rowY(100))
  })

  it('outlines the selected cell', async () => {
    await show([HAND])
    port.selectCell({ startMs: 0, row: 103 })
    await frames()
    expect(rects('accent', 'strokeRect').map((one) => covers(one, 103))).toEqual([true])
  })
})

describe('the room around a footprint', () => {
  /** The top of the highest point of control of bars on screen, px. */
  const highest = () =>
    Math.min(...rects('warn', 'strokeRect').flatMap(({ at: [x, y, width] }) => (x + width > 0 ? [y] : [])))

  it('holds the totals below the lowest row, so that they cover none', async () => {
    // Panes below leave the prices so little height that their usual space below is too small.
    const pane = { values: { period: 3 }, price: 'close', colours: [], palette: [0], own: true } as const
    port.setStudies(['a', 'b', 'c'].map((id) => ({ id, kind: 'rsi', ...pane })))
    for (const inverted of [false, true]) {
      port.setPlot({ ...PLOT, inverted })
      await show([HAND])
      const totals = painted().filter(({ op, text }) => op === 'fillText' && /^(V |Δ )/.test(text))
      expect(totals).toHaveLength(2)
      expect(rects('pane').filter(({ alpha }) => alpha === 0.85)).toEqual([])
      const lowest = inverted ? 104 : 100
      const rowPx = Math.abs(rowY(100) - rowY(101))
      for (const { at } of totals) {
        expect(at[1]).toBeGreaterThan(rowY(lowest) + rowPx / 2)
        expect(at[1] + 13).toBeLessThanOrEqual(port.plotArea().height)
      }
    }
    port.setPlot(PLOT)
    port.setStudies([])
  })

  it('shows a bar whole of which a part is on screen', async () => {
    // Falling: the first bar on screen is the highest.
    const lowOf = (i: number) => 140 - i
    const bars = Array.from({ length: 40 }, (_, i) => {
      const low = lowOf(i)
      return makeBar({ startMs: i * MINUTE, open: low + 4, high: low + 4, low, close: low, volume: 9 })
    })
    port.load(SERIES, bars, false, false)
    port.setFootprint({
      rows: ROWS,
      cellsOf: (ms) => cells([lowOf(ms / MINUTE), 1, 0], [lowOf(ms / MINUTE) + 4, 8, 0]),
    })
    port.setHeadroom(60)
    await frames()
    const [first] = port.visibleBars()
    const isPartial = () => (port.pixelOf(first.startMs - MINUTE, 100)?.x ?? NaN) > -40
    expect(isPartial(), 'a part of the bar before is on screen').toBe(true)
    expect(highest()).toBeGreaterThanOrEqual(60)
    port.setHeadroom(0)
  })
})

describe('a chart that becomes a footprint', () => {
  it('keeps the newest bar at the right, and shows as many as fit', async () => {
    port.setStyle('candles')
    const bars = Array.from({ length: 200 }, (_, i) =>
      makeBar({ startMs: i * MINUTE, open: 101, high: 105, low: 100, close: 103 }),
    )
    port.load(SERIES, bars, false, false)
    await frames()
    const newest = 199 * MINUTE
    const before = port.pixelOf(newest, 100)?.x ?? NaN
    port.setStyle('footprint')
    await frames()
    const { width } = port.plotArea()
    expect(port.pixelOf(newest, 100)?.x).toBeGreaterThan(width - 200)
    expect(port.visibleBars().length).toBeGreaterThanOrEqual(Math.floor((width - 200) / 96))
    port.setStyle('candles')
    await frames()
    expect(Math.abs((port.pixelOf(newest, 100)?.x ?? NaN) - before)).toBeLessThan(10)
  })
})

describe('a footprint whose cells arrive after its bars', () => {
  it('tells those who read it, also while nothing else changes', async () => {
    await show([undefined])
    const read: boolean[] = []
    port.onLegend(() => read.push(port.footprintAt(0) !== null))
    port.setFootprint({ rows: ROWS, cellsOf: () => HAND })
    expect(read).toEqual([false, true])
    port.onLegend(() => undefined)
  })
})

describe('a footprint without cells', () => {
  it('shows candles where cells aren’t read', async () => {
    await show([HAND, undefined])
    expect(texts().filter((text) => text.startsWith('V '))).toEqual(['V 52'])
    expect(rects('up').some(({ alpha, at }) => alpha === 0.6 && at[2] > 10)).toBe(true)
  })

  it('shows no cells of a bar in which nothing was traded', async () => {
    await show([cells()])
    expect(texts().filter((text) => /^[ΔV] /.test(text))).toEqual([])
  })
})

describe('a footprint of many bars', () => {
  it('is a heat map, gray where the side is unknown', async () => {
    await show(Array.from({ length: 450 }, () => cells([100, 5, 0], [102, 0, 0, 9], [104, 0, 4])))
    port.fit()
    await frames()
    const count = (color: string, row: number) =>
      rects(color).filter((one) => covers(one, row) && one.at[3] > 20).length
    expect(count('down', 100)).toBeGreaterThan(400)
    expect(count('faint', 102)).toBeGreaterThan(400)
    expect(count('up', 104)).toBeGreaterThan(400)
    expect(texts()).not.toContain('×')
  })
})

describe('a heat map', () => {
  it('paints adjacent rows of the same color and strength as one, and no others', async () => {
    const bars = Array.from({ length: 450 }, () =>
      cells([100, 0, 8], [101, 0, 8], [102, 0, 4], [103, 4, 0], [105, 4, 0]),
    )
    await show(bars)
    port.fit()
    await frames()
    const rowPx = rowY(100) - rowY(101)
    const rowsOf = (color: string, alpha: number) =>
      new Set(
        rects(color)
          .filter((one) => one.alpha === alpha && one.at[2] <= 2)
          .map(({ at }) => Math.round(at[3] / rowPx)),
      )
    expect(rowsOf('up', 0.9)).toEqual(new Set([2]))
    expect(rowsOf('up', 0.525)).toEqual(new Set([1]))
    expect(rowsOf('down', 0.525)).toEqual(new Set([1]))
    const count = (row: number) => rects('down').filter((one) => one.alpha === 0.525 && covers(one, row)).length
    expect(count(103)).toBeGreaterThan(400)
    expect(count(105)).toBe(count(103))
    expect(count(104), 'nothing was traded there').toBe(0)
  })
})

describe('the detail of cells', () => {
  it('is what fits', () => {
    expect(detailThatFits(14, 80, 70, 1)).toBe('numbers')
    expect(detailThatFits(14, 80, 70, 1.5)).toBe('bars')
    expect(detailThatFits(14, 60, 70, 1)).toBe('bars')
    expect(detailThatFits(4, 80, 70, 1)).toBe('heat')
    expect(detailThatFits(20, 8, 70, 1)).toBe('heat')
  })

  it('has sizes of at most five characters that are 0 only if nothing was traded', () => {
    const sizes = [0, 1e-9, 0.001, 0.0126, 0.9949, 0.9999, 1.2345, 12.345, 99.96, 123.4, 9_994, 9_999, 12_345, 999_499]
    expect(sizes.map(sizeText)).toEqual([
      '0',
      '<.001',
      '0.001',
      '0.013',
      '0.995',
      '1',
      '1.23',
      '12.3',
      '100',
      '123',
      '9994',
      '10K',
      '12.3K',
      '999K',
    ])
    expect([999_600, 1.234e6, 123.4e6].map(sizeText)).toEqual(['1M', '1.23M', '123M'])
  })
})
