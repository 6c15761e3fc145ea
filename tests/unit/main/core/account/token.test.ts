import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '../../../../../src/main/base/clock.ts'
import {
  createTokenSource,
  expiryOf,
  requestToken,
  type TokenRequest,
} from '../../../../../src/main/core/account/token.ts'
import { toFailure, type CodedError } from '../../../../../src/shared/base/errors.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { FakeService, json, jwt } from './fake-service.ts'
import { hurriedClock } from '../../../../kit/clock.ts'

const PASSWORD = 'CANARY-password'
const services: FakeService[] = []

async function service(prepare: (made: FakeService) => void = () => undefined) {
  const made = new FakeService()
  prepare(made)
  services.push(made)
  const baseUrl = await made.listen()
  const request: TokenRequest = {
    baseUrl,
    user: 'ann',
    password: PASSWORD,
    userField: 'username',
    passwordField: 'password',
  }
  return { made, request }
}
afterEach(async () => {
  for (const made of services.splice(0)) await made.close()
})

async function failure(request: TokenRequest, clock: Clock = systemClock): Promise<CodedError> {
  try {
    await requestToken(request, clock)
  } catch (thrown) {
    return thrown as CodedError
  }
  throw new Error('a token was given')
}

describe('asking for a token', () => {
  test('sends the body with the names that were set, and reads access', async () => {
    const { made, request } = await service()
    const token = await requestToken({ ...request, userField: 'email', passwordField: '__proto__' }, systemClock)
    expect(token.access.split('.')).toHaveLength(3)
    expect(made.bodies).toEqual([`{"email":"ann","__proto__":"${PASSWORD}"}`])
  })

  const answers: readonly (readonly [string, string, RegExp, (made: FakeService) => void])[] = [
    ['401', 'wrong-password', /rejected the user/, (m) => (m.token = (_b, r) => json(r, 401, { detail: PASSWORD }))],
    ['403', 'wrong-password', /rejected the user/, (m) => (m.token = (_b, r) => json(r, 403, {}))],
    [
      '400',
      'wrong-password',
      /rejected the user/,
      (m) => (m.token = (_b, r) => json(r, 400, { username: ['required'] })),
    ],
    ['404', 'bad-url', /No sign-in endpoint at/, (m) => (m.token = (_b, r) => json(r, 404, {}))],
    ['429', 'offline', /can’t sign you in right now/, (m) => (m.token = (_b, r) => json(r, 429, {}))],
    ['503', 'offline', /can’t sign you in right now/, (m) => (m.token = (_b, r) => json(r, 503, {}))],
    [
      'a redirect',
      'bad-url',
      /redirects/,
      (m) => (m.token = (_b, r) => void r.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()),
    ],
    [
      'a web page',
      'bad-url',
      /a web page/,
      (m) => (m.token = (_b, r) => void r.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>sign in</html>')),
    ],
    [
      'no access field',
      'token-missing',
      /has no access token/,
      (m) => (m.token = (_b, r) => json(r, 200, { token: 'x' })),
    ],
    [
      'access of another type',
      'token-missing',
      /has no access token/,
      (m) => (m.token = (_b, r) => json(r, 200, { access: 7 })),
    ],
    [
      'an access that would break the header',
      'token-missing',
      /has no access token/,
      (m) => (m.token = (_b, r) => json(r, 200, { access: 'a\r\nX-Evil: 1' })),
    ],
    [
      'truncated JSON',
      'token-missing',
      /has no access token/,
      (m) => (m.token = (_b, r) => void r.writeHead(200).end('{"access":"a')),
    ],
    [
      '10 MB',
      'token-missing',
      /has no access token/,
      (m) => (m.token = (_b, r) => void r.writeHead(200).end('x'.repeat(10_000_000))),
    ],
    ['a closed door', 'offline', /Couldn’t reach/, (m) => (m.token = (_b, r) => void r.destroy())],
  ]
  test.each(answers)('%s → %s', async (_name, code, message, prepare) => {
    const { request } = await service(prepare)
    const error = await failure(request)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.hint).toMatch(/\w{4}/)
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(toFailure(error))).not.toContain('CANARY')
  })

  test('an answer that never ends is read no further than its bound', async () => {
    let sent = 0
    const gone = Promise.withResolvers<void>()
    const { request } = await service((m) => {
      m.token = (_body, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        response.on('close', gone.resolve)
        const piece = Buffer.alloc(64 * 1024, 'x')
        const more = (): void => {
          if (response.destroyed) return
          sent += piece.length
          // Well beyond what both ends of a socket hold: only a reader that never stops gets here.
          if (sent > 64 * 1024 * 1024) response.destroy()
          else if (response.write(piece)) setImmediate(more)
          else response.once('drain', more)
        }
        more()
      }
    })
    expect(await failure(request)).toMatchObject({ code: 'token-missing' })
    await gone.promise
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test.each([
    ['7', 'The service asks to wait 7 s.'],
    ['90', 'The service asks to wait 2 min.'],
    ['0', 'The service asks to wait 1 s.'],
    ['soon', 'Wait a moment, then try again.'],
  ])('a 429 with Retry-After: %s says until when', async (header, hint) => {
    const { request } = await service(
      (m) => (m.token = (_b, r) => void r.writeHead(429, { 'Retry-After': header }).end()),
    )
    expect(await failure(request)).toMatchObject({ code: 'offline', hint })
  })

  test('an unreachable host, an unknown name and silence have different errors', async () => {
    const { made, request } = await service((m) => (m.token = () => undefined))
    const soon = hurriedClock(() => 30)
    expect((await failure(request, soon)).code).toBe('timeout')
    await made.close()
    expect(await failure(request)).toMatchObject({
      code: 'offline',
      message: expect.stringMatching(/Nothing is listening/) as string,
    })
  })

  test.each([
    ['http://data.example.com', 'insecure-url'],
    ['ftp://data.example.com', 'bad-url'],
    ['data.example.com', 'bad-url'],
    ['https://ann:CANARY@data.example.com', 'bad-url'],
  ])('%s is refused as %s before anything is sent', async (baseUrl, code) => {
    const { request } = await service()
    const error = await failure({ ...request, baseUrl })
    expect(error.code).toBe(code)
    expect(inspect(error)).not.toContain('CANARY')
  })
})

describe('the end of a token', () => {
  const now = unixMs(1_750_000_000_000)
  test.each<[string, number | null]>([
    [jwt({ exp: 1_750_000_300 }), 1_750_000_300_000],
    // A local clock that is an hour off does not matter where the token says how long it lasts.
    [jwt({ iat: 1_749_996_400, exp: 1_749_996_700 }), 1_750_000_300_000],
    [jwt({ exp: 1_749_999_000 }), null],
    [jwt({}), null],
    [jwt({ exp: 'soon' }), null],
    [jwt({ exp: 1e300 }), null],
    ['opaque', null],
    ['a.b.c', null],
    ['a.bnVsbA.c', null],
    ['..', null],
  ])('%s', (access, expected) => {
    expect(expiryOf(access, now)).toBe(expected)
  })
})

describe('the token source', () => {
  function movable() {
    let wall = 1_750_000_000_000
    const clock: Clock = { ...systemClock, wallMs: () => unixMs(wall) }
    return { clock, pass: (ms: number) => (wall += ms) }
  }
  const lasting = (seconds: number) => (m: FakeService) => {
    let n = 0
    m.token = (_b, r) => json(r, 200, { access: jwt({ iat: 1_000, exp: 1_000 + seconds, n: n++ }) })
  }

  test('asks once for many callers, and again a minute before the end', async () => {
    const { made, request } = await service(lasting(3_600))
    const { clock, pass } = movable()
    const source = createTokenSource(async () => request, clock)
    const [a, b, c] = await Promise.all([source.get(), source.get(), source.get()])
    expect(a).toBe(b)
    expect(a).toBe(c)
    pass(3_539_000)
    expect(await source.get()).toBe(a)
    pass(1_500)
    expect((await source.get()).access).not.toBe(a.access)
    expect(made.bodies).toHaveLength(2)
  })

  test('a short-lived token is used for half of its life, not never', async () => {
    const { made, request } = await service(lasting(20))
    const { clock, pass } = movable()
    const source = createTokenSource(async () => request, clock)
    await source.get()
    pass(9_000)
    await source.get()
    expect(made.bodies).toHaveLength(1)
    pass(2_000)
    await source.get()
    expect(made.bodies).toHaveLength(2)
  })

  test('renewing is one request for all whose token was refused', async () => {
    const { made, request } = await service(lasting(3_600))
    const source = createTokenSource(async () => request, systemClock)
    const old = await source.get()
    const [a, b] = await Promise.all([source.renew(old), source.renew(old)])
    expect(a.access).toBe(b.access)
    expect(await source.renew(old)).toBe(source.held)
    expect(made.bodies).toHaveLength(2)
  })

  test('a failure rejects every waiting request and is not cached', async () => {
    let fail = true
    const { request } = await service(
      (m) => (m.token = (_b, r) => (fail ? json(r, 401, {}) : json(r, 200, { access: jwt() }))),
    )
    const outcomes: string[] = []
    const source = createTokenSource(
      async () => request,
      systemClock,
      (outcome) => outcomes.push(outcome instanceof Error ? outcome.code : 'token'),
    )
    const both = await Promise.allSettled([source.get(), source.get()])
    expect(both.map((r) => r.status)).toEqual(['rejected', 'rejected'])
    fail = false
    await source.get()
    expect(outcomes).toEqual(['wrong-password', 'token'])
  })

  test('a token that arrives after the account changed is not cached', async () => {
    const { request } = await service()
    const source = createTokenSource(async () => request, systemClock)
    const early = source.get()
    source.clear()
    await early
    expect(source.held).toBeNull()
  })
})
