import { describe, expect, it } from 'vitest'
import {
  missingPeriods,
  periodLabel,
  periodsOf,
} from '../../../../../../src/renderer/features/research/company/income-periods.ts'
import { periodColumn, turn, turnedTable } from '../../../../../../src/renderer/features/research/answer/transpose.ts'
import { NumberText } from '../../../../../../src/renderer/text/format.ts'
import { readAnswer, type Table } from '../../../../../../src/shared/features/research/read.ts'
import { parseValue } from '../../../../../../src/shared/features/research/parse.ts'
import type { Value } from '../../../../../../src/shared/features/research/value.ts'

const look = { numbers: new NumberText('en-US'), zone: 'UTC' }
const tableOf = (value: unknown): Table => {
  const [table] = readAnswer(JSON.stringify(value)).tables
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

describe('periods that are not known yet', () => {
  const known = (quarter: string, fiscal_year: number, period_ending: string): Value => ({
    data: { fiscal_year, quarter, period_ending, income_statement: { revenue: 1 } },
  })
  it('go back from the newest, leaving out what is known', () => {
    const statements = periodsOf([known('Q1', 2026, '2025-12-27'), known('Q3', 2025, '2025-06-28')])
    expect(missingPeriods(statements, false, 4).map(periodLabel)).toEqual(['Q4 2025', 'Q2 2025', 'Q1 2025', 'Q4 2024'])
    expect(missingPeriods(statements, true, 2).map(periodLabel)).toEqual(['2025', '2024'])
  })
  it('are none where no year is known', () => {
    expect(missingPeriods(periodsOf([]), false, 4)).toEqual([])
    const undated: Value = { data: { period_ending: '2025-12-27', income_statement: { revenue: 1 } } }
    expect(missingPeriods(periodsOf([undated]), false, 4)).toEqual([])
  })
})

describe('the period of a statement', () => {
  const one = (quarter: unknown, fiscal_year: unknown = 2024) => {
    const value = parseValue(
      JSON.stringify({ data: { quarter, fiscal_year, period_ending: '2024-12-28', income_statement: { revenue: 1 } } }),
    )
    const [statement] = periodsOf([value ?? null])
    return [statement.label, statement.annual, statement.quarter]
  }
  it.each([
    'Q4',
    'q4',
    '4Q',
    '4Q24',
    '4Q2024',
    '2024Q4',
    '2024-Q4',
    '2024 Q4',
    'Q4 2024',
    'Q4-2024',
    "Q4'24",
    'Q4 FY2024',
    'FQ4',
    'Q4FY24',
    'Fourth quarter',
    'FOURTH QUARTER',
    'fourth_quarter',
    'Fourth fiscal quarter',
    '4th quarter',
    'Quarter 4',
    '4',
    4,
  ])('is the fourth quarter by the name %j', (name) => {
    expect(one(name)).toEqual(['Q4 2024', false, 4])
  })
  it.each(['Q1', '1Q24', '2024Q1', 'First quarter', '1st quarter', 'Quarter 1', '1', 1])(
    'is the first quarter by the name %j',
    (name) => {
      expect(one(name)).toEqual(['Q1 2024', false, 1])
    },
  )
  it.each([
    undefined,
    null,
    '',
    'FY',
    'FY2024',
    'FY 2024',
    '2024',
    'annual',
    'Annual',
    'Full year',
    'full_year',
    0,
    '0',
  ])('is the year by the name %j', (name) => {
    expect(one(name)).toEqual(['2024', true, 0])
  })
  it.each(['H1', 'TTM', '9M', 'Q5', '5'])('is no year and no quarter by the name %j', (name) => {
    expect(one(name)).toEqual([`${name} 2024`, false, NaN])
  })
  it('takes the year of its name where none is sent, or the day it ends', () => {
    expect(one('4Q23', null)).toEqual(['Q4 2023', false, 4])
    expect(one('2023-Q4', null)).toEqual(['Q4 2023', false, 4])
    expect(one('Fourth quarter', null)).toEqual(['Q4 2024-12-28', false, 4])
    expect(one(null, null)).toEqual(['2024-12-28', true, 0])
  })
  it('that is neither does not count among those that can be asked for', () => {
    const half: Value = {
      data: { quarter: 'H1', fiscal_year: 2030, period_ending: '2030-06-30', income_statement: { revenue: 1 } },
    }
    expect(missingPeriods(periodsOf([half]), true, 3)).toEqual([])
  })
})
