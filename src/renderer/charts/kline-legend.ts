/** What the legend of a chart tells: of the row under the crosshair, else of the last bar. */
import type { GapSpan } from '../../shared/core/status/status.ts'
import type { LineDash } from './model/line-style.ts'
import type { ChartMarker } from './model/markers.ts'
import type { ChartLegend, ComparedSeries, StudyLegend } from './model/chart.ts'
import type { Row } from './model/series.ts'

/** A compared symbol in prices of the chart's own. */
export interface ComparedLine {
  readonly colour: string
  readonly dash: LineDash
  /** The row of its first price. */
  readonly from: number
  readonly prices: readonly (number | null)[]
}

interface Told {
  readonly rows: readonly Row[]
  /** The row under the crosshair; null: it is elsewhere. */
  readonly cursor: number | null
  /** The last row is not of now. */
  readonly moreNewer: boolean
  readonly gaps: readonly GapSpan[]
  readonly rests: boolean
  readonly intervalMs: number
  readonly markers: (row: number) => readonly ChartMarker[]
  readonly studies: (row: number) => readonly StudyLegend[]
  readonly compared: readonly ComparedSeries[]
  readonly lines: readonly ComparedLine[]
  /** The price that percents of compared symbols are from. */
  readonly base: () => number
}

export function chartLegend(told: Told): ChartLegend {
  const { rows, cursor, gaps, intervalMs, compared } = told
  let index = cursor ?? rows.length - 1
  while (cursor === null && index > 0 && !rows[index]?.bar) index--
  // The end of a stretch of the past is nobody's latest bar.
  const bar = cursor === null && told.moreNewer ? null : (rows[index]?.bar ?? null)
  let before = index - 1
  while (before >= 0 && !rows[before].bar) before--
  const atMs = cursor === null ? null : (rows[index]?.timestamp ?? null)
  const touches = ({ fromMs, toMs }: GapSpan, startMs: number): boolean =>
    fromMs < startMs + intervalMs && (toMs ?? Infinity) >= startMs
  return {
    bar,
    previousClose: rows[before]?.bar?.close ?? null,
    fromCrosshair: cursor !== null,
    rests: told.rests,
    gap: atMs === null ? null : (gaps.find((one) => touches(one, atMs)) ?? null),
    atMs,
    markers: cursor === null ? [] : told.markers(cursor),
    studies: told.studies(cursor ?? rows.length - 1),
    compared: told.lines.map(({ colour, dash, from, prices }, i) => {
      const price = prices[Math.min(cursor ?? Infinity, from + prices.length - 1) - from] ?? null
      return {
        label: compared[i].label,
        colour,
        dash,
        percent: price === null ? null : (price / told.base() - 1) * 100,
      }
    }),
  }
}
