/** Paints a footprint: the volume of each bar by price and side, with its marks and totals. */
import type { Bar } from '../../../shared/core/market/market.ts'
import { priceOfRow, type CellColumns, type PriceRows } from '../../../shared/core/market/flow/cells.ts'
import { usualSideVolume, type Imbalance } from '../../../shared/core/market/flow/footprint.ts'
import {
  deltaText,
  deltaTotals,
  detailThatFits,
  MarksOf,
  sizeText,
  type BarMarks,
  type BarTotal,
  type CellDetail,
  type FootprintLook,
} from '../model/footprint.ts'
import { textFont, textPx } from './canvas-text.ts'
import type { Painter } from './paint-context.ts'

/** Whole bars whose median cell is the least volume of an imbalance. */
const USUAL_BARS = 20
const FONT_PX = 10
const DIGIT_PX = 6
/** Columns narrower than this have no totals, px at the default text size. */
const TOTALS_PX = 40
/** Distance of the totals from the lowest row, px. */
const TOTALS_GAP_PX = 5
/** Share of a column that cells take; the rest is the candle and the space to the next bar. */
const CELLS_SHARE = 0.86
/** Steps of strength in a heat map. */
const HEAT_LEVELS = 32

interface Column {
  readonly bar: Bar
  readonly cells: CellColumns
  readonly marks: BarMarks
  /** Left edge and width of the cells, px. */
  readonly left: number
  readonly width: number
  /** The largest volume of a row. */
  readonly top: number
}

interface Sheet {
  readonly p: Painter
  readonly look: FootprintLook
  readonly detail: CellDetail
  /** The y of the lower edge of a row, px. */
  readonly edge: (row: number) => number
}

const marksOf = new MarksOf()

/** The width of a column of cells, px. `half`: half of the space of a bar, px. */
const columnPx = (half: number): number => Math.max(1, Math.floor(half * 2 * CELLS_SHARE) - 4)
const totalLinePx = (textScale: number): number => textPx(FONT_PX + 3, textScale)
/** Height of the totals with the space above and below them, px; 0 if columns are too narrow for totals. */
export const totalsPx = (half: number, textScale: number): number =>
  columnPx(half) < TOTALS_PX * textScale ? 0 : TOTALS_GAP_PX + 2 * totalLinePx(textScale)

const volumeOf = ({ buy, sell, unknown }: CellColumns, i: number): number => buy[i] + sell[i] + unknown[i]

/** Paints the cells of the bars in view; a candle where cells aren't read. */
export function paintFootprint(p: Painter): void {
  const { footprint } = p.context
  if (footprint === null) return
  const { cells: source, look, selected } = footprint
  const shown: { readonly bar: Bar; readonly cells: CellColumns | undefined; readonly x: number }[] = []
  for (let i = Math.max(0, p.from); i < Math.min(p.rows.length, p.to); i++) {
    const { bar } = p.rows[i]
    if (bar !== null) shown.push({ bar, cells: source?.cellsOf(bar.startMs), x: p.x(i) })
  }
  const edge = edgesOf(p, source?.rows ?? null)
  const { textScale } = p.context.theme
  const whole = shown.flatMap(({ bar, cells }) => (bar.complete && cells ? [cells] : []))
  const rule = { ...look, least: usualSideVolume(whole.slice(-USUAL_BARS)) }
  const width = columnPx(p.half)
  const known = shown.find(({ cells }) => cells !== undefined && cells.row.length > 0)
  const row = known?.cells?.row[0] ?? 0
  const rowPx = known === undefined ? 0 : Math.abs(edge(row) - edge(row + 1))
  const digits = longestText(
    shown.map(({ cells }) => cells),
    look,
    width,
  )
  const numbersPx = digits * DIGIT_PX * textScale * (look.content === 'bid-ask' ? 2 : 1) + 10
  const sheet: Sheet = { p, look, edge, detail: detailThatFits(rowPx, width, numbersPx, textScale) }
  p.ctx.save()
  // Below level 0 the library paints each stroke under the ones before, which would put numbers under their cells.
  p.ctx.globalCompositeOperation = 'source-over'
  p.ctx.setLineDash([])
  const columns: Column[] = []
  for (const { bar, cells, x } of shown) {
    paintCandle(p, bar, Math.round(x - p.half * 0.92), cells === undefined)
    if (cells === undefined || cells.row.length === 0) continue
    const left = Math.round(x - p.half * 0.92) + 4
    let top = 0
    for (let i = 0; i < cells.row.length; i++) top = Math.max(top, volumeOf(cells, i))
    const column: Column = { bar, cells, marks: marksOf.get(cells, rule), left, width, top }
    paintCells(sheet, column)
    paintMarks(sheet, column)
    columns.push(column)
  }
  if (totalsPx(p.half, textScale) > 0) paintTotals(sheet, columns, width)
  const chosen = columns.find(({ bar }) => bar.startMs === selected?.startMs)
  if (selected !== null && chosen !== undefined) paintSelected(sheet, chosen, selected.row)
  p.ctx.restore()
}

/** The y of the lower edges of rows, px, each computed once; NaN if no rows are read. */
function edgesOf(p: Painter, rows: PriceRows | null): (row: number) => number {
  const known = new Map<number, number>()
  return (row) => {
    let y = known.get(row)
    if (y === undefined) {
      y = rows === null ? NaN : Math.round(p.y(priceOfRow(row, rows)))
      known.set(row, y)
    }
    return y
  }
}

/** Characters of the longest number in a cell; counted only where numbers could fit. */
function longestText(bars: readonly (CellColumns | undefined)[], look: FootprintLook, width: number): number {
  if (width < 20) return Infinity
  let most = 1
  for (const cells of bars) {
    if (cells === undefined) continue
    for (let i = 0; i < cells.row.length; i++) {
      const { buy, sell } = cells
      if (look.content === 'bid-ask') most = Math.max(most, sizeText(buy[i]).length, sizeText(sell[i]).length)
      else if (look.content === 'delta') most = Math.max(most, deltaText(buy[i] - sell[i]).length)
      else most = Math.max(most, sizeText(volumeOf(cells, i)).length)
    }
  }
  return most
}

/** A thin candle left of the cells, or a usual one if there are none. */
function paintCandle({ ctx, context, y, half }: Painter, bar: Bar, left: number, isAlone: boolean): void {
  const { theme } = context
  ctx.fillStyle = bar.close > bar.open ? theme.up : bar.close < bar.open ? theme.down : theme.dim
  ctx.globalAlpha = isAlone ? 0.6 : 1
  const width = isAlone ? Math.max(1, Math.floor(half * 1.4)) : Math.max(1, Math.min(3, Math.floor(half / 2)))
  const x = isAlone ? left + Math.round(half * 0.92 - width / 2) : left
  const [high, low] = [Math.round(y(bar.high)), Math.round(y(bar.low))]
  ctx.fillRect(x + Math.floor(width / 2), Math.min(high, low), 1, Math.max(1, Math.abs(low - high)))
  const [open, close] = [Math.round(y(bar.open)), Math.round(y(bar.close))]
  ctx.fillRect(x, Math.min(open, close), width, Math.max(1, Math.abs(open - close)))
  ctx.globalAlpha = 1
}

function paintCells(sheet: Sheet, column: Column): void {
  const { p, detail, edge } = sheet
  const { cells, marks, width } = column
  if (detail === 'heat') return paintHeat(sheet, column)
  const byRow = new Map<number, Imbalance[]>()
  for (const one of marks.imbalances) byRow.set(one.row, [...(byRow.get(one.row) ?? []), one])
  if (detail === 'numbers') {
    p.ctx.font = textFont(FONT_PX, p.context.theme.textScale)
    p.ctx.textBaseline = 'middle'
  }
  for (const [i, row] of cells.row.entries()) {
    const [a, b] = [edge(row), edge(row + 1)]
    const top = Math.min(a, b)
    // A line between rows.
    const height = Math.max(1, Math.abs(a - b) - 1)
    if (top > p.height || top + height < 0 || width < 1) continue
    if (detail === 'bars') paintBars(sheet, column, i, top, height)
    else paintNumbers(sheet, column, i, top, height, byRow.get(row) ?? [])
  }
  p.ctx.globalAlpha = 1
}

/**
 * One color per row: the side that traded more, as strong as the volume; the unknown share is gray. Adjacent rows of the
 * same color and strength are one rectangle, because hundreds of bars have thousands of rows.
 */
function paintHeat({ p, look, edge }: Sheet, { cells, left, width, top: most }: Column): void {
  const { ctx, height } = p
  const { up, down, dim, accent, faint } = p.context.theme
  const { row, buy, sell, unknown } = cells
  let [color, known, strength] = ['', 0, -1]
  /** Edges of the rows that aren't painted yet: that of the first one, and that of the last one. */
  let [first, last] = [NaN, NaN]
  const paint = (): void => {
    const top = Math.min(first, last)
    const high = Math.max(1, Math.abs(first - last))
    if (strength < 0 || top > height || top + high < 0) return
    ctx.globalAlpha = 0.15 + (0.75 * strength) / HEAT_LEVELS
    if (known > 0) {
      ctx.fillStyle = color
      ctx.fillRect(left, top, known, high)
    }
    if (known === width) return
    ctx.fillStyle = faint
    ctx.fillRect(left + known, top, width - known, high)
  }
  for (let i = 0; i < row.length; i++) {
    const volume = buy[i] + sell[i] + unknown[i]
    const delta = buy[i] - sell[i]
    const nextColor = look.content === 'total' ? accent : delta > 0 ? up : delta < 0 ? down : dim
    const nextKnown = Math.round((width * (volume - unknown[i])) / volume)
    const nextStrength = volume === 0 ? -1 : Math.round((HEAT_LEVELS * volume) / most)
    const lower = edge(row[i])
    if (lower !== last || nextStrength !== strength || nextKnown !== known || nextColor !== color) {
      paint()
      ;[color, known, strength, first] = [nextColor, nextKnown, nextStrength, lower]
    }
    last = edge(row[i] + 1)
  }
  paint()
  ctx.globalAlpha = 1
}

/** Bars from the middle: sold to the left, bought to the right; unknown volume is dotted gray after both. */
function paintBars(
  { p, look }: Sheet,
  { cells, left, width, top: most }: Column,
  i: number,
  y: number,
  height: number,
) {
  const { ctx } = p
  const { up, down, faint, accent, dim } = p.context.theme
  const [buy, sell, unknown] = [cells.buy[i], cells.sell[i], cells.unknown[i]]
  ctx.globalAlpha = 0.8
  if (look.content === 'bid-ask') {
    const half = width / 2
    const scale = half / most
    ctx.fillStyle = down
    ctx.fillRect(Math.round(left + half - sell * scale), y, Math.round(sell * scale), height)
    ctx.fillStyle = up
    ctx.fillRect(Math.round(left + half), y, Math.round(buy * scale), height)
    paintUnknown(ctx, faint, left + half + buy * scale, y, unknown * scale, height)
    return
  }
  const delta = buy - sell
  const shown = look.content === 'delta' ? Math.abs(delta) : buy + sell
  ctx.fillStyle = look.content === 'total' ? accent : delta > 0 ? up : delta < 0 ? down : dim
  ctx.fillRect(left, y, Math.round((shown / most) * width), height)
  paintUnknown(ctx, faint, left + (shown / most) * width, y, (unknown / most) * width, height)
}

function paintUnknown(
  ctx: CanvasRenderingContext2D,
  color: string,
  x: number,
  y: number,
  width: number,
  height: number,
) {
  if (width < 1) return
  ctx.fillStyle = color
  for (let at = Math.round(x); at < x + width; at += 3) ctx.fillRect(at, y, 2, height)
}

function paintNumbers(
  { p, look }: Sheet,
  { cells, left, width, top: most }: Column,
  i: number,
  y: number,
  height: number,
  found: readonly Imbalance[],
): void {
  const { ctx } = p
  const { up, down, dim, text, textScale } = p.context.theme
  const [buy, sell, unknown] = [cells.buy[i], cells.sell[i], cells.unknown[i]]
  const delta = buy - sell
  const middle = y + height / 2 + 0.5
  ctx.globalAlpha = 0.08 + 0.22 * (volumeOf(cells, i) / most)
  ctx.fillStyle = look.content === 'total' || delta === 0 ? dim : delta > 0 ? up : down
  ctx.fillRect(left, y, width, height)
  const half = width / 2
  for (const { side, firm } of found) {
    // Filled if it is certain, else an outline.
    const x = left + (look.content !== 'bid-ask' ? 0 : side === 1 ? half : 0)
    const wide = look.content === 'bid-ask' ? half : width
    ctx.globalAlpha = firm ? 0.45 : 0.9
    if (firm) {
      ctx.fillStyle = side === 1 ? up : down
      ctx.fillRect(x, y, wide, height)
    } else {
      ctx.strokeStyle = side === 1 ? up : down
      ctx.lineWidth = 1
      ctx.strokeRect(x + 0.5, y + 0.5, wide - 1, height - 1)
    }
  }
  ctx.globalAlpha = 1
  ctx.fillStyle = text
  if (look.content === 'bid-ask') {
    ctx.textAlign = 'right'
    ctx.fillText(sizeText(sell), left + half - 4, middle)
    ctx.textAlign = 'left'
    ctx.fillText(sizeText(buy), left + half + 4, middle)
    ctx.fillStyle = dim
    ctx.textAlign = 'center'
    ctx.fillText('×', left + half, middle)
  } else {
    ctx.textAlign = 'center'
    ctx.fillText(look.content === 'delta' ? deltaText(delta) : sizeText(volumeOf(cells, i)), left + half, middle)
  }
  if (unknown === 0) return
  // A share of the cell's lower edge, because a third number rarely fits.
  ctx.fillStyle = p.context.theme.dim
  const wide = Math.max(2, (unknown / Math.max(1e-12, volumeOf(cells, i))) * width)
  paintUnknown(ctx, dim, left, y + height - Math.max(2, textPx(2, textScale)), wide, Math.max(2, textPx(2, textScale)))
}

/** Point of control, value area, stacked imbalances, and unfinished auctions. */
function paintMarks({ p, detail, edge }: Sheet, { cells, marks, left, width }: Column): void {
  const { ctx } = p
  const { warn, up, down, text } = p.context.theme
  const { profile, stacks, unfinished } = marks
  const span = (from: number, to: number): readonly [number, number] => {
    const [a, b] = [edge(from), edge(to + 1)]
    return [Math.min(a, b), Math.max(1, Math.abs(a - b) - 1)]
  }
  if (profile !== null && width >= 6) {
    const [y, height] = span(profile.poc, profile.poc)
    ctx.strokeStyle = warn
    ctx.lineWidth = 1
    if (detail === 'heat') {
      ctx.fillStyle = warn
      ctx.fillRect(left, y, width, Math.max(1, Math.min(2, height)))
    } else ctx.strokeRect(left + 0.5, y + 0.5, width - 1, height - 1)
    const [areaY, areaHeight] = span(...profile.area)
    ctx.fillStyle = text
    ctx.globalAlpha = 0.55
    ctx.fillRect(left + width, areaY, 1, areaHeight)
    ctx.globalAlpha = 1
  }
  for (const { from, to, side } of stacks) {
    const [y, height] = span(from, to)
    ctx.fillStyle = side === 1 ? up : down
    ctx.fillRect(left + width + 2, y, 3, height)
  }
  if (detail === 'heat') return
  ctx.fillStyle = text
  const edges = [
    [unfinished.high, edge((cells.row.at(-1) ?? 0) + 1)],
    [unfinished.low, edge(cells.row.at(0) ?? 0)],
  ] as const
  for (const [isOpen, y] of edges) if (isOpen) for (let x = left; x < left + width; x += 4) ctx.fillRect(x, y, 2, 1)
}

function totalOf({ bar, cells }: Column): BarTotal {
  let [buy, sell, unknown] = [0, 0, 0]
  for (let i = 0; i < cells.row.length; i++) {
    buy += cells.buy[i]
    sell += cells.sell[i]
    unknown += cells.unknown[i]
  }
  const volume = bar.volume ?? buy + sell + unknown
  // What the bar has beyond its cells has no side either.
  const missing = volume - buy - sell - unknown
  return { delta: buy - sell, unknown: missing > volume * 1e-9 ? unknown + missing : unknown, volume }
}

/** Delta with its bounds, and volume, below each bar. `width`: that of a column, px. */
function paintTotals({ p, edge }: Sheet, columns: readonly Column[], width: number): void {
  const { ctx } = p
  const { up, down, dim, text, pane, textScale } = p.context.theme
  const line = totalLinePx(textScale)
  const fits = (words: string): boolean => words.length * DIGIT_PX * textScale <= width + 8
  const totals = columns.map(totalOf)
  const deltas = deltaTotals(totals, fits)
  ctx.textAlign = 'center'
  ctx.textBaseline = 'top'
  for (const [i, { cells, left }] of columns.entries()) {
    const { delta, volume } = totals[i]
    const lowest = Math.max(edge(cells.row[0]), edge((cells.row.at(-1) ?? 0) + 1))
    const y = Math.min(lowest + TOTALS_GAP_PX, p.height - 2 * line)
    if (y < lowest + TOTALS_GAP_PX) {
      // In a low pane, or after the user moved the axis, the totals cover the lowest cells.
      ctx.fillStyle = pane
      ctx.globalAlpha = 0.85
      ctx.fillRect(left, y - 2, width, 2 * line + 2)
      ctx.globalAlpha = 1
    }
    ctx.font = textFont(FONT_PX, textScale, 600)
    ctx.fillStyle = delta > 0 ? up : delta < 0 ? down : dim
    ctx.fillText(deltas[i], left + width / 2, y)
    ctx.font = textFont(FONT_PX, textScale)
    ctx.fillStyle = text
    ctx.fillText(`V ${sizeText(volume)}`, left + width / 2, y + line)
  }
}

function paintSelected({ p, edge }: Sheet, { left, width }: Column, row: number): void {
  const { ctx } = p
  const [a, b] = [edge(row), edge(row + 1)]
  ctx.strokeStyle = p.context.theme.accent
  ctx.lineWidth = 2
  ctx.strokeRect(left - 1, Math.min(a, b) - 1, width + 2, Math.abs(a - b) + 1)
}
