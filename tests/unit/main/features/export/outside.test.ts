/** Exports as other programs read them: DuckDB, a Parquet reader, LibreOffice, and a parser as pandas has one. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import type { ExportDone, ExportRequest } from '../../../../../src/shared/features/export/export.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { recorded, type RecordedStore } from './recorded.ts'
import { exportRequest } from '../../../../kit/export.ts'

const FORMULA = '=1+2'
/** Prices whose text matters, an undated print, a symbol that is a formula, and one with what CSV is made of. */
const items: Item[] = [
  { conn: 1, data: tradeText('BTC-USD', '61837.630', '0.02', T0 + 1), recvMs: T0 + 9 },
  { conn: 1, data: tradeText('BTC-USD', '1e-05', '2.50', T0 + 2), recvMs: T0 + 10 },
  { conn: 1, data: tradeText(FORMULA, '0.1', '3', T0 + 3.25), recvMs: T0 + 11 },
  { conn: 1, data: tradeText('A,\\"B\\"\\n;C', '7', '1', T0 + 4), recvMs: T0 + 12 },
  { conn: 1, data: '{"ev":"XT","pair":"ETH-USD","p":2,"t":null,"s":1}', flags: 32, recvMs: T0 + 13 },
  ...Array.from({ length: 3_000 }, (_, i) => ({
    conn: 1,
    data: tradeText('SOL-USD', (100 + i / 100).toFixed(2), i + 1, T0 + 20 + i),
    recvMs: T0 + 30 + i,
  })),
  { conn: 2, data: quoteText('BTC-USD', '1.5', '1.6', T0 + 1), recvMs: T0 + 5_000 },
]
const ROWS = items.length - 1

let store: RecordedStore
let sql: (text: string) => Promise<Record<string, unknown>[]>
beforeAll(async () => {
  store = await recorded([items])
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  sql = async (text) => (await connection.runAndReadAll(text)).getRowObjectsJson()
})
afterAll(() => store.close())

const save = (name: string, more: Partial<ExportRequest>): Promise<ExportDone> =>
  runExport(store.reader, exportRequest(more), join(store.path, name))
const types = async (file: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await sql(`DESCRIBE SELECT * FROM '${file}'`)).map((row) => [String(row.column_name), String(row.column_type)]),
  )
const isoOf = (ms: number) => new Date(ms).toISOString()

describe('DuckDB', () => {
  it('reads Parquet: types, zones, counts, values', async () => {
    const { files } = await save('t.parquet', { format: 'parquet', raw: true })
    const file = files[0]?.path ?? ''
    expect(await types(file)).toEqual({
      feed: 'VARCHAR',
      symbol: 'VARCHAR',
      event_ms: 'BIGINT',
      event_time: 'TIMESTAMP WITH TIME ZONE',
      recv_ms: 'BIGINT',
      recv_time: 'TIMESTAMP WITH TIME ZONE',
      seq: 'BIGINT',
      p: 'DOUBLE',
      s: 'DOUBLE',
      raw: 'VARCHAR',
    })
    const [totals] = await sql(
      `SELECT count(*)::INT AS rows, count(event_ms)::INT AS dated, min(p) AS least, sum(s)::INT AS size FROM '${file}'`,
    )
    expect(totals).toEqual({ rows: ROWS, dated: ROWS - 1, least: 1e-5, size: (3_000 * 3_001) / 2 + 8 })
    const [third] = await sql(`SELECT symbol, epoch_us(event_time)::VARCHAR AS us, raw FROM '${file}' WHERE p = 0.1`)
    // a typed file has no cells that could be taken for a formula: the symbol is as the server sent it
    expect(third).toEqual({
      symbol: FORMULA,
      us: String((T0 + 3.25) * 1_000),
      raw: tradeText(FORMULA, '0.1', '3', T0 + 3.25),
    })
  })

  it('reads Parquet of bars', async () => {
    const { files, rows } = await save('b.parquet', { what: 'bars', interval: '1s', format: 'parquet' })
    const file = files[0]?.path ?? ''
    expect(await types(file)).toEqual({
      symbol: 'VARCHAR',
      start_ms: 'BIGINT',
      start_time: 'TIMESTAMP WITH TIME ZONE',
      open: 'DOUBLE',
      high: 'DOUBLE',
      low: 'DOUBLE',
      close: 'DOUBLE',
      volume: 'DOUBLE',
      count: 'BIGINT',
      complete: 'BOOLEAN',
      of: 'VARCHAR',
    })
    const [totals] = await sql(`SELECT count(*)::INT AS rows, sum(count)::INT AS prints FROM '${file}'`)
    // a message without a time is no print
    expect(totals).toEqual({ rows, prints: ROWS - 1 })
  })

  it('reads CSV: types that it finds by itself, zones, counts', async () => {
    const { files } = await save('t.csv', { symbols: ['SOL-USD', 'BTC-USD'] })
    const file = files[0]?.path ?? ''
    expect(await types(file)).toMatchObject({
      event_ms: 'BIGINT',
      event_iso: 'TIMESTAMP WITH TIME ZONE',
      recv_iso: 'TIMESTAMP WITH TIME ZONE',
      seq: 'BIGINT',
      p: 'DOUBLE',
    })
    const [totals] = await sql(
      `SELECT count(*)::INT AS rows, count(*) FILTER (epoch_ms(event_iso) = event_ms)::INT AS agree FROM '${file}'`,
    )
    expect(totals).toEqual({ rows: 3_002, agree: 3_002 })
  })

  it('reads hostile symbols and messages of CSV cell by cell', async () => {
    const { files } = await save('h.csv', { raw: true })
    const rows = await sql(`SELECT symbol, raw FROM read_csv('${files[0]?.path}', all_varchar = true) LIMIT 5`)
    expect(rows.map((row) => row.symbol)).toEqual(['BTC-USD', 'BTC-USD', `'${FORMULA}`, 'A,"B"\n;C', 'ETH-USD'])
    expect(rows.map((row) => row.raw)).toEqual(items.slice(0, 5).map((item) => ('data' in item ? item.data : '')))
  })
})

describe('a Parquet reader', () => {
  it('finds zstd, groups of bounded size, and what the columns say', async () => {
    const { files } = await save('r.parquet', { format: 'parquet' })
    const file = await asyncBufferFromFile(files[0]?.path ?? '')
    const metadata = await parquetMetadataAsync(file)
    expect(Number(metadata.num_rows)).toBe(ROWS)
    for (const { columns } of metadata.row_groups) {
      for (const { meta_data: about } of columns) expect(about?.codec).toBe('ZSTD')
    }
    const rows = await parquetReadObjects({
      file,
      rowEnd: 5,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    })
    expect(rows[2]).toMatchObject({ symbol: FORMULA, event_ms: BigInt(T0 + 3), p: 0.1, seq: 3n })
    expect(rows[4]).toMatchObject({ symbol: 'ETH-USD', event_ms: null, event_time: null })
  })
})

type Cell = number | Date | string | null

/** As pandas' read_csv with parse_dates and utc=True takes a plain file: a type for each column, or text. */
function frame(text: string): Record<string, Cell[]> {
  const [header = '', ...lines] = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\n')
  const cells = lines.map((line) => line.split(','))
  return Object.fromEntries(
    header.split(',').map((name, at): [string, Cell[]] => {
      const column = cells.map((row) => row[at] ?? '')
      if (column.every((cell) => cell === '' || /^-?[\d.]+(e[+-]?\d+)?$/i.test(cell))) {
        return [name, column.map((cell) => (cell === '' ? null : Number(cell)))]
      }
      const dates = column.every((cell) => cell === '' || /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(cell))
      return [name, dates ? column.map((cell) => (cell === '' ? null : new Date(cell))) : column]
    }),
  )
}

it('gives numbers, dates and text where pandas looks for them', async () => {
  const { files } = await save('p.csv', { symbols: ['SOL-USD'] })
  const columns = frame(readFileSync(files[0]?.path ?? '', 'utf8'))
  expect(columns.p?.slice(0, 2)).toEqual([100, 100.01])
  expect(columns.event_iso?.[0]).toEqual(new Date(T0 + 20))
  expect(columns.symbol?.[0]).toBe('SOL-USD')
  expect(columns.seq?.every((one) => typeof one === 'number')).toBe(true)
})

const office = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'soffice')))
if (!office) console.warn('LibreOffice is not installed: what it reads of an export is not tested.')
describe.skipIf(!office)('LibreOffice [needs soffice]', () => {
  it('opens a CSV, keeps what it holds, and computes nothing of it', { timeout: 120_000 }, async () => {
    const { files } = await save('o.csv', { bom: true, toMs: T0 + 19 })
    const folder = join(store.path, 'office')
    mkdirSync(folder)
    // to a sheet, and what stands in its cells back to text: comma, quote, UTF-8, as shown: no
    const convert = (to: string, input: string, ...more: string[]) =>
      spawnSync(
        'soffice',
        [
          `-env:UserInstallation=file://${folder}/profile`,
          '--headless',
          ...more,
          '--convert-to',
          to,
          '--outdir',
          folder,
          input,
        ],
        { encoding: 'utf8' },
      )
    // without a window LibreOffice does not ask for the encoding, nor looks at the mark
    expect(convert('ods', files[0]?.path ?? '', '--infilter=CSV:44,34,76,1').status).toBe(0)
    expect(convert('csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false', join(folder, 'o.ods')).status).toBe(0)
    const text = readFileSync(join(folder, 'o.csv'), 'utf8').replace(/^\ufeff/, '')
    const [header, first, second, third] = text.split('\n')
    expect(header).toBe('feed,symbol,event_ms,event_iso,recv_ms,recv_iso,seq,p,s')
    expect(first?.split(',').slice(1, 3)).toEqual(['BTC-USD', String(T0 + 1)])
    expect(first).toContain(',61837.63,0.02')
    expect(Number(second?.split(',')[7])).toBe(1e-5)
    // text, not 3
    expect(third).toContain(FORMULA)
    expect(third?.split(',')[1]).not.toBe('3')
    expect(text).toContain('"A,""B""\n;C"')
    expect(text).toContain(isoOf(T0 + 1).slice(0, 19))
  })
})
