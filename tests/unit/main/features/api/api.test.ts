/** The local API of a running terminal, as another program uses it. */
import { readFileSync, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { writeActions } from '../../../../../src/main/features/alerts/actions/action-file.ts'
import { apiFile, readToken } from '../../../../../src/main/features/api/api-file.ts'
import type { ApiServer } from '../../../../../src/main/features/api/api-server.ts'
import { api } from '../../../../../src/main/features/api/feature.ts'
import { MAX_WAITING } from '../../../../../src/main/features/api/live-ticks.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { knockAndStay } from '../../../../kit/half-open.ts'
import { tradeOf } from '../../../../kit/market.ts'
import { startMemoryTerminal, type MemoryTerminal } from '../../../../kit/terminal.ts'

let home: string
let memory: MemoryTerminal
let server: ApiServer
let baseUrl: string
let token: string

beforeAll(async () => {
  home = makeFolder('api')
  memory = await startMemoryTerminal(home, { record: true })
  await memory.controls.recordSession()
  server = await memory.terminal.service(api).start(0)
  ;({ baseUrl } = server)
  token = readToken(home)
}, 60_000)
afterAll(async () => {
  await server.close()
  await memory.close()
})

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${baseUrl}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
const get = async <T>(path: string): Promise<T> => {
  const response = await call(path)
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as T // as the schemas say
}
const post = (path: string, body: unknown, method = 'POST'): Promise<Response> =>
  call(path, { method, body: JSON.stringify(body) })

describe('who may connect', () => {
  it('finds address and token in a file that only its owner can read, and keeps the token', () => {
    expect(JSON.parse(readFileSync(apiFile(home), 'utf8'))).toEqual({ base_url: baseUrl, token })
    expect(statSync(apiFile(home)).mode & 0o777).toBe(0o600)
    expect(readToken(home)).toBe(token)
    expect(readToken(makeFolder('other'))).not.toBe(token)
  })

  it('takes the name of the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await fetch(`${baseUrl}/v1`, { headers: { authorization: `${scheme} ${token}` } })).status).toBe(200)
    expect((await fetch(`${baseUrl}/v1`, { headers: { authorization: `Basic ${token}` } })).status).toBe(401)
    expect((await fetch(`${baseUrl}/v1`, { headers: { authorization: token } })).status).toBe(401)
  })

  it('takes the name of this computer in any case', async () => {
    const headers = { host: `LocalHost:${new URL(baseUrl).port}`, authorization: `Bearer ${token}` }
    expect(await knockAndStay(baseUrl, '/v1/stream', headers)).toBe('HTTP/1.1 101 Switching Protocols')
  })

  it.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: 'Bearer nope' }, 401],
    ['a scheme without a token', { authorization: 'Bearer ' }, 401],
    ['another scheme', { authorization: 'Basic nope' }, 401],
    ['a page', { origin: 'http://127.0.0.1:1' }, 403],
    ['a rebound name', { host: 'evil.example.com' }, 403],
  ])('refuses %s', async (_who, extra, status) => {
    const headers = { ...('authorization' in extra || status === 401 ? {} : { authorization: `Bearer ${token}` }) }
    for (const upgrade of [false, true]) {
      const answered = await new Promise<{ status: number; cors: string | undefined }>((resolve, reject) => {
        const one = request(`${baseUrl}${upgrade ? '/v1/stream' : '/v1'}`, {
          headers: {
            ...headers,
            ...extra,
            ...(upgrade
              ? { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'x' }
              : {}),
          },
        })
        one.on('response', (response) => {
          response.resume()
          resolve({ status: response.statusCode ?? 0, cors: response.headers['access-control-allow-origin'] })
        })
        one.on('error', reject)
        one.end()
      })
      expect(answered).toEqual({ status, cors: undefined })
    }
  })

  it('are refused with an address that isn’t valid, and the server keeps serving', async () => {
    const one = await new Promise<number | undefined>((resolve) => {
      request(baseUrl, { path: '//', headers: { authorization: `Bearer ${token}` } }, ({ statusCode }) =>
        resolve(statusCode),
      ).end()
    })
    expect(one).toBe(400)
    expect(await knockAndStay(baseUrl, '//')).toBe('HTTP/1.1 401 Unauthorized')
  })

  it('who were refused and stay don’t keep the server from closing', async () => {
    const { baseUrl: other, close } = await memory.terminal.service(api).start(0)
    expect(await knockAndStay(other, '/v1/stream')).toBe('HTTP/1.1 401 Unauthorized')
    await close()
  })

  it.each([
    ['/v2', 'GET', 404],
    ['/v1', 'POST', 405],
    ['/v1/ticks', 'GET', 400],
    ['/v1/ticks?feed=crypto/XT&limit=5', 'GET', 400],
    ['/v1/ticks?feed=crypto/XT&from=noonish', 'GET', 400],
    ['/v1/ticks?feed=crypto/XT&symbol=', 'GET', 400],
    ['/v1/ticks?feed=crypto/XT&session=', 'GET', 400],
    ['/v1/ticks?feed=crypto/XT&symbol=NOPE-USD', 'GET', 404],
    ['/v1/bars?feed=crypto/XT&interval=1century', 'GET', 400],
    ['/v1/sessions/zzz', 'GET', 404],
    ['/v1/replays/none', 'GET', 404],
    ['/v1/alerts/none', 'DELETE', 404],
    ['/v1/sessions/%ff', 'GET', 400],
  ])('answers %s %s with %i, a code and a sentence', async (path, method, status) => {
    const response = await call(path, { method })
    expect(response.status).toBe(status)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect(error).toMatchObject({
      code: expect.any(String) as unknown,
      message: expect.stringMatching(/\.$/) as unknown,
    })
  })

  it('are told that a body isn’t JSON', async () => {
    const response = await call('/v1/replays', { method: 'POST', body: '{"sessions":["latest"' })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: 'The body isn’t JSON.' } },
    ])
  })
})

describe('recorded data', () => {
  interface Session {
    readonly session: string
    readonly messages: number
  }

  it('lists sessions, gaps and symbols', async () => {
    const { sessions } = await get<{ sessions: Session[] }>('/v1/sessions')
    expect(sessions.length).toBeGreaterThan(0)
    const latest = await get<Session>('/v1/sessions/latest')
    expect(await get(`/v1/sessions/${latest.session.slice(0, 20)}`)).toEqual(latest)
    const { gaps } = await get<{ gaps: { cause: string }[] }>('/v1/gaps?feed=crypto/XQ')
    expect(gaps.map(({ cause }) => cause)).toContain('drop')
    expect(await get('/v1/symbols?feed=crypto/XT')).toMatchObject({
      symbols: expect.arrayContaining([
        expect.objectContaining({ schema: 'tapedeck/symbol/1', instrument: 'crypto:BTCUSD', aliases: ['BTC-USD'] }),
      ]) as unknown,
    })
    expect(await get('/v1')).toEqual({
      schema: 'tapedeck/info/1',
      version: '0.1.0',
      source: 'demo',
      recording: true,
    })
    expect(await get<{ openapi: string }>('/v1/openapi.json')).toMatchObject({ openapi: '3.1.0' })
  })

  it('streams ticks in every format', async () => {
    const lines = (await (await call('/v1/ticks?feed=crypto/XT&symbol=btcusd')).text()).trim().split('\n')
    expect(lines).toHaveLength(20)
    expect(JSON.parse(lines[0])).toMatchObject({ feed: 'crypto/XT', symbol: 'BTC-USD', price: 100, size: 1 })
    const csv = await call('/v1/ticks?feed=crypto/XT&format=csv')
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect((await csv.text()).split('\n')[0]).toBe('feed,symbol,event_time,recv_time,event_ms,recv_ms,seq,price,size')
    const parquet = Buffer.from(await (await call('/v1/ticks?feed=crypto/XT&format=parquet')).arrayBuffer())
    expect([parquet.subarray(0, 4).toString(), parquet.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1'])
    const none = await call('/v1/ticks?feed=crypto/XT&to=2000-01-01')
    expect([none.status, await none.text()]).toEqual([200, ''])
  })

  it.each(['', '&session=latest', '&session=Latest', '&session=0&session=1'])(
    'doesn’t page by seq with "%s"',
    async (sessions) => {
      const { session } = await get<{ session: string }>('/v1/sessions/latest')
      const named = sessions.replaceAll(/=\d/g, `=${session}`)
      const answer = await call(`/v1/ticks?feed=crypto/XT&after=5${named}`)
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('needs one') as unknown])
    },
  )

  it('names parameters in its hints, not options', async () => {
    const answer = await call('/v1/bars?feed=forex/C&interval=1m&of=trade')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { hint: 'Use "of" bid, ask or mid.' } })
  })

  it('streams bars', async () => {
    const lines = (await (await call('/v1/bars?feed=crypto/XT&interval=1m')).text()).trim().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    expect(JSON.parse(lines[0])).toMatchObject({ symbol: 'BTC-USD', interval: '1m', open: 100 })
  })
})

describe('replays', () => {
  interface Replay {
    readonly replay: string
    readonly at: string
    readonly from: string
    readonly to: string
    readonly playing: boolean
    readonly speed: number | string
  }

  it('opens, controls and closes one', async () => {
    const { sessions } = await get<{ sessions: { session: string }[] }>('/v1/sessions')
    const opened = await post('/v1/replays', { sessions: [sessions[0].session] })
    expect(opened.status).toBe(200)
    const { replay, from, to, playing } = (await opened.json()) as Replay
    expect(playing).toBe(false)
    expect(await get(`/v1/replays/${replay}`)).toMatchObject({ schema: 'tapedeck/open-replay/1' })
    expect(await get(`/v1/replays`)).toMatchObject({ replays: [{ replay }] })
    const moved = await post(`/v1/replays/${replay}`, { at: to, speed: 'max' })
    expect(await moved.json()).toMatchObject({ at: to, speed: 'max', playing: false })
    const started = await post(`/v1/replays/${replay}`, { at: from, playing: true })
    expect(await started.json()).toMatchObject({ playing: true })
    for (const body of [{ speed: 0 }, { at: 'noonish' }, { playing: 1 }, 5])
      expect((await post(`/v1/replays/${replay}`, body)).status).toBe(400)
    expect((await post(`/v1/replays/${replay}`, { speed: 10, at: 'noonish' })).status).toBe(400)
    expect(await get(`/v1/replays/${replay}`)).toMatchObject({ speed: 'max' })
    expect((await call(`/v1/replays/${replay}`, { method: 'DELETE' })).status).toBe(204)
    expect(await get('/v1/replays')).toMatchObject({ replays: [] })
  })
})

describe('alerts', () => {
  const draft = {
    instrument: 'crypto:BTCUSD',
    condition: { is: 'price', of: 'last', level: 1_000, direction: 'up' },
    repeat: null,
    expiresMs: null,
    note: 'from a script',
    sound: 'none',
    system: false,
    log: true,
    flash: false,
    enabled: true,
  }

  it('have their times and durations by either name, and take them so', async () => {
    const { expiresMs, ...rest } = draft
    const added = (await (
      await post('/v1/alerts', {
        ...rest,
        condition: { is: 'volume', above: 5, within_seconds: 90 },
        repeat: { rest_seconds: 60, back_percent: 1 },
        expires: '2100-01-01T01:00:00+01:00',
      })
    ).json()) as { id: string }
    expect(expiresMs).toBeNull()
    const endless = await post('/v1/alerts', rest)
    expect([endless.status, await endless.json()]).toEqual([200, expect.objectContaining({ expires: null })])
    expect(added).toMatchObject({
      schema: 'tapedeck/saved-alert/1',
      condition: { withinMs: 90_000, within_seconds: 90 },
      repeat: { restMs: 60_000, backPercent: 1, rest_seconds: 60, back_percent: 1 },
      expiresMs: Date.UTC(2100, 0, 1),
      expires: '2100-01-01T00:00:00.000Z',
      created: expect.stringMatching(/Z$/) as unknown,
      last_fired: null,
    })
    // A value by both names is the one of version 1.
    const both = { ...draft, expires: '2100-01-01T00:00:00Z' }
    const changed = await post(`/v1/alerts/${added.id}`, both, 'PUT')
    expect(await changed.json()).toMatchObject({ expires: null, expiresMs: null })
    for (const expires of ['tomorrow', '2100-01-01', '2100-01-01T00:00', '2100-02-29T00:00:00Z', 5])
      expect([expires, (await post('/v1/alerts', { ...rest, expires })).status]).toEqual([expires, 400])
    const { alerts } = await get<{ alerts: { id: string }[] }>('/v1/alerts')
    for (const { id } of alerts) expect((await call(`/v1/alerts/${id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it('adds, changes, reports and removes one', async () => {
    const posted: string[] = []
    const hook = createServer((request, response) => {
      request.on('data', (piece: Buffer) => posted.push(piece.toString()))
      request.on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => hook.once('listening', resolve))
    const { port } = hook.address() as AddressInfo // a listening TCP server has one
    writeActions(home, { webhook: `http://127.0.0.1:${port}/`, ntfy: '', command: [] })
    const added = (await (await post('/v1/alerts', { ...draft, action: 'webhook' })).json()) as { id: string }
    expect(await get('/v1/alerts')).toMatchObject({ alerts: [{ id: added.id, note: 'from a script' }] })
    const lower = { ...draft, action: 'webhook', condition: { ...draft.condition, level: 500 } }
    expect((await post(`/v1/alerts/${added.id}`, lower, 'PUT')).status).toBe(200)
    const atMs = Date.UTC(2026, 0, 5, 12)
    await memory.controls.send([tradeOf('BTC-USD', 400, 1, atMs), tradeOf('BTC-USD', 600, 1, atMs)])
    const { events } = await get<{ events: { is: string; alert: string }[] }>(`/v1/alert-events?alert=${added.id}`)
    expect(events).toMatchObject([{ is: 'fired', alert: added.id, event: new Date(atMs).toISOString() }])
    await vi.waitFor(() => expect(posted).toHaveLength(1), { timeout: 20_000 })
    expect(JSON.parse(posted[0])).toMatchObject({
      schema: 'tapedeck/alert/1',
      alert: added.id,
      symbol: 'BTC-USD',
      value: 600,
      before: 400,
      note: 'from a script',
    })
    hook.close()
    expect((await call(`/v1/alerts/${added.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await post('/v1/alerts', { ...draft, sound: 'gong' })).status).toBe(400)
  })
})

describe('the live stream', () => {
  interface Message {
    readonly type: string
    readonly price?: number
    readonly messages?: number
  }

  async function connect() {
    const ws = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/stream`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const got: Message[] = []
    let wake = (): void => undefined
    ws.on('message', (data: Buffer) => {
      got.push(JSON.parse(data.toString()) as Message)
      wake()
    })
    await new Promise<void>((resolve, reject) => {
      ws.on('open', () => resolve())
      ws.on('error', reject)
    })
    return {
      ws,
      got,
      send: (message: unknown) => ws.send(JSON.stringify(message)),
      async received(count: number): Promise<readonly Message[]> {
        while (got.length < count) await new Promise<void>((resolve) => (wake = resolve))
        return got
      },
    }
  }
  const trades = (prices: readonly number[]) =>
    memory.controls.send(prices.map((price) => tradeOf('BTC-USD', price, 1, Date.UTC(2026, 0, 5, 12))))

  it('sends ticks of subscribed symbols as far as the client has given credit', async () => {
    const client = await connect()
    client.send({ op: 'subscribe', feed: 'crypto/XT', symbols: ['BTC/USD'] })
    expect(await client.received(1)).toEqual([{ type: 'subscribed', feed: 'crypto/XT', symbols: ['BTC/USD'] }])
    client.send({ op: 'credit', messages: 2 })
    await trades([1, 2, 3])
    const ticks = await client.received(3)
    expect(ticks.slice(1)).toMatchObject([
      { type: 'tick', feed: 'crypto/XT', symbol: 'BTC-USD', price: 1, size: 1 },
      { type: 'tick', price: 2 },
    ])
    client.send({ op: 'credit', messages: 1 })
    expect((await client.received(4))[3]).toMatchObject({ type: 'tick', price: 3 })
    client.send({ op: 'unsubscribe', feed: 'crypto/XT', symbols: ['x:btcusd'] })
    expect((await client.received(5))[4]).toEqual({ type: 'subscribed', feed: 'crypto/XT', symbols: [] })
    client.ws.close()
  })

  it('counts what it drops where it drops it, and goes on', async () => {
    const client = await connect()
    client.send({ op: 'subscribe', feed: 'crypto/XT', symbols: ['BTC-USD'] })
    await client.received(1)
    const beyond = 3
    for (let sent = 0; sent < MAX_WAITING + beyond; sent += 1_000)
      await trades(Array.from({ length: Math.min(1_000, MAX_WAITING + beyond - sent) }, (_, i) => sent + i + 1))
    client.send({ op: 'credit', messages: MAX_WAITING })
    await client.received(1 + MAX_WAITING + 1)
    expect(client.got.at(-1)).toEqual({ type: 'lost', messages: beyond })
    client.send({ op: 'credit', messages: 1 })
    await trades([7])
    expect((await client.received(MAX_WAITING + 3)).at(-1)).toMatchObject({ type: 'tick', price: 7 })
    client.ws.close()
  })

  it.each([
    ['{"op":"credit","messages":0}'],
    ['{"op":"subscribe","feed":"crypto","symbols":["A"]}'],
    ['{"op":"subscribe","feed":"crypto/XT","symbols":[]}'],
    ['{"op":"dance"}'],
    ['nonsense'],
  ])('answers %s with an error and stays open', async (text) => {
    const client = await connect()
    client.ws.send(text)
    expect(await client.received(1)).toMatchObject([{ type: 'error', code: 'bad-arguments' }])
    client.send({ op: 'subscribe', feed: 'crypto/XT', symbols: ['BTC-USD'] })
    expect((await client.received(2))[1]).toMatchObject({ type: 'subscribed' })
    client.ws.close()
  })
})

it('pages through a session that grows, with each row once', async () => {
  await memory.controls.want('crypto/XT', ['BTC-USD'])
  const atMs = Date.UTC(2026, 0, 5, 12)
  await memory.controls.send([tradeOf('BTC-USD', 6, 1, atMs)])
  await memory.controls.pass(1_000) // what was received is on disk
  const { session } = await get<{ session: string }>('/v1/sessions/latest')
  const read = async (after: number): Promise<readonly Record<string, number>[]> => {
    const text = await (await call(`/v1/ticks?feed=crypto/XT&session=${session}&after=${after}`)).text()
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, number>)
  }
  await expect.poll(async () => (await read(0)).at(-1)?.price).toBe(6)
  const before = await read(0)
  const from = before.at(-1)?.seq ?? 0
  expect(await read(from)).toEqual([])
  // The event time of the second is before everything that was read: by time, it would be on no page.
  const late = tradeOf('BTC-USD', 7.25, 1, Date.UTC(2026, 0, 1))
  await memory.controls.send([tradeOf('BTC-USD', 7, 1, atMs), late])
  await memory.controls.pass(1_000)
  await expect.poll(async () => (await read(from)).map(({ price }) => price)).toEqual([7, 7.25])
  const all = await read(0)
  expect(all).toHaveLength(before.length + 2)
  expect(all.slice(before.length)).toEqual(await read(from))
})
