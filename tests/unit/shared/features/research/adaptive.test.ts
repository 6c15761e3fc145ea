import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCsv } from '../../../../../src/shared/features/research/csv.ts'
import { chartOf, orderOf, readResponse, type Table } from '../../../../../src/shared/features/research/read.ts'
import { titleOf } from '../../../../../src/shared/features/research/titles.ts'
import { numberOf, periodOf, timeOf, typeOf } from '../../../../../src/shared/features/research/types.ts'
import { scalarText } from '../../../../../src/shared/features/research/value.ts'

const read = (value: unknown) => readResponse(JSON.stringify(value))
const shape = ({ path, columns, rows }: Table) => ({
  path,
  rows,
  columns: columns.map(({ key, type }) => `${key}:${type}`),
})
const cells = (table: Table) =>
  Array.from({ length: table.rows }, (_, row) => table.columns.map((_column, i) => table.cell(row, i)))

describe('records are found in', () => {
  const day = (d: number, c: number) => ({ date: `2026-01-0${d}`, close: c })
  it.each<[string, unknown, ReturnType<typeof shape>]>([
    ['a list', [day(1, 2), day(2, 3)], { path: '', rows: 2, columns: ['date:date', 'close:number'] }],
    [
      'any envelope',
      { ok: true, result: { page: 1, payload: { items: [day(1, 2)] } } },
      { path: 'result.payload.items', rows: 1, columns: ['date:date', 'close:number'] },
    ],
    [
      'an object of lists',
      { t: [1_700_000_000, 1_700_000_060], c: ['1.5', null], s: 'ok' },
      { path: '', rows: 2, columns: ['t:instant', 'c:number'] },
    ],
    [
      'pairs',
      {
        prices: [
          [1_700_000_000_000, 5],
          [1_700_000_060_000, 6],
        ],
      },
      { path: 'prices', rows: 2, columns: ['0:instant', '1:number'] },
    ],
    [
      'rows under a header',
      {
        v: [
          ['Date', 'Close'],
          ['2026-01-01', 5],
        ],
      },
      { path: 'v', rows: 1, columns: ['Date:date', 'Close:number'] },
    ],
    [
      'an object keyed by days',
      { 'Time Series': { '2026-01-01': { '4. close': '5.10' }, '2026-01-02': { '4. close': '6' } } },
      { path: 'Time Series', rows: 2, columns: ['key:date', '4. close:number'] },
    ],
    [
      'values keyed by quarter',
      { eps: { '2025Q4': 1, '2026Q1': 2 } },
      { path: 'eps', rows: 2, columns: ['key:period', 'value:number'] },
    ],
    [
      'records keyed by name',
      { gold: { price: 1, unit: 'oz' }, silver: { price: 2, unit: 'oz' }, platinum: { price: 3, unit: 'oz' } },
      { path: '', rows: 3, columns: ['key:text', 'price:number', 'unit:text'] },
    ],
    ['a list of values', { peers: ['MSFT', 'IBM'] }, { path: 'peers', rows: 2, columns: ['value:text'] }],
    [
      'records with records inside',
      [{ a: { b: { c: 1, d: { e: 2 } } }, tags: ['x', 'y'] }],
      { path: '', rows: 1, columns: ['a.b.c:number', 'a.b.d:text', 'tags:text'] },
    ],
  ])('%s', (_, value, wanted) => {
    expect(read(value).tables.map(shape)).toContainEqual(wanted)
  })

  it('CSV, quoted or not, whatever parts its columns', () => {
    const table = readResponse('\ufeffdate;name;value\r\n2026-01-01;"a;""b""";1.50\r\n2026-01-02;;\r\n')
    expect(table.form).toBe('csv')
    expect(shape(table.tables[0])).toEqual({ path: '', rows: 2, columns: ['date:date', 'name:text', 'value:number'] })
    expect(cells(table.tables[0])).toEqual([
      ['2026-01-01', 'a;"b"', '1.50'],
      ['2026-01-02', null, null],
    ])
  })

  it('no plain text', () => {
    expect(readResponse('Not found, sorry')).toEqual({ tables: [], facts: [], value: undefined, form: 'text' })
  })
})

it('loses no value of tuples that are ragged, or whose headings repeat', () => {
  expect(cells(read([[], [0, ' ']]).tables[0])).toEqual([
    [null, null],
    [0, ' '],
  ])
  expect(
    cells(
      read([
        ['a', 'a'],
        [1, 2],
      ]).tables[0],
    ),
  ).toEqual([[1, 2]])
})

it('keeps what is no record as facts beside their places', () => {
  const { facts, tables } = read({ status: 'ok', data: { symbol: 'A', valuation: { pe_ratio: 12.5 }, n: null } })
  expect(tables).toEqual([])
  expect(
    facts.map(({ path, entries }) => [path, entries.map(({ key, value }) => `${key}=${scalarText(value)}`)]),
  ).toEqual([
    ['', ['status=ok']],
    ['data', ['symbol=A', 'n=']],
    ['data.valuation', ['pe_ratio=12.5']],
  ])
})

it('keeps every digit that a double loses', () => {
  const text =
    '{"a":12345678901234567890,"b":0.1000000000000000055511151231257827,"c":1.50,"d":1e400,"e":9007199254740993}'
  const { facts } = readResponse(text)
  expect(facts[0].entries.map(({ value }) => scalarText(value))).toEqual([
    '12345678901234567890',
    '0.1000000000000000055511151231257827',
    '1.50',
    '1e400',
    '9007199254740993',
  ])
})

it('is not fooled by names of objects’ own machinery', () => {
  const { tables } = readResponse(
    '[{"__proto__":{"polluted":1},"constructor":2},{"__proto__":{"polluted":3},"constructor":4}]',
  )
  expect(shape(tables[0]).columns).toEqual(['__proto__.polluted:number', 'constructor:number'])
  expect(cells(tables[0])).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

describe('types', () => {
  it.each([
    ['price', [1, '2.5', null], 'number'],
    ['surprise_percentage', [1.5], 'percent'],
    ['change', ['1.5%', '-2 %'], 'percent'],
    ['margin', [0.45], 'number'],
    ['date', ['2026-01-01', null], 'date'],
    ['publishedDate', ['2026-01-01 10:00:00', '2026-01-02T10:00:00Z'], 'instant'],
    ['timestamp', [1_700_000_000], 'instant'],
    ['volume', [1_700_000_000], 'number'],
    ['fiscal_year', [2024, 2025], 'period'],
    ['employees', [2024, 2025], 'number'],
    ['period', ['Q1 2025', 'FY 2024'], 'period'],
    ['site', ['https://example.com/a'], 'link'],
    ['site', ['javascript:alert(1)'], 'text'],
    ['ok', [true, false], 'boolean'],
    ['mixed', [1, 'n/a'], 'text'],
    ['nothing', [null, ''], 'text'],
  ])('%s of %j is %s', (name, values, type) => {
    expect(typeOf(name, values)).toBe(type)
  })
  it('reads times in any unit and without a zone as UTC', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(
      [ms / 1_000, ms, ms * 1_000, ms * 1_000_000, '2026-01-02T03:04:05Z', '2026-01-02 03:04:05'].map(timeOf),
    ).toEqual(Array.from({ length: 6 }, () => ms))
    expect(timeOf(5)).toBeNaN()
    expect(numberOf('1,234.5')).toBe(1_234.5)
    expect(numberOf('1,23')).toBeNaN()
    expect(periodOf('Q2 2025')).toBeLessThan(periodOf('2025 Q3'))
    expect(periodOf('2025Q4')).toBeLessThan(periodOf('FY2025'))
  })
})

it('draws a time against numbers, never against names', () => {
  const [table] = read([
    { id: 1, date: '2026-01-01', close: 2, note: 'x' },
    { id: 2, date: '2026-01-02', close: 3, note: 'y' },
  ]).tables
  expect(chartOf(table)).toEqual({ time: 1, values: [2] })
  expect(
    chartOf(
      read([
        { id: 1, close: 2 },
        { id: 2, close: 3 },
      ]).tables[0],
    ),
  ).toBeNull()
  expect(orderOf('number', '1,000')).toBe(1_000)
  expect(titleOf('netIncomeRatioTTM')).toBe('Net income ratio TTM')
  expect(titleOf('income_statement.eps_basic')).toBe('Income statement EPS basic')
  // As a vendor spells its growth rates (fmp4j fixtures), and as the demo service does.
  expect(titleOf('ebitgrowth')).toBe('EBIT growth')
  expect(titleOf('epsdilutedGrowth')).toBe('EPS growth, diluted')
  expect(titleOf('rdexpense_growth')).toBe('R&D expense growth')
  expect(titleOf('ten_yrevenue_growth_per_share')).toBe('Revenue per share, 10-year growth')
  expect(titleOf('threeYDividendperShareGrowthPerShare')).toBe('Dividends per share, 3-year growth')
  expect(titleOf('tenYSalesGrowth')).toBe('Ten y sales growth')
})

it('reads back any CSV that quotes as it should', () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '1') })
  fc.assert(
    fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join('\r\n')
      expect(parseCsv(text)).toEqual(rows)
    }),
  )
})
