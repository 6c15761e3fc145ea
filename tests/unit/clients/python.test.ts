/** The reference reader in Python reads what Tapedeck wrote, byte for byte, and finds what Tapedeck's verify finds. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { TIME } from '../../../src/main/core/store/blocks/format.ts'
import { BY } from '../../../src/main/core/store/blocks/ints.ts'
import { STYLE } from '../../../src/main/core/store/kernels/number-form.ts'
import { BlockSource } from '../../../src/main/core/store/blocks/source.ts'
import { runCommandLine } from '../../../src/main/hosts/cli/run.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../src/main/core/store/threads/engine.ts'
import { FLAG } from '../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs, type FeedId } from '../../../src/shared/base/units.ts'
import { makeFolder } from '../../kit/folder.ts'
import { quoteText, tradeText } from '../../kit/market.ts'
import { findPython } from '../../kit/python.ts'
import { DEMO, T0, Writer, type Item } from '../main/core/store/harness.ts'
import { commandContext } from '../main/hosts/cli/context.ts'

const READER = fileURLToPath(new URL('../../../clients/python', import.meta.url))
const python = findPython('import numpy, zstandard')
if (python === undefined) {
  console.warn(
    'The reference reader in Python is not tested: no Python 3 with numpy and zstandard was found. On Debian: apt-get install python3-numpy python3-zstandard. TAPEDECK_PYTHON names another Python.',
  )
}

const FEEDS: readonly FeedId[] = ['crypto/XT', 'crypto/XQ', 'forex/C', 'stocks/T', 'crypto/XT']
const [OLD, OPEN] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]

/** Numbers in every way in which services write them. */
const number = fc.oneof(
  fc.integer({ min: -1_000, max: 1e9 }).map(String),
  fc.integer({ min: 0, max: 1e9 }).map((n) => (n / 100).toFixed(2)),
  fc.double({ min: 1e-12, max: 1e12, noNaN: true }).map(String),
  fc.constantFrom('0', '0.0', '-0', '1.0', '1e-05', '1E5', '12345678901234567890', '0.10', '1e-7', 'null'),
)
const symbol = fc.constantFrom('BTC-USD', 'ETH-USD', 'SOL-USD', 'A"B\\C')
const recvMs = fc.oneof(
  fc.integer({ min: T0, max: T0 + 60_000 }),
  fc.integer({ min: 0, max: 1e8 }).map((n) => T0 + n / 1_000),
)
const conn = fc.integer({ min: 1, max: FEEDS.length })
const message: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    conn,
    recvMs,
    data: fc
      .tuple(symbol, number, number, fc.integer({ min: T0, max: T0 + 1e6 }))
      .map(([pair, p, s, t]) => tradeText(JSON.stringify(pair).slice(1, -1), p, s, t)),
  }),
  fc.record({ conn, recvMs, data: fc.tuple(number, number).map(([bp, ap]) => quoteText('EUR/USD', bp, ap, T0 + 1)) }),
  fc.record({ conn, data: fc.constant(tradeText('NOT-ASKED', 1, 2, T0)), flags: fc.constant(FLAG.unasked) }),
  fc.record({
    conn,
    data: fc.constantFrom('{"type":"subscribed","symbols":["BTC-USD"]}', '{"code":1,"message":"no\\n"}'),
    flags: fc.constant(FLAG.control),
  }),
  fc.record({
    conn,
    data: fc.uint8Array({ maxLength: 60 }),
    flags: fc.constant(FLAG.binary | FLAG.invalidUtf8 | FLAG.undecodable),
  }),
  fc.record({
    conn,
    data: fc.constantFrom('', 'ping', '['.repeat(80), '[[1,2],{"é":"ü\u2028"}]'),
    flags: fc.constant(FLAG.undecodable),
  }),
)
const samples = (count: number, seed: number): Item[] => fc.sample(message, { numRuns: count, seed })

/** The same pseudorandom integers below `most` each time. */
function createRandom(): (most: number) => number {
  let state = 1
  return (most) => (state = (state * 48_271) % 0x7fffffff) % most
}

/** A regular feed, whose columns compress in the ways that blocks have for them. */
const ticks = (count: number): Item[] =>
  Array.from({ length: count }, (_, i): Item => ({
    conn: 1,
    recvMs: T0 + 7 * i + (i % 3),
    data: tradeText(
      'BTC-USD',
      (60_000 + ((i * 7_919) % 1_000) / 100).toFixed(2),
      (((i * 31) % 97) + 1) / 1e5,
      T0 + 7 * i,
    ),
  }))

/** Messages whose columns need what blocks have besides: Python's numbers, free decimals, wide and accelerating values. */
const oddTicks = (count: number): Item[] => {
  const random = createRandom()
  return Array.from({ length: count }, (_, i): Item => {
    const price = ['1.0', '0.5', '1e-05', '2.25', '100.0'][random(5)] ?? ''
    const size = (random(1_000) / 8).toFixed(1 + random(4))
    const [wide, wider] = [random(0x7fffffff) * 7, random(0x7fffffff) * 3_001 + random(3_000)]
    const isUndated = i % 5 === 0
    const numbers = `"p":${price},"s":${size},"n":${3 * i * i},"a":${wide},"b":${wider},"t":${isUndated ? null : T0 + i}`
    const data = `{"ev":"T","sym":"${i % 5 < 2 ? 'MSFT' : 'IBM'}",${numbers}}`
    return { conn: 4, recvMs: T0 + i + random(1_000) / 7, data, flags: isUndated ? FLAG.undated : 0 }
  })
}

/** Quotes whose ask follows the bid: at a spread that changes at random, and at one that drifts. */
const quoteTicks = (count: number): Item[] => {
  const random = createRandom()
  let drift = 0
  return Array.from({ length: count }, (_, i): Item => {
    const bid = 1_000_000 + random(500_000)
    drift += random(7)
    const [pair, spread] = i % 2 === 0 ? ['GBP-USD', random(9)] : ['CHF-USD', drift]
    return {
      conn: 2,
      recvMs: T0 + i,
      data: quoteText(pair, (bid / 1e4).toFixed(4), ((bid + spread) / 1e4).toFixed(4), T0 + i),
    }
  })
}

/** A gap, over the items that `during` puts into it. `seq`: that of its first edge. */
const gap = (feed: FeedId, seq: number, during: readonly Item[]): Item[] => [
  {
    entry: { type: 'gap-open', feed, cause: 'drop', symbols: ['BTC-USD', 'Ä'], fromMs: unixMs(T0 + seq), skewMs: 1.5 },
  },
  ...during,
  { entry: { type: 'gap-close', feed, openedSeq: seq } },
]

/** One closed session, and one that a crash left open with blocks and a journal. */
function writeStore(folder: string): string {
  let now = T0
  const file = join(folder, 'tapedeck.db')
  const engine = new StoreEngine(file, () => now)
  const record = (items: readonly Item[], writer: Writer): void => {
    for (let at = 0, size = 1; at < items.length; at += size, size = (size % 90) + 1)
      engine.commit([writer.batch(items.slice(at, at + size))])
  }
  engine.begin(OLD, DEMO, unixMs(T0))
  record(
    [
      ...gap('crypto/XT', 1, samples(700, 1)),
      ...ticks(9_000),
      ...oddTicks(900),
      ...quoteTicks(1_200),
      ...samples(300, 2),
    ],
    new Writer(FEEDS),
  )
  engine.end(unixMs(T0 + 60_000), [])
  engine.drain()
  engine.begin(OPEN, { kind: 'service', origin: 'https://data.example.com', user: 'u' }, unixMs(T0 + 90_000))
  const writer = new Writer(FEEDS)
  for (const seed of [3, 4]) {
    record([...gap('forex/C', writer.seq + 1, samples(40, seed)), ...samples(200, seed + 10)], writer)
    now += SEAL_AFTER_MS
    engine.drain()
  }
  record([...samples(150, 5), ...gap('stocks/T', writer.seq + 151, ticks(20))], writer)
  engine.close()
  return file
}

interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function runReader(...args: string[]): Run {
  const { status, stdout, stderr } = spawnSync(python ?? '', ['-m', 'tapedeck_store', ...args], {
    cwd: READER,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return { code: status, out: stdout, err: stderr }
}

async function tapedeck(home: string, ...args: string[]): Promise<Run> {
  const context = commandContext({ dataDir: home })
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}

/** What "tapedeck export" writes of all feeds, in the order of seq and without the symbols. */
async function exported(home: string, session: string): Promise<string> {
  const lines: { readonly seq: number; readonly line: string }[] = []
  for (const feed of new Set(FEEDS)) {
    const out = join(home, `${session}-${feed.replace('/', '-')}.jsonl`)
    const done = await tapedeck(home, 'export', '--feed', feed, '--session', session, '--raw', '--out', out, '--force')
    expect([done.code, done.err]).toEqual([0, expect.any(String)])
    for (const line of readFileSync(out, 'utf8').split('\n').filter(Boolean)) {
      const { seq } = JSON.parse(line) as { readonly seq: number } // written by the export
      lines.push({ seq, line: line.replace(/^(\{"feed":"[\w/]+",)"symbol":"(?:[^"\\]|\\.)*",/, '$1') })
    }
  }
  return lines
    .sort((a, b) => a.seq - b.seq)
    .map(({ line }) => `${line}\n`)
    .join('')
}

describe.skipIf(python === undefined)('the reference reader [needs python]', { timeout: 120_000 }, () => {
  let home: string
  let file: string
  beforeAll(() => {
    home = makeFolder('python')
    file = writeStore(home)
  })

  /** Runs SQL on a copy of the store, in a folder of its own. */
  const changed = (sql: string, change: (value: Buffer) => Buffer | string | number): string => {
    const folder = makeFolder('changed')
    const copy = join(folder, 'tapedeck.db')
    copyFileSync(file, copy)
    const [, column = '', table = '', where = ''] = /^(\w+) of (\w+) where (.*)$/.exec(sql) ?? []
    const db = new Database(copy)
    const key = db.prepare<[], { readonly value: Buffer | string | number }>(
      `SELECT ${column} AS value FROM ${table} WHERE ${where}`,
    )
    const value = key.get()?.value
    if (value === undefined) throw new TypeError(`no ${sql}`)
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(
      change(Buffer.isBuffer(value) ? value : Buffer.from(String(value))),
    )
    db.close()
    return folder
  }

  it('meets every encoding that blocks have', () => {
    const db = new Database(file, { readonly: true })
    const blocks = db.prepare<[], Buffer>('SELECT data FROM block').pluck().all()
    db.close()
    const directories = blocks.map((data) => new BlockSource(data).directory)
    const columns = directories.flatMap(({ ints }) => ints)
    const found = (values: readonly number[]): number[] => [...new Set(values)].sort()
    expect(found(columns.map(({ by }) => by))).toEqual(Object.values(BY).sort())
    expect(found(columns.map(({ planes }) => planes))).toEqual([0, 1, 2, 3, 4])
    expect(columns.some(({ lowBits }) => lowBits > 0)).toBe(true)
    expect(columns.some(({ patches }) => patches > 0)).toBe(true)
    expect(columns.some(({ divisor }) => divisor > 1)).toBe(true)
    const numbers = directories.flatMap((directory) => directory.numbers)
    expect(found(numbers.map(({ style }) => style))).toEqual(Object.values(STYLE).sort())
    expect(numbers.some(({ exceptions }) => exceptions.length > 0)).toBe(true)
    expect(found(directories.map(({ time }) => time.is))).toEqual(Object.values(TIME).sort())
    expect(directories.some(({ rawEnds }) => rawEnds.length > 0)).toBe(true)
  })

  it('lists the sessions', async () => {
    const { out } = await tapedeck(home, 'sessions', '--json')
    const known = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>) // its contract
    const read = runReader('sessions', file)
    expect(read.err).toBe('')
    const rows = read.out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(rows.map(({ session }) => session)).toEqual([OLD, OPEN])
    expect(rows.map(({ source, started_ms: ms }) => [source, new Date(Number(ms)).toISOString()])).toEqual(
      known.map(({ source, started }) => [source, started]),
    )
    expect(rows.map(({ ended_ms: ms }) => ms)).toEqual([T0 + 60_000, null])
  })

  it.each([OLD, OPEN])('reads what the export writes, byte for byte: %s', async (session) => {
    const { out, err, code } = runReader('messages', file, '--session', session)
    expect([code, err]).toEqual([0, ''])
    const expected = await exported(home, session)
    expect(expected.length).toBeGreaterThan(30_000)
    expect(expected).toContain('"raw_base64":')
    expect(expected).toContain('NOT-ASKED')
    expect(out === expected).toBe(true)
  })

  it('reads a session file like the session that was saved', async () => {
    const saved = join(home, 'old.tapedeck')
    expect((await tapedeck(home, 'sessions', '--session', OLD, '--out', saved)).code).toBe(0)
    expect(runReader('verify', saved)).toEqual({ code: 0, out: 'All as recorded.\n', err: '' })
    const { out } = runReader('messages', saved)
    expect(out === runReader('messages', file, '--session', OLD).out).toBe(true)
    expect(JSON.parse(runReader('sessions', saved).out)).toMatchObject({ session: OLD, source: 'demo', started_ms: T0 })
    const bytes = readFileSync(saved)
    for (const part of [0.01, 0.3, 0.6, 0.99]) {
      const damaged = Buffer.from(bytes)
      const at = Math.floor(bytes.length * part)
      damaged[at] = (damaged[at] ?? 0) ^ 4
      const copy = join(home, 'damaged.tapedeck')
      writeFileSync(copy, damaged)
      expect(runReader('verify', copy).code, `byte ${at}`).toBe(1)
      const { code } = await tapedeck(makeFolder('into'), 'import', copy)
      expect(code, `byte ${at}`).not.toBe(0)
    }
  })

  it('finds nothing wrong where verify finds nothing', async () => {
    expect(runReader('verify', file)).toEqual({ code: 0, out: 'All as recorded.\n', err: '' })
    expect((await tapedeck(home, 'verify')).code).toBe(0)
  })

  const flipped = (bytes: Buffer): Buffer => {
    const at = bytes.length >> 1
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }
  const text = (bytes: Buffer): string => flipped(bytes).toString('latin1')
  it.each([
    ['a block', 'data of block where id = 3', flipped],
    ['a checksum of a block', 'sum of block where id = 2', flipped],
    ['a number in the index of blocks', 'count of block where id = 1', (bytes: Buffer) => Number(bytes) + 1],
    ['the journal', 'data of journal where id = (SELECT max(id) FROM journal)', flipped],
    ['an entry', 'body of entry where seq = 1 AND recording = 1', text],
    ['the time of an entry', 'wall_ms of entry where seq = 1 AND recording = 1', (bytes: Buffer) => Number(bytes) + 1],
    ['a head', 'head of chain where conn = 1 AND recording = 1', flipped],
    ['the sizes of flushes', 'flushes of chain where conn = 2 AND recording = 1', flipped],
    ['the feed of a connection', 'feed of connection where conn = 1 AND recording = 2', () => 'crypto/XA'],
    ['the store log', 'body of store_log where n = 2', text],
    ['a close record', 'summary of recording where id = 1', text],
  ])('reports a changed byte of %s, as verify does', async (_, sql, change) => {
    const folder = changed(sql, change)
    const own = runReader('verify', join(folder, 'tapedeck.db'))
    expect([own.code, own.err]).toEqual([1, ''])
    expect(own.out).not.toContain('All as recorded')
    expect((await tapedeck(folder, 'verify')).code).toBe(1)
  })

  it('yields no message of a block that is corrupt', () => {
    const folder = changed('data of block where id = 1', flipped)
    const { code, err } = runReader('messages', join(folder, 'tapedeck.db'))
    expect([code, err.split('\n')[0]]).toEqual([1, 'tapedeck_store: block 1: checksum'])
  })

  it('refuses a store of a later version, and what is no store', () => {
    const folder = makeFolder('later')
    const copy = join(folder, 'tapedeck.db')
    copyFileSync(file, copy)
    const db = new Database(copy)
    db.pragma('user_version = 3')
    db.close()
    expect(runReader('sessions', copy).err).toContain('version 2')
    writeFileSync(copy, 'no store')
    expect(runReader('sessions', copy).code).toBe(1)
  })
})
