/** Everything of an answer is shown once, with its digits, in its order. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseValue } from '../../../../../src/shared/features/research/parse.ts'
import { readResponse, type Table } from '../../../../../src/shared/features/research/read.ts'
import {
  entriesOf,
  isScalar,
  jsonText,
  scalarText,
  type Value,
} from '../../../../../src/shared/features/research/value.ts'

const literal: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('0', '-0', '0.0', '-0.00', '1e400', '-1E400', '1e-400', '1e-05', '1.50', '100', '0.0000001', '1e21'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 24 }))
    .map(([n, scale]) => decimalOf(n, scale)),
)
function decimalOf(n: bigint, scale: number): string {
  const digits = String(n < 0n ? -n : n).padStart(scale + 1, '0')
  const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`
  return `${n < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction}`
}

describe('a value', () => {
  it('keeps the literal of every number', () => {
    fc.assert(
      fc.property(literal, (text) => {
        const value = parseValue(` { "n" : ${text}}`)
        expect(value === undefined ? undefined : jsonText(value)).toBe(`{"n":${text}}`)
        expect(scalarText(parseValue(text) as never)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  const plain = (value: Value): unknown =>
    isScalar(value)
      ? typeof value === 'object' && value !== null
        ? value.value
        : value
      : Array.isArray(value)
        ? value.map(plain)
        : Object.fromEntries(entriesOf(value as never).map(([key, one]) => [key, plain(one)]))
  const json = fc.oneof(
    fc.json(),
    fc.json().map((text) => text.replaceAll(',', ' ,\n').replaceAll(':', '\t: ')),
    fc.jsonValue().map((value) => JSON.stringify({ '2025': value, '7': 1.5, a: '\u00e9\n"\\', '2024': value })),
  )

  it('is what JSON.parse reads, and text is refused where that refuses it', () => {
    fc.assert(
      // One character is taken out, doubled or replaced: most texts are no JSON then, some still are.
      fc.property(
        json,
        fc.nat(),
        fc.constantFrom('', '0', '"', ',', '{', ']', '\\', '.', 'e', '-', '\n'),
        (text, n, c) => {
          for (const one of [text, text.slice(0, n % text.length) + c + text.slice((n % text.length) + 1)]) {
            for (const padded of [one, `${one} `, `[${one},-0]`]) {
              // Node 24 can read the key "a\\"" as a key "a\\" parsed before it, so JSON.parse is no oracle there.
              if (/\\""\s*:/.test(padded)) continue
              let wanted: unknown
              try {
                wanted = JSON.parse(padded)
              } catch {
                expect(parseValue(padded), padded).toBeUndefined()
                continue
              }
              const value = parseValue(padded)
              expect(value === undefined ? undefined : plain(value), padded).toEqual(wanted)
            }
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('keeps the order of its keys, also of those that are numbers', () => {
    const text = '{"b":1,"2025":{"3":1,"1":2},"2024":[{"2":0,"1":0}],"a":2,"2026":3}'
    expect(jsonText(parseValue(text) ?? null)).toBe(text)
  })
})

/** JSON text whose every scalar says its place in the text: 70000012 or "s70000012", each once. */
type Write = (next: () => string) => string
const key = fc.constantFrom(
  '2025',
  '2024',
  '7',
  'a',
  'b',
  'value',
  'key',
  'symbol',
  '2026-01-01',
  'Q1 2025',
  '__proto__',
)
const { json: written } = fc.letrec<{ json: Write; list: Write; object: Write; scalar: Write; records: Write }>(
  (tie) => ({
    scalar: fc.constantFrom<Write>(
      (next) => next(),
      (next) => `"s${next()}"`,
      (next) => `${next()}.50`,
      (next) => `-${next()}e-400`,
    ),
    list: fc.array(tie('json'), { maxLength: 5 }).map((all) => (next) => `[${all.map((one) => one(next)).join(',')}]`),
    object: fc
      .uniqueArray(fc.tuple(key, tie('json')), { maxLength: 6, selector: ([name]) => name })
      .map((all) => (next) => `{${all.map(([name, one]) => `${JSON.stringify(name)}:${one(next)}`).join(',')}}`),
    // What answers are made of: records, tuples, lists side by side.
    records: fc
      .tuple(
        fc.uniqueArray(key, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof({ weight: 6, arbitrary: tie('scalar') }, tie('json')), { minLength: 4, maxLength: 12 }),
        fc.constantFrom('records', 'tuples', 'columns', 'keyed'),
        tie('scalar'),
      )
      .map(([names, all, form, beside]) => (next) => {
        const rows = [0, 1, 2].map((r) => names.map((_, i) => all[(r * names.length + i) % all.length]))
        const record = (row: readonly Write[]) =>
          `{${row.map((one, i) => `${JSON.stringify(names[i])}:${one(next)}`).join(',')}}`
        if (form === 'records') return `[${rows.map(record).join(',')}]`
        if (form === 'tuples') return `[${rows.map((row) => `[${row.map((one) => one(next)).join(',')}]`).join(',')}]`
        if (form === 'keyed') return `{${rows.map((row, i) => `"${2030 - i}":${record(row)}`).join(',')}}`
        const lists = () =>
          names.map((name, i) => `${JSON.stringify(name)}:[${rows.map((row) => row[i](next)).join(',')}]`).join(',')
        return `{"beside":${beside(next)},${lists()},"after":${beside(next)}}`
      }),
    json: fc.oneof({ maxDepth: 11, depthSize: 'medium' }, tie('scalar'), tie('list'), tie('object'), tie('records')),
  }),
)

const ids = (text: string): readonly string[] => text.match(/-?7\d{7}(?:\.50|e-400)?/g) ?? []
const cellsOf = (table: Table): readonly (readonly string[])[] =>
  table.columns.map((_, column) => Array.from({ length: table.rows }, (__, row) => scalarText(table.cell(row, column))))
const place = (id: string): number => Number(/7\d{7}/.exec(id)?.[0])
const expectAscending = (all: readonly string[], text: string): void => {
  const places = all.map(place)
  expect(places, text).toEqual(places.toSorted((a, b) => a - b))
}

describe('an answer', () => {
  it('shows every scalar once with its digits, and in the order in which it came', () => {
    fc.assert(
      fc.property(written, (write) => {
        let n = 70_000_000
        const text = write(() => String(++n))
        const { tables, facts } = readResponse(text)
        const values = facts.map(({ entries }) => entries.flatMap(({ value }) => ids(scalarText(value))))
        const columns = tables.map((table) => cellsOf(table).map((column) => column.flatMap(ids)))
        // Names in a row of their own become headings.
        const headings = tables.flatMap((table) => table.columns.flatMap((column) => ids(column.key)))
        expect([...values.flat(), ...columns.flat(2), ...headings].toSorted(), text).toEqual([...ids(text)].toSorted())
        for (const one of values) expectAscending(one, text)
        for (const table of columns) for (const column of table) expectAscending(column, text)
        expectAscending(
          columns.map((table) => table.flat().toSorted()[0] ?? '').filter((id) => id !== ''),
          text,
        )
      }),
      { numRuns: 1_500 },
    )
  })

  it('keeps what stands beside lists of columns as facts', () => {
    const text = '{"symbol":"IBM","currency":"USD","dates":["2026-01-01","2026-01-02"],"sma":[1.50,2],"period":20}'
    const { tables, facts } = readResponse(text)
    expect(tables.map(({ columns }) => columns.map(({ key: name, type }) => `${name}:${type}`))).toEqual([
      ['dates:date', 'sma:number'],
    ])
    expect(facts.map(({ entries }) => entries.map((one) => `${one.key}=${scalarText(one.value)}`))).toEqual([
      ['symbol=IBM', 'currency=USD', 'period=20'],
    ])
  })

  it('lists records by year as it does', () => {
    const [table] = readResponse('{"2025":{"eps":1},"2024":{"eps":2},"2026":{"eps":3}}').tables
    expect(cellsOf(table)[0]).toEqual(['2025', '2024', '2026'])
    const [csv] = readResponse('name,2025,2024\na,1,2\n').tables
    expect(csv.columns.map((column) => column.key)).toEqual(['name', '2025', '2024'])
  })

  it('shows in one more column what is beyond two hundred', () => {
    const wide = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`k${i}`, { a: i, b: -i - 1 }]))
    const [table] = readResponse(JSON.stringify([wide, { k0: { a: 7 } }])).tables
    expect(table.columns).toHaveLength(200)
    expect(table.columns[199]).toMatchObject({ key: 'more', type: 'text' })
    const rest = JSON.parse(scalarText(table.cell(0, 199))) as Record<string, unknown>
    expect(Object.keys(rest)).toEqual(Array.from({ length: 151 }, (_, i) => `k${99 + i}`))
    expect([rest['k99'], rest['k100']]).toEqual([{ b: -100 }, { a: 100, b: -101 }])
    expect(table.cell(1, 199)).toBeNull()
  })

  it('keeps values of CSV that have no name, and of columns of one name', () => {
    const [table] = readResponse('a,a,a (2)\n1,2,3\n4,5,6,7\n8,9,10\n').tables
    expect(cellsOf(table).map((column) => column[1])).toEqual(['4', '5', '6', '7'])
    expect(new Set(table.columns.map((column) => column.key)).size).toBe(4)
  })
})

describe('unnamed rows', () => {
  const typesOf = (value: unknown): readonly string[] =>
    readResponse(JSON.stringify(value)).tables[0].columns.map(({ type }) => type)
  const at = Date.UTC(2026, 0, 2)
  it.each([
    [
      'ms and texts',
      [
        [at, '1.10'],
        [at + 60_000, '1.20'],
      ],
      'instant',
    ],
    [
      'newest first',
      [
        [at + 5, 1],
        [at, 2],
        [at, 3],
      ],
      'instant',
    ],
    [
      'seconds',
      [
        [at / 1_000, 1],
        [at / 1_000 + 1, 2],
      ],
      'instant',
    ],
    [
      'ns',
      [
        [at * 1e6, 1],
        [(at + 1) * 1e6, 2],
      ],
      'instant',
    ],
    [
      'numbers to and fro',
      [
        [at, 1],
        [at + 2, 2],
        [at + 1, 3],
      ],
      'number',
    ],
    [
      'one number',
      [
        [at, 1],
        [at, 2],
      ],
      'number',
    ],
    [
      'small numbers',
      [
        [1, 5],
        [2, 6],
      ],
      'number',
    ],
    [
      'fractions',
      [
        [at / 1_000 + 0.5, 5],
        [at / 1_000 + 1.5, 6],
      ],
      'number',
    ],
    [
      'texts of digits',
      [
        [String(at), 5],
        [String(at + 1), 6],
      ],
      'number',
    ],
  ])('of %s begin with a column of %#', (_, rows, type) => {
    expect(typesOf(rows)).toEqual([type, 'number'])
  })
})
