import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { exportBars } from '../../../../../src/main/features/export/bars.ts'
import {
  createTimeWriter,
  needsDefusing,
  textRoom,
  writeText,
  writeWhole,
} from '../../../../../src/main/features/export/rows/cells.ts'
import { fileFailure } from '../../../../../src/main/base/file-sink.ts'
import { exportTicks, type TickExportOptions } from '../../../../../src/main/features/export/ticks.ts'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { FLAG } from '../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { messagesOf } from '../../core/store/blocks/messages.ts'
import { fakeReader, type FakeRun } from './fake-reader.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { exportRequest } from '../../../../kit/export.ts'

let folder = ''
let out = ''
beforeEach(async () => {
  folder = makeFolder('export')
  out = join(folder, 'out.csv')
})

const T = Date.UTC(2024, 7, 8, 23, 54, 15, 342)
const xt = (pair: string, p: string, t: string | number, s: string): string => tradeText(pair, p, s, t)
const stamp = (i: number, flags = 0) => ({
  seq: i * 3 + 1,
  conn: 1,
  connSeq: i + 1,
  recvMs: T + 7 + i,
  monoNs: i * 1e6,
  flags,
})
const runOf = (
  frames: readonly (string | Uint8Array)[],
  flags: readonly number[] = [],
  more: Partial<FakeRun> = {},
): FakeRun => ({
  session: 'r1',
  source: 'demo',
  feed: 'crypto/XT',
  messages: messagesOf(
    frames,
    frames.map((_, i) => stamp(i, flags[i])),
  ),
  ...more,
})
const options = (more: Partial<TickExportOptions> = {}): TickExportOptions => ({
  out,
  feed: 'crypto/XT',
  format: 'csv',
  ...more,
})
const read = () => readFile(out, 'utf8')
const AS_USUAL = exportRequest()

test('sessions that hold the same time are named: in a sentence, and in the manifest', async () => {
  const reader = fakeReader([runOf([xt('A', '1', T, '1')]), runOf([xt('A', '2', T, '1')], [], { session: 'r2' })])
  const told: string[] = []
  const watch = { onOverlap: (sentence: string) => told.push(sentence) }
  const done = await runExport(reader, AS_USUAL, out, watch)
  expect(told).toEqual([])
  expect(JSON.parse(await readFile(done.manifest ?? '', 'utf8'))).not.toHaveProperty('overlaps')

  // The second came from another machine.
  const rows = (await reader.sessions()).map((row) => ({ ...row, imported: row.session === 'r2' }))
  await runExport({ ...reader, sessions: () => Promise.resolve(rows) }, AS_USUAL, out, watch)
  expect(told).toEqual(['Sessions r1 and r2 of demo overlap: there, the earlier one is read.'])
  expect(JSON.parse(await readFile(done.manifest ?? '', 'utf8'))).toMatchObject({
    overlaps: [{ read: 'r1', left_out: 'r2', from: new Date(1.7e12 + 1).toISOString() }],
  })
})

describe('ticks as CSV', () => {
  const frames = [
    xt('BTC-USD', '61837.63', T, '0.02'),
    xt('BTC-USD', '1e-05', T + 1, '2.50'),
    xt('ETH-USD', '-0', 'null', '1'),
  ]

  test('columns, literals, order, an undated row, and the manifest', async () => {
    const gaps = [
      {
        session: sessionId('r1'),
        feed: 'crypto/XT' as const,
        symbols: ['BTC-USD'],
        cause: 'drop' as const,
        fromMs: unixMs(T),
        toMs: null,
        fromSeq: 1,
        toSeq: null,
      },
    ]
    const progress: number[] = []
    const result = await exportTicks(
      fakeReader([runOf(frames)], { gaps }),
      options({ onProgress: ({ rows }) => progress.push(rows) }),
    )
    const text = await read()
    expect(text).toBe(
      [
        'feed,symbol,event_ms,event_iso,recv_ms,recv_iso,seq,p,s',
        'crypto/XT,BTC-USD,1723161255342,2024-08-08T23:54:15.342Z,1723161255349,2024-08-08T23:54:15.349Z,1,61837.63,0.02',
        'crypto/XT,BTC-USD,1723161255343,2024-08-08T23:54:15.343Z,1723161255350,2024-08-08T23:54:15.350Z,4,1e-05,2.50',
        'crypto/XT,ETH-USD,,,1723161255351,2024-08-08T23:54:15.351Z,7,-0,1',
        '',
      ].join('\n'),
    )
    expect(result).toEqual({
      path: out,
      rows: 3,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      manifest: `${out}.manifest.json`,
    })
    expect(progress).toEqual([3])
    expect(JSON.parse(await readFile(result.manifest, 'utf8'))).toEqual({
      schema: 'tapedeck/ticks/1',
      columns: text.split('\n')[0]?.split(','),
      feed: 'crypto/XT',
      source: 'demo',
      sessions: ['r1'],
      zone: 'UTC',
      from: '2024-08-08T23:54:15.342Z',
      to: '2024-08-08T23:54:15.352Z',
      rows: 3,
      sha256: result.sha256,
      gaps: [
        {
          session: 'r1',
          feed: 'crypto/XT',
          symbols: ['BTC-USD'],
          cause: 'drop',
          from: '2024-08-08T23:54:15.342Z',
          to: null,
          from_seq: 1,
          to_seq: null,
        },
      ],
      ledger_head: 'head of r1',
    })
    expect((await readdir(folder)).sort()).toEqual(['out.csv', 'out.csv.manifest.json'])
  })

  test('a byte order mark, another separator, one symbol, raw text', async () => {
    await exportTicks(
      fakeReader([runOf(frames)]),
      options({ bom: true, separator: ';', symbols: ['ethusd'], raw: true }),
    )
    expect(await read()).toBe(
      '\ufefffeed;symbol;event_ms;event_iso;recv_ms;recv_iso;seq;p;s;raw\n' +
        `crypto/XT;ETH-USD;;;1723161255351;2024-08-08T23:54:15.351Z;7;-0;1;"${frames[2].replaceAll('"', '""')}"\n`,
    )
  })

  test('control, undecodable and unasked messages stay out of CSV; JSON Lines have all', async () => {
    const run = runOf(
      [
        '{"type":"subscribed","tickers":["A"]}',
        Uint8Array.of(255, 1),
        xt('A', '1', T, '1'),
        xt('B', '2', T, '"\\u0000é\n'),
        xt('A', '3', T, '1'),
      ],
      [FLAG.control, FLAG.undecodable | FLAG.binary | FLAG.invalidUtf8, FLAG.unasked, FLAG.undecodable, 0],
    )
    expect((await exportTicks(fakeReader([run]), options())).rows).toBe(1)
    expect((await exportTicks(fakeReader([run]), options({ format: 'jsonl' }))).rows).toBe(5)
    const lines = (await read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[1]).toEqual({ feed: 'crypto/XT', symbol: '', recv_ms: T + 8, seq: 4, raw_base64: '/wE=' })
    expect(lines[3]).toMatchObject({ raw: xt('B', '2', T, '"\\u0000é\n'), seq: 10 })
  })

  test('text of a hostile server is defused and quoted', async () => {
    const run = runOf([xt('=cmd|1', '1', T, '1'), xt("'=x", '2', T, '1'), xt('a,\\"b', '3', T, '1')])
    await exportTicks(fakeReader([run]), options())
    const symbols = (await read())
      .split('\n')
      .slice(1, 4)
      .map((line) => line.slice(10, line.indexOf(',172')))
    expect(symbols).toEqual(["'=cmd|1", "''=x", '"a,""b"'])
  })
})

describe('sources', () => {
  const runs = [
    runOf([xt('A', '1', T, '1')]),
    runOf([xt('A', '2', T, '1')], [], { session: 'r2', source: 'service:u@https://x' }),
  ]
  test('several need a choice', async () => {
    await expect(exportTicks(fakeReader(runs), options())).rejects.toMatchObject({ code: 'ambiguous-source' })
    expect(await readdir(folder)).toEqual([])
  })
  test('chosen by source, or by session', async () => {
    await exportTicks(fakeReader(runs), options({ source: 'demo' }))
    expect(await read()).toContain(',1,1,1\n')
    await exportTicks(fakeReader(runs), options({ sessions: [sessionId('r2')] }))
    expect(await read()).toContain(',1,2,1\n')
  })
  test('none', async () => {
    await expect(exportTicks(fakeReader(runs), options({ feed: 'forex/C' }))).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(exportTicks(fakeReader(runs), options({ sessions: [sessionId('r9')] }))).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('what fails leaves nothing behind', () => {
  test('cancelled in the middle; an older file stays', async () => {
    await writeFile(out, 'older')
    const abort = new AbortController()
    const reader = fakeReader([runOf([xt('A', '1', T, '1')])], { onTicks: () => abort.abort() })
    await expect(exportTicks(reader, options({ signal: abort.signal }))).rejects.toMatchObject({ code: 'cancelled' })
    expect(await read()).toBe('older')
    expect(await readdir(folder)).toEqual(['out.csv'])
  })
  test('a store that reads out of order', async () => {
    const run = runOf([xt('A', '1', T, '1')])
    await expect(exportTicks(fakeReader([run, run]), options())).rejects.toMatchObject({ code: 'internal' })
    expect(await readdir(folder)).toEqual([])
  })
  test('no folder, and a folder in place of a file', async () => {
    const reader = fakeReader([runOf([xt('A', '1', T, '1')])])
    await expect(exportTicks(reader, options({ out: join(folder, 'no', 'x.csv') }))).rejects.toMatchObject({
      code: 'disk-error',
    })
    await expect(exportTicks(reader, options({ out: folder }))).rejects.toMatchObject({ code: 'usage' })
  })
  test('a full disk has its own code', () => {
    expect(fileFailure(Object.assign(new Error('x'), { code: 'ENOSPC' }), 'f').code).toBe('disk-full')
  })
})

describe('cells', () => {
  const text = (write: (bytes: Uint8Array) => number): string => {
    const bytes = new Uint8Array(4096)
    return Buffer.from(bytes.buffer, 0, write(bytes)).toString()
  }
  test('times are what Date writes, in any order', () => {
    const writer = createTimeWriter(44)
    const ms = fc.oneof(
      fc.integer({ min: 1.2e12, max: 2e12 }),
      fc.integer({ min: -6e13, max: 2.6e14 }),
      fc.integer({ min: 1.7e12, max: 1.7e12 + 5000 }),
    )
    fc.assert(
      fc.property(ms, (t) => {
        const date = new Date(t)
        const iso = date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999 ? date.toISOString() : ''
        expect(text((b) => writer.write(b, new DataView(b.buffer), 0, t))).toBe(`${t},${iso}`)
      }),
      { numRuns: 2000 },
    )
    expect(text((b) => writer.write(b, new DataView(b.buffer), 0, 1.7e12 + 0.25))).toBe(
      '1700000000000.25,2023-11-14T22:13:20.000Z',
    )
    expect(text((b) => writer.write(b, new DataView(b.buffer), 0, NaN))).toBe(',')
  })
  test('whole numbers', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.maxSafeNat(),
          fc.nat(20_000),
          fc.integer({ min: 0, max: 16 }).map((n) => 10 ** n),
        ),
        (n) => {
          expect(text((b) => writeWhole(b, 0, n))).toBe(String(n))
        },
      ),
    )
  })
  test('text reads back as RFC 4180 with one apostrophe taken away where a formula began', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('=', "'", '"', ',', '\n', '\r', '\t', 'a', '＝', '@', '-'), maxLength: 12 }),
        (s) => {
          const bytes = new TextEncoder().encode(s)
          const cell = text((b) => writeText(b, 0, bytes, 44))
          expect(Buffer.byteLength(cell)).toBeLessThanOrEqual(textRoom(bytes))
          const inner = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
          if (!cell.startsWith('"')) expect(cell).not.toMatch(/[",\r\n]/)
          expect(inner).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/)
          expect(needsDefusing(bytes) ? inner.slice(1) : inner).toBe(s)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

test('bars, oldest first over several pages', async () => {
  const bars: Bar[] = Array.from({ length: 12_001 }, (_, i) => ({
    startMs: unixMs(T + i * 60_000),
    endMs: unixMs(T + (i + 1) * 60_000),
    open: 1.5,
    high: i + 2,
    low: 1e-7,
    close: 2,
    volume: i % 2 === 0 ? null : 0.25,
    count: 3,
    complete: i !== 1,
  }))
  const result = await exportBars(fakeReader([runOf([xt('A', '1', T, '1')])], { bars }), {
    out,
    asset: 'crypto',
    symbols: ['BTC-USD'],
    of: 'trade',
    interval: '1m',
    fromMs: T + 60_000,
  })
  expect(result.rows).toBe(12_000)
  const lines = (await read()).split('\n')
  expect(lines.slice(0, 3)).toEqual([
    'symbol,start_ms,start_iso,open,high,low,close,volume,count,complete,of',
    'BTC-USD,1723161315342,2024-08-08T23:55:15.342Z,1.5,3,1e-7,2,0.25,3,false,trade',
    'BTC-USD,1723161375342,2024-08-08T23:56:15.342Z,1.5,4,1e-7,2,,3,true,trade',
  ])
  const starts = lines.slice(1, -1).map((line) => Number(line.split(',')[1]))
  expect(starts).toEqual(bars.slice(1).map((bar) => bar.startMs))
  expect(JSON.parse(await readFile(result.manifest, 'utf8'))).toMatchObject({
    schema: 'tapedeck/bars/1',
    rows: 12_000,
    of: 'trade',
    interval: '1m',
  })
})

test('the service has bars of whole seconds only', async () => {
  const reader = fakeReader([runOf([xt('A', '1', T, '1')])])
  await expect(
    exportBars(reader, { out, asset: 'crypto', symbols: ['A'], of: 'service', interval: '500ms' }),
  ).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('last whole seconds') as string })
})

test('forex has no trades to make bars of', async () => {
  const reader = fakeReader([runOf([xt('A', '1', T, '1')])])
  await expect(
    exportBars(reader, { out, asset: 'forex', symbols: ['EURUSD'], of: 'trade', interval: '1m' }),
  ).rejects.toMatchObject({ code: 'usage' })
})
