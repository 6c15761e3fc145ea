import Database from 'better-sqlite3'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { credentialsFile } from '../../../../../src/main/core/account/credentials-file.ts'
import { requireAccount } from '../../../../../src/main/core/account/cli.ts'
import {
  UsageError,
  type Context,
  type StartFeatures,
  type Values,
} from '../../../../../src/main/command-line/command.ts'
import { publishReport, readFeeds, record, refuseOverBudget } from '../../../../../src/main/hosts/cli/record.ts'
import type { RecordReport } from '../../../../../src/main/core/recording/record-report.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { createSettingsStore, settingsFile } from '../../../../../src/main/core/settings/settings.ts'
import { sessionId } from '../../../../../src/shared/base/units.ts'
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../../../src/simulator/simulator.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let home: string
beforeAll(() => {
  home = makeFolder('record')
})

const POLL = { timeout: 20_000 }
const demoData = new URL('../../../../../resources/demo/', import.meta.url)
const noValues: Values = { text: () => undefined, texts: () => [], on: () => false }
const feeds = (...texts: string[]) => readFeeds({ ...noValues, texts: () => texts })
const symbols = (count: number) => Array.from({ length: count }, (_, i) => `S${i}-USD`)

it('starts the live market, the retention of sessions and publishing, and no other feature', async () => {
  const values: Values = {
    text: () => undefined,
    texts: (name) => (name === 'feed' ? ['crypto/XT:BTC-USD'] : []),
    on: (name) => name === 'demo',
  }
  const started: string[] = []
  const startFeatures: StartFeatures = (features) => {
    started.push(...features.map(({ name }) => name))
    return Promise.reject(new Error('not started in this test'))
  }
  await expect(record.run(values, commandContext({ dataDir: home }), startFeatures)).rejects.toThrow('not started')
  expect(started).toEqual(['live', 'recording', 'sessions', 'publish'])
})

async function run(args: readonly string[], part: Partial<Context> = {}) {
  const context = commandContext({ dataDir: home, ...part })
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}

interface Recorded {
  readonly code: number
  readonly err: string
  readonly report: RecordReport
}

/** The lines of a log that are about an event. */
const eventsOf = (log: string): readonly Readonly<Record<string, unknown>>[] =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ event }) => event !== undefined)

/** Records until `stop` is called, which stands for SIGTERM, or its end comes. */
function startRecording(name: string, args: readonly string[], env: Context['env']) {
  const stopping = new AbortController()
  const context = commandContext({ dataDir: home, env, signal: stopping.signal })
  const store = join(home, `${name}.db`)
  const ran = runCommandLine(['record', '--json', '--store', store, ...args], context)
  return {
    stop: () => stopping.abort('terminate'),
    errors: () => context.errors(),
    store,
    async ended(): Promise<Recorded> {
      const code = await ran
      return { code, err: context.errors(), report: JSON.parse(context.output()) as RecordReport }
    },
  }
}

/** Records from a simulator of its own until `until` resolves. */
async function recordFrom(
  name: string,
  options: Omit<SimulatorOptions, 'dataDir'>,
  args: readonly string[],
  until: (simulator: Simulator, recording: ReturnType<typeof startRecording>) => Promise<unknown>,
): Promise<Recorded> {
  const simulator = await startSimulator({ dataDir: demoData, ...options })
  const account = ['--base-url', simulator.baseUrl, '--user', simulator.username]
  const recording = startRecording(name, [...account, ...args], { TAPEDECK_PASSWORD: simulator.password })
  await until(simulator, recording)
  recording.stop()
  const recorded = await recording.ended()
  await simulator.close()
  return recorded
}

describe('the account of a command that keeps market data', () => {
  it.each([
    ['record', ['--feed', 'crypto/XT:BTC-USD', '--duration', '10ms']],
    ['fetch', ['/commodities/metals']],
    ['fetch', ['/commodities/metals', '--cached']],
  ])('%s without one and without --demo is refused with both ways out, and nothing is stored', async (name, args) => {
    const store = join(home, 'never.db')
    const { code, out, err } = await run([name, ...args, '--store', store])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/--demo .*--base-url and --user .*TAPEDECK_PASSWORD.*TAPEDECK_API_KEY/)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(existsSync(store)).toBe(false)
  })

  it.each(['record', 'tail'])('%s without its password is refused at once', async (name) => {
    const account = ['--base-url', 'http://127.0.0.1:1', '--user', 'joe']
    const store = join(home, 'no-password.db')
    const dataDir = makeFolder('no-password')
    // An empty file in place of the keychain, which a test machine may lack.
    credentialsFile(dataDir).create()
    const { code, out, err } = await run([name, ...account, '--feed', 'crypto/XT:BTC-USD', '--store', store], {
      dataDir,
    })
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(
      'There is no password for joe at http://127.0.0.1:1. Set TAPEDECK_PASSWORD, or save the account with tapedeck login.',
    )
  })

  it('is the one that the window signed in to', () => {
    const dataDir = join(home, 'signed-in')
    expect(() => requireAccount(noValues, { env: {}, dataDir })).toThrow(UsageError)
    createSettingsStore(settingsFile(dataDir)).set({
      account: { source: 'service', baseUrl: 'https://data.example.com', user: 'joe' },
    })
    expect(requireAccount(noValues, { env: {}, dataDir })).toEqual({ source: 'service' })
  })
})

describe('symbols of one feed', () => {
  it('beyond those of a connection are refused with the budget and both ways out', async () => {
    const feed = `crypto/XT:${symbols(51).join(',')}`
    const { code, err } = await run(['record', '--demo', '--feed', feed, '--duration', '10ms'])
    expect(code).toBe(2)
    expect(err).toContain('crypto/XT has 51 symbols, and a connection carries 50. Name at most 50, or add --shard')
  })

  it('for no time at all are refused before a session begins', async () => {
    const empty = makeFolder('record')
    const { code, err } = await run(['record', '--demo', '--feed', 'crypto/XT:BTC-USD', '--duration', '0s'], {
      dataDir: empty,
    })
    expect([code, err]).toEqual([2, expect.stringContaining('--duration must be longer than 0')])
    expect(existsSync(join(empty, 'tapedeck.db'))).toBe(false)
  })

  it('count as the service counts them', () => {
    const exactly = feeds(`crypto/XT:${symbols(50).join(',')}`, 'crypto/XT:X:S0USD')
    expect(exactly.get('crypto/XT')).toEqual(symbols(50))
    expect(() => refuseOverBudget(exactly, false)).not.toThrow()
    const more = feeds(`crypto/XT:${symbols(51).join(',')}`)
    expect(() => refuseOverBudget(more, false)).toThrow(UsageError)
    expect(() => refuseOverBudget(more, true)).not.toThrow()
  })

  it('are all subscribed to with --shard', { timeout: 30_000 }, async () => {
    const args = ['--shard', '--feed', `crypto/XT:${symbols(51).join(',')}`]
    const { code, report } = await recordFrom('sharded', { market: { kind: 'none' } }, args, async (simulator) => {
      await Promise.all(symbols(51).map((symbol) => simulator.subscribed('crypto/XT', symbol)))
    })
    expect([code, report.feeds[0].unconfirmed]).toEqual([0, []])
  })
})

it('says which sessions a team lacks, and doesn’t promise to continue those that were given up', () => {
  const status = {
    team: 'eu',
    shard: 1,
    shards: 2,
    isConnected: true,
    trouble: null,
    behind: 0,
    held: 2,
    heldBytes: 0,
    inFlightBytes: 0,
    progress: [],
    lagMs: 0,
    historyLagMs: 0,
  }
  const lost = sessionId('01kccccccc0000000000000001')
  const release = `session ${lost} can’t be published; to let it be erased: tapedeck sessions --session ${lost} --release`
  const continues = '1 session isn’t in the team’s log completely; the next recording with --publish continues'
  const texts = [
    { unfinished: 0, givenUp: [] },
    { unfinished: 1, givenUp: [] },
    { unfinished: 0, givenUp: [lost] },
    { unfinished: 1, givenUp: [lost] },
  ].map((part) => publishReport({ ...status, ...part }))
  expect(texts).toEqual([
    'team eu, shard 1/2: everything is in the team’s log\n',
    `team eu, shard 1/2: ${continues}\n`,
    `team eu, shard 1/2: ${release}\n`,
    `team eu, shard 1/2: ${continues}\n${release}\n`,
  ])
})

describe('what a recording came to', { timeout: 30_000 }, () => {
  it('names its source, and how many seconds of each feed it covers and lacks', async () => {
    const args = ['--feed', 'crypto/XT:BTC-USD']
    const market = { kind: 'load', messagesPerSecond: 200 } as const
    const { code, err, report } = await recordFrom('good', { market }, args, (_, { store }) => holdsMessages(store))
    expect(code).toBe(0)
    const [first, ...rest] = eventsOf(err)
    expect(first).toMatchObject({ level: 30, event: 'started', source: 'service', symbols: ['crypto/XT:BTC-USD'] })
    expect(rest.map(({ event }) => event)).toEqual(expect.arrayContaining(['connected', 'ended']))
    expect(rest.at(-1)).toMatchObject({ why: 'terminate', session: report.session, stored: report.feeds[0].stored })
    expect(report.source).toMatch(/^service:.*@http:\/\/127\.0\.0\.1:\d+$/)
    const [feed] = report.feeds
    expect([report.schema, feed.gap_count]).toEqual(['tapedeck/record/2', 0])
    expect(feed.unconfirmed).toEqual([])
    expect(feed.covered_seconds).toBeGreaterThan(0)
    expect(feed.missing_seconds).toBeGreaterThanOrEqual(0)
    expect([report.covered_seconds, report.missing_seconds]).toEqual([feed.covered_seconds, feed.missing_seconds])
  })

  it('logs a connection that was lost, its gap, and both ends', async () => {
    const market = { kind: 'load', messagesPerSecond: 200 } as const
    const args = ['--feed', 'crypto/XT:BTC-USD']
    const { code, err } = await recordFrom('dropped', { market }, args, async (simulator, { store, errors }) => {
      await holdsMessages(store)
      simulator.fault('drop')
      await expect.poll(errors, POLL).toContain('"event":"gap-end"')
    })
    expect(code).toBe(0)
    const events = eventsOf(err).filter(({ feed }) => feed === 'crypto/XT')
    expect(events.slice(0, 4).map(({ event }) => event)).toEqual(['connected', 'gap', 'disconnected', 'gap-end'])
    const [, gap, , end] = events
    expect(gap).toMatchObject({ level: 40, cause: 'drop', symbols: ['BTC-USD'], from_ms: end.from_ms })
    expect(end.to_ms).toBeGreaterThan(Number(end.from_ms))
  })

  it('fails where the service was never reached, and all of it is missing', async () => {
    const args = ['--base-url', 'http://127.0.0.1:1', '--user', 'joe', '--feed', 'crypto/XT:BTC-USD']
    const recording = startRecording('unreachable', args, { TAPEDECK_PASSWORD: 'x' })
    await expect.poll(recording.errors, POLL).toContain('"event":"disconnected","feed":"crypto/XT"')
    recording.stop()
    const { code, err, report } = await recording.ended()
    expect(code).toBe(1)
    expect(err).toContain('crypto/XT never opened')
    expect(report.feeds).toMatchObject([{ received: 0, covered_seconds: 0, unconfirmed: ['BTC-USD'] }])
    expect(report.missing_seconds).toBeGreaterThan(0)
  })

  it('fails where the service has the feed disabled', async () => {
    const args = ['--feed', 'crypto/XT:BTC-USD']
    const options: Omit<SimulatorOptions, 'dataDir'> = { market: { kind: 'none' }, disabledFeeds: ['crypto/XT'] }
    const { code, err, report } = await recordFrom('disabled', options, args, (_, { errors }) =>
      expect.poll(errors, POLL).toContain('"event":"refused","feed":"crypto/XT"'),
    )
    expect([code, report.feeds[0].unconfirmed]).toEqual([1, ['BTC-USD']])
    expect(err).toContain('crypto/XT never opened')
  })

  it('fails where one of its symbols was never confirmed, and names it', async () => {
    const args = ['--feed', 'crypto/XT:BTC-USD,ETH-USD']
    const market = { kind: 'load', messagesPerSecond: 200 } as const
    const { code, err, report } = await recordFrom('partial', { market }, args, (simulator, { store }) => {
      simulator.fault('partial-ack', { count: 1_000 })
      return holdsMessages(store)
    })
    expect([code, report.feeds[0].unconfirmed]).toEqual([1, ['ETH-USD']])
    expect(err).toContain('never confirmed ETH-USD on crypto/XT')
  })

  // A limit on the size of files stands for a full disk.
  it.skipIf(process.platform !== 'linux')(
    'fails where the disk took nothing more at its end [needs linux]',
    async () => {
      const own = makeFolder('full')
      const cli = fileURLToPath(new URL('../../../../../src/main/cli.ts', import.meta.url))
      const record = 'record --demo -f crypto/XQ:BTC-USD,ETH-USD,SOL-USD --json'
      const script = `trap '' XFSZ; ulimit -f 300; exec "${process.execPath}" "${cli}" ${record} --home "${own}"`
      const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
      let [out, err] = ['', '']
      child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
      child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
      const closed = once(child, 'close')
      await expect.poll(() => err, POLL).toMatch(/"level":50,.*"from":"recorder"/)
      child.kill('SIGTERM')
      expect(await closed).toEqual([1, null])
      const report = JSON.parse(out) as RecordReport
      const [feed] = report.feeds
      expect([feed.gap_count, feed.missing_seconds > 0, feed.covered_seconds > 0]).toEqual([1, true, true])
      const [ended, failed] = eventsOf(err).slice(-2)
      expect(ended).toMatchObject({
        event: 'ended',
        stored: feed.stored,
        gaps: 1,
        missing_seconds: report.missing_seconds,
      })
      expect(failed).toMatchObject({ event: 'failed', code: 'disk-error' })
      expect(feed.received).toBeGreaterThan(feed.stored)
      const lost = feed.received - feed.stored
      expect(failed.msg).toMatch(
        new RegExp(`^${lost} messages? of the last [\\d.]+ s w[a-z]+n’t stored\\. The disk that holds the store`),
      )
    },
  )

  it.each([
    ['terminate', 0],
    ['interrupt', 130],
  ] as const)('stopped to %s ends with %i and its report', async (reason, expected) => {
    const stop = new AbortController()
    const started = Promise.withResolvers<void>()
    const context = commandContext({
      dataDir: home,
      signal: stop.signal,
      err: (text) => text.includes('"msg":"Recording crypto/XT from the demo market into ') && started.resolve(),
    })
    const store = join(home, `${reason}.db`)
    const ran = runCommandLine(['record', '--demo', '--store', store, '--feed', 'crypto/XT:BTC-USD'], context)
    await started.promise
    await holdsMessages(store)
    stop.abort(reason)
    expect(await ran).toBe(expected)
    expect(context.output()).toMatch(/^session \S+\nsource demo\ncrypto\/XT {2}received /)
    const count = (name: string): number => Number(new RegExp(` ${name} (\\d+)`).exec(context.output())?.[1])
    expect(count('control')).toBeGreaterThan(0)
    expect(count('received')).toBe(count('decoded') + count('control') + count('undecodable'))
  })
})

/** Resolves once a store holds market messages. */
async function holdsMessages(store: string): Promise<void> {
  await expect
    .poll(async () => {
      const { code, out } = await run(['sessions', '--json', '--store', store])
      return code === 0 && out !== '' ? (JSON.parse(out) as { messages: number }).messages : 0
    }, POLL)
    .toBeGreaterThan(2)
}

describe('fetch with an API key', () => {
  it('needs no user', async () => {
    const simulator = await startSimulator({ dataDir: demoData, market: { kind: 'none' } })
    const args = ['fetch', '/commodities/metals', '--json', '--base-url', simulator.baseUrl]
    const good = await run(args, { env: { TAPEDECK_API_KEY: simulator.apiKey, TAPEDECK_PASSWORD: 'unused' } })
    const bare = await run(args)
    await simulator.close()
    expect([good.code, good.err]).toEqual([0, ''])
    expect(JSON.parse(good.out)).toMatchObject({ status: 'success' })
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('set TAPEDECK_API_KEY')])
  })
})

it('blames no disk if a backup was restored before it could read its session', { timeout: 60_000 }, async () => {
  const folder = makeFolder('restored')
  const store = join(folder, 'tapedeck.db')
  const backup = join(folder, 'backup.db')
  let errors = ''
  const err = (text: string): void => {
    errors += text
    if (!text.includes('"Closed."')) return
    // Made while it was recorded: it has a part of the session, without its end.
    renameSync(store, join(folder, 'aside.db'))
    renameSync(backup, store)
  }
  const stopping = new AbortController()
  const context = commandContext({ dataDir: folder, err, signal: stopping.signal })
  const ran = runCommandLine(
    ['record', '--demo', '--feed', 'crypto/XT:BTC-USD', '--json', '--log-format', 'json'],
    context,
  )
  await expect.poll(() => countMessages(store), POLL).toBeGreaterThan(0)
  const db = new Database(store, { readonly: true })
  await db.backup(backup)
  db.close()
  stopping.abort('terminate')
  expect(await ran).toBe(1)
  expect(context.output()).toBe('')
  expect(errors).toContain('The session was closed, but another store is in its place now.')
})

/** Messages that a store holds so far; 0 if there is none yet. */
function countMessages(file: string): number {
  if (!existsSync(file)) return 0
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], number>('SELECT count(*) FROM journal').pluck().get() ?? 0
  } catch {
    return 0 // its tables aren't there yet
  } finally {
    db.close()
  }
}
