import { describe, expect, it } from 'vitest'
import {
  apart,
  barDay,
  comparable,
  drawnPoints,
  guessColumn,
  intervalOf,
  pointTable,
  settled,
  technicalPoints,
} from '../../../../../../src/renderer/features/research/company/technical.ts'
import { chartOf, readResponse, type Table } from '../../../../../../src/shared/features/research/read.ts'
import { makeBar } from '../../../../../kit/market.ts'

const DAY = 86_400_000
const bar = (startMs: number, lengthMs: number) => makeBar({ startMs, lengthMs, close: 1, volume: null })
const tableOf = (value: unknown): Table => {
  const [table] = comparable(readResponse(JSON.stringify(value)).tables)
  if (table === undefined) throw new Error('nothing to compare')
  return table
}
const first = Date.UTC(2026, 0, 5)
const days = tableOf([
  { date: '2026-01-06', rsi: '55.5' },
  { date: '2026-01-05', rsi: 50 },
  { date: '2026-01-07', rsi: null },
])
const columns = { time: 0, value: 1 }

describe('indicators of the service beside ours', () => {
  it('meet by day with daily bars, and tell how far they are apart and where', () => {
    const bars = [bar(first, DAY), bar(first + DAY, DAY), bar(first + 3 * DAY, DAY)]
    const points = technicalPoints(days, columns, bars, [50, 55, 60], 'crypto', '1D')
    expect(points.map(({ day, ours, service }) => [day, ours, service])).toEqual([
      ['2026-01-05', 50, 50],
      ['2026-01-06', 55, 55.5],
      ['2026-01-08', 60, NaN],
    ])
    expect(apart(points)).toMatchObject({ most: 0.5, rows: 2, at: { day: '2026-01-06' } })
    const table = pointTable(points)
    expect([0, 1, 2, 3].map((column) => table.cell(1, column))).toEqual(['2026-01-06', 55, 55.5, -0.5])
  })
  it('never meet over a shorter bar of the same day, nor moved to fit', () => {
    const minute = technicalPoints(days, columns, [bar(first, 60_000)], [50], 'crypto', '1m')
    expect(apart(minute)).toBeNull()
    const instants = tableOf([
      { time: new Date(first).toISOString(), v: 1 },
      { time: new Date(first + 60_001).toISOString(), v: 2 },
    ])
    const points = technicalPoints(
      instants,
      columns,
      [bar(first, 60_000), bar(first + 60_000, 60_000)],
      [1, 2],
      'crypto',
      '1m',
    )
    expect(apart(points)).toMatchObject({ most: 0, rows: 1 })
  })
  it('count bars only once they are over, and find the interval that an response keeps', () => {
    const bars = [bar(first, 60_000), bar(first + 60_000, 60_000)]
    expect(settled(bars, first + 121_000)).toHaveLength(1)
    expect(settled(bars, first + 122_000)).toHaveLength(2)
    expect(intervalOf(days, 0)).toBe('1D')
    const rows = (step: number) =>
      tableOf([0, 1, 2, 4, 5].map((i) => ({ at: new Date(first + i * step).toISOString(), v: i + 0.5 })))
    expect(intervalOf(rows(60_000), 0)).toBe('1m')
    expect(intervalOf(rows(61_000), 0)).toBeNull()
    expect(intervalOf(undefined, -1)).toBeNull()
  })
  it('are drawn so that what both have takes half of the picture', () => {
    const point = (i: number, ours: number, service: number) => ({ ms: i, day: null, ours, service })
    const points = Array.from({ length: 300 }, (_, i) => point(i, i < 270 ? NaN : i, i))
    expect(drawnPoints(points, 400)[0].ms).toBe(240)
    expect(drawnPoints(points, 20)).toHaveLength(20)
    expect(apart(points)).toMatchObject({ most: 0, newest: 0, first: 270, rows: 30 })
    expect(drawnPoints(points.slice(0, 200), 400)).toHaveLength(200)
  })
  it('know the day of a bar: of stocks by its start, of forex by its end', () => {
    expect(barDay(bar(Date.UTC(2026, 0, 5, 14, 30), DAY * 0.4), 'stocks')).toBe('2026-01-05')
    expect(barDay(bar(Date.UTC(2026, 0, 4, 22), DAY), 'forex')).toBe('2026-01-05')
  })
  it('find the column that is meant, or leave it to the user', () => {
    const macd = tableOf([
      { t: '2026-01-05', macd: 1, macd_signal: 2, hist: 3 },
      { t: '2026-01-06', macd: 1, macd_signal: 2, hist: 3 },
    ])
    const numbers = chartOf(macd)?.values ?? []
    expect(['MACD', 'Signal', 'Histogram'].map((one) => guessColumn(one, macd.columns, numbers))).toEqual([1, 2, 3])
    expect(guessColumn('Upper', macd.columns, numbers)).toBe(-1)
    expect(guessColumn('RSI', days.columns, [1])).toBe(1)
  })
})
