import fc from 'fast-check'
import { request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Values } from '../../../../../../src/main/command-line/command.ts'
import { createTeamMetrics, type TeamMetrics } from '../../../../../../src/main/features/team/metrics/metrics.ts'
import { reportRecorder, reportTerminal } from '../../../../../../src/main/features/team/metrics/report.ts'
import type { PublishStatus } from '../../../../../../src/main/features/team/publish/publishing.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import {
  readMetricsAddress,
  serveMetrics,
  type Monitored,
  type MetricsServer,
} from '../../../../../../src/main/command-line/metrics/serve.ts'
import type { MetricRow } from '../../../../../../src/main/command-line/metrics/metrics.ts'
import { PROCESS_METRICS } from '../../../../../../src/main/core/monitor/table.ts'
import { TEAM_METRICS } from '../../../../../../src/main/features/team/metrics/table.ts'

const createMetrics = () => createTeamMetrics({ team: 'eu', role: 'recorder' })

describe('the text of metrics', () => {
  it('is empty without values', () => {
    expect(createMetrics().text()).toBe('')
  })

  it('has help and type once for each metric, and a line for each value', () => {
    const metrics = createMetrics()
    metrics.set('stored_seq', { shard: 1, session: 'a' }, 7)
    metrics.set('stored_seq', { shard: 2, session: 'b' }, 1e15)
    metrics.add('missing_frames_total', { shard: 1 })
    metrics.add('missing_frames_total', { shard: 1 }, 2)
    expect(metrics.text()).toBe(
      [
        '# HELP tapedeck_team_stored_seq Last seq in the recorder’s own store',
        '# TYPE tapedeck_team_stored_seq gauge',
        'tapedeck_team_stored_seq{team="eu",role="recorder",shard="1",session="a"} 7',
        'tapedeck_team_stored_seq{team="eu",role="recorder",shard="2",session="b"} 1000000000000000',
        '# HELP tapedeck_team_missing_frames_total Times that frames were missing and had to be fetched',
        '# TYPE tapedeck_team_missing_frames_total counter',
        'tapedeck_team_missing_frames_total{team="eu",role="recorder",shard="1"} 3',
        '',
      ].join('\n'),
    )
  })

  it('replaces a value, and forgets those of a session', () => {
    const metrics = createMetrics()
    metrics.set('stored_seq', { shard: 1, session: 'a' }, 7)
    metrics.set('stored_seq', { session: 'a', shard: '1' }, 8)
    metrics.set('stored_seq', { shard: 1, session: 'b' }, 9)
    metrics.set('lease_epoch', { shard: 1 }, 3)
    metrics.forget('session', 'a')
    const values = metrics
      .text()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(values).toEqual([
      'tapedeck_team_stored_seq{team="eu",role="recorder",shard="1",session="b"} 9',
      'tapedeck_team_lease_epoch{team="eu",role="recorder",shard="1"} 3',
    ])
  })

  it.each([
    [Number.NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [0.5, '0.5'],
    [1e21, '1e+21'],
  ])('writes %s as %s', (value, text) => {
    const metrics = createMetrics()
    metrics.set('spool_bytes', { shard: 1 }, value)
    expect(metrics.text().trimEnd().split(' ').at(-1)).toBe(text)
  })

  it('keeps any label readable and on its line', () => {
    const read = (text: string): string => text.replace(/\\(.)/g, (_, after: string) => (after === 'n' ? '\n' : after))
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', '{', '}', ',', 'é', 'x') }), (session) => {
        const metrics = createMetrics()
        metrics.set('stored_seq', { shard: 1, session }, 5)
        const [, , line, ...rest] = metrics.text().split('\n')
        const match = /,session="((?:[^"\\]|\\["\\n])*)"\} 5$/.exec(line ?? '')
        expect(read(match?.[1] ?? 'no match')).toBe(session)
        expect(rest).toEqual([''])
      }),
    )
  })

  it('is read after the updates, until they are stopped', () => {
    const metrics = createMetrics()
    let lag = 0
    const update = vi.fn(() => metrics.set('publish_lag_seconds', { shard: 1 }, ++lag))
    const stop = metrics.beforeRead(update)
    expect(metrics.text()).toContain('shard="1"} 1\n')
    expect(metrics.text()).toContain('shard="1"} 2\n')
    stop()
    expect(metrics.text()).toContain('shard="1"} 2\n')
    expect(update).toHaveBeenCalledTimes(2)
  })

  it('has names that Prometheus accepts, counters that end in _total, and help on one line', () => {
    const rows: readonly (readonly [string, MetricRow])[] = Object.entries({ ...PROCESS_METRICS, ...TEAM_METRICS })
    for (const [name, { type, labels, help }] of rows) {
      for (const word of [name, ...labels]) expect(word).toMatch(/^[a-z][a-z_]*$/)
      expect(name.endsWith('_total')).toBe(type === 'counter')
      expect(help).not.toContain('\n')
    }
  })
})

const values = (metrics: string | undefined): Values => ({
  text: (name) => (name === 'metrics' ? metrics : undefined),
  texts: () => [],
  on: () => false,
})

describe('--metrics', () => {
  it.each([
    [undefined, undefined],
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0', { host: '127.0.0.1', port: 0 }],
    ['localhost:9464', { host: 'localhost', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['[::1]:9464', { host: '::1', port: 9464 }],
  ])('%s', (text, address) => {
    expect(readMetricsAddress(values(text))).toEqual(address)
  })

  it.each(['', ':9464', '*', '70000', 'host:', '::1:9464', 'http://127.0.0.1:9464', 'user@host:1', '127.0.0.1'])(
    'refuses "%s"',
    (text) => {
      expect(() => readMetricsAddress(values(text))).toThrow('--metrics takes a port or HOST:PORT')
    },
  )
})

describe('the metrics server', () => {
  let isHealthy = true
  const monitor = (metrics: TeamMetrics): Monitored => ({
    metrics: () => metrics.text(),
    health: () => ({ ok: isHealthy, why: 'asked' }),
  })
  let server: MetricsServer | undefined
  afterEach(async () => {
    await server?.close()
    server = undefined
  })

  const get = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; type: string | undefined; text: string }>((resolve, reject) => {
      const sent = request(new URL(path, server?.url), { method, headers, agent: false }, (response) => {
        let text = ''
        response.on('data', (part) => (text += String(part)))
        response.on('end', () => resolve({ status: response.statusCode, type: response.headers['content-type'], text }))
      })
      sent.on('error', reject)
      sent.end()
    })

  it('serves the text, and nothing else', async () => {
    const metrics = createMetrics()
    metrics.set('lease_epoch', { shard: 2 }, 12)
    server = await serveMetrics({ host: '127.0.0.1', port: 0 }, monitor(metrics))
    expect(await get('/metrics')).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      text: metrics.text(),
    })
    expect(await get('/metrics', 'HEAD')).toMatchObject({ status: 200, text: '' })
    expect(await get('/')).toMatchObject({ status: 404 })
    expect(await get('/metrics/..%2f')).toMatchObject({ status: 404 })
    expect(await get('/metrics', 'POST')).toMatchObject({ status: 405 })
    expect(await get('/metrics', 'GET', { host: 'evil.example' })).toMatchObject({ status: 421, text: 'Wrong host.\n' })
    expect(await get('/metrics', 'GET', { host: 'localhost:1' })).toMatchObject({ status: 200 })
  })

  it('responds to /healthz with 503 and the reasons where something is wrong', async () => {
    server = await serveMetrics({ host: '127.0.0.1', port: 0 }, monitor(createMetrics()))
    const good = await get('/healthz')
    expect([good.status, good.type, JSON.parse(good.text)]).toEqual([
      200,
      'application/json',
      { ok: true, why: 'asked' },
    ])
    isHealthy = false
    const bad = await get('/healthz')
    expect([bad.status, JSON.parse(bad.text)]).toEqual([503, { ok: false, why: 'asked' }])
    expect(await get('/healthz', 'GET', { host: 'evil.example' })).toMatchObject({ status: 421 })
  })

  it('says so if the port is taken', async () => {
    server = await serveMetrics({ host: '127.0.0.1', port: 0 }, monitor(createMetrics()))
    const port = Number(new URL(server.url).port)
    await expect(serveMetrics({ host: '127.0.0.1', port }, monitor(createMetrics()))).rejects.toMatchObject({
      code: 'busy',
      message: `Couldn’t serve metrics at 127.0.0.1:${port}.`,
    })
  })
})

describe('what recorders and terminals report', () => {
  const samples = (metrics: TeamMetrics): string[] =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replace(/^tapedeck_team_/, '').replace(/team="eu",role="\w+",?/, ''))
  const [A, B] = [sessionId('a'), sessionId('b')]

  it('is how far each session of a recorder is, and nothing of those that are done', () => {
    const metrics = createMetrics()
    const reported = new Set<string>()
    const options = { epoch: 12, spoolMaxBytes: 9_000 }
    const status = (progress: PublishStatus['progress']): PublishStatus => ({
      team: 'eu',
      shard: 2,
      shards: 3,
      isConnected: true,
      trouble: null,
      behind: 0,
      unfinished: 1,
      givenUp: [],
      held: 1,
      heldBytes: 5_000,
      inFlightBytes: 700,
      progress,
      lagMs: 1_500,
      historyLagMs: 400_000,
    })
    reportRecorder(
      metrics,
      status([{ session: A, committedSeq: 9, publishedSeq: 8, archivedSeq: 7 }]),
      options,
      reported,
    )
    // A session of an earlier run: nothing was committed in this one.
    reportRecorder(
      metrics,
      status([{ session: B, committedSeq: 0, publishedSeq: 4, archivedSeq: 4 }]),
      options,
      reported,
    )
    expect(samples(metrics)).toEqual([
      'connected{server="nats"} 1',
      'stored_seq{shard="2",session="b"} 4',
      'published_seq{shard="2",session="b"} 4',
      'committed_seq{shard="2",session="b"} 4',
      'publish_lag_seconds{shard="2"} 1.5',
      'history_lag_seconds{shard="2"} 400',
      'spool_bytes{shard="2"} 5000',
      'spool_limit_bytes{shard="2"} 9000',
      'in_flight_bytes{shard="2"} 700',
      'lease_epoch{shard="2"} 12',
    ])
  })

  it('is how far the copies of a terminal are', () => {
    const metrics = createMetrics()
    const reported = new Set<string>()
    reportTerminal(metrics, null, reported)
    expect(samples(metrics)).toEqual(['connected{server="nats"} 0', 'copy_lag_seconds{} 0'])
    const session = {
      session: A,
      shard: 1,
      recorder: 'r',
      phase: 'live',
      seq: 7,
      lastMs: null,
      goneMs: null,
      why: null,
      signer: null,
      isSigning: false,
    } as const
    reportTerminal(
      metrics,
      {
        name: 'eu',
        isGiven: true,
        servers: 'a',
        history: null,
        link: { is: 'connected', server: 'a' },
        problem: null,
        lagMs: 250,
        sessions: [session],
        isTrusting: false,
      },
      reported,
    )
    expect(samples(metrics)).toEqual([
      'connected{server="nats"} 1',
      'copied_seq{shard="1",session="a"} 7',
      'copy_lag_seconds{} 0.25',
    ])
  })
})
