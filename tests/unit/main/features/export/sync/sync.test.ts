/** Datasets: what DuckDB reads of them, that runs add only what is new, and that no kill leaves a trace. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { syncDataset, type SyncOptions } from '../../../../../../src/main/features/export/sync/sync.ts'
import { partitionValue } from '../../../../../../src/main/features/export/sync/layout.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import type { StoreReader } from '../../../../../../src/main/core/store/types/reader.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { commandContext } from '../../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from '../recorded.ts'

/** A module that kills its process around the rename of the table with this number. */
const dieAtRename = (number: number, when: 'before' | 'after'): string => {
  const script = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { rename } = fs.promises
    let count = 0
    const die = (table, at) => { if (table === ${number} && at === '${when}') process.kill(process.pid, 'SIGKILL') }
    fs.promises.rename = async (from, to) => {
      // Others may be renamed meanwhile.
      const table = String(to).endsWith('.parquet') ? ++count : 0
      die(table, 'before')
      await rename(from, to)
      die(table, 'after')
    }
    syncBuiltinESMExports()`
  return `data:text/javascript,${encodeURIComponent(script)}`
}
const CLI = fileURLToPath(new URL('../../../../../../src/main/cli.ts', import.meta.url))
const DAY = 86_400_000
const HOSTILE = ['../../up', 'a/b\\c:*?"<>|', '=1+1', 'x'.repeat(300), 'ü\u0000', 'dot.', '%2F']

let sql: (text: string) => Promise<Record<string, unknown>[]>
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  sql = async (text) => (await connection.runAndReadAll(text)).getRowObjectsJson()
})

const trade = (symbol: string, atMs: number, price = 100): Item => ({
  conn: 1,
  data: tradeText(JSON.stringify(symbol).slice(1, -1), price, 1, atMs),
  recvMs: atMs,
})
const sync = (reader: StoreReader, root: string, more: Partial<SyncOptions> = {}) =>
  syncDataset(reader, { root, feeds: null, signal: new AbortController().signal, ...more })

/** Every file with its hash. */
function treeOf(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  )
  return Object.fromEntries(
    paths.sort().map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    ]),
  )
}

describe('a dataset', () => {
  it('has every row of an export, by feed, symbol and date, as DuckDB reads it without help', async () => {
    const items = [
      { conn: 1, data: '{"type":"subscribed","tickers":["BTC-USD"]}', flags: 4, recvMs: T0 },
      ...['BTC-USD', 'ETH-USD'].flatMap((symbol, i) => [
        trade(symbol, T0 + i, 61_837.63),
        trade(symbol, T0 + DAY + i, 7),
      ]),
      { conn: 2, data: quoteText('BTC-USD', '1', '2', T0 + 5), recvMs: T0 + DAY + 5 },
      { conn: 1, data: '{"ev":"XT","pair":"BTC-USD","p":2,"t":null,"s":1}', flags: 32, recvMs: T0 + DAY + 9 },
    ]
    const store = await recorded([items, [trade('BTC-USD', T0 + 3_600_000)]], { feeds: ['crypto/XT', 'crypto/XQ'] })
    const root = join(store.path, 'set')
    expect(await sync(store.reader, root)).toMatchObject({ files: 6, rows: 7 })

    const csv = join(store.path, 'all.csv')
    const context = commandContext({ dataDir: store.path })
    await runCommandLine(['export', '--store', store.file, '-f', 'crypto/XT', '-o', csv], context)
    const columns =
      'symbol, event_ms::DOUBLE, recv_ms::DOUBLE, seq::DOUBLE, price::DOUBLE, size::DOUBLE, event_time::VARCHAR'
    const trades = `read_parquet('${root}/ticks/feed=crypto%2FXT/**/*.parquet', hive_partitioning = true)`
    const exported = await sql(`SELECT ${columns} FROM read_csv('${csv}', sample_size = -1) ORDER BY ALL`)
    expect(exported).toHaveLength(6)
    expect(await sql(`SELECT ${columns} FROM ${trades} ORDER BY ALL`)).toEqual(exported)

    const all = `read_parquet('${root}/ticks/**/*.parquet', hive_partitioning = true, union_by_name = true)`
    expect(await sql(`SELECT DISTINCT feed, symbol, date::VARCHAR AS date FROM ${all} ORDER BY ALL`)).toEqual([
      { feed: 'crypto/XQ', symbol: 'BTC-USD', date: '2026-01-05' },
      { feed: 'crypto/XT', symbol: 'BTC-USD', date: '2026-01-05' },
      { feed: 'crypto/XT', symbol: 'BTC-USD', date: '2026-01-06' },
      { feed: 'crypto/XT', symbol: 'ETH-USD', date: '2026-01-05' },
      { feed: 'crypto/XT', symbol: 'ETH-USD', date: '2026-01-06' },
    ])
    expect(await sql(`SELECT count(*)::INT AS n, typeof(any_value(date)) AS t FROM ${all}`)).toEqual([
      { n: 7, t: 'DATE' },
    ])
    await store.close()
  })

  it('lists gaps in a table of their own, one row per symbol', async () => {
    const gap = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', fromMs: unixMs(T0 + 2) } as const
    const store = await recorded([
      [
        trade('A', T0),
        { entry: { ...gap, symbols: ['A', 'B'] }, wallMs: T0 + 3 },
        { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 2 }, wallMs: T0 + 9 },
        { entry: { ...gap, symbols: [] }, wallMs: T0 + 10 },
      ],
    ])
    const root = join(store.path, 'set')
    await sync(store.reader, root)
    expect(
      await sql(`SELECT symbol, cause, from_ms::BIGINT::INT8 - ${T0} AS f, to_ms::BIGINT - ${T0} AS t, from_seq, session
        FROM '${root}/gaps/*.parquet' ORDER BY from_seq, symbol`),
    ).toEqual([
      { symbol: 'A', cause: 'drop', f: '2', t: '9', from_seq: '2', session: store.sessions[0] },
      { symbol: 'B', cause: 'drop', f: '2', t: '9', from_seq: '2', session: store.sessions[0] },
      { symbol: '', cause: 'drop', f: '2', t: null, from_seq: '4', session: store.sessions[0] },
    ])
    await store.close()
  })

  it('keeps symbols that no folder may be called, inside its folder', async () => {
    const store = await recorded([HOSTILE.map((symbol, i) => trade(symbol, T0 + i))])
    const root = join(store.path, 'set')
    await sync(store.reader, root)
    const rows = await sql(
      `SELECT symbol FROM read_parquet('${root}/ticks/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)`,
    )
    const symbols = rows.map(({ symbol }) => String(symbol))
    expect(symbols).toHaveLength(HOSTILE.length)
    const short = HOSTILE.filter((symbol) => symbol.length < 100 && !symbol.includes('\u0000'))
    expect(symbols).toEqual(expect.arrayContaining(short))
    expect(readdirSync(store.path).filter((name) => !name.startsWith('tapedeck.db'))).toEqual(['set'])
    for (const symbol of HOSTILE) expect(partitionValue(symbol)).toMatch(/^[A-Za-z0-9%_.-]*[A-Za-z0-9%_-]$/)
    await store.close()
  })
})

describe('a later run', () => {
  it('writes nothing where nothing is new, and repairs what was deleted only of what it writes', async () => {
    const store = await recorded([[trade('A', T0), trade('B', T0 + 1)]])
    const root = join(store.path, 'set')
    expect(await sync(store.reader, root)).toMatchObject({ files: 2, rows: 2 })
    const before = treeOf(root)
    expect(await sync(store.reader, root)).toEqual({ files: 0, rows: 0, bytes: 0 })
    expect(treeOf(root)).toEqual(before)
    await store.close()
  })

  it('replaces a link that somebody put in place of a file, and not what it leads to', async () => {
    const store = await recorded([[trade('A', T0)]])
    const root = join(store.path, 'set')
    await sync(store.reader, root)
    const [file = ''] = Object.keys(treeOf(root)).filter(
      (path) => path.endsWith('.parquet') && path.startsWith('ticks'),
    )
    const theirs = join(store.path, 'theirs')
    writeFileSync(theirs, 'theirs')
    rmSync(join(root, file))
    symlinkSync(theirs, join(root, file))
    rmSync(join(root, '_sync'), { recursive: true })
    await sync(store.reader, root)
    expect([readFileSync(theirs, 'utf8'), lstatSync(join(root, file)).isFile()]).toEqual(['theirs', true])
    await store.close()
  })

  it('of a session that grows ends where a single run at its end would, chunk by chunk', async () => {
    const items = Array.from({ length: 40 }, (_, i) => trade(['A', 'B', 'C'][i % 3] ?? '', T0 + i * 3_600_000))
    const store = await recorded([items])
    const { reader } = store
    const [session] = store.sessions
    const growing = join(store.path, 'growing')
    for (const last of [0, 1, 9, 10, 11, 25, 39, 40]) {
      // As far as the session was recorded then.
      const findPosition = () => Promise.resolve({ seq: last, ms: 0 })
      await sync({ ...bound(reader), findPosition }, growing, { chunk: 10 })
      const rows = existsSync(join(growing, 'ticks'))
        ? await sql(`SELECT seq::INT AS seq FROM '${growing}/ticks/**/*.parquet' ORDER BY seq`)
        : []
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: last }, (_, i) => i + 1))
    }
    const once = join(store.path, 'once')
    await sync(reader, once, { chunk: 10 })
    expect(treeOf(growing)).toEqual(treeOf(once))
    expect(Object.keys(treeOf(once)).some((path) => path.includes(`${session}-000003.parquet`))).toBe(true)
    await store.close()
  })

  it('leaves out what an earlier session has that was added since', async () => {
    const store = await recorded([[trade('A', T0), trade('B', T0 + 10), trade('A', T0 + DAY)]])
    const [row] = await store.reader.sessions(true)
    if (row === undefined) throw new Error('no session')
    const root = join(store.path, 'set')
    await sync(store.reader, root)
    const other = {
      ...row,
      session: '0000' as typeof row.session,
      startedMs: unixMs(T0 - 1),
      endedMs: unixMs(T0 + 5),
      imported: true,
    }
    const reader: StoreReader = {
      ...bound(store.reader),
      sessions: () =>
        Promise.resolve([
          { ...other, feeds: [] },
          { ...row, imported: true },
        ]),
      findPosition: (query) =>
        query.session === other.session ? Promise.resolve(null) : store.reader.findPosition(query),
    }
    await sync(reader, root)
    const rows = await sql(`SELECT symbol, date::VARCHAR AS date FROM '${root}/ticks/**/*.parquet' ORDER BY ALL`)
    expect(rows).toEqual([
      { symbol: 'A', date: '2026-01-06' },
      { symbol: 'B', date: '2026-01-05' },
    ])
    const manifest = join(root, 'ticks', 'feed=crypto%2FXT', 'symbol=A', 'date=2026-01-05', '_manifest.json')
    expect(JSON.parse(readFileSync(manifest, 'utf8'))).toMatchObject({ files: [] })
    await store.close()
  })
})

it('more symbols and days of an instrument than are written at once', async () => {
  // Aliases of one instrument, on more days each than there may be open files.
  const symbols = ['BTC-USD', 'X:BTC-USD', 'BTCUSD']
  const items = Array.from({ length: 60 }, (_, i) => trade(symbols[i % 3], T0 - (i % 5) * DAY + i, 100 + i)).map(
    (item, i) => ({ ...item, recvMs: T0 + i }),
  )
  const store = await recorded([items])
  const root = join(store.path, 'set')
  expect(await sync(store.reader, root)).toMatchObject({ files: 15, rows: 60 })
  const rows = await sql(`SELECT price FROM '${root}/ticks/**/*.parquet' ORDER BY seq`)
  expect(rows.map(({ price }) => price)).toEqual(items.map((_, i) => 100 + i))
  const wrong = `date <> event_time::DATE OR symbol NOT IN ('BTC-USD', 'X:BTC-USD', 'BTCUSD')`
  expect(await sql(`SELECT * FROM '${root}/ticks/**/*.parquet' WHERE ${wrong}`)).toEqual([])
  await store.close()
})

it('is written by one run at a time, whose unfinished files no other one removes', async () => {
  const store = await recorded([[trade('A', T0)]])
  const root = join(store.path, 'set')
  let meanwhile: unknown = null
  const reader: StoreReader = {
    ...bound(store.reader),
    async *ticks(query) {
      for await (const ticks of store.reader.ticks(query)) {
        yield ticks
        // The first run has a file open now.
        meanwhile ??= await sync(store.reader, root).then(
          () => 'ran',
          (thrown: unknown) => thrown,
        )
      }
    },
  }
  expect(await sync(reader, root)).toMatchObject({ files: 1, rows: 1 })
  expect(meanwhile).toMatchObject({ code: 'busy', message: `Another sync is writing to ${root}.` })
  expect(await sync(store.reader, root)).toMatchObject({ files: 0 })
  const documents = Object.keys(treeOf(root)).filter((path) => path.endsWith('.json'))
  const kinds = documents.map(
    (path) => (JSON.parse(readFileSync(join(root, path), 'utf8')) as { document: string }).document,
  )
  expect(kinds.sort()).toEqual(['dataset', 'partition', 'session'])
  await store.close()
})

/** The methods of a reader, to replace some. */
const bound = (reader: StoreReader): StoreReader => ({
  sessions: (brief) => reader.sessions(brief),
  instruments: (query) => reader.instruments(query),
  ledgerHead: (sessions) => reader.ledgerHead(sessions),
  ticks: (query) => reader.ticks(query),
  extent: (query) => reader.extent(query),
  bars: (query) => reader.bars(query),
  gaps: (query) => reader.gaps(query),
  shares: (sessions, source) => reader.shares(sessions, source),
  replay: (query) => reader.replay(query),
  flushes: (query) => reader.flushes(query),
  findPosition: (query) => reader.findPosition(query),
  lostFrom: (recording) => reader.lostFrom(recording),
  activity: (query) => reader.activity(query),
  snapshot: (query) => reader.snapshot(query),
  entries: (query) => reader.entries(query),
  bookmarks: (session) => reader.bookmarks(session),
  ledger: (session) => reader.ledger(session),
  verify: (...args) => reader.verify(...args),
  close: () => reader.close(),
})

describe('tapedeck sync', () => {
  async function run(store: RecordedStore, ...args: string[]) {
    const context = commandContext({ dataDir: store.path })
    const code = await runCommandLine(['sync', '--store', store.file, ...args], context)
    return { code, out: context.output(), err: context.errors() }
  }

  it('says what it wrote, and refuses what it can’t continue', async () => {
    const demo = { kind: 'demo', origin: '', user: '' } as const
    const other = { kind: 'service', origin: 'https://a.example', user: 'u' } as const
    const store = await recorded([[trade('A', T0)], [trade('A', T0 + 1)]], { sources: [demo, other] })
    const dir = join(store.path, 'set')
    expect(await run(store, dir)).toMatchObject({ code: 1, err: expect.stringContaining('Choose one with --source') })
    const { code, out } = await run(store, dir, '--source', 'demo', '--json')
    expect([code, JSON.parse(out)]).toMatchObject([0, { schema: 'tapedeck/sync/1', files: 1, rows: 1 }])
    // The folder says of which source it is.
    expect(await run(store, dir)).toMatchObject({ code: 0, out: '0 files, 0 rows, 0 bytes\n' })
    const [, service = ''] = (await store.reader.sessions(true)).map((row) => row.source)
    expect(await run(store, dir, '--source', service)).toMatchObject({
      code: 2,
      err: expect.stringContaining('sources are never joined'),
    })
    const full = join(store.path, 'full')
    mkdirSync(full)
    writeFileSync(join(full, 'thesis.txt'), '')
    expect(await run(store, full, '--source', 'demo')).toMatchObject({
      code: 2,
      err: expect.stringContaining('isn’t a dataset'),
    })
    for (const file of [join(full, 'thesis.txt'), ...(existsSync('/dev/full') ? ['/dev/full'] : [])]) {
      const err = `tapedeck: ${file} isn’t a folder. Name a new folder for the dataset.\n`
      expect(await run(store, file, '--source', 'demo')).toMatchObject({ code: 2, err })
    }
    expect(await run(store, dir, '--format', 'orc')).toMatchObject({ code: 2 })
    const often = await run(store, dir, '--follow', '--every', '0s')
    expect(often).toMatchObject({ code: 2, err: expect.stringContaining('--every takes at least 1s') })
    const lost = join(store.path, 'lost')
    symlinkSync(join(store.path, 'unmounted', 'disk'), lost, 'junction')
    expect(await run(store, lost, '--source', 'demo')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Couldn’t create the folder ${lost}. Check the disk`),
    })
    // Where no folder can be made, and the file system says that its parent isn't there.
    if (existsSync('/proc/self')) {
      expect(await run(store, '/proc/tapedeck/set', '--source', 'demo')).toMatchObject({ code: 1 })
    }
    expect(await run(store, dir, '-f', 'forex/C', '--source', 'nobody')).toMatchObject({ code: 1 })
    writeFileSync(join(dir, '_tapedeck.json'), '{"schema":"tapedeck/dataset/9"}')
    expect(await run(store, dir)).toMatchObject({ code: 2, err: expect.stringContaining('Sync into another folder.') })
    await store.close()
  })

  it(
    'that is killed again and again leaves only whole files, and ends as if it never was',
    { timeout: 180_000 },
    async () => {
      const lists = Array.from({ length: 6 }, (_, session) =>
        Array.from({ length: 1_500 }, (_, i) => trade(`S${i % 6}`, T0 + session * 3_600_000 + i)),
      )
      const store = await recorded(lists)
      const whole = join(store.path, 'whole')
      await sync(store.reader, whole)
      const expected = treeOf(whole)
      const killed = join(makeFolder('killed'), 'set')
      // Each process dies right before it would give the file of this number its name, or right after.
      for (const [number, when] of [
        [1, 'before'],
        [1, 'after'],
        [2, 'before'],
        [4, 'after'],
        [6, 'before'],
      ] as const) {
        const child = spawn(
          process.execPath,
          ['--import', dieAtRename(number, when), CLI, 'sync', killed, '--store', store.file],
          { env: { ...process.env, TAPEDECK_HOME: store.path }, stdio: 'ignore' },
        )
        expect([number, when, ...(await once(child, 'close'))]).toEqual([number, when, null, 'SIGKILL'])
        for (const [path, hash] of Object.entries(treeOf(killed))) {
          if (path.endsWith('.parquet')) expect([path, hash]).toEqual([path, expected[path]])
        }
      }
      const last = join(makeFolder('last'), 'set')
      cpSync(killed, last, { recursive: true })
      await sync(store.reader, last)
      expect(treeOf(last)).toEqual(expected)
      await store.close()
    },
  )
})
