/** A volume profile as it is drawn: from trades if they are read, else from bars. Pure. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { priceOfRow, sumOfCells } from '../../../shared/core/market/flow/cells.ts'
import {
  pointOfControl,
  totalsOf,
  valueArea,
  volumeNodes,
  type VolumeNodes,
} from '../../../shared/core/market/flow/profile.ts'
import type { AssetClass } from '../../../shared/base/units.ts'
import { dayEnd, dayStart } from '../../../shared/core/market/calendar.ts'
import {
  parameterValues,
  PROFILE_RANGES,
  VOLUME_PROFILE,
  type ProfileRange,
} from '../../../shared/core/market/indicators/table.ts'
import { volumeProfile } from '../../../shared/core/market/indicators/volume-profile.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { ChartStudy, ProfileCells, ProfileLegend } from './chart.ts'
import type { RowRange } from './rows-on-screen.ts'
import { lowerBound, type Row } from './series.ts'

export interface ProfileSettings {
  readonly levels: number
  readonly range: ProfileRange
  readonly days: number
  /** Of a marked range, and where one begins that has an anchor, UTC ms; 0: not set. */
  readonly fromMs: number
  readonly toMs: number
}

/** The settings of a profile, from an indicator's values. */
export function profileSettings(values: ChartStudy['values']): ProfileSettings {
  const [levels, , range, days, fromMs, toMs] = parameterValues(VOLUME_PROFILE, values)
  return { levels, range: PROFILE_RANGES[range], days, fromMs, toMs }
}

/** Start of the first of the last days that end with an instant's day, UTC ms; NaN outside of trading days. */
export function firstDay(asset: AssetClass, ms: number, { range, days }: ProfileSettings): number {
  const day = dayStart(asset, ms)
  return range === 'days' ? dayStart(asset, day - (days - 1) * DAY_MS) : day
}

/** The bars that a profile covers, of the rows of a chart and those of them in view. */
function profileBars(
  rows: readonly Row[],
  { from, to }: RowRange,
  settings: ProfileSettings,
  asset: AssetClass,
): readonly Bar[] {
  const { range, fromMs, toMs } = settings
  const barsOf = (some: readonly Row[]): readonly Bar[] => some.flatMap(({ bar }) => (bar === null ? [] : [bar]))
  const between = (first: number, end: number): readonly Bar[] =>
    first < end ? barsOf(rows.slice(lowerBound(rows, first), lowerBound(rows, end))) : []
  switch (range) {
    case 'visible':
      return barsOf(rows.slice(from, to))
    case 'day':
    case 'days': {
      const lastMs = rows.slice(from, to).findLast(({ bar }) => bar !== null)?.timestamp
      return lastMs === undefined ? [] : between(firstDay(asset, lastMs, settings), dayEnd(asset, lastMs))
    }
    case 'marked':
      return between(fromMs, toMs)
    case 'anchor':
      return fromMs > 0 ? between(fromMs, Infinity) : []
  }
}

/** A level. If the profile is made from bars, `buy` is the volume of rising bars and `sell` that of falling ones. */
interface DrawnLevel {
  readonly from: number
  readonly to: number
  readonly buy: number
  readonly sell: number
  readonly unknown: number
}

export interface DrawnProfile {
  readonly ofTrades: boolean
  /** Where its range begins, if it is drawn there instead of at the right edge, UTC ms. */
  readonly placedMs: number | null
  /** From the lowest price to the highest, without spaces. */
  readonly levels: readonly DrawnLevel[]
  /** Indexes of the level with the most volume and of the value area. */
  readonly most: number
  readonly area: readonly [number, number]
  readonly greatest: number
  readonly nodes: VolumeNodes
}

/** The last profile of the same trades: both the painter and the legend need it. */
const known = new WeakMap<ProfileCells, { readonly bars: string; readonly profile: DrawnProfile | null }>()

/** The profile of a study for the rows of a chart; `shown`: those in view. Null: nothing was traded. */
export function profileOf(
  rows: readonly Row[],
  shown: RowRange,
  { values }: Pick<ChartStudy, 'values'>,
  trades: ProfileCells | null,
  asset: AssetClass,
): DrawnProfile | null {
  const settings = profileSettings(values)
  const placedMs = settings.range === 'marked' || settings.range === 'anchor' ? settings.fromMs : null
  if (trades === null) return profileOfBars(profileBars(rows, shown, settings, asset), settings.levels, placedMs)
  const bars = profileBars(rows, shown, { ...settings, range: 'visible' }, asset)
  const key = `${bars.at(0)?.startMs} ${bars.at(-1)?.startMs} ${bars.length}`
  const before = known.get(trades)
  if (before?.bars === key) return before.profile
  const profile = profileOfTrades(bars, trades, placedMs)
  known.set(trades, { bars: key, profile })
  return profile
}

function profileOfBars(bars: readonly Bar[], count: number, placedMs: number | null): DrawnProfile | null {
  const found = volumeProfile(bars, count)
  if (found === null) return null
  const levels = found.levels.map(({ from, to, up, down }) => ({ from, to, buy: up, sell: down, unknown: 0 }))
  const nodes = volumeNodes(levels.map(({ buy, sell }) => buy + sell))
  return { ...found, ofTrades: false, placedMs, levels, nodes }
}

function profileOfTrades(bars: readonly Bar[], trades: ProfileCells, placedMs: number | null): DrawnProfile | null {
  const cells = sumOfCells(trades.cells(bars))
  const totals = totalsOf(cells)
  if (totals === null) return null
  const { base, volume } = totals
  const levels = Array.from(volume, (_, i) => ({
    from: priceOfRow(base + i, trades.rows),
    to: priceOfRow(base + i + 1, trades.rows),
    buy: 0,
    sell: 0,
    unknown: 0,
  }))
  for (const [i, row] of cells.row.entries())
    Object.assign(levels[row - base], { buy: cells.buy[i], sell: cells.sell[i], unknown: cells.unknown[i] })
  const most = pointOfControl(volume)
  const area = valueArea(volume, most)
  return { ofTrades: true, placedMs, levels, most, area, greatest: volume[most], nodes: volumeNodes(volume) }
}

export function profileLegend(profile: DrawnProfile | null, trades: ProfileCells | null): ProfileLegend | null {
  if (profile === null) return null
  const { levels, most, area, ofTrades } = profile
  return {
    ofTrades,
    sides: trades?.sides ?? null,
    most: (levels[most].from + levels[most].to) / 2,
    area: [levels[area[0]].from, levels[area[1]].to],
  }
}
