/**
 * The trades of the bars in view by side. Reading sides takes every trade and quote of the range, so a chart reads no
 * more than it needs: for sums, the days it shows and at most a week; for a footprint, the bars around those in view.
 */
import { DAY_MS } from '../../../../shared/base/durations.ts'
import type { SumsNeeded } from '../model/chart-studies.ts'
import type { ChartPort, Footprint, ReadSides } from '../../../charts/model/chart.ts'
import { dayEnd, dayStart } from '../../../../shared/core/market/calendar.ts'
import type { BarFlow, EarlierTrades } from '../../../../shared/core/market/indicators/indicator.ts'
import { NO_CELLS, type CellColumns, type PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import type { FlowColumns } from '../../../../shared/core/market/flow/flow-bars.ts'
import { NO_VWAP } from '../../../../shared/core/market/flow/vwap.ts'
import type { FlowValue } from '../../../../shared/core/views/contract.ts'
import { parseInstrument, unixMs, type AssetClass } from '../../../../shared/base/units.ts'
import type { Transport } from '../../../../shared/transport.ts'
import { keepStream } from '../../../rpc/follow-stream.ts'
import { earlierTrades } from './earlier-trades.ts'
import type { ChartQuery, Following } from './chart-target.ts'
import { contains, rangeAround, type OpenRange, type RangeToRead } from './range-in-view.ts'

const MAX_RANGE_MS = 7 * DAY_MS
/** Sums that begin longer than this before the first day in view are left out. */
const MAX_SINCE_MS = 31 * DAY_MS
/** The most bars in view that have a footprint. */
const MAX_BARS = 1_000
const NO_TRADES: BarFlow = { buy: 0, sell: 0, vwap: NO_VWAP }

/** The start of the Monday of an instant's week, UTC ms. */
function weekStart(asset: AssetClass, ms: number): number {
  // 1970 began on a Thursday.
  const dayOfWeek = (Math.floor(ms / DAY_MS) + 3) % 7
  return dayStart(asset, ms - dayOfWeek * DAY_MS)
}

export type FlowChart = Pick<ChartPort, 'setFlow' | 'visibleBars' | 'barsBetween' | 'onView'>
type FootprintChart = Pick<ChartPort, 'setFootprint' | 'visibleBars' | 'barsBetween' | 'onView'>

/** What was read: from when (UTC ms; NaN: nothing yet), and the flows of bars by their start. */
interface Held<T> {
  readonly fromMs: number
  readonly flows: ReadonlyMap<number, T>
}

interface Parts<T> {
  readonly transport: Transport
  readonly chart: Pick<ChartPort, 'onView'>
  readonly query: ChartQuery
  readonly rows?: PriceRows
  /** Null: no bars are in view yet. */
  readonly inView: () => RangeToRead | null
  readonly flowAt: (columns: FlowColumns, i: number) => T
  readonly none: T
  /** Shows the flows of bars; those from `fromMs` on have changed. Null: shows none. */
  readonly show: (flowOf: ((startMs: number) => T | undefined) | null, fromMs: number, held: Held<T>) => void
  readonly onSides: (sides: ReadSides | null) => void
}

/** Keeps the flows of the bars in view up to date until stopped. */
function follow<T>({ transport, chart, query, rows, inView, flowAt, none, show, onSides }: Parts<T>): Following {
  const { view, instrument, interval } = query
  let asked: OpenRange | null = null
  let read: OpenRange | null = null
  let flows = new Map<number, T>()
  let close: () => void = () => undefined

  const flowOf = (startMs: number): T | undefined => {
    if (read === null || startMs < read.fromMs || (read.toMs !== null && startMs >= read.toMs)) return undefined
    return flows.get(startMs) ?? none
  }
  const held = (): Held<T> => ({ fromMs: read?.fromMs ?? NaN, flows })
  const take = ({ reset, bars, meter, coverage }: FlowValue): void => {
    if (reset !== null) {
      read = reset
      flows = new Map()
    }
    for (const [i, startMs] of bars.startMs.entries()) flows.set(startMs, flowAt(bars, i))
    show(flowOf, reset === null ? Math.min(...bars.startMs) : -Infinity, held())
    onSides({ meter, coverage, range: read })
  }
  const look = (): void => {
    const range = inView()
    if (range === null || (asked !== null && contains(asked, range.needed))) return
    asked = range.read
    close()
    const { fromMs, toMs } = asked
    close = keepStream(
      transport,
      'flow',
      {
        view,
        instrument,
        interval,
        fromMs: unixMs(fromMs),
        toMs: toMs === null ? null : unixMs(toMs),
        ...(rows === undefined ? {} : { rows }),
      },
      take,
      () => undefined,
    )
  }
  const offView = chart.onView(look)
  look()
  return {
    stop() {
      offView()
      close()
      show(null, -Infinity, held())
      onSides(null)
    },
    // The stream of a replay begins again; until then, a bar may have trades from after the clock.
    cut() {
      read = null
      show(flowOf, -Infinity, held())
      onSides(null)
    },
  }
}

const flowOf = ({ buy, sell, unknown, vwap, squares }: FlowColumns, i: number): BarFlow => {
  const volume = buy[i] + sell[i] + unknown[i]
  const part = volume > 0 ? { volume, mean: vwap[i], squares: squares[i] } : NO_VWAP
  return { buy: buy[i], sell: sell[i], vwap: part }
}

/** Gives a chart's indicators the volume by side of its bars. Sums begin with a day. */
export function followFlow(
  transport: Transport,
  chart: FlowChart,
  query: ChartQuery,
  onSides: (sides: ReadSides | null) => void,
  sums: SumsNeeded = { week: false, anchors: [] },
): Following {
  const asset = parseInstrument(query.instrument)?.asset ?? 'crypto'
  const inView = () => {
    const bars = chart.visibleBars()
    const [first, last] = [bars.at(0), bars.at(-1)]
    if (first === undefined || last === undefined) return null
    const firstDay = dayStart(asset, Math.max(first.startMs, last.startMs - MAX_RANGE_MS))
    const earliest = Math.min(...sums.anchors)
    const since = earliest >= firstDay ? firstDay : dayStart(asset, earliest)
    const fromMs = Math.max(sums.week ? weekStart(asset, since) : since, firstDay - MAX_SINCE_MS)
    const endMs = dayEnd(asset, last.startMs)
    const isNewest = chart.barsBetween(endMs, Infinity).length === 0
    // Outside trading days there is no day to begin with.
    if (Number.isNaN(fromMs)) return null
    const range = { fromMs, toMs: isNewest || Number.isNaN(endMs) ? null : endMs }
    return { needed: range, read: range }
  }
  let earlier: { readonly beforeMs: number; readonly parts: readonly EarlierTrades[] } | null = null
  return follow<BarFlow>({
    transport,
    chart,
    query,
    inView,
    flowAt: flowOf,
    none: NO_TRADES,
    show(flowOf, changedMs, { fromMs, flows }) {
      if (earlier !== null && changedMs < earlier.beforeMs) earlier = null
      const before = (beforeMs: number): readonly EarlierTrades[] => {
        if (earlier?.beforeMs !== beforeMs)
          earlier = { beforeMs, parts: earlierTrades(flows, fromMs, beforeMs, sums.anchors) }
        return earlier.parts
      }
      chart.setFlow(flowOf && Object.assign((startMs: number) => flowOf(startMs), { before }), changedMs)
    },
    onSides,
  })
}

/** Gives a chart the cells of its bars, in these price rows. */
export function followFootprint(
  transport: Transport,
  chart: FootprintChart,
  query: ChartQuery,
  rows: PriceRows,
  onSides: (sides: ReadSides | null) => void,
): Following {
  return follow<CellColumns>({
    transport,
    chart,
    query,
    rows,
    inView: () => rangeAround(chart, chart.visibleBars().slice(-MAX_BARS)),
    flowAt: ({ cells }, i) => cells?.[i] ?? NO_CELLS,
    none: NO_CELLS,
    show(cellsOf) {
      const footprint: Footprint | null = cellsOf && { rows, cellsOf }
      chart.setFootprint(footprint)
    },
    onSides,
  })
}
