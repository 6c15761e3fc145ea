/** Columns of numbers that two other programs read back: DuckDB, and hyparquet's reader. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMemoryFile } from '../../../../../../src/main/base/file-sink.ts'
import { createParquetTable } from '../../../../../../src/main/features/export/tables/parquet.ts'
import { GROUP_ROWS, type TableColumn } from '../../../../../../src/main/features/export/tables/table.ts'
import { makeFolder } from '../../../../../kit/folder.ts'

const COLUMNS: readonly TableColumn[] = [
  { name: 'whole', is: 'whole', optional: true },
  { name: 'must', is: 'whole', optional: false },
  { name: 'time', is: 'time', optional: true },
  { name: 'number', is: 'number', optional: true },
]
const compressors = { ZSTD: (input: Uint8Array): Uint8Array => zstdDecompressSync(input) }
type Row = readonly [whole: number, must: number, time: number, number: number]

function write(rows: readonly Row[]): Uint8Array {
  const file = createMemoryFile()
  const table = createParquetTable(file, COLUMNS, {})
  for (const row of rows) {
    row.forEach((value, column) => table.number(column, value))
    table.row()
  }
  table.end()
  return file.bytes.slice(0, file.at)
}

async function read(bytes: Uint8Array): Promise<readonly Row[]> {
  const file = bytes.slice().buffer
  const rows = await parquetReadObjects({ file, compressors })
  const of = (value: unknown): number => (value === null ? NaN : Number(value))
  return rows.map(({ whole, must, time, number }) => [
    of(whole),
    of(must),
    time === null ? NaN : (time as Date).getTime(),
    of(number),
  ])
}

const LARGE = 2 ** 53 - 1
const whole = fc.oneof(
  fc.integer({ min: -LARGE, max: LARGE }),
  fc.integer({ min: 0, max: 200 }),
  fc.constantFrom(-LARGE, LARGE, 0, 2 ** 52, 2 ** 32, -(2 ** 31)),
)
const perhaps = (value: fc.Arbitrary<number>) => fc.oneof({ arbitrary: value, weight: 9 }, fc.constant(NaN))
const number = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1.5, Infinity, -Infinity))
const row = fc.tuple(
  perhaps(whole),
  whole,
  perhaps(fc.integer({ min: -8.64e12, max: 8.64e12 })),
  perhaps(number),
) satisfies fc.Arbitrary<Row>

it('are read back as they were written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 300 }), async (rows) => {
      expect(await read(write(rows))).toEqual(rows)
    }),
    { numRuns: 60 },
  )
})

it('of every width are read by DuckDB, over several groups of rows', async () => {
  const rows = Array.from({ length: GROUP_ROWS + 1_000 }, (_, i): Row => {
    // Blocks of each width from 0 to 51 bits.
    const width = Math.floor(i / 128) % 52
    const step = Math.floor((2 ** width - 1) * ((i * 0.618) % 1))
    return [i % 7 === 0 ? NaN : step, step - 2 ** 50, 1.75e12 + i / 8, i % 3 === 0 ? NaN : (i % 40) / 8]
  })
  const path = join(makeFolder('parquet-numbers'), 'x.parquet')
  writeFileSync(path, write(rows))
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const found = await connection.runAndReadAll(`SELECT whole, must, epoch_us(time), number FROM '${path}'`)
  const of = (value: unknown): number => (value === null ? NaN : Number(value))
  expect(found.getRows().map((one) => one.map(of))).toEqual(
    rows.map(([a, b, time, c]) => [a, b, Math.round(time * 1_000), c]),
  )
})

it('name their range and how many are missing', () => {
  const bytes = write([
    [5, 1, NaN, -0],
    [NaN, 2, NaN, 0],
    [-3, 3, NaN, 0],
  ])
  const { columns } = parquetMetadata(bytes.slice().buffer).row_groups[0]
  expect(columns.map(({ meta_data }) => meta_data?.statistics)).toMatchObject([
    { min_value: -3n, max_value: 5n, null_count: 1n },
    { min_value: 1n, max_value: 3n, null_count: 0n },
    { null_count: 3n },
    { min_value: -0, max_value: 0, null_count: 0n },
  ])
})
