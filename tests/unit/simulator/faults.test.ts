import { manualClock } from '../../kit/clock.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { FAULT_NAMES, FAULTS, parseSchedule, readFault } from '../../../src/simulator/faults.ts'
import type { Simulator, SimulatorOptions } from '../../../src/simulator/simulator.ts'
import { connect, follow, start, tokenOf } from './client.ts'

let simulator: Simulator | undefined
afterEach(async () => {
  await simulator?.close()
  simulator = undefined
})
const quiet = async (options: Partial<SimulatorOptions> = {}) =>
  (simulator = await start({ market: { kind: 'none' }, ...options }))
const bulk = (s: Simulator, count: number) => {
  for (let i = 0; i < count; i++) s.send('crypto/XT', 'BTC-USD', `{"n":${i}}`)
}
const numbers = (texts: readonly string[]) => texts.slice(1).map((text) => (JSON.parse(text) as { n: number }).n)

describe('faults', () => {
  it('drop: cuts without a close frame', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    const spared = await follow(s, 'crypto/XQ', 'BTC-USD')
    s.fault('drop', { feed: 'crypto/XT' })
    expect((await client.ended).code).toBe(1006)
    expect(s.send('crypto/XQ', 'BTC-USD', '{}')).toBe(1)
    await spared.received(2)
    expect(s.sent().connections[0].closeCode).toBe(1006)
  })
  it('half-open: neither data nor pongs, yet not closed', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    const other = await follow(s, 'crypto/XQ', 'BTC-USD')
    s.fault('half-open', { feed: 'crypto/XT' })
    let pongs = 0
    client.ws.on('pong', () => pongs++)
    client.ws.ping()
    expect(s.send('crypto/XT', 'BTC-USD', '{}')).toBe(0)
    // what came after on another connection has come: so would have what came before on this one
    const answered = new Promise((resolve) => other.ws.on('pong', resolve))
    other.ws.ping()
    await answered
    expect([client.frames.length, pongs, client.ws.readyState]).toEqual([1, 0, client.ws.OPEN])
  })
  it('stall: no data while pongs go on, then data again', async () => {
    const clock = manualClock(1_780_000_000_000)
    const s = await quiet({ clock })
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    s.fault('stall', { ms: 1_000 })
    s.send('crypto/XT', 'BTC-USD', '{"n":1}')
    const pong = new Promise((resolve) => client.ws.on('pong', resolve))
    client.ws.ping()
    await pong
    await clock.pass(1_000)
    s.send('crypto/XT', 'BTC-USD', '{"n":2}')
    await client.received(2)
    expect(numbers(client.texts)).toEqual([2])
  })
  it('expire-token: ends open connections with 4401 and refuses the old token, not a new one', async () => {
    const s = await quiet()
    const token = await tokenOf(s)
    const client = await connect(s, '/ws/crypto/XT/', { token })
    s.expireTokens()
    expect((await client.ended).code).toBe(4401)
    expect(client.texts[0]).toContain('authentication_failed')
    const again = await connect(s, '/ws/crypto/XT/', { token })
    expect(await again.ended).toEqual({ code: 4401, reason: 'token is expired' })
    await follow(s, 'crypto/XT', 'BTC-USD')
  })
  it('reorder: the same messages in another order', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    s.fault('reorder', { count: 40, window: 8 })
    bulk(s, 50)
    await client.received(51)
    const got = numbers(client.texts)
    expect(got).not.toEqual(got.toSorted((a, b) => a - b))
    expect(got.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect(got.slice(40)).toEqual([40, 41, 42, 43, 44, 45, 46, 47, 48, 49])
  })
  it('duplicate: the next messages twice', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    s.fault('duplicate', { count: 2 })
    bulk(s, 3)
    await client.received(6)
    expect(numbers(client.texts)).toEqual([0, 0, 1, 1, 2])
  })
  it('malformed: frames of every kind, counted and digested like the rest', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    s.fault('malformed')
    await client.received(16)
    expect(s.sent().connections[0]).toMatchObject({ frames: 16, market: 0, sha256: client.digest() })
  })
  it('unasked: messages of a symbol nobody subscribed', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    s.fault('unasked', { count: 2, symbol: 'OTHER-USD' })
    await client.received(3)
    expect(client.texts.slice(1).every((text) => text.includes('"pair":"OTHER-USD"'))).toBe(true)
  })
  it('partial-ack: leaves out the last symbol once', async () => {
    const s = await quiet()
    s.fault('partial-ack')
    const client = await follow(s, 'crypto/XT', 'BTC-USD', 'ETH-USD')
    expect(JSON.parse(client.texts[0])).toEqual({ type: 'subscribed', tickers: ['BTC-USD'] })
    client.send({ action: 'subscribe', tickers: ['ETH-USD'] })
    await client.received(2)
    expect(JSON.parse(client.texts[1])).toEqual({ type: 'subscribed', tickers: ['BTC-USD', 'ETH-USD'] })
  })
  it('burst: so many messages on each connection, all of them', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD', 'ETH-USD')
    s.fault('burst', { messages: 20_001 })
    await client.received(20_002)
    expect(s.sent().connections[0]).toMatchObject({
      market: 20_001,
      symbols: { 'BTC-USD': 10_001, 'ETH-USD': 10_000 },
      sha256: client.digest(),
    })
  })
  it('slow-handshake: the next one waits', async () => {
    const clock = manualClock(1_780_000_000_000)
    const s = await quiet({ clock })
    s.fault('slow-handshake', { ms: 3_000 })
    const slow = connect(s, '/ws/crypto/XT/', { token: await tokenOf(s) })
    let openedMs = 0
    void slow.then(() => (openedMs = clock.wallMs()))
    await expect.poll(() => clock.pass(500).then(() => openedMs)).toBeGreaterThanOrEqual(1_780_000_003_000)
    await connect(s, '/ws/crypto/XT/', { token: await tokenOf(s) })
  })
  it('restart: gone for a while, then back on the same port', async () => {
    const clock = manualClock(1_780_000_000_000)
    const s = await quiet({ clock })
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    const token = await tokenOf(s)
    s.fault('restart', { ms: 500 })
    await clock.pass(20)
    expect((await client.ended).code).toBe(1006)
    await expect(connect(s, '/ws/crypto/XT/', { token })).rejects.toThrow()
    await clock.pass(500)
    await expect
      .poll(() =>
        connect(s, '/ws/crypto/XT/', { token }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })
  it('plan: cuts what the plan no longer covers and refuses it from then on', async () => {
    const s = await quiet()
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    const kept = await follow(s, 'stocks/T', 'SPY')
    s.fault('plan', { plan: 'Pro', refusal: 'error' })
    expect((await client.ended).code).toBe(1006)
    const again = await connect(s, '/ws/crypto/XT/', { token: await tokenOf(s) })
    await again.ended
    expect(again.texts[0]).toContain('plan_required')
    expect(kept.ws.readyState).toBe(kept.ws.OPEN)
  })
  it('forbid-origin: 403 so many times', async () => {
    const s = await quiet()
    const token = await tokenOf(s)
    s.fault('forbid-origin', { count: 1 })
    await expect(connect(s, '/ws/crypto/XT/', { token })).rejects.toThrow('403')
    await connect(s, '/ws/crypto/XT/', { token })
  })
  it('rest: the next calls fail as asked', async () => {
    const s = await quiet()
    const call = () => fetch(`${s.baseUrl}/news`, { headers: { authorization: `Bearer ${s.apiKey}` } })
    s.fault('rest', { status: 429, retryAfter: 7 })
    const refused = await call()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    s.fault('rest', { kind: 'html' })
    expect(await (await call()).text()).toContain('<!doctype html>')
    s.fault('rest', { kind: 'truncated' })
    await expect(call().then((r) => r.text())).rejects.toThrow()
    s.fault('rest', { kind: 'huge' })
    expect((await (await call()).text()).length).toBeGreaterThan(10_000_000)
    expect((await call()).status).toBe(200)
  })
})

describe('the table', () => {
  it.each(FAULT_NAMES)('%s fills in its defaults and says what it does', (name) => {
    expect(FAULTS[name].docs).not.toBe('')
    expect(readFault(name).name).toBe(name)
  })
  it.each([
    ['a name that is none', 'explode', {}],
    ['a parameter that is none', 'drop', { loudly: true }],
    ['a feed that is none', 'drop', { feed: 'crypto/ZZ' }],
    ['a negative count', 'duplicate', { count: -1 }],
    ['a choice that is none', 'plan', { refusal: 'politely' }],
  ])('refuses %s', (_, name, params) => {
    expect(() => readFault(name, params)).toThrow(expect.objectContaining({ code: 'usage' }))
  })
  it('reads a schedule and names a bad entry', () => {
    expect(parseSchedule('[{"at":5,"fault":"drop","feed":"crypto/XT"}]')[0]).toMatchObject({
      atMs: 5,
      fault: { name: 'drop', params: { feed: 'crypto/XT' } },
    })
    for (const bad of ['{', '{}', '[1]', '[{"fault":"drop"}]', '[{"at":1}]', '[{"at":1,"fault":"x"}]'])
      expect(() => parseSchedule(bad)).toThrow(expect.objectContaining({ code: 'usage' }))
  })
  it('runs a schedule on its clock', async () => {
    const clock = manualClock(1_780_000_000_000)
    const s = await quiet({ clock, faults: parseSchedule('[{"at":1000,"fault":"drop"}]') })
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    await clock.pass(999)
    expect(client.ws.readyState).toBe(client.ws.OPEN)
    await clock.pass(1)
    expect((await client.ended).code).toBe(1006)
  })
})

describe('control over HTTP', () => {
  it('does faults, sends, and tells what was sent', async () => {
    const s = await quiet({ keepFrames: true })
    const client = await follow(s, 'crypto/XT', 'BTC-USD')
    const post = (path: string, body: unknown, headers = {}) =>
      fetch(`${s.baseUrl}/__simulator/${path}`, { method: 'POST', body: JSON.stringify(body), headers })
    expect(await (await post('send', { feed: 'crypto/XT', symbol: 'btcusd', raw: '{"n":1}' })).json()).toEqual({
      listeners: 1,
    })
    await client.received(2)
    const sent = (await (await fetch(`${s.baseUrl}/__simulator/sent`)).json()) as ReturnType<Simulator['sent']>
    expect(sent.connections[0]).toMatchObject({ frames: 2, market: 1, sha256: client.digest() })
    const part = await fetch(`${s.baseUrl}/__simulator/sent?connection=1&count=2`)
    expect(await part.json()).toEqual({ sha256: client.digest() })
    expect((await post('fault', { fault: 'nonsense' })).status).toBe(400)
    expect((await post('fault', { fault: 'drop' }, { origin: 'https://example.com' })).status).toBe(403)
    expect((await post('fault', { fault: 'drop' })).status).toBe(200)
    expect((await client.ended).code).toBe(1006)
  })
})
