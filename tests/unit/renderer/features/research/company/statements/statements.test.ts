// Statements by fiscal period, against Apple's filings and a vendor's own margins and growth rates.
import { describe, expect, it } from 'vitest'
import {
  figureOf,
  gridColumns,
  growthOf,
  missingPeriods,
  periodLabel,
  receivedText,
  shareOf,
  statementsOf,
  yearBefore,
} from '../../../../../../../src/renderer/features/research/company/statements/statements.ts'
import {
  amountUnit,
  gridRows,
  gridSections,
} from '../../../../../../../src/renderer/features/research/company/statements/statement-lines.ts'
import { NumberText } from '../../../../../../../src/renderer/text/format.ts'
import { parseValue } from '../../../../../../../src/shared/features/research/parse.ts'
import type { Value } from '../../../../../../../src/shared/features/research/value.ts'
import filed from '../../../../../../fixtures/statements/AAPL-income.json' with { type: 'json' }

const numbers = new NumberText('en-US')
const apple = statementsOf([parseValue(JSON.stringify(filed)) ?? null])
const yearOf = (year: number) => apple.find((one) => one.year === year)!

describe('statements of five years in one list', () => {
  it('say which years they are where some are missing', () => {
    const columns = gridColumns(apple.slice(2), true, 5)
    expect(receivedText(columns, true, 5)).toBe('3 of 5 fiscal years received: 2022 to 2024.')
    expect(receivedText(columns.slice(0, 1), true, 5)).toBe('1 of 5 fiscal years received: 2024.')
    expect(receivedText(columns, true, 3)).toBe('')
    expect(receivedText([], true, 5)).toBe('')
  })
  it('are one a fiscal year, oldest first, with the currency of their records', () => {
    expect(apple.map(({ label, annual, ends, currency }) => [label, annual, ends, currency])).toEqual([
      ['2020', true, '2020-09-26', 'USD'],
      ['2021', true, '2021-09-25', 'USD'],
      ['2022', true, '2022-09-24', 'USD'],
      ['2023', true, '2023-09-30', 'USD'],
      ['2024', true, '2024-09-28', 'USD'],
    ])
    expect(figureOf(yearOf(2024), 'revenue')).toBe(391_035_000_000)
  })
  // The vendor's own `ratios` (fmp4j fixtures).
  it.each([
    [2024, 0.4620634981523393, 0.31510222870075566, 0.23971255769943867],
    [2023, 0.4413112957720756, 0.2982141226502472, 0.2530623426432028],
    [2022, 0.43309630561360085, 0.30288744395528594, 0.2530964070519973],
    [2021, 0.4177935962516778, 0.29782377527561593, 0.2588179335569424],
    [2020, 0.38233247727810865, 0.24147314354406862, 0.20913611278072236],
  ])('have the margins that the vendor computed for %i', (year, gross, operating, net) => {
    expect(shareOf(yearOf(year), 'gross_profit', 'revenue')).toBeCloseTo(gross, 12)
    expect(shareOf(yearOf(year), 'operating_income', 'revenue')).toBeCloseTo(operating, 12)
    expect(shareOf(yearOf(year), 'net_income', 'revenue')).toBeCloseTo(net, 12)
  })
  // The vendor's own `financial-growth` (fmp4j fixtures).
  it.each([
    [2024, 0.020219940775141214, -0.033599670086086914, 0.07799581805933456],
    [2023, -0.028004605303199367, -0.028135426790777834, -0.04300174987650393],
  ])('have the growth that the vendor computed for %i', (year, revenue, net, operating) => {
    expect(growthOf(yearOf(year), apple, 'revenue')).toBeCloseTo(revenue, 12)
    expect(growthOf(yearOf(year), apple, 'net_income')).toBeCloseTo(net, 12)
    expect(growthOf(yearOf(year), apple, 'operating_income')).toBeCloseTo(operating, 12)
  })
  it('have no growth without the year before', () => {
    expect(yearBefore(yearOf(2020), apple)).toBeNull()
    expect(growthOf(yearOf(2020), apple, 'revenue')).toBeNaN()
  })
})

const quarter = (
  fiscal_year: number,
  name: string,
  period_ending: string,
  figures: Readonly<Record<string, number | null>>,
  growth_rates: Readonly<Record<string, number>> = {},
): Value => ({
  data: {
    symbol: 'X',
    fiscal_year,
    quarter: name,
    period_ending,
    currency: 'EUR',
    income_statement: { revenue: 1, gross_profit: 1, net_income: 1, ...figures },
    growth_rates,
  },
})

describe('a grid of quarters', () => {
  const known = statementsOf([
    quarter(2026, 'Q1', '2025-12-27', { revenue: 120e9, net_income: 30e9 }, { revenue_growth_yoy: 0.5 }),
    quarter(2025, 'Q3', '2025-06-28', { revenue: 94e9, net_income: null }, { revenue_growth_yoy: 0.0961 }),
    quarter(2025, 'Q1', '2024-12-28', { revenue: 100e9, net_income: -5e9 }),
  ])
  const columns = gridColumns(known, false, 8)
  const unit = amountUnit(known, 'EUR')
  const sections = gridSections(columns, known, unit, numbers)
  const line = (key: string) => sections.flatMap(({ lines }) => lines).find((one) => one.key === key)!

  it('has a column for each fiscal period between the newest and the oldest, loaded or not', () => {
    expect(columns.map(({ label, statement }) => [label, statement !== null])).toEqual([
      ['Q1 2026', true],
      ['Q4 2025', false],
      ['Q3 2025', true],
      ['Q2 2025', false],
      ['Q1 2025', true],
    ])
  })
  it('names unit and currency once, and shows every digit on hover', () => {
    expect(unit).toEqual({ by: 1e6, text: 'in millions of EUR' })
    expect(line('revenue').cells.map(({ text }) => text)).toEqual(['120,000', '—', '94,000', '—', '100,000'])
    expect(line('revenue').cells[0].hint).toBe('120,000,000,000')
  })
  it('never shows zero for what is missing, and says why it is', () => {
    const [, notLoaded, missing] = line('net_income').cells
    expect([notLoaded.text, notLoaded.hint]).toEqual(['—', 'This period isn’t loaded.'])
    expect([missing.text, missing.hint]).toEqual(['—', 'The service sent no value.'])
    expect(line('net_income / revenue').cells[2].text).toBe('—')
    expect(line('net_income').values).toEqual([-5e9, NaN, NaN, NaN, 30e9])
  })
  it('computes growth over the same quarter a year before, else shows what was sent, and says which', () => {
    const [computed, , sent, , none] = line('revenue growth').cells
    expect([computed.text, computed.hint]).toEqual(['+20.00 %', 'Computed from the same period a year earlier.'])
    expect([sent.text, sent.hint]).toEqual([
      '+9.61 %',
      'As the service sent it (0.0961): the year before isn’t loaded.',
    ])
    expect(none.text).toBe('—')
  })
  it('shows no percentage over a loss', () => {
    expect(line('net_income growth').cells[0]).toMatchObject({ text: 'n/m', exact: null })
  })
  it('is saved with exact values, and empty cells for missing ones', () => {
    const revenue = gridRows(sections).find(([key]) => key === 'revenue')
    expect(revenue).toEqual(['revenue', 120e9, null, 94e9, null, 100e9])
  })
  it('goes by what the record says, not by the request: quarters in a file of years', () => {
    const list = ['Q3', 'Q2', 'Q1'].map((period, i) => ({
      date: ['2025-06-28', '2025-03-29', '2024-12-28'][i],
      fiscalYear: '2025',
      period,
      revenue: 3 - i,
      grossProfit: 1,
      netIncome: 1,
    }))
    expect(statementsOf([list]).map(({ label, annual }) => [label, annual])).toEqual([
      ['Q1 2025', false],
      ['Q2 2025', false],
      ['Q3 2025', false],
    ])
  })
  it('goes by the last days where the service names no fiscal periods', () => {
    const list = ['2025-06-30', '2025-03-31', '2024-12-31', '2024-09-30', '2024-06-30'].map((date, i) => ({
      date,
      revenue: [110, 4, 3, 2, 100][i],
      a: 1,
      b: 2,
    }))
    const found = statementsOf([list])
    expect(gridColumns(found, false, 8).map(({ label }) => label)).toEqual(list.map(({ date }) => date))
    expect(growthOf(found.at(-1)!, found, 'revenue')).toBeCloseTo(0.1, 12)
  })
})

describe('what is no statement', () => {
  it.each([
    ['nothing', null],
    ['text', 'soon'],
    ['no date', { data: { revenue: 1, gross_profit: 2, net_income: 3 } }],
    [
      'a dated list of something else',
      [
        { date: '2025-01-01', score: 3 },
        { date: '2025-01-02', score: 4 },
      ],
    ],
  ] as const)('gives no periods: %s', (_name, value) => {
    expect(statementsOf([value])).toEqual([])
  })
})

describe('periods that are not known yet', () => {
  const known = (quarter: string, fiscal_year: number, period_ending: string): Value => ({
    data: { fiscal_year, quarter, period_ending, income_statement: { revenue: 1, gross_profit: 1, net_income: 1 } },
  })
  it('go back from the newest, leaving out what is known', () => {
    const statements = statementsOf([known('Q1', 2026, '2025-12-27'), known('Q3', 2025, '2025-06-28')])
    expect(missingPeriods(statements, false, 4).map(periodLabel)).toEqual(['Q4 2025', 'Q2 2025', 'Q1 2025', 'Q4 2024'])
    expect(missingPeriods(statements, true, 2).map(periodLabel)).toEqual(['2025', '2024'])
  })
  it('are none where no year is known', () => {
    expect(missingPeriods(statementsOf([]), false, 4)).toEqual([])
    const undated: Value = {
      data: { period_ending: '2025-12-27', income_statement: { revenue: 1, gross_profit: 1, net_income: 1 } },
    }
    expect(missingPeriods(statementsOf([undated]), false, 4)).toEqual([])
  })
})

describe('the period of a statement', () => {
  const one = (quarter: unknown, fiscal_year: unknown = 2024) => {
    const value = parseValue(
      JSON.stringify({
        data: {
          quarter,
          fiscal_year,
          period_ending: '2024-12-28',
          income_statement: { revenue: 1, gross_profit: 1, net_income: 1 },
        },
      }),
    )
    const [statement] = statementsOf([value ?? null])
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
  it.each(['H1', 'TTM', '9M', 'Q5', '5'])('is neither a year nor a quarter with the name %j', (name) => {
    expect(one(name)).toEqual([`${name} 2024`, false, NaN])
  })
  it('without a year, uses the one in its name, or else the day on which it ends', () => {
    expect(one('4Q23', null)).toEqual(['Q4 2023', false, 4])
    expect(one('2023-Q4', null)).toEqual(['Q4 2023', false, 4])
    expect(one('Fourth quarter', null)).toEqual(['Q4 2024-12-28', false, 4])
    expect(one(null, null)).toEqual(['2024-12-28', true, 0])
  })
  it('isn’t requested if it is neither a year nor a quarter', () => {
    const half: Value = {
      data: {
        quarter: 'H1',
        fiscal_year: 2030,
        period_ending: '2030-06-30',
        income_statement: { revenue: 1, gross_profit: 1, net_income: 1 },
      },
    }
    expect(missingPeriods(statementsOf([half]), true, 3)).toEqual([])
  })
})
