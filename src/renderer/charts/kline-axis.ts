/** The price axis over the drawing library: its scale, its ticks, and its range from the bars in view. */
import type {
  AxisCreateRangeParams,
  AxisCreateTicksParams,
  AxisRange,
  AxisTick,
  Chart,
  YAxis,
  YAxisOverride,
} from 'klinecharts'
import { fixedText } from '../../shared/base/fixed-text.ts'
import { priceOfRow, rowOfPrice, type PriceRows } from '../../shared/core/market/flow/cells.ts'
import { CHIP_HEIGHT, isCovered, lastTag, stackChips, type TagSpan } from './paint/axis-tags.ts'
import type { AxisTag, ChartPlot, StyledSeries } from './model/chart.ts'
import type { RowRange } from './model/rows-on-screen.ts'
import { textPx } from './paint/canvas-text.ts'
import { fromScale, percentText, priceTicks, toScale } from './model/scale.ts'
import type { Row } from './model/series.ts'

/** What the axis reads from its chart. */
export interface AxisSource {
  readonly rows: () => readonly Row[]
  /** Rows on screen. */
  readonly shown: () => RowRange
  /** Rows whose prices are shown whole: also those of which only a part is on screen, if they are wide. */
  readonly fitted: () => RowRange
  readonly series: () => StyledSeries
  /** The scale shown: percent if symbols are compared. */
  readonly scale: () => ChartPlot['scale']
  readonly inverted: () => boolean
  /** Lowest and highest value that studies draw over the bars of [from, to); Infinity and -Infinity if there is none. */
  readonly studies: (from: number, to: number) => readonly [number, number]
  /** The same of compared symbols on screen, which are shown whole. */
  readonly compared: () => readonly [number, number]
  /** The rows of a footprint, which are shown whole; null without one. */
  readonly priceRows: () => PriceRows | null
  /** Height of the overlay at the top of the pane, px. */
  readonly head: () => number
  /** Height of what is painted below the lowest price, px. */
  readonly foot: () => number
  /** Text size relative to the default. */
  readonly textScale: () => number
}

/** Studies stretch the axis by at most this share of the bars' range to keep bars readable. */
const MAX_STRETCH = 0.6

/** Room beyond the highest and the lowest price, as a share of the range between them. */
const GAP = { top: 0.16, bottom: 0.08 } as const
/** An overlay at the top of the pane gets at most this share of its height. */
const MAX_HEAD = 0.56
/** Distance of the highest and lowest price from their labels, px at the usual text size. */
const LABEL_PX = 14

export interface Rooms {
  /** Growth at the upper end on screen, as a share of the range. */
  readonly top: number
  readonly bottom: number
}

/**
 * How much a range must grow so that it and the labels of its ends fit between an overlay of `headPx` and the bottom of
 * the pane, where `footPx` are painted below the prices. Zeros if it fits already. `upside`: the scale is inverted.
 */
export function roomsOf(headPx: number, height: number, upside = false, textScale = 1, footPx = 0): Rooms {
  if (height <= 0) return { top: 0, bottom: 0 }
  const labelPx = textPx(LABEL_PX, textScale)
  const all = 1 + GAP.top + GAP.bottom
  const [above, below] = upside ? [GAP.bottom, GAP.top] : [GAP.top, GAP.bottom]
  const head = headPx <= 0 ? 0 : Math.min(MAX_HEAD, (headPx + labelPx) / height)
  // In a low pane the prices get the rest.
  const foot = Math.min(Math.max(labelPx, footPx) / height, (1 - head) / 4)
  const top = Math.max(0, head * all - above)
  const bottom = Math.max(0, foot * all - below)
  const left = 1 - top - bottom
  return { top: top / left, bottom: bottom / left }
}

/** Functions of an axis that can be replaced at run time, although the library's types allow it only in templates. */
type AxisFunctions = YAxisOverride &
  Pick<
    YAxis,
    | 'valueToRealValue'
    | 'realValueToValue'
    | 'realValueToDisplayValue'
    | 'displayValueToRealValue'
    | 'displayValueToText'
    | 'minSpan'
  >

export class PriceAxis {
  readonly #chart: Chart
  readonly #source: AxisSource
  #numbers = { decimals: -1, format: new Intl.NumberFormat('en-US') }
  #tags: readonly TagSpan[] = []
  /** The countdown stands above the last price, because below it the plot ends. */
  countsAbove = false

  constructor(chart: Chart, source: AxisSource) {
    this.#chart = chart
    this.#source = source
    this.apply()
  }

  axis(): YAxis | undefined {
    return this.#chart.getYAxes({ paneId: 'candle_pane' })[0]
  }

  /**
   * Places the price labels next to the axis; the axis hides its own labels there. `last`: the price that the library
   * labels itself, or null; `counts`: whether that label has a countdown. Returns the other labels, with y in px
   * from the top of the pane.
   */
  placeTags(last: number | null, others: readonly Omit<AxisTag, 'y' | 'text'>[], counts: boolean): readonly AxisTag[] {
    const axis = this.axis()
    const height = this.#chart.getSize('candle_pane', 'main')?.height ?? 0
    if (!axis || height === 0) return []
    const scale = this.#source.textScale()
    const tag = last === null ? null : lastTag(axis.convertToNicePixel(last), height, scale, counts)
    this.countsAbove = tag?.above ?? false
    const wanted = others.map((other) => ({ chip: other, y: axis.convertToPixel(other.price) }))
    const size = CHIP_HEIGHT * scale
    const placed = stackChips(wanted, 0, height, tag, size)
    const chips = placed.map(({ y }) => ({ from: y - size / 2, to: y + size / 2 }))
    this.#tags = tag === null ? chips : [tag, ...chips]
    return placed.map(({ chip, y }) => ({ ...chip, y, text: this.tagText(chip) }))
  }

  /** The text of a label next to the axis. */
  readonly tagText = ({ of, price }: Pick<AxisTag, 'of' | 'price'>): string => {
    const letter = of === 'study' ? '' : `${of.charAt(0).toUpperCase()} `
    return `${letter}${this.#priceText(price)}`
  }

  #priceText(price: number): string {
    const { decimals } = this.#source.series()
    if (this.#numbers.decimals !== decimals) {
      const fixed = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
      this.#numbers = { decimals, format: new Intl.NumberFormat('en-US', fixed) }
    }
    return this.#numbers.format.format(price)
  }

  /** The row at the left edge that percent counts from; -1 if no bar is on screen. */
  baseIndex(): number {
    const { from, to } = this.#source.shown()
    const list = this.#source.rows()
    for (let i = from; i < to; i++) if (list[i]?.bar) return i
    return -1
  }

  /** The close at the left edge that percent counts from; NaN if there is no bar. */
  base(): number {
    return this.#source.rows()[this.baseIndex()]?.bar?.close ?? NaN
  }

  /** Passes the scale to the library, which fits the range to the bars again. */
  apply(): void {
    const scale = this.#source.scale()
    const log = scale === 'log'
    const percent = scale === 'percent'
    const override: AxisFunctions = {
      paneId: 'candle_pane',
      reverse: this.#source.inverted(),
      gap: GAP,
      createRange: (params) => this.#range(params),
      createTicks: (params) => this.#ticks(params),
      valueToRealValue: (value) => toScale(scale, value),
      realValueToValue: (value) => fromScale(scale, value),
      realValueToDisplayValue: (value) => fromScale(scale, value),
      displayValueToRealValue: (value) => toScale(scale, value),
      displayValueToText: (value, precision) =>
        percent && this.base() > 0 ? percentText(value, this.base(), 2) : fixedText(value, precision),
      // In log10 units: 1e-5 is finer than anyone needs. The library’s precision is the least of any indicator over the prices.
      minSpan: () => (log ? 1e-5 : 10 ** -this.#source.series().decimals),
    }
    this.#chart.overrideYAxis(override)
  }

  /** The library's own range breaks on the NaN of empty slots, so it is computed from the bars in view. */
  #range({ defaultRange }: AxisCreateRangeParams): AxisRange {
    const { from, to } = this.#source.fitted()
    const list = this.#source.rows()
    const { style } = this.#source.series()
    const closeOnly = style === 'line' || style === 'area'
    let low = Infinity
    let high = -Infinity
    for (let i = from; i < to; i++) {
      const row = list[i]
      if (!row?.bar) continue
      low = Math.min(low, closeOnly ? row.close : row.low)
      high = Math.max(high, closeOnly ? row.close : row.high)
    }
    if (low > high) return defaultRange
    const [lowest, highest] = this.#source.compared()
    ;[low, high] = [Math.min(low, lowest), Math.max(high, highest)]
    const [least, most] = this.#source.studies(from, to)
    const stretch = Math.max((high - low) * MAX_STRETCH, 1e-12)
    if (least <= most) {
      ;[low, high] = [Math.min(low, Math.max(least, low - stretch)), Math.max(high, Math.min(most, high + stretch))]
    }
    const rows = this.#source.priceRows()
    const scale = this.#source.scale()
    if (rows) {
      const edge = priceOfRow(rowOfPrice(low, rows), rows)
      // A row that is higher than the prices begins at 0, which a logarithmic scale doesn't have.
      if (scale !== 'log' || edge > 0) low = edge
      high = priceOfRow(rowOfPrice(high, rows) + 1, rows)
    }
    let [realFrom, realTo] = [toScale(scale, low), toScale(scale, high)]
    const { head, foot, inverted, textScale } = this.#source
    const height = this.#chart.getSize('candle_pane', 'main')?.height ?? 0
    const rooms = roomsOf(head(), height, inverted(), textScale(), foot())
    if (rooms.top > 0 || rooms.bottom > 0) {
      const [over, under] = inverted() ? [rooms.bottom, rooms.top] : [rooms.top, rooms.bottom]
      ;[realFrom, realTo] = [realFrom - (realTo - realFrom) * under, realTo + (realTo - realFrom) * over]
      ;[low, high] = [fromScale(scale, realFrom), fromScale(scale, realTo)]
    }
    return {
      ...defaultRange,
      from: low,
      to: high,
      range: high - low,
      realFrom,
      realTo,
      realRange: realTo - realFrom,
      displayFrom: low,
      displayTo: high,
      displayRange: high - low,
    }
  }

  #ticks({ range, bounding }: AxisCreateTicksParams): AxisTick[] {
    const axis = this.axis()
    // Without a bar in view there is no price, and the axis must not invent one.
    if (!axis || Number.isNaN(this.base())) return []
    const scale = this.#source.scale()
    const textScale = this.#source.textScale()
    const edge = textPx(10, textScale)
    const ticks = priceTicks(
      scale,
      fromScale(scale, range.realFrom),
      fromScale(scale, range.realTo),
      bounding.height,
      this.base(),
      (price) => this.#priceText(price),
      textPx(36, textScale),
    )
    return ticks.flatMap(({ price, text }) => {
      const coord = axis.convertToPixel(price)
      if (coord <= edge || coord >= bounding.height - edge) return []
      const shown = (): string => (isCovered(coord, this.#tags, textScale) ? '' : text)
      // A getter, read with each painting: ticks are created only when the range changes.
      return [Object.defineProperty({ coord, value: price, text }, 'text', { get: shown, enumerable: true })]
    })
  }
}
