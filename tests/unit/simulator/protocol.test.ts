import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseControl } from '../../../src/service/control.ts'
import { FEEDS } from '../../../src/service/feeds.ts'
import { FEED_IDS } from '../../../src/shared/base/units.ts'
import { readToken } from '../../../src/server/jwt.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { knockAndStay } from '../../kit/half-open.ts'
import { connect, follow, start, tokenOf } from './client.ts'

let simulator: Simulator
beforeEach(async () => {
  simulator = await start({ market: { kind: 'none' } })
})
afterEach(() => simulator.close())

const errorCode = (text: string | undefined) => {
  const control = parseControl(text ?? '')
  return control?.kind === 'error' ? control.code : undefined
}
const post = (body: string, type = 'application/json') =>
  fetch(`${simulator.baseUrl}/api/token/`, { method: 'POST', headers: { 'content-type': type }, body })

describe('the token endpoint', () => {
  it('answers an access token whose claims say when it ends', async () => {
    const { username, password } = simulator
    const response = await post(JSON.stringify({ username, password }))
    expect(response.status).toBe(200)
    const { access } = (await response.json()) as { access: string }
    const claims = JSON.parse(Buffer.from(access.split('.')[1], 'base64url').toString()) as { exp: number }
    expect(claims.exp * 1000).toBeGreaterThan(Date.now())
    expect(readToken('another secret', access)).toBeUndefined()
  })
  it('takes a form too', async () => {
    const { username, password } = simulator
    const body = new URLSearchParams({ username, password }).toString()
    expect((await post(body, 'application/x-www-form-urlencoded')).status).toBe(200)
  })
  it.each([
    ['a wrong password', (s: Simulator) => JSON.stringify({ username: s.username, password: 'wrong' }), 401],
    ['a wrong name', (s: Simulator) => JSON.stringify({ username: 'nobody', password: s.password }), 401],
    ['a missing field', (s: Simulator) => JSON.stringify({ username: s.username }), 400],
    ['no JSON', () => 'password', 400],
  ])('refuses %s', async (_, body, status) => {
    expect((await post(body(simulator))).status).toBe(status)
  })
  it('refuses other methods', async () => {
    expect((await fetch(`${simulator.baseUrl}/api/token/`)).status).toBe(405)
  })
  it('can want other names of its fields', async () => {
    const other = await start({ market: { kind: 'none' }, tokenFields: { user: 'email', password: 'secret' } })
    const response = await fetch(`${other.baseUrl}/api/token/`, {
      method: 'POST',
      body: JSON.stringify({ email: other.username, secret: other.password }),
    })
    expect(response.status).toBe(200)
    await other.close()
  })
})

describe('the handshake', () => {
  it.each(FEED_IDS)('opens %s', async (feed) => {
    const client = await connect(simulator, FEEDS[feed].path, { token: await tokenOf(simulator) })
    client.ws.close(1000)
    expect((await client.ended).code).toBe(1000)
  })
  it.each([
    ['missing', ''],
    ['foreign', 'https://example.com'],
    ['of another port', 'http://127.0.0.1:1'],
  ])('answers 403 when Origin is %s', async (_, origin) => {
    const token = await tokenOf(simulator)
    await expect(connect(simulator, '/ws/crypto/XT/', { token, origin })).rejects.toThrow('403')
  })
  it.each(['/ws/crypto/ZZ/', '/ws/forex/XT/', '/ws/crypto/XT', '/nowhere'])('closes %s with 4400', async (path) => {
    const client = await connect(simulator, path, { token: await tokenOf(simulator) })
    expect((await client.ended).code).toBe(4400)
    expect(errorCode(client.texts[0])).toBe('unknown_feed')
  })
  it('refused to a client that stays doesn’t keep the simulator from closing', async () => {
    const other = await start({ market: { kind: 'none' } })
    expect(await knockAndStay(other.baseUrl, '/ws/crypto/XT/')).toBe('HTTP/1.1 403 Forbidden')
    await other.close()
  })

  it('closes a disabled feed with 4400', async () => {
    const other = await start({ market: { kind: 'none' }, disabledFeeds: ['stocks/Q'] })
    const client = await connect(other, '/ws/stocks/Q/', { token: await tokenOf(other) })
    expect((await client.ended).code).toBe(4400)
    await other.close()
  })
  it.each([
    ['no token', () => undefined],
    ['garbage', () => 'garbage'],
    ['a token of another service', async () => tokenOf(await startOther())],
    ['a changed token', async () => (await tokenOf(simulator)).replace(/.$/, (c) => (c === 'A' ? 'Q' : 'A'))],
  ])('closes with an error frame and 4401 given %s', async (_, make) => {
    const token = await make()
    const client = await connect(simulator, '/ws/crypto/XT/', token === undefined ? {} : { token })
    const { code, reason } = await client.ended
    expect(code).toBe(4401)
    expect(reason).not.toBe('')
    expect(client.texts).toHaveLength(1)
    expect(errorCode(client.texts[0])).toBe('authentication_failed')
    await other?.close()
    other = undefined
  })
  it('closes with 4401 when the token has expired', async () => {
    const short = await start({ market: { kind: 'none' }, tokenLifetimeMs: 0 })
    const client = await connect(short, '/ws/crypto/XT/', { token: await tokenOf(short) })
    expect((await client.ended).code).toBe(4401)
    await short.close()
  })
})

let other: Simulator | undefined
async function startOther(): Promise<Simulator> {
  other = await start({ market: { kind: 'none' } })
  return other
}

describe('an open connection', () => {
  const open = async () => connect(simulator, '/ws/crypto/XT/', { token: await tokenOf(simulator) })

  it('acknowledges the full set after subscribe and the removed set after unsubscribe, in upper case', async () => {
    const client = await open()
    client.send({ action: 'subscribe', tickers: ['btc-usd', 'ETH-USD'] })
    client.send({ action: 'subscribe', tickers: ['sol-usd', 'BTC-USD'] })
    client.send({ action: 'unsubscribe', tickers: ['eth-usd', 'NEVER-USD'] })
    await client.received(3)
    expect(client.texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { type: 'subscribed', tickers: ['BTC-USD', 'ETH-USD'] },
      { type: 'subscribed', tickers: ['BTC-USD', 'ETH-USD', 'SOL-USD'] },
      { type: 'unsubscribed', tickers: ['ETH-USD'] },
    ])
    client.ws.close(1000)
    expect((await client.ended).code).toBe(1000)
  })
  it.each([
    ['no JSON', 'subscribe BTC'],
    ['an array', '[]'],
    ['no action', { tickers: ['BTC-USD'] }],
    ['another action', { action: 'buy', tickers: ['BTC-USD'] }],
    ['no tickers', { action: 'subscribe' }],
    ['empty tickers', { action: 'subscribe', tickers: [] }],
    ['tickers that are no list', { action: 'subscribe', tickers: 'BTC-USD' }],
    ['tickers that are no texts', { action: 'subscribe', tickers: [1] }],
    ['a binary message', new Uint8Array([1, 2, 3])],
  ])('ends with protocol_error after %s', async (_, message) => {
    const client = await open()
    client.send(message)
    await client.ended
    expect(client.texts.map(errorCode)).toEqual(['protocol_error'])
  })
  it('keeps subscriptions to their connection and feed', async () => {
    const a = await follow(simulator, 'crypto/XT', 'BTC-USD')
    const b = await follow(simulator, 'crypto/XT', 'ETH-USD')
    const c = await follow(simulator, 'crypto/XQ', 'BTC-USD')
    expect(simulator.send('crypto/XT', 'BTC-USD', '{"to":"a"}')).toBe(1)
    expect(simulator.send('crypto/XQ', 'BTC-USD', '{"to":"c"}')).toBe(1)
    expect(simulator.send('crypto/XT', 'ETH-USD', '{"to":"b"}')).toBe(1)
    await Promise.all([a.received(2), b.received(2), c.received(2)])
    expect([a, b, c].map((client) => client.texts[1])).toEqual(['{"to":"a"}', '{"to":"b"}', '{"to":"c"}'])
  })
  it('answers pings', async () => {
    const client = await open()
    const pong = new Promise<string>((resolve) => client.ws.on('pong', (data) => resolve(data.toString())))
    client.ws.ping('are you there')
    expect(await pong).toBe('are you there')
  })
})

describe('the limit of tickers', () => {
  const many = Array.from({ length: 51 }, (_, i) => `T${i}`)
  it('takes fifty', async () => {
    const client = await follow(simulator, 'stocks/T', ...many.slice(1))
    expect(client.texts).toHaveLength(1)
  })
  it('ends with protocol_error at the fifty-first', async () => {
    const client = await connect(simulator, '/ws/stocks/T/', { token: await tokenOf(simulator) })
    client.send({ action: 'subscribe', tickers: many })
    await client.ended
    expect(errorCode(client.texts[0])).toBe('protocol_error')
  })
  it.each([
    ['error', 'error'],
    ['truncate', 50],
    ['allow', 51],
  ] as const)('can %s instead', async (overLimit, outcome) => {
    const lenient = await start({ market: { kind: 'none' }, overLimit })
    const client = await connect(lenient, '/ws/stocks/T/', { token: await tokenOf(lenient) })
    client.send({ action: 'subscribe', tickers: many })
    client.send({ action: 'unsubscribe', tickers: ['T0'] })
    await client.received(2)
    const control = parseControl(client.texts[0])
    expect(control?.kind === 'acknowledged' ? control.tickers.length : control?.kind).toBe(outcome)
    await lenient.close()
  })
})

describe('plans', () => {
  it.each(['close', 'error', 'silence'] as const)('refuses Premium feeds to Pro by %s', async (planRefusal) => {
    const pro = await start({ market: { kind: 'none' }, plan: 'Pro', planRefusal })
    const token = await tokenOf(pro)
    const client = await connect(pro, '/ws/crypto/XT/', { token })
    if (planRefusal === 'silence') {
      client.send({ action: 'subscribe', tickers: ['BTC-USD'] })
      await client.received(1)
      expect(parseControl(client.texts[0])).toEqual({ kind: 'acknowledged', tickers: ['BTC-USD'] })
      pro.send('crypto/XT', 'BTC-USD', '{}')
      expect(pro.sent().market).toBe(0)
    } else {
      const { code } = await client.ended
      expect(code).toBe(planRefusal === 'close' ? 4401 : 1000)
      expect(errorCode(client.texts[0])).toBe(planRefusal === 'close' ? 'authentication_failed' : 'plan_required')
    }
    // feeds whose plan the document does not show are open
    const open = await connect(pro, '/ws/stocks/T/', { token })
    open.send({ action: 'subscribe', tickers: ['SPY'] })
    await open.received(1)
    pro.send('stocks/T', 'SPY', '{}')
    await open.received(2)
    await pro.close()
  })
})
