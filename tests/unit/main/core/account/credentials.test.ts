import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { createCredentials } from '../../../../../src/main/core/account/credentials.ts'
import { memoryKeychain } from '../../../../../src/main/core/account/keychain.ts'
import type { AccountState, ConnectionStep } from '../../../../../src/shared/core/status/status.ts'
import { FakeService, json, jwt } from './fake-service.ts'
import { hurriedClock } from '../../../../kit/clock.ts'

const PASSWORD = 'CANARY-password'
const API_KEY = 'CANARY-key'
const services: FakeService[] = []

async function service(prepare: (made: FakeService) => void = () => undefined) {
  const made = new FakeService()
  prepare(made)
  services.push(made)
  return { made, baseUrl: await made.listen() }
}
afterEach(async () => {
  for (const made of services.splice(0)) await made.close()
})

function build() {
  const chain = memoryKeychain('a test')
  const states: AccountState[] = []
  const credentials = createCredentials({
    clock: systemClock,
    keychain: async () => chain,
    onChange: (account) => states.push(account),
  })
  return { chain, states, credentials }
}

describe('an account', () => {
  test('is saved per user and origin, found again, and forgotten', async () => {
    const { made, baseUrl } = await service()
    const { chain, credentials, states } = build()
    const fields = await credentials.save({
      baseUrl: `${baseUrl}/some/path`,
      user: ' ann ',
      password: PASSWORD,
      apiKey: API_KEY,
      plan: 'Premium',
    })
    expect(fields).toEqual({ baseUrl, user: 'ann', plan: 'Premium', userField: 'username', passwordField: 'password' })
    expect(await chain.get(`password:ann@${baseUrl}`)).toBe(PASSWORD)
    expect(credentials.account()).toMatchObject({
      source: 'service',
      hasPassword: true,
      hasApiKey: true,
      token: 'none',
      keychain: 'memory',
    })

    await credentials.tokenSource.get()
    expect(made.bodies).toEqual([`{"username":"ann","password":"${PASSWORD}"}`])
    expect(credentials.account().token).toBe('valid')

    const again = createCredentials({ clock: systemClock, keychain: async () => chain })
    await again.useSaved(fields)
    expect(again.account()).toMatchObject({ user: 'ann', hasPassword: true, hasApiKey: true })
    expect(await again.apiKey()).toBe(API_KEY)
    await again.tokenSource.get()
    expect(made.bodies).toHaveLength(2)

    await credentials.forget()
    expect(await chain.get(`password:ann@${baseUrl}`)).toBeNull()
    expect(await chain.get(`api-key:ann@${baseUrl}`)).toBeNull()
    expect(credentials.account()).toMatchObject({ hasPassword: false, hasApiKey: false, token: 'none' })
    await expect(credentials.tokenSource.get()).rejects.toMatchObject({ code: 'wrong-password' })
    expect(JSON.stringify(states)).not.toContain('CANARY')
  })

  test('notes its password, key and every token as secrets, so that no text holds one', async () => {
    const tokens = [jwt({ n: 1 }), jwt({ n: 2 })]
    let asked = 0
    const { baseUrl } = await service((m) => (m.token = (_b, r) => json(r, 200, { access: tokens[asked++] })))
    const noted: (string | null | undefined)[] = []
    const credentials = createCredentials({
      clock: systemClock,
      memoryOnly: true,
      known: { note: (secret) => void noted.push(secret) },
    })
    await credentials.save({ baseUrl, user: 'ann', password: PASSWORD, apiKey: API_KEY })
    expect(noted).toContain(PASSWORD)
    expect(noted).toContain(API_KEY)
    const first = await credentials.tokenSource.get()
    expect(noted).toContain(tokens[0])
    await credentials.tokenSource.renew(first)
    expect(noted).toContain(tokens[1])
  })

  test('a change without a password keeps the stored one; a new account needs one', async () => {
    const { baseUrl } = await service()
    const { chain, credentials } = build()
    await credentials.save({ baseUrl, user: 'ann', password: PASSWORD })
    await credentials.save({ baseUrl, user: 'ann', plan: 'Pro', password: '' })
    expect(await chain.get(`password:ann@${baseUrl}`)).toBe(PASSWORD)
    expect(credentials.account().plan).toBe('Pro')
    await expect(credentials.save({ baseUrl, user: 'bob' })).rejects.toMatchObject({ code: 'wrong-password' })
    await expect(credentials.save({ baseUrl: 'http://example.com', user: 'x', password: 'y' })).rejects.toMatchObject({
      code: 'insecure-url',
    })
  })

  test('a wrong password shows as a problem and goes away with the right one', async () => {
    const { baseUrl } = await service((m) => {
      m.token = (body, r) => (body.includes(PASSWORD) ? json(r, 200, { access: jwt() }) : json(r, 401, {}))
    })
    const { credentials } = build()
    await credentials.save({ baseUrl, user: 'ann', password: 'wrong' })
    await expect(credentials.tokenSource.get()).rejects.toMatchObject({ code: 'wrong-password' })
    expect(credentials.account()).toMatchObject({ token: 'refused', problem: { code: 'wrong-password' } })
    await credentials.save({ baseUrl, user: 'ann', password: PASSWORD })
    await credentials.tokenSource.get()
    expect(credentials.account()).toMatchObject({ token: 'valid', problem: null })
  })

  test('is checked without being stored; only what the service refuses stands against it', async () => {
    const { made, baseUrl } = await service()
    const { chain, credentials, states } = build()
    expect(await credentials.check({ baseUrl, user: 'ann', password: PASSWORD })).toBeNull()
    made.token = (_body, response) => json(response, 401, { detail: 'no' })
    await expect(credentials.check({ baseUrl, user: 'ann', password: 'other' })).rejects.toMatchObject({
      code: 'wrong-password',
    })
    expect(made.bodies).toHaveLength(2)
    expect(await chain.get(`password:ann@${baseUrl}`)).toBeNull()
    expect(states).toEqual([])

    await made.close()
    services.splice(0)
    expect(await credentials.check({ baseUrl, user: 'ann', password: PASSWORD })).toMatchObject({ code: 'offline' })
  })

  test('a keychain that stops answering is reported as a problem, and secrets stay in memory', async () => {
    const kept = memoryKeychain('it stopped responding')
    let stop: () => void = () => undefined
    let kind: 'os' | 'memory' = 'os'
    const seen: (string | undefined)[] = []
    const credentials = createCredentials({
      clock: systemClock,
      keychain: async (fell) => {
        stop = fell
        return {
          ...kept,
          get kind() {
            return kind
          },
        }
      },
      onChange: ({ keychain, problem }) => seen.push(`${keychain} ${problem?.code ?? 'fine'}`),
    })
    const saved = { user: 'me', password: 'p', baseUrl: 'https://data.example.com' }
    await credentials.save(saved)
    kind = 'memory'
    stop()
    expect(seen).toEqual(['os fine', 'memory keychain'])
    expect(credentials.account().problem?.message).toContain('forgotten when Tapedeck quits')
  })

  test('the demo account touches no keychain', async () => {
    const { made, baseUrl } = await service()
    const credentials = createCredentials({ clock: systemClock, keychain: () => Promise.reject(new Error('touched')) })
    credentials.useDemo({ baseUrl, user: 'demo', password: PASSWORD, apiKey: API_KEY })
    await credentials.tokenSource.get()
    expect(made.bodies).toHaveLength(1)
    expect(await credentials.apiKey()).toBe(API_KEY)
    expect(credentials.account()).toMatchObject({ source: 'demo', baseUrl, keychain: 'unprobed', token: 'valid' })
    expect(inspect(credentials.account())).not.toContain('CANARY')
  })
})

describe('test connection', () => {
  /** Waits are cut short: what is tested is what follows them. */
  const soon = hurriedClock((ms) => Math.min(ms / 10, 400))

  async function run(prepare: (made: FakeService) => void = () => undefined, password: string | undefined = PASSWORD) {
    const { made, baseUrl } = await service(prepare)
    const chain = memoryKeychain('a test')
    const credentials = createCredentials({ clock: soon, keychain: async () => chain })
    const steps = await credentials.testConnection({
      baseUrl,
      user: 'ann',
      ...(password === undefined ? {} : { password }),
    })
    expect(JSON.stringify(steps)).not.toContain('CANARY')
    return { made, steps, chain, baseUrl, credentials }
  }
  const shape = (steps: readonly ConnectionStep[]): string => steps.map((s) => `${s.step}:${s.code ?? 'ok'}`).join(' ')

  test('names each step of a service that is well, and stores nothing', async () => {
    const { steps, chain, baseUrl, made } = await run()
    expect(shape(steps)).toBe('reach:ok token:ok handshake:ok subscribe:ok first message:ok')
    expect(steps.every((s) => s.ok && s.text !== '' && s.tookMs >= 0)).toBe(true)
    expect(steps.at(-1)?.text).toBe('BTC-USD came, trade.')
    expect(await chain.get(`password:ann@${baseUrl}`)).toBeNull()
    expect(made.upgrades[0]?.headers.origin).toBe(baseUrl)
  })

  const ends: readonly (readonly [string, string, RegExp, (made: FakeService) => void])[] = [
    [
      'a bad password',
      'reach:ok token:wrong-password',
      /rejected the user and password/,
      (m) => (m.token = (_b, r) => json(r, 401, {})),
    ],
    [
      '403',
      'reach:ok token:ok handshake:forbidden-origin',
      /doesn’t accept the origin http/,
      (m) => (m.upgrade = (_r, s) => void s.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')),
    ],
    [
      '4400',
      'reach:ok token:ok handshake:ok subscribe:unknown-feed',
      /doesn’t know the feed XT/,
      (m) => {
        m.onOpen = (ws) => ws.close(4400, 'unknown feed')
        m.onMessage = () => undefined
      },
    ],
    [
      '4401',
      'reach:ok token:ok handshake:ok subscribe:token-expired',
      /refused a new access token.*Sign in again/s,
      (m) => {
        m.onOpen = (ws) => {
          ws.send('{"code":"authentication_failed","message":"bad"}')
          ws.close(4401, 'bad')
        }
        m.onMessage = () => undefined
      },
    ],
    [
      'a plan without the feed, said so',
      'reach:ok token:ok handshake:ok subscribe:plan',
      /Your plan may not/,
      (m) =>
        (m.onMessage = (ws) => {
          ws.send('{"code":"plan_required","message":"Premium only"}')
          ws.close(1008)
        }),
    ],
    [
      'a plan without the feed, by silence',
      'reach:ok token:ok handshake:ok subscribe:ok first message:plan',
      /Your plan may not/,
      (m) => (m.onMessage = (ws) => ws.send('{"type":"subscribed","tickers":["BTC-USD"]}')),
    ],
    [
      'no acknowledgement',
      'reach:ok token:ok handshake:ok subscribe:plan',
      /didn’t acknowledge/,
      (m) => (m.onMessage = () => undefined),
    ],
    [
      'a connection that is cut',
      'reach:ok token:ok handshake:ok subscribe:offline',
      /connection was lost/,
      (m) => (m.onMessage = (ws) => ws.terminate()),
    ],
  ]
  test.each(ends)('%s', async (_name, expected, text, prepare) => {
    const { steps } = await run(prepare)
    // An early close may be noticed while the handshake is still being told; which step says so is the same sentence.
    expect(shape(steps)).toBe(expected)
    expect(steps.at(-1)?.text).toMatch(text)
    expect(steps.at(-1)?.ok).toBe(false)
  })

  test('a service that is not there', async () => {
    const { made, baseUrl } = await service()
    await made.close()
    const { credentials } = build()
    const steps = await credentials.testConnection({ baseUrl, user: 'ann', password: PASSWORD })
    expect(shape(steps)).toBe('reach:offline')
    expect(steps[0]?.text).toMatch(/Nothing is listening at 127\.0\.0\.1/)
  })
  test('an address that is none, and a password that is missing', async () => {
    const { credentials } = build()
    expect(shape(await credentials.testConnection({ baseUrl: 'nonsense', user: 'a', password: 'b' }))).toBe(
      'reach:bad-url',
    )
    expect(shape(await credentials.testConnection({ baseUrl: 'http://127.0.0.1:1', user: 'a' }))).toBe(
      'reach:wrong-password',
    )
  })
})
