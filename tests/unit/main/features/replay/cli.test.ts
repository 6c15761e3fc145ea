/** What live wrote, replayed by the command line: the same state, minute by minute. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { systemClock, type Clock } from '../../../../../src/main/base/clock.ts'
import { openStoreReader } from '../../../../../src/main/core/store/open.ts'
import { openTerminal } from '../../../../../src/main/hosts/open-terminal.ts'
import { monoNs, sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const root = new URL('../../../../../', import.meta.url)
const workers = {
  store: new URL('src/main/store-worker.ts', root),
  reader: new URL('src/main/reader-worker.ts', root),
  imports: undefined,
  simulator: new URL('src/simulator/worker.ts', root),
}
const demoData = new URL('resources/demo/', root)

/** So much faster do the clocks of the recording run: a minute passes in two seconds. */
const FASTER = 30
const T0 = Date.UTC(2026, 0, 5, 10, 0, 0)

function fastClock(): Clock {
  const began = performance.now()
  const passed = (): number => (performance.now() - began) * FASTER
  return {
    wallMs: () => unixMs(Math.floor(T0 + passed())),
    monoNs: () => monoNs(Math.floor(passed() * 1e6)),
    after: systemClock.after,
  }
}

let home: string
let session: string
let lastMs: number
interface Digest {
  readonly seq: number
  readonly minuteMs: number
  readonly sha256: string
}
let live: readonly Digest[]
const file = (): string => join(home, 'tapedeck.db')

const rows = <T>(sql: string): T[] => {
  const db = new Database(file(), { readonly: true })
  try {
    return db.prepare<[], T>(sql).all()
  } finally {
    db.close()
  }
}

beforeAll(async () => {
  home = makeFolder('replay')
  const terminal = await openTerminal({
    dataDir: home,
    host: 'test',
    version: '0.0.0',
    workers,
    demoData,
    memoryKeychain: true,
    source: 'demo',
    storeFile: file(),
    record: true,
    wantWatchlists: true,
    clock: fastClock(),
  })
  const deadline = performance.now() + 40_000
  const count = (): number => rows(`SELECT seq FROM entry WHERE body LIKE '{"type":"digest"%'`).length
  while (count() < 3 && performance.now() < deadline) await new Promise((done) => setTimeout(done, 200))
  await terminal.close()
  session = rows<{ key: string }>('SELECT key FROM recording')[0].key
  lastMs = rows<{ ms: number }>('SELECT max(wall_ms) AS ms FROM entry')[0].ms
  live = rows<{ seq: number; body: string }>(
    `SELECT seq, body FROM entry WHERE body LIKE '{"type":"digest"%' ORDER BY seq`,
  ).map(({ seq, body }) => ({ seq, ...(JSON.parse(body) as { minuteMs: number; sha256: string }) })) // as written
}, 60_000)

async function replay(args: readonly string[], signal = new AbortController().signal) {
  let out = ''
  let err = ''
  const named = args.includes('--session') ? [] : ['--session', session]
  const code = await runCommandLine(['replay', ...named, '--store', file(), ...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    interactive: false,
    signal,
    env: {},
    clock: systemClock,
    dataDir: home,
    version: '1.2.3',
    workers,
    demoData,
    rendererDir: join(home, 'no-window'),
  })
  return { code, out, err }
}

interface Report {
  readonly messages: number
  readonly digest: string
  readonly minutes: readonly Minute[]
  readonly verdict: string
  readonly compared: number
  readonly difference: {
    readonly at: number
    readonly seq: number
    readonly live: string
    readonly replay: string
  } | null
  readonly live: readonly Minute[]
}
interface Minute {
  readonly at: number
  readonly time: string
  readonly seq: number
  readonly digest: string
}
const iso = (ms: number): string => new Date(ms).toISOString()
const report = (out: string): Report => JSON.parse(out) as Report // as the command writes it

it('gives the digests that live wrote, in one go', async () => {
  expect(live.length).toBeGreaterThanOrEqual(3)
  const { code, out, err } = await replay(['--digest', '--json'])
  expect([code, err]).toEqual([0, ''])
  const { messages, digest, minutes } = report(out)
  expect(minutes.map(({ at, digest: sha256 }) => ({ at, sha256 }))).toEqual(
    live.map(({ minuteMs, sha256 }) => ({ at: minuteMs, sha256 })),
  )
  for (const [i, { seq }] of minutes.entries()) expect(seq).toBeLessThan(live[i].seq)
  expect(messages).toBe(rows<{ n: number }>('SELECT sum(count) AS n FROM block')[0].n)
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  // the settled shape first, then what it was compared with
  expect(Object.keys(report(out))).toEqual([
    'schema',
    'messages',
    'digest',
    'minutes',
    'verdict',
    'compared',
    'difference',
    'live',
  ])
  expect(report(out)).toMatchObject({ verdict: 'identical', compared: live.length, difference: null })
  expect(report(out).live).toEqual(
    live.map(({ minuteMs, seq, sha256 }) => ({ at: minuteMs, time: iso(minuteMs), seq, digest: sha256 })),
  )
  for (const { at, time } of minutes) expect(time).toBe(iso(at))
})

it('gives them at a speed and from an instant, too', async () => {
  const whole = report((await replay(['--digest', '--json'])).out)
  const timed = await replay(['--speed', '1000', '--json'])
  expect([timed.code, report(timed.out)]).toEqual([0, whole])
  const from = live[0].minuteMs + 90_000
  const part = await replay(['--digest', '--json', '--from', String(from)])
  expect(part.code).toBe(0)
  const { messages, digest, minutes } = report(part.out)
  expect(minutes).toEqual(whole.minutes.slice(1))
  expect(digest).toBe(whole.digest)
  expect(messages).toBeLessThan(whole.messages)
  const nothing = report((await replay(['--digest', '--json', '--from', String(Math.ceil(lastMs) + 1)])).out)
  expect(nothing).toMatchObject({ messages: 0, digest: whole.digest, minutes: [] })
})

it('begins with the messages received at the instant', async () => {
  // Replay counts every message, also those that have no symbol, as heartbeats.
  const times: number[] = []
  const reader = await openStoreReader({ file: file() })
  try {
    for await (const { count, recvMs } of reader.replay({ session: sessionId(session), afterSeq: 0 }))
      times.push(...recvMs.subarray(0, count))
  } finally {
    await reader.close()
  }
  const from = times.at(-5) ?? 0
  const { out } = await replay(['--digest', '--json', '--from', String(from)])
  expect(report(out).messages).toBe(times.filter((ms) => ms >= from).length)
})

it('says it in words', async () => {
  const { code, out } = await replay(['--digest'])
  expect(code).toBe(0)
  expect(out).toContain(`identical to live at ${live.length} of ${live.length} minutes`)
  expect(out).toContain(live[1].sha256)
})

it('ends at Ctrl+C with 130', async () => {
  const stop = new AbortController()
  const running = replay(['--speed', '0.25'], stop.signal)
  setTimeout(() => stop.abort(), 300)
  expect(await running).toEqual({ code: 130, out: '', err: '' })
})

it('refuses a session that is not there', async () => {
  const { code, err } = await replay(['--session', 'none', '--digest'])
  expect(code).toBe(1)
  expect(err).toContain('There is no session none.')
})

it.each([
  [['--session', 'a', '--session', 'b'], 'several sessions can be played only with --serve'],
  [['--loop'], '--loop needs --serve'],
  [['--to', '09:30'], '--to needs --serve or --source'],
  [['--gaps', 'silence'], '--gaps needs --serve'],
  [['--serve', '0', '--start', 'later'], '--start takes first or all or paused'],
  [['--serve', '0', '--digest'], '--digest can’t be combined with --serve'],
])('refuses %j', async (args, sentence) => {
  const { code, err } = await replay(args)
  expect([code, err]).toEqual([2, expect.stringContaining(sentence)])
})

it('serves a session until it is stopped, and says how to connect', async () => {
  const stopping = new AbortController()
  const running = replay(['--serve', '0', '--json'], stopping.signal)
  stopping.abort('terminate')
  const { code, out } = await running
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({
    schema: 'tapedeck/replay-server/1',
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as unknown,
    username: 'replay',
    password: expect.any(String) as unknown,
    api_key: expect.any(String) as unknown,
  })
})

// Last: it damages the store.
it('names the first difference and exits 1', async () => {
  const db = new Database(file())
  db.prepare('UPDATE entry SET body = replace(body, ?, ?) WHERE seq = ?').run(
    live[1].sha256,
    '0'.repeat(64),
    live[1].seq,
  )
  db.close()
  const { code, out, err } = await replay(['--digest', '--json'])
  expect(code).toBe(1)
  expect(report(out).minutes).toHaveLength(live.length)
  expect(report(out)).toMatchObject({
    verdict: 'different',
    compared: 2,
    difference: {
      at: live[1].minuteMs,
      time: iso(live[1].minuteMs),
      seq: live[1].seq,
      live: '0'.repeat(64),
      replay: live[1].sha256,
    },
  })
  expect(err).toContain(
    `first differs from live in the minute ${new Date(live[1].minuteMs).toISOString()} (seq ${live[1].seq})`,
  )
  expect(err).toContain(`replay ${live[1].sha256}`)
})

it('tells a session without digests from one that is identical', async () => {
  const db = new Database(file())
  db.prepare(`UPDATE entry SET body = replace(body, '"type":"digest"', '"type":"clock"')`).run()
  db.close()
  const { code, out } = await replay(['--digest', '--json'])
  expect([code, report(out)]).toMatchObject([0, { verdict: 'nothing-to-compare', compared: 0, live: [] }])
})

it('fails when SIGTERM ends it early', async () => {
  const stop = new AbortController()
  stop.abort('terminate')
  const { code, err } = await replay(['--speed', '0.25'], stop.signal)
  expect([code, err]).toEqual([1, 'tapedeck: The replay was stopped before its end.\n'])
})
