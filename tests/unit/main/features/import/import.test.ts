import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import { importFile, previewFile, type FileImportStore } from '../../../../../src/main/features/import/file.ts'
import { guessMapping } from '../../../../../src/main/features/import/mapping.ts'
import { messageOf } from '../../../../../src/main/features/import/message.ts'
import { createTimeReader } from '../../../../../src/main/features/import/times.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { LibraryWriter } from '../../../../../src/main/core/store/types/writer.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { decodeText } from '../../../../../src/service/codecs/decode.ts'
import { encode } from '../../../../../src/service/codecs/encode.ts'
import type { ExportRequest } from '../../../../../src/shared/features/export/export.ts'
import type { CsvMapping } from '../../../../../src/shared/features/import/import.ts'
import { FEED_IDS, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { recorded, type RecordedStore } from '../export/recorded.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { exportRequest } from '../../../../kit/export.ts'

const request = (more: Partial<ExportRequest> = {}): ExportRequest => exportRequest({ raw: true, ...more })

/** A fresh store that files are imported into. */
interface Fresh {
  readonly path: string
  readonly writer: LibraryWriter
  readonly reader: StoreReader
  take(path: string, mapping?: CsvMapping | null): ReturnType<typeof importFile>
}
const manifestBeside = (path: string) => (existsSync(`${path}.manifest.json`) ? `${path}.manifest.json` : undefined)
let fresh: Fresh
let close: () => Promise<void>
async function open(): Promise<void> {
  const folder = makeStoreFolder()
  const writer = await openStoreWriter({ file: folder.file })
  const reader = await openStoreReader({ file: folder.file })
  const store: FileImportStore = { library: writer.library, sessions: () => reader.sessions(), newId: newSessionId }
  fresh = {
    path: folder.path,
    writer,
    reader,
    take: (path, mapping = null) =>
      importFile(
        { path, name: basename(path), bytes: statSync(path).size, manifest: manifestBeside(path) },
        mapping,
        store,
      ),
  }
  close = async () => {
    await reader.close()
    await writer.close()
    folder.remove()
  }
}
beforeEach(open)
afterEach(() => close())

const file = (name: string, text: string): string => {
  const path = join(fresh.path, name)
  writeFileSync(path, text)
  return path
}
const input = (path: string) => ({ path, name: basename(path), bytes: statSync(path).size })
const look = (path: string, mapping: CsvMapping | null = null) => previewFile(input(path), mapping)

/** Exports a store, imports it, exports again: answers both files. */
async function round(store: RecordedStore, more: Partial<ExportRequest>): Promise<[string, string]> {
  const out = join(store.path, more.format === 'jsonl' ? 'out.jsonl' : 'out.csv')
  await runExport(store.reader, request(more), out)
  await fresh.take(out)
  expect((await fresh.reader.verify(null)).problems).toEqual([])
  const again = join(fresh.path, basename(out))
  await runExport(fresh.reader, request(more), again)
  return [readFileSync(out, 'utf8'), readFileSync(again, 'utf8')]
}

describe('gaps of a manifest', () => {
  const print = (i: number): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', 100 + i, 1, T0 + i * 1_000),
    recvMs: T0 + i * 1_000,
  })
  const items = (openedSeq: number): Item[] => [
    print(0),
    {
      entry: {
        type: 'gap-open',
        feed: 'crypto/XT',
        cause: 'drop',
        symbols: ['BTC-USD'],
        fromMs: unixMs(T0 + 1_500),
      },
      wallMs: T0 + 2_000,
    },
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq }, wallMs: T0 + 4_000 },
    print(5),
  ]
  const gapsOf = async (reader: StoreReader) =>
    (await reader.gaps({})).map(({ session: _, ...gap }) => ({ ...gap, toMs: gap.toMs }))

  it.each(['csv', 'jsonl'] as const)('come with %s, and out again', async (format) => {
    const store = await recorded([items(2), [print(3_600), print(3_601)]])
    const out = join(store.path, `out.${format}`)
    await runExport(store.reader, request({ format, raw: format === 'csv' }), out)
    const { gaps } = await previewFile({ ...input(out), manifest: manifestBeside(out) }, null)
    expect(gaps).toBe(1)
    const done = await fresh.take(out)
    expect(done).toMatchObject({ messages: 4, problems: [] })
    expect(await gapsOf(fresh.reader)).toEqual(await gapsOf(store.reader))
    expect(await gapsOf(fresh.reader)).toMatchObject([{ cause: 'drop', fromSeq: 2, toSeq: 3, symbols: ['BTC-USD'] }])
    expect((await fresh.reader.verify(null)).problems).toEqual([])
    const again = join(fresh.path, `again.${format}`)
    await runExport(fresh.reader, request({ format, raw: format === 'csv' }), again)
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(out, 'utf8'))
    await store.close()
  })

  it.each(['csv', 'jsonl'] as const)(
    'verify clean, wherever they stand between and after the messages (%s)',
    async (format) => {
      const kinds = fc.array(fc.constantFrom('print', 'open', 'close', 'state'), { minLength: 1, maxLength: 14 })
      const property = fc.asyncProperty(kinds, async (order) => {
        const list: Item[] = [print(0)]
        const opened: number[] = []
        for (const kind of order) {
          const seq = list.length + 1
          const wallMs = T0 + seq * 1_000
          if (kind === 'print') list.push(print(seq))
          else if (kind === 'state')
            list.push({ entry: { type: 'state', feed: 'crypto/XT', conn: 1, state: 'stale' }, wallMs })
          else if (kind === 'open') {
            opened.push(seq)
            const fromMs = unixMs(wallMs - opened.length)
            list.push({ entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'quit', symbols: [], fromMs }, wallMs })
          } else list.push({ entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: opened.pop() ?? 0 }, wallMs })
        }
        const store = await recorded([list])
        const [before, after] = await round(store, { format, raw: format === 'csv' })
        expect(after).toBe(before)
        expect((await gapsOf(fresh.reader)).map(({ fromSeq }) => fromSeq)).toEqual(
          (await gapsOf(store.reader)).map(({ fromSeq }) => fromSeq),
        )
        await store.close()
        await close()
        // a store of its own for each
        await open()
      })
      await fc.assert(property, { numRuns: 12, examples: [[['open']], [['state', 'state', 'open', 'state', 'close']]] })
    },
    120_000,
  )

  it('of another file are left out, and said', async () => {
    const store = await recorded([items(2)])
    const out = join(store.path, 'out.csv')
    await runExport(store.reader, request(), out)
    writeFileSync(out, `${readFileSync(out, 'utf8')}\n`)
    const { problems } = await fresh.take(out)
    expect(problems).toMatchObject([{ line: 1, text: expect.stringContaining('belongs to another file') as string }])
    expect(await gapsOf(fresh.reader)).toEqual([])
    const none = await previewFile({ ...input(out), manifest: join(store.path, 'none.json') }, null)
    expect(none.gaps).toBe(null)
    await store.close()
  })
})

it('says which rows run back in time: a replay keeps their order', async () => {
  const rows = [30, 20, 10, 40].map((s) => `${new Date(T0 + s * 1_000).toISOString()},BTC-USD,100,1`)
  await fresh.take(file('back.csv', `time,symbol,price,size\n${rows.join('\n')}\n`), {
    columns: ['time', 'symbol', 'price', 'size'],
    feed: 'crypto/XT',
    zone: 'UTC',
    symbol: '',
  })
  const [row] = await fresh.reader.sessions()
  expect(row?.notes).toContain('2 rows were received before the row above')
  expect((await fresh.reader.verify(null)).problems).toEqual([])
  const { session } = row
  expect(await fresh.reader.findPosition({ session, ms: T0 + 25_000 })).toBe(null)
  expect(await fresh.reader.findPosition({ session, ms: T0 + 35_000 })).toMatchObject({ seq: 3 })
})

describe('export, import, export', () => {
  const SHAPES: Partial<Record<FeedId, (s: string, a: string, b: string, t: number) => string>> = {
    'crypto/XT': (s, a, b, t) => `{"ev":"XT","pair":${s},"p":${a},"t":${t},"s":${b}}`,
    'crypto/XQ': (s, a, b, t) => `{"ev": "XQ", "pair": ${s}, "bp": ${a}, "ap": ${b}, "t": ${t}}`,
    'forex/C': (s, a, b, t) => `{"ev":"C","p":${s},"a":${a},"b":${b},"t":${t}}`,
    'crypto/XA': (s, a, b, t) =>
      `{"ev":"XA","pair":${s},"o":${a},"h":${a},"l":${a},"c":${a},"v":${b},"s":${t},"e":${t + 60_000}}`,
    'stocks/Q': (s, a, b, t) => `{"ev":"Q","sym":${s},"bp":${a},"ap":${b},"t":${t}}`,
  }
  const literal = fc.constantFrom('1.10', '64123.5', '0.1000', '1e-05', '7', '2.5E3', '120')
  const symbol = fc.oneof(
    fc.constantFrom('BTC-USD', 'X:ETH-USD', 'BRK.B', '=cmd|x', "'+1", '@a,"b"', 'ü\n"'),
    fc.string({ minLength: 1, maxLength: 12 }),
  )
  const rows = fc.array(fc.tuple(symbol, literal, literal, fc.nat(100_000)), { minLength: 1, maxLength: 40 })

  it.each(Object.keys(SHAPES) as FeedId[])(
    'gives the same bytes for %s, with the messages and without',
    async (feed) => {
      const shape = SHAPES[feed]
      if (shape === undefined) throw new Error('no shape')
      for (const picked of fc.sample(rows, { numRuns: 2, seed: 7 })) {
        const items: Item[] = picked.map(([s, a, b, t], i) => ({
          conn: 1,
          data: shape(JSON.stringify(s), a, b, T0 + t),
          recvMs: T0 + i,
        }))
        for (const more of [
          { raw: false },
          { raw: true, separator: ';' as const, bom: true },
          { schema: 2 as const, raw: false },
          { schema: 2 as const, raw: true, separator: '\t' as const },
          { schema: 2 as const, raw: false, format: 'jsonl' as const },
        ]) {
          const store = await recorded([items], { feeds: [feed] })
          const [before, after] = await round(store, { feed, ...more })
          expect(after).toBe(before)
          await store.close()
          await close()
          // a store of its own for each
          await open()
        }
      }
    },
    120_000,
  )

  it('keeps every message of JSON Lines to the byte, also what is no text', async () => {
    const store = await recorded([
      [
        { conn: 1, data: '{"type":"subscribed","tickers":["A"]}', flags: 4 },
        { conn: 1, data: Uint8Array.of(0xff, 0xfe, 10), flags: 10 },
        { conn: 1, data: '{"ev":"XT", "pair":"A","p":1.0,"t":1767600000000,"s":1}' },
      ],
    ])
    const [before, after] = await round(store, { format: 'jsonl', raw: false })
    expect(after).toBe(before)
    expect(before).toContain('raw_base64')
    await store.close()
  })

  it('makes a session for each recording that a file was of, and joins none with what is recorded here', async () => {
    const one = (t: number): Item => ({ conn: 1, data: tradeText('A', 1, 1, t), recvMs: t })
    const store = await recorded([[one(T0), one(T0 + 1)], [one(T0 + 3_600_000)]])
    const [before, after] = await round(store, {})
    expect(after).toBe(before)
    const sessions = await fresh.reader.sessions()
    expect(sessions.map(({ messages }) => messages).sort()).toEqual([1, 2])
    expect(new Set(sessions.map(({ source }) => source)).size).toBe(1)
    expect(sessions[0]?.source).toMatch(/^import:out\.csv@[0-9a-f]{16}$/)
    await expect(fresh.take(join(store.path, 'out.csv'))).rejects.toMatchObject({ code: 'not-allowed' })
    await store.close()
  })
})

/** JSON Lines of sessions of three messages. */
const sessionLines = (sessions: number): string =>
  Array.from(
    { length: sessions * 3 },
    (_, i) => `${JSON.stringify({ feed: 'crypto/XT', symbol: 'A', recv_ms: T0 + i, seq: (i % 3) + 1, raw: '{}' })}\n`,
  ).join('')

it.each([1, 40])('stores a file of %i sessions once, also if it is imported twice at once', async (count) => {
  const path = file('twice.jsonl', sessionLines(count))
  const results = await Promise.allSettled([fresh.take(path), fresh.take(path)])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(results.find((one) => one.status === 'rejected')?.reason).toMatchObject({
    code: 'busy',
    message: 'twice.jsonl is already being imported.',
  })
  expect(await fresh.reader.sessions()).toHaveLength(count)
  await expect(fresh.take(path)).rejects.toMatchObject({ code: 'not-allowed' })
})

describe('a table of any kind', () => {
  const text = 'when,ticker,price,qty\n2026-01-05 09:30:00.120,AAPL,187.120,100\n2026-01-05 09:30:01,AAPL,soon,1\n'
  const mapping: CsvMapping = {
    columns: ['time', 'symbol', 'price', 'size'],
    feed: 'stocks/T',
    zone: 'America/New_York',
    symbol: '',
  }

  it('is guessed by its header, and says what is missing', async () => {
    const preview = await look(file('t.csv', text))
    expect(preview).toMatchObject({ kind: 'table', columns: ['when', 'ticker', 'price', 'qty'], exact: false })
    expect(preview.mapping?.columns).toEqual([null, 'symbol', 'price', 'size'])
    expect(preview.problems).toEqual([{ line: 0, text: 'No column is mapped to the time. Map a column to time.' }])
    expect((await look(file('t.csv', text), mapping)).problems).toEqual([
      { line: 3, text: 'its price "soon" isn’t a number' },
    ])
  })

  it('is looked at for problems beyond its first piece', async () => {
    const rows = '2026-01-05 09:30:00.120,AAPL,187.120,100\n'.repeat(5_000)
    const long = `when,ticker,price,qty\n${rows}2026-01-05 09:30:01,AAPL,soon,1\n`
    expect(long.length).toBeLessThan(1 << 20)
    expect((await look(file('long.csv', long), mapping)).problems).toEqual([
      { line: 5_002, text: 'its price "soon" isn’t a number' },
    ])
  })

  it('becomes messages of the feed with its own literals, in the zone it is of', async () => {
    const done = await fresh.take(file('t.csv', text), mapping)
    expect(done).toMatchObject({ messages: 1, skipped: 1 })
    const out = join(fresh.path, 'again.csv')
    await runExport(fresh.reader, request({ feed: 'stocks/T', raw: true }), out)
    const [, row = ''] = readFileSync(out, 'utf8').split('\n')
    expect(row).toContain(`stocks/T,AAPL,${Date.UTC(2026, 0, 5, 14, 30, 0, 120)},`)
    expect(row).toContain(',187.120,100,')
    const sessions = await fresh.reader.sessions()
    expect(sessions[0]).toMatchObject({ name: 't.csv', tags: ['imported'] })
    expect(sessions[0]?.notes).toContain('built them from its columns')
  })

  it('may have no header and no symbol', async () => {
    const path = file('n.csv', '1767600000000;1.10;1.11\n1767600001000;1.12;1.13\n')
    const wanted: CsvMapping = { columns: ['time', 'bid', 'ask'], feed: 'forex/C', zone: 'UTC', symbol: 'EURUSD' }
    expect((await look(path)).columns).toEqual(['column 1', 'column 2', 'column 3'])
    expect(await fresh.take(path, wanted)).toMatchObject({ messages: 2, skipped: 0 })
  })

  it('of which nothing can be read leaves nothing', async () => {
    const path = file('x.csv', 'time,symbol,price\nsoon,A,1\n')
    await expect(fresh.take(path)).rejects.toMatchObject({ code: 'bad-file', hint: 'Line 2: "soon" isn’t a time.' })
    await expect(fresh.take(file('e.csv', 'time,symbol,price\n'))).rejects.toMatchObject({ hint: 'It has no rows.' })
    await expect(fresh.take(file('z.csv', ''))).rejects.toThrow('This file is empty.')
    for (const bytes of ['time\0price\0', '\ufffd\ufffdPAR\ufffd,\ufffd'])
      await expect(look(file('rand.parquet', bytes))).rejects.toThrow('neither text nor a Parquet')
    expect(await fresh.reader.sessions()).toEqual([])
  })

  it('is read in UTF-16, too, as spreadsheets save it, and refused with its name if it is a ZIP archive', async () => {
    const text = '\ufefftime\tsymbol\tprice\r\n1767600000000\tÄ\t1.5\r\n'
    const little = Buffer.from(text, 'utf16le')
    for (const bytes of [little, gzipSync(little), Buffer.from(little).swap16()]) {
      const path = join(fresh.path, 'wide.txt')
      writeFileSync(path, bytes)
      expect(await look(path)).toMatchObject({
        columns: ['time', 'symbol', 'price'],
        rows: [['1767600000000', 'Ä', '1.5']],
        problems: [],
      })
    }
    await expect(look(file('ticks.zip', 'PK\u0003\u0004\u0014'))).rejects.toMatchObject({
      message: expect.stringContaining('This is a ZIP archive'),
      hint: expect.stringContaining('Unpack it'),
    })
  })

  it('is never taken for more than it says, whatever it holds', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(bytes, async (data) => {
        const path = join(fresh.path, 'fuzz.csv')
        writeFileSync(path, data)
        const preview = await look(path).catch((thrown: unknown) => thrown)
        expect(preview).toSatisfy(
          (one: { kind?: unknown; code?: unknown }) => one.code === 'bad-file' || one.kind !== undefined,
        )
      }),
      { numRuns: 60 },
    )
  })
})

it('refuses our own CSV where message and columns disagree, line by line', async () => {
  const header = 'feed,symbol,event_ms,event_iso,recv_ms,recv_iso,seq,p,s,raw'
  const raw = '"{""ev"":""XT"",""pair"":""B"",""p"":1,""t"":1767600000000,""s"":1}"'
  const line = (symbol: string, seq: string, recv = '1767600000001') =>
    `crypto/XT,${symbol},1767600000000,x,${recv},x,${seq},1,1,${raw}`
  const rows = [line('B', '1'), line('A', '2'), line('B', 'x'), line('B', '4', ''), line('B', '5'), 'short']
  const path = file('own.csv', [header, ...rows, ''].join('\n'))
  const done = await fresh.take(path)
  expect(done).toMatchObject({ messages: 2, skipped: 4 })
  expect(done.problems.map(({ line: at }) => at)).toEqual([3, 4, 5, 7])
})

describe('parts', () => {
  it('writes messages as the feed’s own encoding would', () => {
    const at = unixMs(1_767_600_000_000)
    const numbers = {
      price: '1.5',
      size: '2',
      bid: '1.5',
      ask: '1.6',
      open: '1',
      high: '2',
      low: '1',
      close: '1.5',
      volume: '3',
    }
    for (const feed of FEED_IDS) {
      const text = messageOf(feed, {
        ...numbers,
        symbol: 'A"B',
        time: String(at),
        start: String(at),
        end: String(at + 1_000),
      })
      const { record } = decodeText(feed, text)
      expect(record?.kind).not.toBe('unknown')
      if (record !== undefined) expect(JSON.parse(encode(feed, record))).toEqual(JSON.parse(text))
    }
  })

  it('reads times of every kind', () => {
    const utc = createTimeReader({ zone: 'UTC' })
    const ms = 1_767_600_000_123
    expect(utc(String(ms))).toBe(ms)
    expect(utc(String(ms / 1_000))).toBe(ms)
    expect(utc(`${ms}456`)).toBe(ms + 0.456)
    expect(utc(`${ms}456789`)).toBe(ms + 0.457)
    expect(utc(new Date(ms).toISOString())).toBe(ms)
    expect(utc('2026-01-05T10:00:00+02:00')).toBe(Date.UTC(2026, 0, 5, 8))
    for (const text of ['', '12', 'soon', '2026-02-30', '1970-01-01']) expect(utc(text)).toBe('none')
    expect(() => createTimeReader({ zone: 'Mars/Base' })).toThrow('No such time zone')
  })

  it('guesses columns by the names that tables use', () => {
    expect(guessMapping(['Timestamp', 'Symbol', 'Bid Price', 'ask_price', 'Bid Size', 'x'])).toMatchObject({
      columns: ['time', 'symbol', 'bid', 'ask', 'bidSize', null],
      feed: 'crypto/XQ',
    })
    expect(guessMapping(['t', 'o', 'h', 'l', 'c', 'v'])).toMatchObject({ feed: 'crypto/XA' })
    // a second column of the same name is not read
    expect(guessMapping(['time', 'timestamp', 'price']).columns).toEqual(['time', null, 'price'])
  })
})
