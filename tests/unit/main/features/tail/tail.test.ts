/** What `tapedeck tail` prints of sessions, while they are recorded, and of a market that nobody records. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sourceKeyText } from '../../../../../src/main/command-line/source-text.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { createLiveTail } from '../../../../../src/main/features/tail/live.ts'
import { createLines } from '../../../../../src/main/features/tail/lines.ts'
import { tailRecorded, tailStored } from '../../../../../src/main/features/tail/stored.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decode } from '../../../../../src/service/codecs/decode.ts'
import { startSimulator } from '../../../../../src/simulator/simulator.ts'
import { sessionId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import type { ReplayBatch } from '../../../../../src/main/core/store/types/replay.ts'
import { FLAG, type SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeOf, tradeText } from '../../../../kit/market.ts'
import { startMemoryTerminal } from '../../../../kit/terminal.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from '../export/recorded.ts'

let store: RecordedStore
beforeAll(async () => {
  const print = (i: number, symbol = 'BTC-USD'): Item => ({
    conn: 1,
    data: tradeText(symbol, 100.5 + i, 2, T0 + i * 1_000),
    recvMs: T0 + i * 1_000 + 3,
  })
  store = await recorded(
    [
      [
        { conn: 1, data: '{"type":"subscribed","tickers":["BTC-USD"]}', flags: 4, recvMs: T0 },
        print(1),
        { conn: 2, data: quoteText('BTC-USD', '1.5', '1.25', T0 + 1_500), recvMs: T0 + 1_500 },
        print(2, 'ETH-USD'),
        { conn: 1, data: '{"ev":"XT","pair":"=B,\\"C\\"","p":2,"t":null,"s":1}', flags: 32, recvMs: T0 + 2_500 },
        { conn: 1, data: 'nonsense', flags: FLAG.undecodable, recvMs: T0 + 2_600 },
        print(3),
      ],
    ],
    { feeds: ['crypto/XT', 'crypto/XQ'] },
  )
})
afterAll(() => store.close())

async function tail(...args: string[]): Promise<{ code: number; lines: string[]; err: string }> {
  const context = commandContext({ dataDir: store.path })
  const code = await runCommandLine(['tail', '--store', store.file, ...args], context)
  return { code, lines: context.output().split('\n').slice(0, -1), err: context.errors() }
}
async function exported(format: string, feed: string): Promise<string[]> {
  const context = commandContext({ dataDir: store.path })
  await runCommandLine(['export', '--store', store.file, '-f', feed, '--format', format, '-o', '-'], context)
  return context.output().split('\n').slice(0, -1)
}

describe('tail of a session', () => {
  it.each(['crypto/XT', 'crypto/XQ'])('prints %s as an export of it does', async (feed) => {
    const json = await tail('--session', 'latest', '-f', feed, '--json')
    expect([json.code, json.err]).toEqual([0, ''])
    expect(json.lines).toEqual(await exported('jsonl', feed))
    expect((await tail('--session', 'latest', '-f', feed, '--csv')).lines).toEqual(await exported('csv', feed))
    expect(json.lines.length).toBeGreaterThan(0)
  })

  it('prints every feed in the order of seq, and nothing else', async () => {
    const { lines } = await tail('--session', store.sessions[0] ?? '', '--json')
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([2, 3, 4, 5, 7])
  })

  it('for people has a line of time, feed, symbol and values', async () => {
    const { lines } = await tail('--session', 'latest', '-f', 'crypto/XT:eth-usd')
    expect(lines).toEqual([`${new Date(T0 + 2_000).toISOString()}  crypto/XT  ETH-USD  price 102.5  size 2`])
  })

  it.each([
    ['start', 4],
    [new Date(T0 + 2_500).toISOString(), 2],
    ['now', 0],
  ])('--from %s prints %s trades', async (from, count) => {
    const { lines } = await tail('--session', 'latest', '-f', 'crypto/XT', '--from', from)
    expect(lines).toHaveLength(count)
  })

  it.each([
    [['--session', 'latest', '-f', 'crypto/XT:DOGE'], 1, 'has no crypto/XT of DOGE'],
    [['--session', 'latest', '-f', 'forex/C'], 1, 'has no forex/C'],
    [['--session', 'latest', '--csv'], 2, '--csv prints one feed'],
    [['--csv', '--json', '-f', 'crypto/XT:A'], 2, 'can’t be combined'],
    [['--session', 'latest', '--zone', 'Mars/X'], 2, '--zone: '],
    [['-f', 'crypto/XT'], 2, 'name what to print'],
    [[], 2, 'name what to print'],
    [['-f', 'crypto/XT:A', '--from', 'start', '--demo'], 2, '--from needs a --session'],
    [['-f', 'crypto/XT:A'], 2, 'no account is set up'],
  ])('refuses %j with %i', async (args, code, message) => {
    const done = await tail(...args)
    expect([done.code, done.lines]).toEqual([code, []])
    expect(done.err).toContain(message)
  })
})

const batchOf = (texts: readonly string[], firstSeq: number): ReplayBatch => {
  const encoded = texts.map((text) => new TextEncoder().encode(text))
  const offsets = new Uint32Array(texts.length + 1)
  for (const [i, { length }] of encoded.entries()) offsets[i + 1] = (offsets[i] ?? 0) + length
  return {
    session: sessionId('r'),
    count: texts.length,
    feed: new Uint8Array(texts.length).fill(3),
    seq: Float64Array.from(texts, (_, i) => firstSeq + i),
    recvMs: new Float64Array(texts.length).fill(T0),
    monoNs: new Float64Array(texts.length),
    conn: new Uint32Array(texts.length),
    flags: new Uint8Array(texts.length),
    offsets,
    bytes: Buffer.concat(encoded),
    entries: [],
    upToSeq: firstSeq + texts.length - 1,
  }
}

it('follows a session until it has ended, and misses nothing that is stored while it ends', async () => {
  // Stored before each look; the last batch appears after the session was asked about and is still printed.
  const stored: ReplayBatch[] = [batchOf([tradeText('A', 1, 1, T0)], 1)]
  let looks = 0
  const asked: number[] = []
  const printed: number[] = []
  await tailStored({
    reader: {
      findPosition: () => Promise.resolve(null),
      sessions: () => Promise.resolve([{ session: sessionId('r'), live: looks < 2 } as SessionRow]),
      async *replay({ afterSeq }) {
        asked.push(afterSeq)
        await Promise.resolve()
        yield* stored.filter(({ upToSeq }) => upToSeq > afterSeq)
      },
    },
    session: sessionId('r'),
    afterSeq: 0,
    wanted: null,
    line: (_feed, seq) => `${seq}\n`,
    write: (text) => {
      printed.push(...text.trim().split('\n').map(Number))
      return Promise.resolve()
    },
    wait: () => {
      looks += 1
      stored.push(batchOf([tradeText('A', 1, 1, T0), tradeText('B', 1, 1, T0)], looks * 2))
      return Promise.resolve(true)
    },
  })
  expect(asked).toEqual([0, 1, 3])
  expect(printed).toEqual([1, 2, 3, 4, 5])
})

it('continues with the session that follows, as after midnight UTC, and with none of another source', async () => {
  const [first, second, third] = ['01k1', '01k2', '01k3'].map(sessionId)
  const row = (session: SessionId, source: string, isLive: boolean) =>
    ({ session, source, live: isLive, clean: !isLive }) as SessionRow
  const states: readonly (readonly SessionRow[])[] = [
    [row(first, 'demo', true)],
    [row(first, 'demo', false)],
    [row(first, 'demo', false), row(second, 'import', true)],
    [row(first, 'demo', false), row(second, 'import', true), row(third, 'demo', true)],
    [row(first, 'demo', false), row(second, 'import', true), row(third, 'demo', false)],
  ]
  let looks = 0
  const printed: string[] = []
  const begun: string[] = []
  await tailRecorded(
    {
      reader: {
        findPosition: () => Promise.resolve(null),
        sessions: () => Promise.resolve(states[Math.min(looks, states.length - 1)] ?? []),
        async *replay({ session, afterSeq }) {
          await Promise.resolve()
          const firstSeq = session === first ? 5 : 1
          if (afterSeq < firstSeq) yield batchOf([tradeText('A', 1, 1, T0)], firstSeq)
        },
      },
      session: first,
      afterSeq: 4,
      wanted: null,
      line: (_feed, seq) => `${seq}`,
      write: (text) => {
        printed.push(text)
        return Promise.resolve()
      },
      wait: () => Promise.resolve(++looks < 30),
    },
    { begins: (session) => begun.push(session), lost: () => begun.push(sessionId('lost')) },
  )
  expect([printed, begun]).toEqual([['5', '1'], [third]])
  // It looked for another one for a while, not for ever.
  expect(looks).toBeLessThan(30)
})

it.each([
  ['an import of what another computer recorded meanwhile', 'service:u@https://a.example', true, 500],
  ['another recorder of a team’s shard', 'team:1@eu', false, 500],
])('prints nothing twice of %s', async (_name, source, imported, overlapFromMs) => {
  const ids = ['01k1', '01k2', '01k3'].map(sessionId)
  const starts = [0, overlapFromMs, 1_000]
  const rows = ids.map((session, i) => ({
    session,
    source,
    startedMs: unixMs(starts[i] ?? 0),
    endedMs: i === 0 ? unixMs(1_000) : null,
    imported: imported && i === 1,
    live: false,
    clean: true,
  })) as unknown as readonly SessionRow[] // what else a row has isn't read
  const begun: string[] = []
  await tailRecorded(
    {
      reader: {
        findPosition: () => Promise.resolve(null),
        sessions: () => Promise.resolve(rows),
        async *replay() {
          await Promise.resolve()
          yield* []
        },
      },
      session: ids[0] ?? sessionId(''),
      afterSeq: 0,
      wanted: null,
      line: () => '',
      write: () => Promise.resolve(),
      wait: () => Promise.resolve(true),
    },
    { begins: (session) => begun.push(session), lost: () => begun.push(sessionId('lost')) },
  )
  expect(begun).toEqual([ids[2]])
})

/** Tails the first of some sessions, whose rows and last messages are those of each look. Ends after 2,000 looks. */
async function tailOf(
  rowsAt: (look: number) => readonly Partial<SessionRow>[],
  lastMsAt: (session: SessionId, look: number) => number = () => 0,
) {
  let looks = 0
  const events: string[] = []
  const failure = await tailRecorded(
    {
      reader: {
        sessions: () => Promise.resolve(rowsAt(looks) as readonly SessionRow[]), // what else a row has isn't read
        findPosition: ({ session }) => {
          const ms = lastMsAt(session, looks)
          return Promise.resolve({ seq: ms, ms })
        },
        async *replay() {
          await Promise.resolve()
          yield* []
        },
      },
      session: sessionId('01k1'),
      afterSeq: 0,
      wanted: null,
      line: () => '',
      write: () => Promise.resolve(),
      wait: () => Promise.resolve(++looks < 2_000),
    },
    { begins: (session) => events.push(`begins ${session}`), lost: (session) => events.push(`lost ${session}`) },
  ).then(
    () => null,
    (thrown: Error) => thrown.message,
  )
  return { events, looks, failure }
}

describe('tail of a recorder that is killed', () => {
  const row = (session: string, live: boolean, clean = false, source = 'demo') => ({
    session: sessionId(session),
    source,
    live,
    clean,
    startedMs: unixMs(0),
    endedMs: null,
  })

  it('says so, and continues once it is started again within a minute', async () => {
    const { events, failure } = await tailOf((look) => {
      if (look < 10) return [row('01k1', true)]
      if (look < 500) return [row('01k1', false)]
      return look < 700 ? [row('01k1', false), row('01k2', true)] : [row('01k1', false), row('01k2', false, true)]
    })
    expect([events, failure]).toEqual([['lost 01k1', 'begins 01k2'], null])
  })

  it('fails if none is started', async () => {
    const { events, looks, failure } = await tailOf((look) => [row('01k1', look < 10)])
    expect([events, failure]).toEqual([['lost 01k1'], 'The recorder of session 01k1 stopped without ending it.'])
    // A minute, at ten looks a second.
    expect(looks).toBe(610)
  })

  it('fails in a team once another recorder of its shard is ahead, because the session itself stays open', async () => {
    const rows = [row('01k1', true, false, 'team:1@eu'), row('01k2', true, false, 'team:1@eu')]
    const { looks, failure } = await tailOf(
      () => rows,
      (session, look) => (session === '01k1' ? Math.min(look, 100) : look) * 100,
    )
    expect(failure).toBe('Session 01k1 has got nothing for 15 seconds, while session 01k2 of the same shard has.')
    expect(looks).toBe(251)
  })

  it.each([
    ['its market is quiet', 'team:1@eu', () => 0],
    [
      'a recorder of another shard receives',
      'team:2@eu',
      (session: SessionId, look: number) => (session === '01k1' ? 0 : look * 100),
    ],
    [
      'it is fetched later than that of the other',
      'team:1@eu',
      (session: SessionId, look: number) => (session === '01k1' ? look * 100 : look * 100 + 60_000),
    ],
  ])('waits in a team while %s', async (_what, source, lastMsAt) => {
    const rows = [row('01k1', true, false, 'team:1@eu'), row('01k2', true, false, source)]
    const { looks, failure } = await tailOf(() => rows, lastMsAt)
    expect([looks, failure]).toEqual([2_000, null])
  })
})

it.each([
  ['demo', 'the demo market'],
  ['service:a@b.example@https://data.example.com', 'https://data.example.com'],
  ['team:12@eu', 'team eu'],
])('calls the source %s %s', (key, text) => {
  expect(sourceKeyText(key)).toBe(text)
})

it('prints what is recorded here, although secrets in the environment would do for a connection of its own', async () => {
  const home = makeFolder('recording')
  const memory = await startMemoryTerminal(home, { record: true })
  await memory.controls.want('crypto/XT', ['BTC-USD'])
  await memory.controls.send([tradeOf('BTC-USD', 1, 1, T0)])
  await memory.controls.pass(1_000) // it is on disk
  const stop = new AbortController()
  const context = commandContext({
    dataDir: home,
    env: { TAPEDECK_PASSWORD: 'p', TAPEDECK_API_KEY: 'k' },
    signal: stop.signal,
  })
  const ran = runCommandLine(['tail', '-f', 'crypto/XT:BTC-USD'], context)
  await expect.poll(() => context.errors()).not.toBe('')
  stop.abort('terminate')
  expect([await ran, context.errors()]).toEqual([
    0,
    expect.stringMatching(/^Printing what is recorded from the demo market into session 01/),
  ])
  await memory.close()
})

describe('tail of a market', () => {
  it('prints what the service sends, and records nothing', { timeout: 60_000 }, async () => {
    const home = makeFolder('tail')
    const service = await startSimulator({
      dataDir: new URL('../../../../../resources/demo/', import.meta.url),
      market: { kind: 'load', messagesPerSecond: 200 },
    })
    const stop = new AbortController()
    let out = ''
    let lines = 0
    const context = commandContext({
      dataDir: home,
      signal: stop.signal,
      env: { TAPEDECK_PASSWORD: service.password },
      stream: (chunk) => {
        out += chunk.toString()
        lines += chunk.toString().split('\n').length - 1
        if (lines >= 50) stop.abort('terminate')
        return Promise.resolve()
      },
    })
    const account = ['--base-url', service.baseUrl, '--user', service.username]
    const code = await runCommandLine(['tail', '--json', '-f', 'crypto/XT:BTC-USD,ETH-USD', ...account], context)
    await service.close()
    expect([code, context.output()]).toEqual([0, ''])
    expect(context.errors()).toBe(`Printing crypto/XT from ${service.baseUrl}. Nothing is recorded.\n`)
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(rows.length).toBeGreaterThanOrEqual(50)
    for (const row of rows) {
      expect(Object.keys(row).join()).toBe('feed,symbol,event_time,recv_time,event_ms,recv_ms,seq,price,size')
      expect(row).toMatchObject({ feed: 'crypto/XT', seq: null })
    }
    const sessions = commandContext({ dataDir: home })
    expect(await runCommandLine(['sessions', '--store', join(home, 'tapedeck.db')], sessions)).toBe(1)
  })

  const record = scratch()
  const text = new TextEncoder().encode(tradeText('A', 1, 1, T0))
  decode('crypto/XT', text, 0, text.length, record)

  it('reports interruptions once, not the beginning and the end', () => {
    const seen: string[] = []
    const { sink } = createLiveTail(
      createLines('json'),
      () => Promise.resolve(),
      (feed, isOpen) => seen.push(`${feed} ${isOpen}`),
    )
    sink.gapOpened('crypto/XT', 'connect', [], unixMs(T0))
    sink.gapClosed('crypto/XT', unixMs(T0), unixMs(T0 + 1))
    sink.gapOpened('crypto/XT', 'drop', [], unixMs(T0))
    sink.gapOpened('crypto/XT', 'drop', [], unixMs(T0))
    sink.gapClosed('crypto/XT', unixMs(T0), unixMs(T0 + 1))
    sink.gapOpened('crypto/XT', 'quit', [], unixMs(T0))
    expect(seen).toEqual(['crypto/XT true', 'crypto/XT false'])
  })

  it('fails if the reader is too slow, rather than dropping a message', async () => {
    const line = `${'x'.repeat(1 << 20)}\n`
    const { sink, flush } = createLiveTail(
      () => line,
      () => Promise.resolve(),
      () => undefined,
    )
    for (let i = 0; i < 65; i++) sink.apply('crypto/XT', 0, unixMs(T0), record)
    await expect(flush()).rejects.toMatchObject({ code: 'too-large' })
  })
})
