/** The legend of a chart: the row under the crosshair, or else the last bar. */
import type { GapSpan } from '../../shared/core/status/status.ts'
import type { ComparedLine } from './model/compared.ts'
import type { ChartMarker } from './model/markers.ts'
import type { ChartLegend, ComparedSeries, StudyLegend } from './model/chart.ts'
import type { Row } from './model/series.ts'

interface LegendSource {
  readonly rows: readonly Row[]
  /** The row under the crosshair; null if it isn't on this chart. */
  readonly cursor: number | null
  /** Newer bars exist than the last row. */
  readonly hasNewer: boolean
  readonly gaps: readonly GapSpan[]
  /** The mouse is still, and the row moved under it. */
  readonly rests: boolean
  readonly intervalMs: number
  readonly markers: (row: number) => readonly ChartMarker[]
  readonly studies: (row: number) => readonly StudyLegend[]
  readonly compared: readonly ComparedSeries[]
  readonly lines: readonly ComparedLine[]
  /** The price that the percents of compared symbols count from. */
  readonly base: () => number
}

export function chartLegend(source: LegendSource): ChartLegend {
  const { rows, cursor, gaps, intervalMs, compared } = source
  let index = cursor ?? rows.length - 1
  while (cursor === null && index > 0 && !rows[index]?.bar) index--
  // The last bar of a range of history isn't the latest one.
  const bar = cursor === null && source.hasNewer ? null : (rows[index]?.bar ?? null)
  let before = index - 1
  while (before >= 0 && !rows[before].bar) before--
  const atMs = cursor === null ? null : (rows[index]?.timestamp ?? null)
  const touches = ({ fromMs, toMs }: GapSpan, startMs: number): boolean =>
    fromMs < startMs + intervalMs && (toMs ?? Infinity) >= startMs
  return {
    bar,
    previousClose: rows[before]?.bar?.close ?? null,
    fromCrosshair: cursor !== null,
    rests: source.rests,
    gap: atMs === null ? null : (gaps.find((one) => touches(one, atMs)) ?? null),
    atMs,
    markers: cursor === null ? [] : source.markers(cursor),
    studies: source.studies(cursor ?? rows.length - 1),
    compared: source.lines.map(({ colour, dash, from, prices }, i) => {
      const price = prices[Math.min(cursor ?? Infinity, from + prices.length - 1) - from] ?? null
      return {
        label: compared[i].label,
        colour,
        dash,
        percent: price === null ? null : (price / source.base() - 1) * 100,
      }
    }),
  }
}
