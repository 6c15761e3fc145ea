/**
 * A client written from the service's description can't tell the replay server from the service: it has the same
 * conversation with the simulator, which stands for the service, and with a recording that is served.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/main/base/clock.ts'
import { startReplayServer } from '../../src/main/features/replay/serve/replay-server.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import type { FeedId } from '../../src/shared/base/units.ts'
import type { ServiceClient } from '../kit/service-client.ts'
import { FEED_PATHS, openFeed, signIn, type ServiceAddress } from '../kit/service-client.ts'
import { T0 } from '../unit/main/core/store/harness.ts'
import { recorded } from '../unit/main/features/export/recorded.ts'

const DATA = new URL('../../resources/demo/', import.meta.url)
interface Sent {
  readonly feed: FeedId
  readonly symbol: string
  readonly raw: string
}

/** A message of each feed: its symbol, and the text up to its number. Spellings and white space are of several servers. */
const KINDS: readonly (readonly [FeedId, string, string])[] = [
  ['crypto/XT', 'BTC-USD', '{"ev":"XT","pair":"BTC-USD","s":1,"p":1'],
  ['crypto/XT', 'ETH-USD', '{"ev": "XT", "pair": "ETH-USD", "s": 2, "p": 5.50'],
  ['crypto/XQ', 'BTC-USD', '{"ev":"XQ","pair":"BTC-USD","ap":2,"bp":1.0'],
  ['crypto/XA', 'BTC-USD', '{"ev":"XA","pair":"BTC-USD","o":1,"h":2,"l":1,"c":2.0,"v":1'],
  ['crypto/XAS', 'BTC-USD', '{"ev":"XAS","pair":"BTC-USD","o":1,"h":2,"l":1,"c":2,"v":1'],
  ['forex/C', 'EUR/USD', '{"ev":"C","p":"EUR/USD","a":1.10001,"b":1.1'],
  ['forex/CA', 'EUR/USD', '{"ev":"CA","pair":"EUR/USD","o":1.1,"h":1.2,"l":1.10,"c":1.2,"v":1'],
  ['forex/CAS', 'EUR/USD', '{"ev":"CAS","pair":"EUR/USD","o":1.1,"h":1.2,"l":1.1,"c":1.2,"v":1'],
  ['stocks/A', 'SPY', '{"ev":"A","sym":"SPY","o":500,"h":501,"l":500,"c":501,"v":1'],
  ['stocks/AM', 'SPY', '{"ev":"AM","sym":"SPY","o":500,"h":501,"l":500,"c":501,"v":1'],
  ['stocks/Q', 'SPY', '{"ev":"Q","sym":"SPY","bp":500.25,"ap":500.5,"bs":1,"as":1'],
  ['stocks/T', 'SPY', '{"ev":"T","sym":"SPY","p":500.25,"s":1'],
]
const FEEDS = [...new Set(KINDS.map(([feed]) => feed))]

/** What either of them sends. */
const MESSAGES: readonly Sent[] = Array.from({ length: 100 }, (_, i) =>
  KINDS.map(([feed, symbol, start]): Sent => ({ feed, symbol, raw: `${start}${i},"t":${T0 + i}}` })),
).flat()

interface Target extends ServiceAddress {
  close(): Promise<void>
}

async function simulate(): Promise<Target> {
  const simulator = await startSimulator({ dataDir: DATA, market: { kind: 'playlist', messages: MESSAGES } })
  return simulator
}

async function serveRecording(): Promise<Target> {
  const items = MESSAGES.map(({ feed, raw }) => ({ conn: FEEDS.indexOf(feed) + 1, data: raw }))
  const store = await recorded([items], { feeds: FEEDS })
  const server = await startReplayServer({
    reader: store.reader,
    clock: systemClock,
    served: { sessions: store.sessions },
    port: 0,
    speed: 'max',
    loop: false,
    start: 'all',
  })
  return {
    ...server,
    async close() {
      await server.close()
      await store.close()
    },
  }
}

let target: Target
const open: ServiceClient[] = []
afterEach(async () => {
  for (const client of open.splice(0)) client.close()
  await target.close()
})

async function feed(path: string, options?: Parameters<typeof openFeed>[2]): Promise<ServiceClient> {
  const client = await openFeed(target, path, options)
  open.push(client)
  return client
}

const parse = (text: string): unknown => JSON.parse(text)
const errorCode = (text: string | undefined): unknown => {
  const frame = parse(text ?? '{}') as Record<string, unknown> // an error frame is an object
  expect(Object.keys(frame).sort()).toEqual(['code', 'message'])
  return frame.code
}

describe.each([
  ['the simulator', simulate],
  ['a served recording', serveRecording],
])('%s', (_name, start) => {
  it('gives an access token for the right credentials only', async () => {
    target = await start()
    const { username, password } = target
    expect(await signIn(target, { username, password })).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(await signIn(target, { username, password: 'wrong' })).toBe(401)
    expect(await signIn(target, { username: 'nobody', password })).toBe(401)
    expect(await signIn(target, { username })).toBe(400)
    expect((await fetch(`${target.baseUrl}/api/token/`)).status).toBe(405)
  })

  it.each(FEED_PATHS)('opens %s and closes it with 1000', async (path) => {
    target = await start()
    const client = await feed(path)
    await client.ping()
    client.close()
    expect(await client.ended).toMatchObject({ code: 1000 })
    expect(client.frames).toEqual([])
  })

  it.each([
    ['without Origin', null],
    ['with a foreign Origin', 'https://example.com'],
    ['with the Origin of another port', 'http://127.0.0.1:1'],
  ])('refuses a handshake %s with 403', async (_what, origin) => {
    target = await start()
    expect(await (await feed('/ws/crypto/XT/', { origin })).ended).toEqual({ status: 403 })
  })

  it.each(['/ws/crypto/ZZ/', '/ws/forex/XT/', '/ws/crypto/XT', '/elsewhere'])(
    'closes the unknown feed %s with 4400',
    async (path) => {
      target = await start()
      const client = await feed(path)
      expect(await client.ended).toMatchObject({ code: 4400 })
      expect(client.frames.map(errorCode)).toEqual(['unknown_feed'])
    },
  )

  it.each([
    ['no token', null],
    ['a token that isn’t one', 'garbage'],
  ])('closes a handshake with %s with 4401 and a reason', async (_what, token) => {
    target = await start()
    const client = await feed('/ws/crypto/XT/', { token })
    expect(await client.ended).toEqual({ code: 4401, hasReason: true })
    expect(client.frames.map(errorCode)).toEqual(['authentication_failed'])
  })

  it('acknowledges with the full set after subscribe, and with the removed set after unsubscribe', async () => {
    target = await start()
    const client = await feed('/ws/stocks/Q/')
    client.send({ action: 'subscribe', tickers: ['spy', 'QQQ'] })
    client.send({ action: 'subscribe', tickers: ['IWM', 'SPY'] })
    client.send({ action: 'unsubscribe', tickers: ['qqq', 'NEVER'] })
    expect((await client.received(3)).map(parse)).toEqual([
      { type: 'subscribed', tickers: ['SPY', 'QQQ'] },
      { type: 'subscribed', tickers: ['SPY', 'QQQ', 'IWM'] },
      { type: 'unsubscribed', tickers: ['QQQ'] },
    ])
  })

  it.each([
    ['text that is no JSON', 'subscribe BTC'],
    ['an array', '[]'],
    ['an unknown action', { action: 'buy', tickers: ['BTC-USD'] }],
    ['no tickers', { action: 'subscribe' }],
    ['an empty list', { action: 'subscribe', tickers: [] }],
    ['tickers that are no list', { action: 'subscribe', tickers: 'BTC-USD' }],
    ['tickers that are no strings', { action: 'subscribe', tickers: [1] }],
    ['a binary frame', new Uint8Array([1, 2])],
  ])('answers %s with protocol_error and closes', async (_what, message) => {
    target = await start()
    const client = await feed('/ws/crypto/XT/')
    client.send(message)
    expect(await client.ended).toHaveProperty('code')
    expect(client.frames.map(errorCode)).toEqual(['protocol_error'])
  })

  it('sends the messages of subscribed tickers on their feed, unchanged and in order, after the acknowledgement', async () => {
    target = await start()
    const tickers: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
      FEED_PATHS.map((path) => [
        path,
        [...new Set(MESSAGES.filter((one) => path === `/ws/${one.feed}/`).map(({ symbol }) => symbol))],
      ]),
    )
    const clients = new Map<string, ServiceClient>()
    for (const path of Object.keys(tickers)) clients.set(path, await feed(path))
    for (const [path, client] of clients) client.send({ action: 'subscribe', tickers: tickers[path] })
    for (const [path, client] of clients) {
      const wanted = MESSAGES.filter((one) => path === `/ws/${one.feed}/`).map(({ raw }) => raw)
      expect(wanted.length).toBeGreaterThan(0)
      const frames = await client.received(1 + wanted.length)
      expect(parse(frames[0])).toEqual({ type: 'subscribed', tickers: tickers[path] })
      expect(frames.slice(1)).toEqual(wanted)
    }
  })
})
