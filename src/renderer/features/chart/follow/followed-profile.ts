/** Reads the trades for the volume profiles of a chart. */
import type { ChartPort, ProfileCells, ReadSides } from '../../../charts/model/chart.ts'
import { firstDay, profileSettings, type ProfileSettings } from '../../../charts/model/profile.ts'
import { dayStart } from '../../../../shared/core/market/calendar.ts'
import { groupFor, NO_CELLS, type CellColumns, type PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import type { ChartIndicator } from '../../../../shared/features/chart/chart-settings.ts'
import type { FlowValue } from '../../../../shared/core/views/contract.ts'
import { parseInstrument, unixMs } from '../../../../shared/base/units.ts'
import type { Transport } from '../../../../shared/transport.ts'
import { keepStream } from '../../../rpc/follow-stream.ts'
import type { ChartQuery, Following } from './chart-target.ts'
import { areRowsNear, contains, rangeAround, type OpenRange } from './range-in-view.ts'

/** Profiles of more bars in view than this are made from bars. */
const MAX_BARS = 2_000
/** Rows are chosen again once the prices in view make them this many times too high or too low. */
const MAX_MISFIT = 2.5

export type ProfileChart = Pick<ChartPort, 'setProfile' | 'visibleBars' | 'barsBetween' | 'onView'>

/** What a profile reads, UTC ms. `byBar`: bar by bar, so those in view can be summed. */
interface Range extends OpenRange {
  readonly byBar: boolean
}
/** The bars in view, and the range that the profile covers; null: too many bars, or none. */
interface Wanted {
  readonly read: Range
  readonly needed: OpenRange
}

/** Follows one profile until stopped. `decimals`: those of prices. Calls `onShown` with the trades that are shown. */
export function followProfile(
  transport: Transport,
  chart: ProfileChart,
  query: ChartQuery,
  decimals: number,
  { id, values }: Pick<ChartIndicator, 'id' | 'values'>,
  onShown: (profile: ProfileCells | null) => void = () => undefined,
): Following {
  const settings = profileSettings(values)
  const { view, instrument, interval } = query
  let asked: Range | null = null
  let rows: PriceRows | null = null
  let cells = new Map<number, CellColumns>()
  let isRead = false
  let sides: ReadSides | null = null
  let close = (): void => undefined

  const set = (profile: ProfileCells | null): void => {
    chart.setProfile(id, profile)
    onShown(profile)
  }
  const show = (): void => {
    if (!isRead || rows === null || asked === null || sides === null) return set(null)
    const { fromMs, toMs, byBar } = asked
    const all = cells.get(fromMs) ?? NO_CELLS
    const profile: ProfileCells = {
      rows,
      fromMs,
      toMs,
      sides,
      span: (bars) =>
        byBar ? { fromMs: bars.at(0)?.startMs ?? fromMs, toMs: bars.at(-1)?.endMs ?? toMs } : { fromMs, toMs },
      cells: (bars) => (byBar ? bars.map(({ startMs }) => cells.get(startMs) ?? NO_CELLS) : [all]),
    }
    set(profile)
  }
  const take = ({ reset, bars, meter, coverage }: FlowValue): void => {
    if (reset !== null) cells = new Map()
    isRead = true
    sides = { meter, coverage, range: null }
    for (const [i, startMs] of bars.startMs.entries()) cells.set(startMs, bars.cells?.[i] ?? NO_CELLS)
    show()
  }
  const look = (): void => {
    const wanted = rangeOf(chart, query, settings)
    if (wanted === null) {
      asked = null
      close()
      isRead = false
      return show()
    }
    const { needed, read } = wanted
    const { high, low } = extremes(chart, needed)
    if (!(high >= low)) return
    const group = groupFor(high - low, decimals, settings.levels)
    if (areRowsNear(rows, group, MAX_MISFIT) && asked !== null && asked.byBar === read.byBar && covers(asked, needed))
      return
    asked = read
    rows = { decimals, group }
    isRead = false
    close()
    show()
    const { fromMs, toMs } = read
    close = keepStream(
      transport,
      'flow',
      {
        view,
        instrument,
        interval: read.byBar ? interval : null,
        fromMs: unixMs(fromMs),
        toMs: toMs === null ? null : unixMs(toMs),
        rows,
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
      set(null)
    },
    cut() {
      isRead = false
      show()
    },
  }
}

/** Whether what was read covers a range. If read bar by bar, a larger range covers it; otherwise only the same one. */
const covers = (asked: Range, needed: OpenRange): boolean =>
  asked.byBar ? contains(asked, needed) : asked.fromMs === needed.fromMs && asked.toMs === needed.toMs

function rangeOf(chart: ProfileChart, { instrument }: ChartQuery, settings: ProfileSettings): Wanted | null {
  const asset = parseInstrument(instrument)?.asset ?? 'crypto'
  const bars = chart.visibleBars()
  const [first, last] = [bars.at(0), bars.at(-1)]
  if (first === undefined || last === undefined) return null
  const whole = (fromMs: number, toMs: number | null): Wanted | null =>
    Number.isNaN(fromMs) ? null : { needed: { fromMs, toMs }, read: { fromMs, toMs, byBar: false } }
  const after = chart.barsBetween(last.endMs, Infinity)
  switch (settings.range) {
    case 'visible': {
      const range = bars.length > MAX_BARS ? null : rangeAround(chart, bars)
      return range && { needed: range.needed, read: { ...range.read, byBar: true } }
    }
    case 'day':
    case 'days': {
      const day = dayStart(asset, last.startMs)
      const end = after.findIndex(({ startMs }) => dayStart(asset, startMs) !== day)
      return whole(firstDay(asset, last.startMs, settings), end < 0 ? null : after[end].startMs)
    }
    case 'marked':
      return settings.toMs > settings.fromMs ? whole(settings.fromMs, settings.toMs) : null
    case 'anchor':
      return settings.fromMs > 0 ? whole(settings.fromMs, null) : null
  }
}

/** The highest and lowest price of a range's bars on the chart. */
function extremes(chart: ProfileChart, { fromMs, toMs }: OpenRange): { readonly high: number; readonly low: number } {
  let [high, low] = [-Infinity, Infinity]
  for (const bar of chart.barsBetween(fromMs, toMs ?? Infinity)) {
    high = Math.max(high, bar.high)
    low = Math.min(low, bar.low)
  }
  return { high, low }
}
