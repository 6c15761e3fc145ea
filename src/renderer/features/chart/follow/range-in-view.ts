/** How much to read for the bars that a chart shows. */
import type { ChartPort } from '../../../charts/model/chart.ts'
import type { Bar } from '../../../../shared/core/market/market.ts'
import type { PriceRows } from '../../../../shared/core/market/flow/cells.ts'

/** Bars that are read on each side of those in view. */
const AROUND_BARS = 60

/** UTC ms; `toMs` null: up to now. */
export interface OpenRange {
  readonly fromMs: number
  readonly toMs: number | null
}

/** The range that the bars in view need, and the larger one to read if they haven't it. */
export interface RangeToRead {
  readonly needed: OpenRange
  readonly read: OpenRange
}

export const contains = (range: OpenRange, { fromMs, toMs }: OpenRange): boolean =>
  range.fromMs <= fromMs && (range.toMs === null || (toMs !== null && toMs <= range.toMs))

/** The range of some consecutive bars of a chart, to be read with some bars on each side; null without bars. */
export function rangeAround(chart: Pick<ChartPort, 'barsBetween'>, bars: readonly Bar[]): RangeToRead | null {
  const [first, last] = [bars.at(0), bars.at(-1)]
  if (first === undefined || last === undefined) return null
  const after = chart.barsBetween(last.endMs, Infinity)
  const before = chart.barsBetween(-Infinity, first.startMs).slice(-AROUND_BARS)
  return {
    needed: { fromMs: first.startMs, toMs: after.length === 0 ? null : last.endMs },
    read: {
      fromMs: before.at(0)?.startMs ?? first.startMs,
      toMs: after.length <= AROUND_BARS ? null : after[AROUND_BARS].startMs,
    },
  }
}

/** Whether price rows are at most `most` times as high or as low as those of `group`. */
export const areRowsNear = (rows: PriceRows | null, group: number, most: number): rows is PriceRows =>
  rows !== null && group <= rows.group * most && rows.group <= group * most
