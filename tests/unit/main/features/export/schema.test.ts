/** Schema 2: one list of columns, whatever the format, feed by feed. DuckDB reads every file without help. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import { encode } from '../../../../../src/service/codecs/encode.ts'
import { FEEDS } from '../../../../../src/service/feeds.ts'
import { csvTickColumns } from '../../../../../src/service/tick-columns.ts'
import { FEED_IDS, price, serviceSymbol, size, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import type { MarketRecord } from '../../../../../src/shared/core/market/market.ts'
import type { ExportRequest } from '../../../../../src/shared/features/export/export.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { recorded, type RecordedStore } from './recorded.ts'
import { exportRequest } from '../../../../kit/export.ts'

let sql: (text: string) => Promise<Record<string, unknown>[]>
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  sql = async (text) => (await connection.runAndReadAll(text)).getRowObjectsJson()
})

const request = (more: Partial<ExportRequest>): ExportRequest => exportRequest({ schema: 2, ...more })

async function save(store: RecordedStore, name: string, more: Partial<ExportRequest>): Promise<string> {
  const out = join(store.path, name)
  await runExport(store.reader, request(more), out)
  return out
}

/** Every row of a file as text, in its own order of columns. */
async function rowsOf(file: string): Promise<{ columns: string[]; rows: unknown[][] }> {
  const from = file.endsWith('.jsonl')
    ? `read_json('${file}', sample_size=-1)`
    : file.endsWith('.csv')
      ? `read_csv('${file}', sample_size=-1)`
      : `'${file}'`
  const columns = (await sql(`DESCRIBE SELECT * FROM ${from}`)).map((row) => String(row.column_name))
  const cells = columns.map((name) =>
    /_time$/.test(name)
      ? `strftime("${name}"::TIMESTAMPTZ, '%Y-%m-%dT%H:%M:%S.%g')`
      : /^(?:feed|symbol|interval|of|raw)$/.test(name)
        ? `"${name}"`
        : name === 'complete'
          ? `"${name}"::BOOLEAN::VARCHAR`
          : `"${name}"::DOUBLE`,
  )
  const rows = await sql(`SELECT [${cells.map((cell) => `(${cell})::VARCHAR`).join(', ')}] AS row FROM ${from}`)
  return { columns, rows: rows.map(({ row }) => row as unknown[]) } // a list, as selected
}

function message(feed: FeedId, i: number): string {
  const { kind } = FEEDS[feed]
  const symbol = serviceSymbol(i % 2 === 0 ? 'AAA' : 'BBB')
  const at = unixMs(T0 + i * 60_000)
  const p = price(100.25 + i)
  const of: Record<typeof kind, () => MarketRecord> = {
    trade: () => ({ kind: 'trade', feed, symbol, price: p, size: size(2), eventMs: at }),
    quote: () => ({
      kind: 'quote',
      feed,
      symbol,
      bid: p,
      ask: price(p + 1),
      bidSize: size(1),
      askSize: size(2),
      eventMs: at,
    }),
    bar: () => ({
      kind: 'bar',
      feed,
      symbol,
      open: p,
      high: price(p + 2),
      low: price(p - 2),
      close: price(p + 1),
      volume: size(3),
      startMs: at,
      endMs: unixMs(at + 60_000),
    }),
  }
  return encode(feed, of[kind]())
}

describe('schema 2', () => {
  it.each(FEED_IDS)('%s: CSV, Parquet and JSON Lines are the same table', async (feed) => {
    const items = Array.from({ length: 7 }, (_, i): Item => ({
      conn: 1,
      data: message(feed, i),
      recvMs: T0 + i * 60_000 + 13,
    }))
    const store = await recorded([items], { feeds: [feed] })
    const [csv, parquet, lines] = [
      await rowsOf(await save(store, 't.csv', { feed })),
      await rowsOf(await save(store, 't.parquet', { feed, format: 'parquet' })),
      await rowsOf(await save(store, 't.jsonl', { feed, format: 'jsonl' })),
    ]
    expect(csv.columns).toEqual(csvTickColumns(feed, false, 2))
    expect(csv.columns.slice(0, 7)).toEqual(['feed', 'symbol', 'event_time', 'recv_time', 'event_ms', 'recv_ms', 'seq'])
    expect(csv.columns.every((name) => /^[a-z]+(?:_[a-z]+)?$/.test(name) && name.length > 1)).toBe(true)
    expect(parquet).toEqual(csv)
    expect(lines).toEqual(csv)
    expect(csv.rows).toHaveLength(7)
    await store.close()
  })

  it('writes start and end in ms, whatever unit the service sent them in', async () => {
    const seconds = T0 / 1_000
    const data = `{"ev":"AM","sym":"A","o":1,"h":1,"l":1,"c":1,"v":1,"s":${seconds},"e":${seconds + 60}}`
    const store = await recorded([[{ conn: 1, data, recvMs: T0 + 60_001 }]], { feeds: ['stocks/AM'] })
    for (const [name, format] of [
      ['t.csv', 'csv'],
      ['t.parquet', 'parquet'],
      ['t.jsonl', 'jsonl'],
    ] as const) {
      const { columns, rows } = await rowsOf(await save(store, name, { feed: 'stocks/AM', format }))
      const at = (column: string): unknown => rows[0]?.[columns.indexOf(column)]
      expect([at('start_ms'), at('end_ms')].map(Number)).toEqual([T0, T0 + 60_000])
    }
    await store.close()
  })

  describe('of what a service may send', () => {
    let store: RecordedStore
    beforeAll(async () => {
      store = await recorded([
        [
          { conn: 1, data: '{"type":"subscribed","tickers":["A"]}', flags: 4 },
          { conn: 1, data: tradeText('A', '61837.630', '1e-05', T0 + 1), recvMs: T0 + 9 },
          { conn: 1, data: '{"ev":"XT","pair":"=B,\\"C\\"","p":2,"t":null,"s":1}', flags: 32, recvMs: T0 + 13.5 },
          { conn: 1, data: `{"ev":"XT","pair":"D","p":"007.50","t":${T0 + 3},"s":1}`, recvMs: T0 + 14 },
        ],
      ])
    })
    afterAll(() => store.close())

    it('JSON Lines have the service’s own digits, null for what is absent, and no control frames', async () => {
      const lines = readFileSync(await save(store, 'odd.jsonl', { format: 'jsonl' }), 'utf8')
        .trimEnd()
        .split('\n')
      expect(lines).toHaveLength(3)
      const iso = (ms: number) => new Date(ms).toISOString()
      expect(lines[0]).toBe(
        `{"feed":"crypto/XT","symbol":"A","event_time":"${iso(T0 + 1)}","recv_time":"${iso(T0 + 9)}",` +
          `"event_ms":${T0 + 1},"recv_ms":${T0 + 9},"seq":2,"price":61837.630,"size":1e-05}`,
      )
      expect(JSON.parse(lines[1] ?? '')).toMatchObject({
        symbol: '=B,"C"',
        event_time: null,
        event_ms: null,
        recv_ms: T0 + 13.5,
        price: 2,
      })
      expect(JSON.parse(lines[2] ?? '')).toMatchObject({ price: 7.5 })
    })

    it('--raw lines are the messages, every one, as in schema 1', async () => {
      const [old, now] = [
        await save(store, 'old.jsonl', { format: 'jsonl', schema: 1 }),
        await save(store, 'now.jsonl', { format: 'jsonl', raw: true }),
      ]
      expect(readFileSync(now, 'utf8')).toBe(readFileSync(old, 'utf8'))
      expect(readFileSync(`${now}.manifest.json`, 'utf8')).toBe(readFileSync(`${old}.manifest.json`, 'utf8'))
      expect(readFileSync(now, 'utf8').trimEnd().split('\n')).toHaveLength(4)
    })

    it('manifests name the schema and the columns of the file', async () => {
      for (const format of ['csv', 'parquet', 'jsonl'] as const) {
        const out = await save(store, `m.${format}`, { format })
        const manifest = JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8')) as object
        expect(manifest).toMatchObject({ schema: 'tapedeck/ticks/2', columns: csvTickColumns('crypto/XT', false, 2) })
      }
    })
  })

  it('bars name feed and interval, and are the same table in every format', async () => {
    const start = Math.ceil(T0 / 60_000) * 60_000
    const items = [0, 1, 61_000].map((ms, i): Item => ({
      conn: 1,
      data: tradeText('=A', 100 + i, 1 + i, start + ms),
      recvMs: start + ms,
    }))
    const store = await recorded([items])
    const bars = { what: 'bars', interval: '1m' } as const
    const [csv, parquet, lines] = [
      await rowsOf(await save(store, 'b.csv', bars)),
      await rowsOf(await save(store, 'b.parquet', { ...bars, format: 'parquet' })),
      await rowsOf(await save(store, 'b.jsonl', { ...bars, format: 'jsonl' })),
    ]
    expect(csv.columns).toEqual(
      'feed symbol interval of start_time start_ms end_ms open high low close volume vwap count complete'.split(' '),
    )
    // Only CSV can be taken for a formula.
    expect(csv.rows.map((row) => row[1])).toEqual(["'=A", "'=A"])
    expect(parquet.rows.map((row) => row[1])).toEqual(['=A', '=A'])
    const others = (rows: unknown[][]) => rows.map((row) => row.filter((_, at) => at !== 1))
    expect(others(csv.rows)).toEqual(others(parquet.rows))
    expect(lines).toEqual(parquet)
    expect(csv.rows[0]?.slice(2)).toEqual([
      '1m',
      'trade',
      new Date(start).toISOString().slice(0, -1),
      String(start.toFixed(1)),
      String((start + 60_000).toFixed(1)),
      ...['100.0', '101.0', '100.0', '101.0', '3.0', String((100 + 202) / 3), '2.0'],
      expect.stringMatching(/^(?:true|false)$/),
    ])
    expect(JSON.parse(readFileSync(join(store.path, 'b.csv.manifest.json'), 'utf8'))).toMatchObject({
      schema: 'tapedeck/bars/2',
      columns: csv.columns,
    })
    await store.close()
  })
})
