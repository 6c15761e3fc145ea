/** Paints indicators: lines, columns, tinted fills, levels, and the volume profile. */
import type { Indicator, IndicatorDrawParams, IndicatorTemplate, KLineData } from 'klinecharts'
import { INDICATORS, VOLUME_PROFILE, parameterValues } from '../../../shared/core/market/indicators/table.ts'
import { volumeProfile } from '../../../shared/core/market/indicators/volume-profile.ts'
import { dashPattern, lineColor, lineDash, type LineDash } from '../model/line-style.ts'
import type { ChartStudy, ChartTheme } from '../model/chart.ts'
import type { RowRange } from '../model/rows-on-screen.ts'
import type { Row } from '../model/series.ts'
import type { StudyRun, StudyValues } from '../model/study-run.ts'

/** What a study needs to be computed and painted. Looked up by its id, because templates are global. */
export interface StudyContext {
  readonly study: ChartStudy
  /** Null for the volume profile, which covers the bars in view. */
  readonly run: StudyRun | null
  readonly theme: () => ChartTheme
  /** Rows on screen. */
  readonly shown: () => RowRange
  readonly failed: (thrown: unknown) => void
}

const contexts = new Map<string, StudyContext>()

/** Registers a study under its id in the library; returns the function that removes it. */
export function provideStudy(id: string, context: StudyContext): () => void {
  contexts.set(id, context)
  return () => contexts.delete(id)
}

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

function profile(canvas: Canvas, { study, theme, shown }: StudyContext, rows: readonly Row[]): void {
  const [levels, share] = parameterValues(VOLUME_PROFILE, study.values)
  const { from, to } = shown()
  const bars = rows.slice(from, to).flatMap((row) => (row.bar ? [row.bar] : []))
  const found = volumeProfile(bars, levels)
  if (found === null) return
  const { ctx, y, width: full } = canvas
  const { up, down, warn } = theme()
  const most = (full * share) / 100
  for (const [at, level] of found.levels.entries()) {
    const top = Math.min(y(level.from), y(level.to))
    const height = Math.max(1, Math.abs(y(level.to) - y(level.from)) - 1)
    const upWide = (level.up / found.greatest) * most
    const downWide = (level.down / found.greatest) * most
    ctx.globalAlpha = at >= found.area[0] && at <= found.area[1] ? 0.34 : 0.16
    ctx.fillStyle = up
    ctx.fillRect(full - upWide, top, upWide, height)
    ctx.fillStyle = down
    ctx.fillRect(full - upWide - downWide, top, downWide, height)
  }
  const busiest = found.levels[found.most]
  const middle = Math.round((y(busiest.from) + y(busiest.to)) / 2) + 0.5
  ctx.globalAlpha = 0.8
  ctx.strokeStyle = warn
  ctx.lineWidth = 1
  ctx.setLineDash([6, 4])
  ctx.beginPath()
  ctx.moveTo(full - most, middle)
  ctx.lineTo(full, middle)
  ctx.stroke()
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
  if (run === null || study.kind === 'volume-profile') return profile(canvas, context, rows)
  const row = INDICATORS[study.kind]
  const drawn = row.drawn ?? {}
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
  ctx.lineWidth = 1.25
  for (const output of row.outputs.keys()) {
    if (output === drawn.columns) continue
    ctx.strokeStyle = colour(output)
    ctx.setLineDash(dashPattern(studyDash(study, output)))
    line(canvas, run.values, output, shifts[output] ?? 0)
  }
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
