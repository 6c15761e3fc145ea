/** What the replay server does beyond the service's protocol: own clocks, gaps, HTTP lines, and control of its clock. */
import { request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import {
  startReplayServer,
  type ReplayServer,
  type ReplayServerOptions,
} from '../../../../../../src/main/features/replay/serve/replay-server.ts'
import { ServedConnection } from '../../../../../../src/main/features/replay/serve/served-connection.ts'
import { erasedError } from '../../../../../../src/main/core/store/types/corruption.ts'
import type { StoreReader } from '../../../../../../src/main/core/store/types/reader.ts'
import { FLAG } from '../../../../../../src/shared/core/recording/session.ts'
import { unixMs, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { knockAndStay } from '../../../../../kit/half-open.ts'
import type { ServiceClient } from '../../../../../kit/service-client.ts'
import { openFeed } from '../../../../../kit/service-client.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { recorded } from '../../export/recorded.ts'

const FEEDS: readonly FeedId[] = ['crypto/XT', 'crypto/XQ']
const trade = (p: number, recvMs = T0 + p, pair = 'BTC-USD'): Item => ({
  conn: 1,
  data: `{"ev":"XT","pair":"${pair}","p":${p},"t":${recvMs},"s":1}`,
  recvMs,
})
const quote = (bp: number, recvMs = T0 + bp): Item => ({
  conn: 2,
  data: `{"ev":"XQ","pair":"BTC-USD","bp":${bp},"ap":${bp + 1},"t":${recvMs}}`,
  recvMs,
})
const text = (item: Item): string => ('data' in item && typeof item.data === 'string' ? item.data : '')

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(
  items: readonly Item[],
  options: Partial<ReplayServerOptions> = {},
  readerOf = (reader: StoreReader): StoreReader => reader,
): Promise<ReplayServer> {
  const store = await recorded([items], { feeds: FEEDS })
  const server = await startReplayServer({
    reader: readerOf(store.reader),
    clock: systemClock,
    served: { sessions: store.sessions },
    port: 0,
    speed: 'max',
    loop: false,
    ...options,
  })
  closing.push(
    () => store.close(),
    () => server.close(),
  )
  return server
}

async function follow(server: ReplayServer, path: string, ...tickers: string[]): Promise<ServiceClient> {
  const client = await openFeed(server, path)
  closing.push(async () => client.close())
  client.send({ action: 'subscribe', tickers })
  await client.received(1)
  return client
}

/** Whether a handshake is refused. Closes the connection otherwise. */
async function isRefused(server: ReplayServer, path: string): Promise<boolean> {
  const client = await openFeed(server, path)
  client.close()
  return 'status' in (await client.ended)
}

const get = (server: ReplayServer, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.baseUrl}${path}`, { headers: { authorization: `Bearer ${server.apiKey}`, ...headers } })

describe('a client', () => {
  it('gets the messages of its tickers by any alias, and messages whose symbol can’t be read', async () => {
    const odd: Item = { conn: 1, data: 'not json', flags: FLAG.undecodable }
    const binary: Item = { conn: 1, data: Uint8Array.of(1, 255), flags: FLAG.binary | FLAG.undecodable }
    const control: Item = { conn: 1, data: '{"type":"subscribed","tickers":[]}', flags: FLAG.control }
    const unasked = trade(5)
    const server = await serve([
      trade(1),
      trade(2, T0 + 2, 'ETH-USD'),
      odd,
      binary,
      control,
      { ...unasked, flags: FLAG.unasked },
      trade(7),
    ])
    const client = await follow(server, '/ws/crypto/XT/', 'btc/usd')
    expect(await client.received(5)).toEqual([
      '{"type":"subscribed","tickers":["BTC/USD"]}',
      text(trade(1)),
      'not json',
      'binary:Af8=',
      text(trade(7)),
    ])
  })

  it('with a clock of its own starts where it likes, doesn’t move the shared one, and is closed at the end', async () => {
    const items = [trade(1), trade(2), trade(3), trade(4)]
    const server = await serve(items, { start: 'paused' })
    const from = new Date(T0 + 2).toISOString()
    const client = await follow(server, `/ws/crypto/XT/?from=${from}&to=${T0 + 4}&speed=max`, 'BTC-USD')
    expect(await client.ended).toMatchObject({ code: 1000 })
    expect(client.frames.slice(1)).toEqual([text(trade(2)), text(trade(3))])
    expect(server.clock()).toMatchObject({ playing: false, atMs: T0 })
  })

  it.each(['?speed=fast', '?speed=1&speed=2', '?from=yesterday', '?since=1', `?from=${T0 + 9_000_000}`])(
    'with the parameters %s is refused with 400',
    async (query) => {
      const server = await serve([trade(1)])
      expect(await (await openFeed(server, `/ws/crypto/XT/${query}`)).ended).toEqual({ status: 400 })
    },
  )

  it('doesn’t start the clock before every recorded symbol is subscribed, with "all"', async () => {
    const items = [trade(1), quote(2), trade(3, T0 + 3, 'ETH-USD')]
    const server = await serve(items, { start: 'all' })
    const trades = await follow(server, '/ws/crypto/XT/', 'BTC-USD')
    const quotes = await follow(server, '/ws/crypto/XQ/', 'BTC-USD')
    expect(server.clock().playing).toBe(false)
    trades.send({ action: 'subscribe', tickers: ['ETH-USD'] })
    await server.played
    expect((await trades.received(4)).slice(2)).toEqual([text(items[0]), text(items[2])])
    expect((await quotes.received(2)).slice(1)).toEqual([text(items[1])])
  })
})

describe('a session that can’t be read to its end', () => {
  const fails = (reader: StoreReader): StoreReader => ({
    ...reader,
    async *replay(query) {
      yield* reader.replay(query)
      throw erasedError(query.session)
    },
  })

  it.each(['', '?speed=max'])('isn’t taken for a whole one by clients at the address with "%s"', async (query) => {
    const server = await serve([trade(1)], {}, fails)
    const client = await follow(server, `/ws/crypto/XT/${query}`, 'BTC-USD')
    expect(await client.ended).toMatchObject({ code: 1011 })
    expect(client.frames.slice(1)).toEqual([text(trade(1))])
  })

  it('isn’t taken for a whole one by readers of its lines', async () => {
    const server = await serve([trade(1)], {}, fails)
    await expect(get(server, '/replay').then((response) => response.text())).rejects.toThrow()
  })
})

describe('a recorded gap', () => {
  const gap = [
    trade(1),
    quote(1),
    {
      entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: ['BTC-USD'], fromMs: unixMs(T0 + 2) },
      wallMs: T0 + 2,
    },
    quote(3),
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 3 }, wallMs: T0 + 600_000 },
    trade(600_001),
  ] as const satisfies readonly Item[]

  it('ends the connections of its feed after their last message, and refuses new ones until it closes', async () => {
    const server = await serve(gap, { gapsDisconnect: true, start: 'paused', speed: 1 })
    const trades = await follow(server, '/ws/crypto/XT/', 'BTC-USD')
    const quotes = await follow(server, '/ws/crypto/XQ/', 'BTC-USD')
    server.control({ playing: true })
    expect(await trades.ended).toMatchObject({ code: 1006 })
    server.control({ playing: false })
    expect(trades.frames.slice(1)).toEqual([text(trade(1))])
    expect(await (await openFeed(server, '/ws/crypto/XT/')).ended).toEqual({ status: 503 })
    server.control({ playing: true, speed: 'max' })
    expect((await quotes.received(3)).slice(1)).toEqual([text(quote(1)), text(quote(3))])
    await server.played
    await (await follow(server, '/ws/crypto/XT/', 'BTC-USD')).ping()
  })

  it('ends and refuses connections also when the clock jumps into it, until it closes', async () => {
    const server = await serve(gap, { gapsDisconnect: true, start: 'paused', speed: 1 })
    const [trades, quotes] = [
      await follow(server, '/ws/crypto/XT/', 'BTC-USD'),
      await follow(server, '/ws/crypto/XQ/', 'BTC-USD'),
    ]
    server.control({ playing: true, atMs: T0 + 1_000 })
    expect(await trades.ended).toMatchObject({ code: 1006 })
    expect(await (await openFeed(server, '/ws/crypto/XT/')).ended).toEqual({ status: 503 })
    await quotes.ping()
    server.control({ atMs: T0 + 600_000 })
    // The last millisecond of the gap is played first.
    while (await isRefused(server, '/ws/crypto/XT/')) expect(server.clock().playing).toBe(true)
  })

  it('accepts a client that starts the clock inside it, or has its own clock', async () => {
    const range = { fromMs: T0 + 1_000, toMs: undefined }
    const server = await serve(gap, { gapsDisconnect: true, range })
    const trades = await follow(server, '/ws/crypto/XT/', 'BTC-USD')
    expect((await trades.received(2)).slice(1)).toEqual([text(trade(600_001))])
    const own = await follow(server, `/ws/crypto/XT/?from=${T0 + 1_000}&speed=max`, 'BTC-USD')
    expect((await own.received(2)).slice(1)).toEqual([text(trade(600_001))])
  })

  it('includes the time between sessions when the clock jumps there', async () => {
    const store = await recorded([[trade(1)], [trade(3_700_000)]], { feeds: FEEDS })
    const server = await startReplayServer({
      reader: store.reader,
      clock: systemClock,
      served: { sessions: store.sessions },
      port: 0,
      speed: 1,
      loop: false,
      gapsDisconnect: true,
    })
    closing.push(
      () => store.close(),
      () => server.close(),
    )
    const trades = await follow(server, '/ws/crypto/XT/', 'BTC-USD')
    server.control({ playing: false, atMs: T0 + 3_300_000 })
    expect(await trades.ended).toMatchObject({ code: 1006 })
    expect(await (await openFeed(server, '/ws/crypto/XT/')).ended).toEqual({ status: 503 })
  })

  it('is silence otherwise', async () => {
    const server = await serve(gap)
    const trades = await follow(server, '/ws/crypto/XT/', 'BTC-USD')
    expect((await trades.received(3)).slice(1)).toEqual([text(trade(1)), text(trade(600_001))])
  })
})

describe('GET /replay', () => {
  it('streams lines with the message’s own bytes', async () => {
    const items: Item[] = [
      trade(1),
      quote(2),
      { conn: 1, data: '{"ev":"XT",\n"pair":"BTC-USD","p":3,"t":1,"s":1}', recvMs: T0 + 3 },
      { conn: 1, data: 'not "json"', flags: FLAG.undecodable, recvMs: T0 + 4 },
      { conn: 1, data: Uint8Array.of(1, 255), flags: FLAG.binary | FLAG.undecodable, recvMs: T0 + 5 },
      { conn: 1, data: '{"type":"subscribed","tickers":[]}', flags: FLAG.control },
      { conn: 1, data: `{"ev":"XT","pair":"${'x'.repeat(70_000)}"}`, recvMs: T0 + 1234567 },
    ]
    const server = await serve(items)
    const response = await get(server, '/replay')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    const lines = (await response.text()).split('\n')
    expect(lines.slice(0, 5)).toEqual([
      `{"feed":"crypto/XT","recv_ms":${T0 + 1},"seq":1,"message":${text(trade(1))}}`,
      `{"feed":"crypto/XQ","recv_ms":${T0 + 2},"seq":2,"message":${text(quote(2))}}`,
      `{"feed":"crypto/XT","recv_ms":${T0 + 3},"seq":3,"raw":${JSON.stringify(text(items[2]))}}`,
      `{"feed":"crypto/XT","recv_ms":${T0 + 4},"seq":4,"raw":"not \\"json\\""}`,
      `{"feed":"crypto/XT","recv_ms":${T0 + 5},"seq":5,"raw_base64":"Af8="}`,
    ])
    expect(JSON.parse(lines[5])).toEqual({
      feed: 'crypto/XT',
      recv_ms: T0 + 1234567,
      seq: 7,
      message: JSON.parse(text(items[6])) as unknown,
    })
    expect(lines.slice(6)).toEqual([''])
  })

  it.each([
    ['feed=crypto/XQ', [2]],
    ['symbol=ETHUSD', [3]],
    ['symbol=ETH-USD&symbol=BTC-USD&feed=crypto/XT', [1, 3, 4]],
    [`from=${T0 + 2}&to=${T0 + 4}`, [2, 3]],
    ['speed=1000', [1, 2, 3, 4]],
  ])('with %s', async (query, seqs) => {
    const server = await serve([trade(1), quote(2), trade(3, T0 + 3, 'ETH-USD'), trade(4)])
    const body = await (await get(server, `/replay?${query}`)).text()
    const lines = body.split('\n').filter((line) => line !== '')
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(seqs)
  })

  it.each([
    ['/replay?symbol=NOPE', 404],
    ['/replay?session=nope', 404],
    ['/replay?feed=crypto', 400],
    ['/replay?speed=0', 400],
    ['/replay?limit=1', 400],
    ['/fundamentals/AAPL/ratios', 404],
  ])('answers %s with %i and a sentence', async (path, status) => {
    const server = await serve([trade(1)])
    const response = await get(server, path)
    expect(response.status).toBe(status)
    expect(((await response.json()) as { detail: string }).detail).toMatch(/^[A-Z"].+\.$/)
  })

  it('reads no further than the client does, and stops when it leaves', async () => {
    const items = Array.from({ length: 60_000 }, (_, i) => trade(i + 1, T0 + i))
    const server = await serve(items)
    const leaving = new AbortController()
    const response = await fetch(`${server.baseUrl}/replay`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
      signal: leaving.signal,
    })
    const reader = response.body!.getReader()
    await reader.read()
    leaving.abort()
    await expect(reader.read()).rejects.toThrow()
    const whole = await (await get(server, '/replay')).text()
    expect(whole.split('\n')).toHaveLength(60_001)
  })
})

describe('too many clients with clocks of their own', () => {
  it('are refused, so that they can’t use up the memory, until others leave', async () => {
    const server = await serve([trade(1), trade(2, T0 + 3_600_000)], { start: 'paused' })
    const leaving = new AbortController()
    const init = { headers: { authorization: `Bearer ${server.apiKey}` }, signal: leaving.signal }
    const lines = `${server.baseUrl}/replay?speed=0.25`
    // Kept, because Node closes those that nothing refers to.
    const open = []
    while (open.length < 64) open.push(await fetch(lines, init))
    expect(open.filter(({ ok }) => !ok)).toEqual([])
    const refused = await get(server, '/replay')
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { detail: expect.stringContaining('At most 64 streams') as unknown },
    ])
    expect(await (await openFeed(server, '/ws/crypto/XT/?speed=1')).ended).toMatchObject({ code: 1013 })
    // The shared clock is for everybody.
    await (await follow(server, '/ws/crypto/XT/', 'BTC-USD')).ping()
    leaving.abort()
    await vi.waitFor(async () => expect((await get(server, '/replay')).status).toBe(200))
  })
})

it('a client that asks without reading the answers is cut', async () => {
  const events: string[] = []
  let unread = 0
  const ws = { OPEN: 1, readyState: 1, send: () => void events.push('sent'), terminate: () => void events.push('cut') }
  const socket = {
    get writableLength() {
      return unread
    },
  }
  // Only what it uses of them.
  const connection = new ServedConnection('crypto/XT', ws as never, socket as never, () => undefined)
  connection.raw('{}')
  unread = 65 * 1024 * 1024
  connection.raw('{}')
  connection.raw('{}')
  expect(events).toEqual(['sent', 'sent', 'cut'])
})

describe('the clock’s endpoint', () => {
  const post = (server: ReplayServer, body: unknown) =>
    fetch(`${server.baseUrl}/replay/clock`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}` },
      body: JSON.stringify(body),
    })

  it('plays, pauses, seeks and changes the speed', async () => {
    const server = await serve([trade(1), trade(2), trade(900_000)], { start: 'paused', speed: 1 })
    const client = await follow(server, '/ws/crypto/XT/', 'BTC-USD')
    expect(await (await get(server, '/replay/clock')).json()).toEqual({
      playing: false,
      speed: 1,
      at: new Date(T0).toISOString(),
      from: new Date(T0).toISOString(),
      to: new Date(T0 + 3_000_001).toISOString(),
      ended: false,
    })
    const changed = await post(server, { at: new Date(T0 + 900_000).toISOString(), playing: true, speed: 'max' })
    expect(await changed.json()).toMatchObject({ playing: true, speed: 'max' })
    expect(await client.received(2)).toContain(text(trade(900_000)))
    expect(client.frames).toHaveLength(2)
  })

  it.each([[{ speed: 0 }], [{ at: 'noon' }], [{ playing: 1 }], [{ stop: true }], [[]]])('refuses %j', async (body) => {
    const server = await serve([trade(1)])
    expect((await post(server, body)).status).toBe(400)
  })
})

describe('strangers', () => {
  it('with an address that isn’t valid are refused, and the server keeps serving', async () => {
    const server = await serve([trade(1)])
    const origin = 'https://example.com'
    expect(await knockAndStay(server.baseUrl, '//', { origin })).toBe('HTTP/1.1 400 Bad Request')
    expect((await get(server, '//')).status).toBe(400)
    expect((await get(server, '/replay')).status).toBe(200)
  })

  it.each([
    ['/ws/crypto/XT/?speed=fast', 'HTTP/1.1 400 Bad Request'],
    ['/ws/crypto/XT/', 'HTTP/1.1 403 Forbidden'],
  ])('who were refused %s and stay don’t keep the server from closing', async (path, status) => {
    const server = await serve([trade(1)])
    expect(await knockAndStay(server.baseUrl, path)).toBe(status)
    await server.close()
  })

  it.each([
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer nope' }, 401],
    ['a page of another site', { origin: 'https://example.com' }, 403],
  ])('with %s get %j, %i', async (_what, headers, status) => {
    const server = await serve([trade(1)])
    for (const path of ['/replay', '/replay/clock']) {
      const response = await get(server, path, headers)
      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('from this computer by any spelling of its name', async () => {
    const { baseUrl, apiKey } = await serve([trade(1)])
    const headers = { host: `LOCALHOST:${new URL(baseUrl).port}`, authorization: `Bearer ${apiKey}` }
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${baseUrl}/replay/clock`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      asked.on('error', reject).end()
    })
    expect(status).toBe(200)
  })
})
