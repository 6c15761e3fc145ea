import { describe, expect, it } from 'vitest'
import { periodColumn, turn, turnedTable } from '../../../../../../src/renderer/features/research/response/transpose.ts'
import { figureKinds } from '../../../../../../src/renderer/features/research/response/figure-kinds.ts'
import { NumberText } from '../../../../../../src/renderer/text/format.ts'
import { readResponse, type Table } from '../../../../../../src/shared/features/research/read.ts'

const look = { numbers: new NumberText('en-US'), zone: 'UTC' }
const tableOf = (value: unknown): Table => {
  const [table] = readResponse(JSON.stringify(value)).tables
  if (table === undefined) throw new Error('no table')
  return table
}
const record = (date: string, period: string, year: number, cash: number | null) => ({
  date,
  currency: 'USD',
  fiscal_year: year,
  period,
  cash,
  debt: 2,
  equity: 3,
  shares: 4,
  goodwill: 5,
})

describe('a table of periods', () => {
  const table = tableOf([
    record('2025-03-29', 'Q2', 2025, 10.25),
    record('2025-06-28', 'Q3', 2025, null),
    record('2024-12-28', 'Q1', 2025, -7),
  ])
  it('is turned: the newest period first, what never changes beside, every value as it was sent', () => {
    const at = periodColumn(table)
    expect(table.columns[at]?.key).toBe('date')
    const turned = turn(table, at, look)
    expect(turned.periods).toEqual(['Q3 2025', 'Q2 2025', 'Q1 2025'])
    expect(turned.same).toEqual([{ title: 'Currency', text: 'USD' }])
    const cash = turned.lines.find(({ key }) => key === 'cash')
    expect(cash?.cells.map(({ exact }) => exact)).toEqual(['', '10.25', '-7'])
    const file = turnedTable(turned)
    expect(file.columns.map(({ title }) => title)).toEqual(['Line', 'Q3 2025', 'Q2 2025', 'Q1 2025'])
    expect(file.rows).toBe(turned.lines.length)
  })
  it('has the direction of growth, and lines without a value among the others', () => {
    const rows = (['2024-09-28', '2023-09-30'] as const).map((date, i) => ({
      ...{ date, currency: 'USD', a: 1, b: 2, c: 3, d: 4 },
      ...{ ebitgrowth: i === 0 ? 0.078 : -0.0001, ebitda_growth: null },
    }))
    const growth = tableOf(rows)
    const kinds = figureKinds('growth', readResponse(JSON.stringify(rows)))
    const { lines, same } = turn(growth, periodColumn(growth), { ...look, kinds })
    expect(same).toEqual([{ title: 'Currency', text: 'USD' }])
    const [ebit, ebitda] = lines.slice(-2)
    expect(ebit.title).toBe('EBIT growth')
    expect(ebit.cells.map(({ text, tone }) => [text, tone])).toEqual([
      ['+7.80 %', 'up'],
      ['−0.01 %', 'down'],
    ])
    expect(ebitda.cells.map(({ text }) => text)).toEqual(['—', '—'])
  })
  it('is left as it is where rows are events, few values or many periods', () => {
    expect(periodColumn(tableOf([record('2025-03-29', 'Q2', 2025, 1), record('2025-03-29', 'Q2', 2025, 2)]))).toBe(-1)
    expect(
      periodColumn(
        tableOf([
          { date: '2025-01-02', a: 1 },
          { date: '2025-01-03', a: 2 },
        ]),
      ),
    ).toBe(-1)
    const days = Array.from({ length: 61 }, (_, i) =>
      record(new Date(i * 864e5).toISOString().slice(0, 10), '', 1970, i),
    )
    expect(periodColumn(tableOf(days))).toBe(-1)
  })
})
