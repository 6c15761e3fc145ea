import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boardOf, boardTable } from '../../../../../src/renderer/features/research/boards.ts'
import { arrange, cellText, headings, tableCsv } from '../../../../../src/renderer/features/research/response/cells.ts'
import {
  daysOf,
  reportsOf,
  reportTable,
  speechesOf,
  weekOf,
} from '../../../../../src/renderer/features/research/response/earnings.ts'
import { figureKinds } from '../../../../../src/renderer/features/research/response/figure-kinds.ts'
import { statementsOf } from '../../../../../src/renderer/features/research/company/statements/statements.ts'
import { jsonLines, pathOf } from '../../../../../src/renderer/features/research/response/json-lines.ts'
import { marked } from '../../../../../src/renderer/features/research/company/highlight.ts'
import { moodOf, newsTable, storiesOf } from '../../../../../src/renderer/features/research/company/story.ts'
import { parseCsv } from '../../../../../src/shared/features/research/csv.ts'
import { readResponse, type Table } from '../../../../../src/shared/features/research/read.ts'
import { parseValue } from '../../../../../src/shared/features/research/parse.ts'
import type { Value } from '../../../../../src/shared/features/research/value.ts'
import { NumberText } from '../../../../../src/renderer/text/format.ts'
import { ticksOf } from '../../../../../src/renderer/ui/figure/figure-axis.ts'

const look = { numbers: new NumberText('en-US'), zone: 'UTC' }
const tableFrom = (value: unknown): Table => {
  const [table] = readResponse(JSON.stringify(value)).tables
  if (table === undefined) throw new Error('no table')
  return table
}
const all = (table: Table) => Array.from({ length: table.rows }, (_, i) => i)

describe('figures of a company', () => {
  const text = (endpoint: string, response: Readonly<Record<string, number>>, key: string): string => {
    const kinds = figureKinds(endpoint, readResponse(JSON.stringify(response)))
    return cellText('number', response[key], { ...look, kinds }, key)
  }
  // Apple's ratios of fiscal 2024 as a vendor sends them (fmp4j fixtures).
  it.each([
    ['ratios', 'grossProfitMargin', 0.4620634981523393, '46.21 %'],
    ['ratios', 'dividendYield', 0.0043585983369965175, '0.44 %'],
    ['ratios', 'dividendYieldPercentage', 0.43585983369965176, '0.44 %'],
    ['ratios', 'priceToEarningsRatio', 37.287278415656736, '37.29×'],
    ['ratios', 'priceToEarningsGrowthRatio', -45.93792700808932, '−45.94×'],
    ['ratios', 'inventoryTurnover', 28.870710952511665, '28.87×'],
    ['ratios', 'debtToEquityRatio', 2.090588235294118, '2.09'],
    ['ratios', 'currentRatio', 0.8673125765340832, '0.87'],
    ['ratios', 'revenuePerShare', 25.484914639368924, '25.48'],
    ['ratios-ttm', 'grossProfitMarginTTM', 0.4667825022942796, '46.68 %'],
    ['metrics', 'returnOnEquity', 1.6459350307287095, '164.59 %'],
    ['metrics', 'evToEBITDA', 26.617033362072167, '26.62×'],
    ['metrics', 'daysOfSalesOutstanding', 61.83255974529134, '61.8 days'],
    ['metrics', 'cashConversionCycle', -45.18334692543202, '−45.2 days'],
    ['metrics', 'enterpriseValue', 3584276329570, '3.58T'],
    ['metrics', 'researchAndDevelopementToRevenue', 0.08022299794136074, '8.02 %'],
    ['growth', 'netIncomeGrowth', -0.033599670086086914, '−3.36 %'],
    ['growth', 'fiveYRevenueGrowthPerShare', 0.8093292228858464, '+80.93 %'],
    ['growth', 'ebitgrowth', 0.07799581805933456, '+7.80 %'],
    ['growth', 'growthCapitalExpenditure', 0, '0.00 %'],
    ['dcf', 'terminal_growth', 0.025, '2.50 %'],
    ['cagr', 'revenue', 0.0732, '+7.32 %'],
    ['dcf', 'upside', -0.1445, '−14.45 %'],
    ['ratios', 'dividend', 4, '4.00'],
    ['ratios', 'some_score', 4, '4'],
    ['ratios', 'odd', 0.00123456, '0.0012'],
    ['ratios', 'netProfitMargin', 0.00001, '0.001 %'],
    ['earnings-surprises', 'surprise_percent', -2.1702, '−2.17 %'],
    ['earnings-history', 'eps_estimate', 2.9034, '2.9034'],
  ])('of %s: %s %d is written %s', (endpoint, key, n, written) => {
    expect(text(endpoint, { [key]: n }, key)).toBe(written)
  })
  it('of a service that sends percents are not multiplied again', () => {
    const sent = { gross_margin: 46.20635, return_on_equity: 156.02, tax_rate: 0.9 }
    expect(text('ratios', sent, 'gross_margin')).toBe('46.21 %')
    expect(text('ratios', sent, 'return_on_equity')).toBe('156.02 %')
    expect(text('ratios', sent, 'tax_rate')).toBe('0.90 %')
    expect(text('growth', { revenue_growth: 5.2, net_income_growth: -3.1, eps_growth: 0.4 }, 'eps_growth')).toBe(
      '+0.40 %',
    )
  })
  it('of a company with losses stay fractions', () => {
    const sent = { gross_margin: 0.31, net_margin: -2.4, return_on_equity: -3 }
    expect(text('ratios', sent, 'net_margin')).toBe('−240.00 %')
  })
  it('of a score are points, also where a component is named like a rate', () => {
    const components = { profitability: 47, growth: 39, margin: 81.25, return_on_equity: 70 }
    expect(Object.keys(components).map((key) => text('quality-score', components, key))).toEqual([
      ...['47', '39', '81.25', '70'],
    ])
    expect(text('metrics', { growth_score: 64 }, 'growth_score')).toBe('64')
  })
  it('keep every digit elsewhere', () => {
    expect(text('technical', { gross_margin: 0.4620635 }, 'gross_margin')).toBe('0.4620635')
  })
})

describe('cells', () => {
  it('show what came: exact texts, dashes for nothing, no digit rounded away', () => {
    expect(cellText('number', 1234567, look)).toBe('1,234,567')
    expect(cellText('number', '0.10', look)).toBe('0.10')
    expect(cellText('number', null, look)).toBe('—')
    expect(cellText('percent', '12.50%', look)).toBe('12.50%')
    expect(cellText('instant', 'soon', look)).toBe('soon')
    expect(cellText('boolean', false, look)).toBe('no')
    const table = tableFrom([{ n: 1 }].concat(JSON.parse('[{"n":2}]') as { n: number }[]))
    expect(table.rows).toBe(2)
    const [long] = readResponse('[{"n":12345678901234567890.123},{"n":1}]').tables
    expect(cellText('number', long.cell(0, 0), look)).toBe('12345678901234567890.123')
  })
  it.each([
    ['1.50', '1.50'],
    ['94036000000.10', '94,036,000,000.10'],
    ['-1234.0', '−1,234.0'],
    ['0.0000000001', '0.0000000001'],
    ['0.00', '0.00'],
    ['-0', '-0'],
    ['-0.0', '-0.0'],
    ['1e400', '1e400'],
    ['1e-400', '1e-400'],
    ['1e-05', '1e-05'],
    ['123456789.1234567', '123456789.1234567'],
  ])('show the number %s with every digit, as %s', (literal, shown) => {
    const [table] = readResponse(`[{"n":${literal}},{"n":1}]`).tables
    expect(table.columns[0].type).toBe('number')
    expect(cellText('number', table.cell(0, 0), look)).toBe(shown)
    expect(tableCsv(table, [0])).toBe(`n\n${literal}\n`)
  })
  it('sort by value with absent ones last, either way, and filter over every column', () => {
    const table = tableFrom([
      { n: '10', s: 'b' },
      { n: null, s: 'Apple' },
      { n: '9', s: 'a' },
    ])
    expect([...arrange(table, { column: 0, descending: false }, '')]).toEqual([2, 0, 1])
    expect([...arrange(table, { column: 0, descending: true }, '')]).toEqual([0, 2, 1])
    expect([...arrange(table, null, ' APP ')]).toEqual([1])
  })
  it('are written as CSV that reads back the same, formulas defused', () => {
    const table = tableFrom([
      { a: '=1+1', b: '-5' },
      { a: 'x,"y"\nz', b: '@me' },
    ])
    expect(tableCsv(table, all(table))).toBe('a,b\n\'=1+1,-5\n"x,""y""\nz",\'@me\n')
    fc.assert(
      fc.property(fc.array(fc.record({ k: fc.string(), v: fc.string() }), { minLength: 2 }), (rows) => {
        const made = tableFrom(rows)
        const read = parseCsv(tableCsv(made, all(made)))
        const plain = (text: string) => text.replace(/^'/, '')
        // A row of two empty fields is a line with a comma.
        expect(read.slice(1).map(([k, v]) => [plain(k), plain(v)])).toEqual(
          rows.map(({ k, v }) => [plain(k), plain(v)]),
        )
      }),
    )
  })
  it('have headings that tell columns of one name apart', () => {
    const table = tableFrom([
      { a: { value: 1 }, a_value: 2 },
      { a: { value: 3 }, a_value: 4 },
    ])
    expect(headings(table.columns)).toEqual(['a.value', 'a_value'])
  })
})

describe('lines of a raw response', () => {
  const value: Value = parseValue('{"data":{"rows":[{"close":1},{"close":2}],"odd key":"Needle"},"x":null}') ?? null
  it('carry paths that lead back to their values', () => {
    const lines = jsonLines(value, new Set())
    expect(lines.map(({ path }) => path)).toContain('$.data["odd key"]')
    expect(pathOf('$.data.rows', 3)).toBe('$.data.rows[3]')
  })
  it('fold, and a search leaves what matches and what leads to it', () => {
    expect(jsonLines(value, new Set(['$.data'])).map(({ path }) => path)).toEqual(['$', '$.data', '$.x'])
    expect(jsonLines(value, new Set(), 'needle').map(({ path }) => path)).toEqual(['$', '$.data', '$.data["odd key"]'])
    expect(jsonLines(value, new Set(), 'nowhere')).toEqual([])
  })
})

describe('a search in a text', () => {
  it('parts it without losing a letter', () => {
    expect(marked('Abcabc', 'BC')).toEqual([
      { text: 'A', hit: false },
      { text: 'bc', hit: true },
      { text: 'a', hit: false },
      { text: 'bc', hit: true },
    ])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, search) => {
        expect(
          marked(text, search)
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })
})

describe('stories', () => {
  const table = tableFrom([
    { title: 'old', published_at: '2026-01-02T10:00:00Z', url: 'javascript:alert(1)', sentiment: 'Bearish' },
    { title: 'new', published_at: '2026-01-03T10:00:00Z', url: 'https://a.example/b', score: '0.4' },
    { title: 'undated', published_at: null, url: null, sentiment: 'neutral' },
  ])
  const stories = storiesOf(table)
  it('stand newest first, undated ones last, and link only to pages', () => {
    expect(stories.map(({ headline }) => headline)).toEqual(['new', 'old', 'undated'])
    expect(stories.map(({ url }) => url)).toEqual(['https://a.example/b', '', ''])
  })
  it('have the mood that was sent, as number or word, or none', () => {
    expect(stories.map(moodOf)).toEqual([1, -1, 0])
    expect(moodOf({ sentiment: NaN, sentimentWord: '' })).toBeNull()
  })
  it('are not seen where nothing is a headline', () => {
    expect(newsTable(readResponse('[{"a":1},{"a":2}]'))).toBeUndefined()
  })
})

describe('earnings', () => {
  const reading = readResponse(
    JSON.stringify([
      { ticker: 'B', report_date: '2026-01-31', eps_estimate: '1.5', quarter: 'Q1', fiscal_year: 2026 },
      { ticker: 'A', report_date: '2026-01-26', eps_actual: -0.2, eps_estimate: null },
      { ticker: 'C', report_date: 'tba', eps_actual: 1 },
    ]),
  )
  const table = reportTable(reading)
  it('are read with their days, absent numbers as absent, undated rows left to the table', () => {
    const reports = table === undefined ? [] : reportsOf(table)
    expect(reports.map(({ symbol, day, period }) => [symbol, day, period])).toEqual([
      ['A', '2026-01-26', ''],
      ['B', '2026-01-31', 'Q1 2026'],
    ])
    expect(reports[0]).toMatchObject({ actual: -0.2, estimate: NaN, surprise: NaN })
  })
  it('fall into weeks from Monday, weekends only where something is on them', () => {
    expect(weekOf('2026-02-01')).toBe('2026-01-26')
    const reports = table === undefined ? [] : reportsOf(table)
    expect(daysOf('2026-01-26', reports)).toHaveLength(6)
    expect(daysOf('2026-02-02', reports)).toHaveLength(5)
  })
  it('calls are speeches, or paragraphs of one text, or none', () => {
    expect(speechesOf([{ speaker: 'CEO', text: 'Hello' }])).toEqual([{ speaker: 'CEO', text: 'Hello' }])
    const long = `Operator: ${'word '.repeat(60)}\nand on`
    expect(speechesOf({ data: { transcript: long } }).map(({ speaker }) => speaker)).toEqual(['Operator', ''])
    expect(speechesOf({ data: { text: 'short' } })).toEqual([])
  })
})

describe('boards', () => {
  it('show prices and changes as they were sent', () => {
    const reading = readResponse(
      '{"m":[{"symbol":"XAU","name":"Gold","price":"2500.10","change_percent":-0.5},{"symbol":"XAG","price":null}]}',
    )
    const table = boardTable(reading)
    expect(table === undefined ? [] : boardOf(table)).toMatchObject([
      { symbol: 'XAU', name: 'Gold', price: 2500.1, change: NaN, changePercent: -0.5 },
      { symbol: 'XAG', name: 'XAG', price: NaN },
    ])
    expect(boardTable(readResponse('[{"price":1},{"price":2}]'))).toBeUndefined()
    // A history by date is no board: its dates were shown as names.
    expect(boardTable(readResponse('{"series":{"2026-01-02":"1.0","2026-01-03":"2.0"}}'))).toBeUndefined()
  })
})

describe('periods of income statements', () => {
  const one = (ends: string, quarter: string, revenue: number): Value => ({
    data: {
      fiscal_year: 2025,
      quarter,
      period_ending: ends,
      income_statement: { revenue, gross_profit: 1, net_income: 1 },
    },
  })
  it('stand oldest first, once each, the newest response counting, years apart from quarters', () => {
    const found = statementsOf([
      one('2025-06-28', 'Q3', 5),
      one('2025-06-28', 'Q3', 4),
      one('2025-09-27', 'FY', 20),
      one('2025-03-29', 'Q2', 3),
      { data: 'nothing' },
    ])
    expect(found.map(({ label, annual, figures }) => [label, annual, figures.get('revenue')])).toEqual([
      ['Q2 2025', false, 3],
      ['Q3 2025', false, 5],
      ['2025', true, 20],
    ])
  })
})

describe('an axis', () => {
  it('holds every value between round ticks', () => {
    const finite = fc.double({ min: -1e12, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 20 }), fc.constantFrom(0, null), (values, base) => {
        const { least, most, ticks } = ticksOf(values, base, 4)
        const slack = (most - least) * 1e-9
        expect(most).toBeGreaterThan(least)
        for (const value of base === null ? values : [...values, base]) {
          expect(value).toBeGreaterThanOrEqual(least - slack)
          expect(value).toBeLessThanOrEqual(most + slack)
        }
        expect(ticks.length).toBeGreaterThan(1)
        expect(ticks.length).toBeLessThan(10)
        expect([...ticks].sort((a, b) => a - b)).toEqual(ticks)
      }),
    )
    expect(ticksOf([], null, 4)).toEqual({ least: 0, most: 1, ticks: [] })
  })
})
