/** Extended bars cell by cell, in both formats: end times by the grid, VWAPs of exactly the trades in the bar. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { ExportRequest } from '../../../../../src/shared/features/export/export.ts'
import { FLAG } from '../../../../../src/shared/core/recording/session.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { recorded } from './recorded.ts'
import { exportRequest } from '../../../../kit/export.ts'

const MINUTE = 60_000
const START = Math.ceil(T0 / MINUTE) * MINUTE

const request = (more: Partial<ExportRequest>): ExportRequest =>
  exportRequest({ what: 'bars', extended: true, ...more })
const print = (atMs: number, price: number, size: number, flags = 0): Item => ({
  conn: 1,
  data: tradeText('BTC-USD', price, size, atMs),
  recvMs: atMs,
  flags,
})

type Store = Awaited<ReturnType<typeof recorded>>
async function cellsOf(reader: StoreReader, path: string, more: Partial<ExportRequest> = {}) {
  const out = join(path, `${crypto.randomUUID()}.csv`)
  await runExport(reader, request(more), out)
  const [head = [], ...rows] = (await readFile(out, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])))
}
const vwaps = async ({ reader, path }: Store, more: Partial<ExportRequest> = {}) =>
  (await cellsOf(reader, path, more)).map(({ vwap }) => vwap)

it('are the same in Parquet, with types', async () => {
  const store = await recorded([[print(START, 100, 3), print(START + 1, 104, 1), print(START + MINUTE, 7, 2)]])
  const out = join(store.path, 'bars.parquet')
  const done = await runExport(store.reader, request({ format: 'parquet' }), out)
  const rows = await parquetReadObjects({
    file: await asyncBufferFromFile(out),
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  })
  const row = (startMs: number, vwap: number) => ({
    symbol: 'BTC-USD',
    start_ms: BigInt(startMs),
    start_time: new Date(startMs),
    feed: 'crypto/XT',
    end_ms: BigInt(startMs + MINUTE),
    end_time: new Date(startMs + MINUTE),
    vwap,
  })
  expect(rows).toMatchObject([row(START, 101), row(START + MINUTE, 7)])
  const manifest = JSON.parse(await readFile(done.manifest ?? '', 'utf8')) as { columns: string[] }
  expect(manifest).toMatchObject({ schema: 'tapedeck/bars/1+extended' })
  expect(manifest.columns.slice(-4)).toEqual(['feed', 'end_ms', 'end_time', 'vwap'])
  await store.close()
})

it('end with the session where a bar of stocks is shorter than its interval', async () => {
  const at = Date.UTC(2026, 0, 5, 20, 45) // the last hour's bar of New York begins at 15:30
  const data = JSON.stringify({ ev: 'T', sym: 'SPY', p: 600, s: 1, t: at })
  const store = await recorded([[{ conn: 1, data, recvMs: at }]], { feeds: ['stocks/T'] })
  const cells = await cellsOf(store.reader, store.path, { feed: 'stocks/T', interval: '1h' })
  expect(cells).toMatchObject([{ start_iso: '2026-01-05T20:30:00.000Z', end_iso: '2026-01-05T21:00:00.000Z' }])
  await store.close()
})

it('weigh what the bar holds: no trade that was not asked for, and one without a time at its receipt', async () => {
  const undated: Item = { ...print(START + 1_000, 200, 1), data: '{"ev":"XT","pair":"BTC-USD","p":200,"s":1}' }
  const store = await recorded([
    [print(START, 100, 1), print(START + 500, 9_000, 5, FLAG.unasked), { ...undated, flags: FLAG.undated }],
  ])
  expect(await cellsOf(store.reader, store.path)).toMatchObject([{ volume: '2', count: '2', vwap: '150' }])
  await store.close()
})

it('weigh trades of the chosen sessions and of one source', async () => {
  const elsewhere = { kind: 'service', origin: 'https://data.example.com', user: 'u' } as const
  // Each recording holds a trade that is dated into the same minute.
  const store = await recorded(
    [[print(START, 100, 1)], [{ ...print(START, 300, 1), recvMs: START + 3_600_000 }], [print(START, 7, 1)]],
    { sources: [{ kind: 'demo', origin: 'demo', user: '' }, { kind: 'demo', origin: 'demo', user: '' }, elsewhere] },
  )
  const [first, second] = store.sessions
  expect(await vwaps(store, { source: 'demo' })).toEqual(['200'])
  expect(await vwaps(store, { sessions: first === undefined ? [] : [first] })).toEqual(['100'])
  expect(await vwaps(store, { sessions: second === undefined ? [] : [second] })).toEqual(['300'])
  expect(await vwaps(store, { source: 'service:u@https://data.example.com' })).toEqual(['7'])
  await store.close()
})

it('lie between low and high though trades arrive while the bar is read', async () => {
  const before = await recorded([[print(START, 100, 1)]])
  const after = await recorded([[print(START, 100, 1), print(START + 1, 100, 9)]])
  const reader = new Proxy(before.reader, {
    get(bars, name) {
      const of = name === 'ticks' ? after.reader : bars
      const value: unknown = Reflect.get(of, name)
      return typeof value === 'function' ? (value.bind(of) as unknown) : value
    },
  })
  expect(await cellsOf(reader, before.path)).toMatchObject([{ high: '100', low: '100', vwap: '100' }])
  await before.close()
  await after.close()
})

it('are empty where no trade has a size, and keep the last bits of long sums', async () => {
  const sizeless = await recorded([[print(START, 5, 0)]])
  expect(await vwaps(sizeless)).toEqual([''])
  await sizeless.close()
  const long = await recorded([[print(START, 2 ** 53, 1), print(START, 1, 1), print(START, 1, 1)]])
  expect(await vwaps(long)).toEqual([String((2 ** 53 + 2) / 3)])
  await long.close()
})

it('match sums in whole numbers, whatever was traded', async () => {
  const drawn = fc.record({
    at: fc.integer({ min: 0, max: 3 * MINUTE - 1 }),
    price: fc.integer({ min: 1, max: 1e6 }),
    size: fc.integer({ min: 0, max: 1e6 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 60 }), async (trades) => {
      const store = await recorded([trades.map(({ at, price, size }) => print(START + at, price, size))])
      const cells = await cellsOf(store.reader, store.path)
      await store.close()
      const expected = [...Map.groupBy(trades, ({ at }) => Math.floor(at / MINUTE))]
        .sort(([a], [b]) => a - b)
        .map(([minute, group]) => {
          const turnover = group.reduce((sum, { price, size }) => sum + BigInt(price) * BigInt(size), 0n)
          const volume = group.reduce((sum, { size }) => sum + size, 0)
          // Below 2^53, so both are exact as doubles.
          const vwap = volume === 0 ? '' : String(Number(turnover) / volume)
          return { end_ms: String(START + (minute + 1) * MINUTE), feed: 'crypto/XT', vwap }
        })
      expect(cells).toMatchObject(expected)
    }),
    { numRuns: 15 },
  )
})
