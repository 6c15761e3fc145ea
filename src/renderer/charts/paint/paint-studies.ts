/** Paints indicators: lines, columns, tinted fills, levels, and the volume profile. */
import type { Indicator, IndicatorDrawParams, IndicatorTemplate, KLineData } from 'klinecharts'
import type { AssetClass } from '../../../shared/base/units.ts'
import { VOLUME_PROFILE, parameterValues } from '../../../shared/core/market/indicators/table.ts'
import { dashPattern, lineColor, lineDash, type LineDash } from '../model/line-style.ts'
import type { ChartStudy, ChartTheme, ProfileCells } from '../model/chart.ts'
import { profileOf } from '../model/profile.ts'
import type { RowRange } from '../model/rows-on-screen.ts'
import type { Row } from '../model/series.ts'
import type { StudyRun, StudyValues } from '../model/study-run.ts'
import { studySpec } from '../model/study-spec.ts'

/** What a study needs to be computed and painted. Looked up by its id, because templates are global. */
export interface StudyContext {
  readonly study: ChartStudy
  /** Null for the volume profile, which covers the bars in view. */
  readonly run: StudyRun | null
  /** The trades of a volume profile; null: not read. */
  readonly profile: () => ProfileCells | null
  readonly theme: () => ChartTheme
  /** Rows on screen. */
  readonly shown: () => RowRange
  readonly asset: () => AssetClass
  readonly failed: (thrown: unknown) => void
}

const contexts = new Map<string, StudyContext>()

/** Registers a study under its id in the library; returns the function that removes it. */
export function provideStudy(id: string, context: StudyContext): () => void {
  contexts.set(id, context)
  return () => contexts.delete(id)
}

const BAND_ALPHA = 0.65
const BAND_DASH = [3, 3]

interface Canvas {
  readonly ctx: CanvasRenderingContext2D
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  readonly from: number
  readonly to: number
  readonly width: number
  readonly height: number
  readonly half: number
}

/** Paints a line through the values of one output, broken at absent values. */
function line({ ctx, x, y, from, to }: Canvas, values: readonly StudyValues[], key: number, shift: number): void {
  ctx.beginPath()
  let on = false
  for (let i = Math.max(0, from - 1 - shift); i < Math.min(values.length, to + 1 - shift); i++) {
    const value = values[i][key]
    if (value === undefined) {
      on = false
      continue
    }
    if (on) ctx.lineTo(x(i + shift), y(value))
    else ctx.moveTo(x(i + shift), y(value))
    on = true
  }
  ctx.stroke()
}

/** Paints dots, or levels that end where the next one begins. */
function marks(
  { ctx, x, y, from, to, half }: Canvas,
  values: readonly StudyValues[],
  key: number,
  kind: 'dots' | 'steps',
): void {
  ctx.beginPath()
  for (let i = Math.max(0, from - 1); i < Math.min(values.length, to + 1); i++) {
    const value = values[i][key]
    if (value === undefined) continue
    const [at, level] = [x(i), y(value)]
    if (kind === 'dots') {
      const radius = Math.max(1, Math.min(2.5, half * 0.6))
      ctx.moveTo(at + radius, level)
      ctx.arc(at, level, radius, 0, 2 * Math.PI)
      continue
    }
    // From the last bar of the same level, so that the line has no seams.
    ctx.moveTo(values[i - 1]?.[key] === value ? x(i - 1) : at - half, level)
    ctx.lineTo(at + half, level)
  }
  if (kind === 'dots') ctx.fill()
  else ctx.stroke()
}

/** The row that is some bars before another one; rows without a bar don't count. */
function rowAgo(rows: readonly Row[], index: number, bars: number): number {
  let at = index
  for (let left = bars; left > 0 && at > 0; at--) if (rows[at - 1].bar !== null) left--
  return at
}

/** Paints the line through swings, and dashed the leg that still forms. */
function swings({ ctx, x, y, from, to }: Canvas, values: readonly StudyValues[], rows: readonly Row[]): void {
  let on = false
  const add = (index: number, price: number): void => {
    if (on) ctx.lineTo(x(index), y(price))
    else ctx.moveTo(x(index), y(price))
    on = true
  }
  ctx.beginPath()
  let last = -1
  // A swing is confirmed bars later: the first one after the rows on screen still belongs to their line.
  for (let i = Math.max(0, from); i < values.length && last <= to; i++) {
    const { 0: price, 1: ago } = values[i]
    if (price === undefined || (last >= 0 && values[i - 1]?.[0] === price)) continue
    last = rowAgo(rows, i, ago)
    add(last, price)
  }
  ctx.stroke()
  const { 0: price, 1: ago, 2: leg, 3: legAgo } = values[values.length - 1] ?? {}
  if (price === undefined || leg === undefined) return
  ctx.setLineDash([3, 3])
  ctx.beginPath()
  on = false
  add(rowAgo(rows, values.length - 1, ago), price)
  add(rowAgo(rows, values.length - 1, legAgo), leg)
  ctx.stroke()
  ctx.setLineDash([])
}

/** Fills the area between two outputs, in the second color wherever the second output is above. */
function ground(
  canvas: Canvas,
  values: readonly StudyValues[],
  [a, b]: readonly [number, number],
  shift: number,
  colours: readonly [string, string],
): void {
  const { ctx, x, y, from, to } = canvas
  ctx.globalAlpha = 0.09
  const runs: number[][] = []
  let side = 0
  for (let i = Math.max(0, from - 1 - shift); i < Math.min(values.length, to + 1 - shift); i++) {
    const [one, other] = [values[i][a], values[i][b]]
    if (one === undefined || other === undefined) {
      side = 0
      continue
    }
    const now = one >= other ? 1 : -1
    if (now !== side) {
      // Both sides share the bar where they meet, so there is no gap between them.
      const last = runs[runs.length - 1]
      runs.push(side === 0 || last === undefined ? [now] : [now, last[last.length - 1]])
      side = now
    }
    runs[runs.length - 1].push(i)
  }
  for (const [sign, ...list] of runs) {
    ctx.fillStyle = colours[sign === 1 ? 0 : 1]
    ctx.beginPath()
    for (const i of list) ctx.lineTo(x(i + shift), y(values[i][a]))
    for (const i of list.toReversed()) ctx.lineTo(x(i + shift), y(values[i][b]))
    ctx.fill()
  }
  ctx.globalAlpha = 1
}

/** Paints the bounds of an output: a whisker on each column, or a tinted band around a line. */
function bounds(
  canvas: Canvas,
  values: readonly StudyValues[],
  [low, high]: readonly [number, number],
  color: string,
): void {
  const { ctx, x, y, from, to, half } = canvas
  ctx.fillStyle = color
  ctx.globalAlpha = 0.6
  const cap = Math.max(1, Math.floor(half * 0.5))
  for (let i = Math.max(0, from); i < Math.min(values.length, to); i++) {
    const [least, most] = [values[i][low], values[i][high]]
    if (least === undefined || most === undefined || least === most) continue
    const [top, bottom] = [y(most), y(least)]
    ctx.fillRect(Math.round(x(i)), top, 1, Math.max(1, bottom - top))
    for (const end of [top, bottom]) ctx.fillRect(Math.round(x(i)) - cap, Math.round(end), cap * 2 + 1, 1)
  }
  ctx.globalAlpha = 1
}

function columns(
  { ctx, x, y, from, to, half }: Canvas,
  values: readonly StudyValues[],
  key: number,
  theme: ChartTheme,
): void {
  const width = Math.max(1, Math.floor(half * 2 * 0.6))
  const zero = y(0)
  ctx.globalAlpha = 0.55
  for (const up of [true, false]) {
    ctx.fillStyle = up ? theme.up : theme.down
    for (let i = Math.max(0, from); i < Math.min(values.length, to); i++) {
      const value = values[i][key]
      if (value === undefined || value >= 0 !== up) continue
      const at = y(value)
      ctx.fillRect(Math.round(x(i) - width / 2), Math.min(at, zero), width, Math.max(1, Math.abs(at - zero)))
    }
  }
  ctx.globalAlpha = 1
}

/** Paints a volume profile: by side from trades, by the direction of bars from bars. */
function profile(
  canvas: Canvas,
  { study, theme, shown, profile: cells, asset }: StudyContext,
  rows: readonly Row[],
): void {
  const [, share] = parameterValues(VOLUME_PROFILE, study.values)
  const found = profileOf(rows, shown(), study, cells(), asset())
  if (found === null) return
  const { ctx, y, width: full } = canvas
  const { up, down, warn, faint, text } = theme()
  // Drawn leftward from the right edge, or rightward from where its range begins.
  const placed = found.placedMs === null ? null : xAt(canvas, rows, found.placedMs)
  const most = (full * share) / 100
  const at = (offset: number, wide: number): number => (placed === null ? full - offset - wide : placed + offset)
  for (const [level, { from: low, to: high, buy, sell, unknown }] of found.levels.entries()) {
    const top = Math.min(y(low), y(high))
    const height = Math.max(1, Math.abs(y(high) - y(low)) - 1)
    const widthOf = (volume: number): number => (volume / found.greatest) * most
    const parts = [
      [up, buy],
      [down, sell],
      [faint, unknown],
    ] as const
    ctx.globalAlpha = level >= found.area[0] && level <= found.area[1] ? 0.34 : 0.16
    let offset = 0
    for (const [color, volume] of parts) {
      ctx.fillStyle = color
      ctx.fillRect(at(offset, widthOf(volume)), top, widthOf(volume), height)
      offset += widthOf(volume)
    }
  }
  const middleOf = (level: number): number =>
    Math.round((y(found.levels[level].from) + y(found.levels[level].to)) / 2) + 0.5
  ctx.globalAlpha = 0.8
  ctx.strokeStyle = warn
  ctx.lineWidth = 1
  ctx.setLineDash([6, 4])
  ctx.beginPath()
  ctx.moveTo(at(most, 0), middleOf(found.most))
  ctx.lineTo(at(0, 0), middleOf(found.most))
  ctx.stroke()
  // Nodes: a solid mark where much was traded, an open one where little was.
  ctx.setLineDash([])
  ctx.fillStyle = ctx.strokeStyle = text
  for (const level of found.nodes.high) ctx.fillRect(at(0, 6), middleOf(level) - 1.5, 6, 3)
  for (const level of found.nodes.low) ctx.strokeRect(at(0, 5), middleOf(level) - 1, 5, 2)
}

/** The x of the first row at or after an instant (UTC ms); the left edge if that is further left. */
function xAt({ x, width, half }: Canvas, rows: readonly Row[], ms: number): number {
  const index = rows.findIndex(({ timestamp }) => timestamp >= ms)
  return index < 0 ? width : Math.max(0, x(index) - half)
}

/** The color of an output: the chosen one, else the color of its line style. */
export function studyColour(study: ChartStudy, output: number, theme: ChartTheme): string {
  const chosen = study.colours[output]
  if (chosen !== undefined && chosen !== '') return chosen
  return lineColor(study.palette[output] ?? 0, theme.series)
}

/** The dashes of an output. Lines in a color that the user chose are solid. */
export const studyDash = (study: ChartStudy, output: number): LineDash =>
  study.colours[output] ? 'solid' : lineDash(study.palette[output] ?? 0)

function paint(canvas: Canvas, context: StudyContext, rows: readonly Row[]): void {
  const { ctx } = canvas
  const { study, run } = context
  const theme = context.theme()
  ctx.setLineDash([])
  ctx.lineJoin = 'round'
  const row = studySpec(study)
  if (run === null || row === null) return profile(canvas, context, rows)
  const { drawn } = run
  const shifts = drawn.shifts?.(run.parameters) ?? []
  const colour = (output: number): string => studyColour(study, output, theme)
  if (study.own) {
    ctx.strokeStyle = theme.faint
    ctx.lineWidth = 1
    ctx.setLineDash([3, 4])
    ctx.beginPath()
    for (const level of drawn.levels ?? []) {
      const at = Math.round(canvas.y(level)) + 0.5
      ctx.moveTo(0, at)
      ctx.lineTo(canvas.width, at)
    }
    ctx.stroke()
    ctx.setLineDash([])
  }
  if (drawn.ground) {
    const [a, b] = drawn.ground
    // A cloud changes color where its lines cross; the edges of a band never cross.
    const cloud = drawn.shifts !== undefined
    const both: readonly [string, string] = cloud ? [theme.up, theme.down] : [colour(0), colour(0)]
    ground(canvas, run.values, [a, b], shifts[a] ?? 0, both)
  }
  if (drawn.columns !== undefined) columns(canvas, run.values, drawn.columns, theme)
  if (drawn.bounds && drawn.columns === undefined) {
    const both: readonly [string, string] = [colour(0), colour(0)]
    ground(canvas, run.values, drawn.bounds, 0, both)
  } else if (drawn.bounds) bounds(canvas, run.values, drawn.bounds, theme.text)
  ctx.lineWidth = 1.25
  if (drawn.swings) {
    ctx.strokeStyle = colour(0)
    return swings(canvas, run.values, rows)
  }
  for (const output of row.outputs.keys()) {
    if (output === drawn.columns || drawn.bounds?.includes(output) === true) continue
    const isBand = drawn.bands?.includes(output) === true
    ctx.strokeStyle = ctx.fillStyle = colour(output)
    ctx.globalAlpha = isBand ? BAND_ALPHA : 1
    ctx.setLineDash(isBand ? BAND_DASH : dashPattern(studyDash(study, output)))
    if (drawn.marks) marks(canvas, run.values, output, drawn.marks)
    else line(canvas, run.values, output, shifts[output] ?? 0)
  }
  ctx.globalAlpha = 1
  ctx.setLineDash([])
}

/** One template for all studies: the id decides what is computed and painted. */
export const STUDY_TEMPLATE: IndicatorTemplate = {
  name: 'td-study',
  calcParams: [],
  figures: Array.from({ length: 8 }, (_, i) => ({ key: String(i), type: 'line' })),
  createTooltipDataSource: () => ({ name: '', calcParamsText: '', features: [], legends: [] }),
  calc(rows: KLineData[], indicator: Indicator<unknown, unknown, unknown>) {
    const context = contexts.get(indicator.id)
    if (!context?.run) return []
    try {
      // every row comes from series.ts; the library keeps the list, which is extended in place
      return context.run.follow(rows as Row[]) as StudyValues[]
    } catch (thrown) {
      // The library would swallow the error.
      context.failed(thrown)
      return []
    }
  },
  draw({ ctx, chart, indicator, bounding, xAxis, yAxis }: IndicatorDrawParams<unknown, unknown, unknown>) {
    const context = contexts.get(indicator.id)
    if (!context) return true
    const range = chart.getVisibleRange()
    const canvas: Canvas = {
      ctx,
      x: (index) => xAxis.convertToPixel(index),
      y: (value) => yAxis.convertToPixel(value),
      from: range.from,
      to: Math.max(range.to, Math.ceil(range.realTo)),
      width: bounding.width,
      height: bounding.height,
      half: chart.getBarSpace().halfBar,
    }
    paint(canvas, context, chart.getDataList() as Row[]) // as above
    return true
  },
}
