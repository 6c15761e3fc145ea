/** Matches the service's indicators with ours over recorded bars by time and compares the values. Pure. */
import { chartOf, orderOf, type Column, type Table } from '../../../../shared/features/research/read.ts'
import { numberOf, timeOf } from '../../../../shared/features/research/types.ts'
import { scalarText } from '../../../../shared/features/research/value.ts'
import { INTERVAL_LABELS, msOf, type Bar, type Interval } from '../../../../shared/core/market/market.ts'
import type { AssetClass } from '../../../../shared/base/units.ts'
import { t } from '../../../../shared/base/text.ts'

export interface TechnicalPoint {
  /** Start of the bar or time of the service's row, UTC ms; for a day, its midnight. Used for sorting. */
  readonly ms: number
  /** The day, `YYYY-MM-DD`, if the service sends days. */
  readonly day: string | null
  /** Values; NaN if absent. */
  readonly ours: number
  readonly service: number
}

/** Tables that can be compared: they have a time column and a number column. */
export const comparable = (tables: readonly Table[]): readonly Table[] =>
  tables.filter((table) => chartOf(table) !== null)

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace('%', '')
    .replace('+di', 'plusdi')
    .replace(/[−-]di/, 'minusdi')
    .replace(/[^a-z]/g, '')
/** Other names services use for our lines. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  middle: ['mid', 'basis', 'sma', 'middleband', 'ma'],
  upper: ['up', 'upperband', 'top'],
  lower: ['low', 'lowerband', 'down', 'bottom'],
  k: ['percentk', 'fastk', 'slowk', 'stochk'],
  d: ['percentd', 'slowd', 'fastd', 'stochd'],
  r: ['williamsr', 'percentr', 'willr', 'wr'],
  plusdi: ['pdi', 'diplus', 'pdi'],
  minusdi: ['mdi', 'diminus', 'ndi'],
  histogram: ['hist', 'macdhistogram', 'macdhist', 'divergence'],
  signal: ['signalline', 'macdsignal'],
  macd: ['macdline'],
}

/** The column that most likely holds a line: by name, else the only numeric one; -1 if the user must choose. */
export function guessColumn(output: string, columns: readonly Column[], numbers: readonly number[]): number {
  const wanted = plain(output)
  const names = [wanted, ...(ALSO[wanted] ?? [])]
  for (const name of names) {
    const found = numbers.find((i) => plain(columns[i].key.split('.').at(-1) ?? '') === name)
    if (found !== undefined) return found
  }
  return numbers.length === 1 ? numbers[0] : -1
}

/** The calendar day of a daily bar, `YYYY-MM-DD`. */
export function barDay(bar: Pick<Bar, 'startMs' | 'endMs'>, asset: AssetClass): string {
  // A forex day starts the evening before; a stock day may end after midnight UTC.
  const ms = asset === 'stocks' ? bar.startMs : bar.endMs - 1
  return new Date(ms).toISOString().slice(0, 10)
}

/**
 * Both lines over the union of their times, oldest first. A row with a day matches the daily bar of that day; a
 * row with an instant matches the bar that starts exactly then. Times are never shifted to match.
 */
export function technicalPoints(
  table: Table | undefined,
  columns: { readonly time: number; readonly value: number },
  bars: readonly Bar[],
  ours: readonly number[],
  asset: AssetClass,
  interval: Interval,
): readonly TechnicalPoint[] {
  const days = table?.columns[columns.time]?.type === 'date'
  const points = new Map<string | number, { ms: number; day: string | null; ours: number; service: number }>()
  for (const [i, bar] of bars.entries()) {
    const day = days && interval === '1D' ? barDay(bar, asset) : null
    const ms = day === null ? bar.startMs : Date.parse(`${day}T00:00:00Z`)
    points.set(day ?? ms, { ms, day, ours: ours[i], service: NaN })
  }
  if (table !== undefined && table.columns[columns.time] !== undefined && columns.value >= 0) {
    for (let row = 0; row < table.rows; row++) {
      const cell = table.cell(row, columns.time)
      const ms = days ? timeOf(cell) : Number(orderOf(table.columns[columns.time].type, cell))
      const value = numberOf(table.cell(row, columns.value))
      if (Number.isNaN(ms) || Number.isNaN(value)) continue
      const key = days ? scalarText(cell) : ms
      const known = points.get(key)
      if (known !== undefined) known.service = value
      else points.set(key, { ms, day: days ? scalarText(cell) : null, ours: NaN, service: value })
    }
  }
  return [...points.values()].sort((a, b) => a.ms - b.ms)
}

export interface Apart {
  readonly most: number
  readonly at: TechnicalPoint
  /** Difference at the newest common time. */
  readonly newest: number
  /** Index of the first point with both values. */
  readonly first: number
  readonly rows: number
}

/** Relative tolerance for floating-point rounding, since the order of additions may differ. */
const ROUNDING = 1e-12

/** Our value minus the service's, for the chart. Rounding noise becomes 0, or the axis would magnify it. */
export function differenceOf({ ours, service }: TechnicalPoint): number {
  const difference = ours - service
  return Math.abs(difference) <= ROUNDING * Math.max(Math.abs(ours), Math.abs(service)) ? 0 : difference
}

/** Differences over the points with both values; null if there are none. */
export function apart(points: readonly TechnicalPoint[]): Apart | null {
  let most = -1
  let newest = NaN
  let first = -1
  let at: TechnicalPoint | null = null
  let rows = 0
  for (const [i, point] of points.entries()) {
    const difference = Math.abs(point.ours - point.service)
    if (Number.isNaN(difference)) continue
    if (rows++ === 0) first = i
    newest = difference
    if (difference > most) {
      most = difference
      at = point
    }
  }
  return at === null ? null : { most, at, newest, first, rows }
}

/** The newest points to draw, cut so that common points take about half of the chart or more. */
export function drawnPoints(points: readonly TechnicalPoint[], most: number): readonly TechnicalPoint[] {
  const known = points.filter((one) => !Number.isNaN(one.ours) || !Number.isNaN(one.service))
  const common = apart(known)
  return known.slice(Math.max(0, known.length - most, common === null ? 0 : common.first - Math.max(20, common.rows)))
}

/** The points as a table, newest first: time, both values, and their difference. */
export function pointTable(points: readonly TechnicalPoint[]): Table {
  const rows = points.filter((one) => !Number.isNaN(one.ours) || !Number.isNaN(one.service)).toReversed()
  const days = rows.some((one) => one.day !== null)
  const cell = (n: number) => (Number.isNaN(n) ? null : n)
  return {
    path: '',
    columns: [
      { key: 'time', title: days ? t('Day') : t('Time'), type: days ? 'date' : 'instant' },
      { key: 'ours', title: t('Tapedeck'), type: 'number' },
      { key: 'service', title: t('Service'), type: 'number' },
      { key: 'difference', title: t('Difference'), type: 'number' },
    ],
    rows: rows.length,
    cell(row, column) {
      const point = rows[row]
      if (column === 0) return point.day ?? point.ms
      return cell([point.ours, point.service, point.ours - point.service][column - 1])
    },
  }
}

/** A bar counts this long after it ends, so late messages are included, ms. */
const SETTLED_MS = 2_000

/** Bars that ended at least `SETTLED_MS` before `nowMs`. */
export const settled = (bars: readonly Bar[], nowMs: number): readonly Bar[] =>
  bars.filter(({ endMs }) => endMs <= nowMs - SETTLED_MS)

/** The interval of a table's rows: 1D for days, else the most common spacing; null if we don't have that interval. */
export function intervalOf(table: Table | undefined, time: number): Interval | null {
  const type = table?.columns[time]?.type
  if (table === undefined || type === undefined) return null
  if (type === 'date') return '1D'
  const counts = new Map<number, number>()
  let before = NaN
  for (let row = 0; row < Math.min(table.rows, 200); row++) {
    const ms = Number(orderOf(type, table.cell(row, time)))
    const distance = Math.abs(ms - before)
    if (!Number.isNaN(distance)) counts.set(distance, (counts.get(distance) ?? 0) + 1)
    before = ms
  }
  const [usual] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [NaN]
  return INTERVAL_LABELS.find((label) => msOf(label) === usual) ?? null
}
