/** Arrow, read back by Arrow's own library: cell by cell what the JSON Lines of the same export say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RecordBatchReader, tableFromIPC, type Table } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryFile } from '../../../../../src/main/base/file-sink.ts'
import { createArrowTable } from '../../../../../src/main/features/export/tables/arrow.ts'
import type { TableColumn } from '../../../../../src/main/features/export/tables/table.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from './recorded.ts'

let store: RecordedStore
beforeAll(async () => {
  const items: Item[] = [
    { conn: 1, data: tradeText('BTC-USD', '100.5', '0.25', T0), recvMs: T0 + 3 },
    { conn: 1, data: tradeText('Ωü-"=1+1', '0.000001', '7', T0 + 60_000), recvMs: T0 + 60_001 },
    { conn: 1, data: '{"ev":"XT","pair":"BTC-USD","p":101}', recvMs: T0 + 61_000 },
    { conn: 2, data: quoteText('BTC-USD', '1.5', '1.25', T0 + 61_500), recvMs: T0 + 61_500 },
  ]
  store = await recorded([items], { feeds: ['crypto/XT', 'crypto/XQ'] })
})
afterAll(() => store.close())

async function exported(name: string, ...args: string[]): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const context = commandContext({
    dataDir: store.path,
    stream: (chunk) => {
      chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      return Promise.resolve()
    },
  })
  const out = name === '-' ? name : join(store.path, name)
  const code = await runCommandLine(['export', '--store', store.file, '-o', out, '--force', ...args], context)
  expect([code, context.errors()]).toEqual([0, name === '-' ? expect.any(String) : ''])
  return name === '-' ? Buffer.concat(chunks) : readFileSync(out)
}

/** Rows as JSON Lines have them: times as ISO texts, integers as numbers. */
function rowsOf(table: Table): Record<string, unknown>[] {
  const cell = (name: string, value: unknown): unknown =>
    name.endsWith('_time') && typeof value === 'number'
      ? new Date(value).toISOString()
      : typeof value === 'bigint'
        ? Number(value)
        : value
  return table
    .toArray()
    .map((row: { toJSON(): Record<string, unknown> }) =>
      Object.fromEntries(Object.entries(row.toJSON()).map(([name, value]) => [name, cell(name, value)])),
    )
}
const jsonOf = (lines: Buffer): Record<string, unknown>[] =>
  lines
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const kinds = [
  ['trades', ['-f', 'crypto/XT']],
  ['quotes', ['-f', 'crypto/XQ']],
  ['bars', ['-f', 'crypto/XT', '--what', 'bars']],
] as const

describe('an export as Arrow', () => {
  it.each(kinds)('has the rows and columns of the same export as JSON Lines: %s', async (_, args) => {
    const table = tableFromIPC(await exported('t.arrow', ...args))
    const lines = jsonOf(await exported('t.jsonl', ...args))
    expect(rowsOf(table)).toEqual(lines)
    expect(table.schema.fields.map(({ name }) => name)).toEqual(Object.keys(lines[0] ?? {}))
  })

  it('has a type for each column, and the schema as metadata, as Parquet has', async () => {
    const { schema } = tableFromIPC(await exported('t.arrow', '-f', 'crypto/XT'))
    expect(Object.fromEntries(schema.metadata)).toEqual({ schema: 'tapedeck/ticks/2', zone: 'UTC' })
    expect(schema.fields.map(({ name, type, nullable }) => `${name} ${String(type)}${nullable ? '?' : ''}`)).toEqual([
      'feed Utf8',
      'symbol Utf8',
      'event_time Timestamp<MICROSECOND, UTC>?',
      'recv_time Timestamp<MICROSECOND, UTC>',
      'event_ms Int64?',
      'recv_ms Int64',
      'seq Int64',
      'price Float64?',
      'size Float64?',
    ])
  })

  it('has the messages with --raw, and the columns of schema 1', async () => {
    const args = ['-f', 'crypto/XT', '--raw', '--schema', '1']
    const [first] = rowsOf(tableFromIPC(await exported('t.arrow', ...args)))
    expect(first).toMatchObject({ p: 100.5, s: 0.25, raw: tradeText('BTC-USD', '100.5', '0.25', T0) })
  })

  it('is a stream in a pipe and in .arrows, and a file with a footer otherwise', async () => {
    const args = ['-f', 'crypto/XT', '--format', 'arrow']
    const [file, feather, stream, pipe] = [
      await exported('t.arrow', ...args),
      await exported('t.feather', ...args),
      await exported('t.arrows', ...args),
      await exported('-', ...args),
    ]
    expect([file, feather, stream, pipe].map((bytes) => RecordBatchReader.from(bytes).isFile())).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect([feather.equals(file), pipe.equals(stream)]).toEqual([true, true])
    expect(rowsOf(tableFromIPC(stream))).toEqual(rowsOf(tableFromIPC(file)))
  })

  it('isn’t imported, and says what is', async () => {
    await exported('t.arrow', '-f', 'crypto/XT')
    const context = commandContext({ dataDir: store.path })
    const code = await runCommandLine(['import', join(store.path, 't.arrow'), '--store', store.file], context)
    expect([code, context.errors()]).toEqual([1, expect.stringContaining('Export Parquet or CSV')])
  })
})

describe('a table of many rows', () => {
  const columns: TableColumn[] = [
    { name: 'name', is: 'text' },
    { name: 'at', is: 'time', optional: false },
    { name: 'n', is: 'whole', optional: true },
    { name: 'x', is: 'number', optional: true },
    { name: 'even', is: 'bool' },
  ]
  const ROWS = 150_001
  const at = (i: number): number => T0 + i + 0.125

  it.each(['stream', 'file'] as const)('is written in batches, as a %s', (layout) => {
    const file = createMemoryFile()
    const table = createArrowTable(file, columns, { kind: 'test' }, layout)
    for (let i = 0; i < ROWS; i++) {
      table.text(0, i % 3 === 0 ? '' : `row ${i}`)
      table.number(1, at(i))
      table.number(2, i % 5 === 0 ? NaN : -i)
      table.number(3, i % 7 === 0 ? NaN : i / 8)
      table.bool(4, i % 2 === 0)
      table.row()
    }
    table.end()
    const read = tableFromIPC(file.bytes.subarray(0, file.at))
    expect([read.numRows, read.batches.map(({ numRows }) => numRows)]).toEqual([ROWS, [65_536, 65_536, 18_929]])
    expect(read.getChild('n')?.nullCount).toBe(30_001)
    const wrong: number[] = []
    const [names, times, ns, xs, evens] = read.schema.fields.map(({ name }) => read.getChild(name))
    for (let i = 0; i < ROWS; i++) {
      const n: unknown = ns?.get(i)
      const isRight =
        names?.get(i) === (i % 3 === 0 ? '' : `row ${i}`) &&
        times?.get(i) === at(i) &&
        (i % 5 === 0 ? n === null : n === BigInt(-i)) &&
        xs?.get(i) === (i % 7 === 0 ? null : i / 8) &&
        evens?.get(i) === (i % 2 === 0)
      if (!isRight) wrong.push(i)
    }
    expect(wrong.slice(0, 3)).toEqual([])
  })

  it('without a row has its columns', () => {
    const file = createMemoryFile()
    createArrowTable(file, columns, {}, 'file').end()
    const read = tableFromIPC(file.bytes.subarray(0, file.at))
    expect([read.numRows, read.schema.names]).toEqual([0, columns.map(({ name }) => name)])
  })

  it('ends a batch before the texts in it exceed what offsets can say', () => {
    const file = createMemoryFile()
    const table = createArrowTable(file, [{ name: 'raw', is: 'text' }], {}, 'stream')
    const long = 'é'.repeat(20 << 20)
    for (let i = 0; i < 4; i++) {
      table.text(0, long)
      table.row()
    }
    table.end()
    expect(tableFromIPC(file.bytes.subarray(0, file.at)).batches.map(({ numRows }) => numRows)).toEqual([2, 2])
  })
})
