import { describe, expect, test } from 'vitest'
import { parseHello, findPageRefusal, findUpgradeRefusal } from '../../../../../src/main/hosts/browser/guard.ts'

const HOST = '127.0.0.1:4321'
const good = { host: HOST, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }

describe('the guard of pages', () => {
  test('lets readers of this very host in', () => {
    expect(findPageRefusal('GET', { host: HOST }, HOST)).toBeUndefined()
    expect(findPageRefusal('HEAD', { host: HOST }, HOST)).toBeUndefined()
  })

  test.each([
    undefined,
    '',
    'localhost:4321',
    '127.0.0.1',
    '127.0.0.1:4322',
    'evil.test',
    `${HOST}.evil.test`,
    'evil.test:4321',
  ])('refuses the host %s: its name may have been rebound', (host) =>
    expect(findPageRefusal('GET', host === undefined ? {} : { host }, HOST)?.status).toBe(421),
  )

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', undefined])('refuses to %s', (method) => {
    expect(findPageRefusal(method, { host: HOST }, HOST)?.status).toBe(405)
  })
})

describe('the guard of the WebSocket', () => {
  test('lets a page of this origin in, also of a browser without fetch metadata', () => {
    expect(findUpgradeRefusal('GET', '/ws', good, HOST)).toBeUndefined()
    expect(findUpgradeRefusal('GET', '/ws', { host: HOST, origin: good.origin }, HOST)).toBeUndefined()
  })

  test.each([
    undefined,
    'null',
    'http://localhost:4321',
    `https://${HOST}`,
    `http://${HOST}/`,
    'http://127.0.0.1:9999',
    'http://evil.test',
  ])('refuses the origin %s', (origin) => {
    const headers = origin === undefined ? { host: HOST } : { host: HOST, origin }
    expect(findUpgradeRefusal('GET', '/ws', headers, HOST)?.status).toBe(403)
  })

  test('refuses another host, another path, a request from another site', () => {
    expect(findUpgradeRefusal('GET', '/ws', { ...good, host: 'evil.test:4321' }, HOST)?.status).toBe(421)
    expect(findUpgradeRefusal('GET', '/ws?token=x', good, HOST)?.status).toBe(404)
    expect(findUpgradeRefusal('GET', '/', good, HOST)?.status).toBe(404)
    expect(findUpgradeRefusal('POST', '/ws', good, HOST)?.status).toBe(405)
    expect(findUpgradeRefusal('GET', '/ws', { ...good, 'sec-fetch-site': 'cross-site' }, HOST)?.status).toBe(403)
    expect(findUpgradeRefusal('GET', '/ws', { ...good, 'sec-fetch-site': 'same-site' }, HOST)?.status).toBe(403)
  })
})

describe('the first message', () => {
  test('is a token or a secret', () => {
    expect(parseHello('{"t":"token","token":"abc"}')).toEqual({ t: 'token', token: 'abc' })
    expect(parseHello('{"t":"secret","secret":"abc","more":1}')).toEqual({ t: 'secret', secret: 'abc' })
  })

  test.each([
    '',
    'null',
    '[]',
    '"token"',
    '{',
    '{"t":"token"}',
    '{"t":"token","token":5}',
    '{"t":"secret","token":"a"}',
  ])('is not %s', (text) => expect(parseHello(text)).toBeUndefined())

  test('is short', () => expect(parseHello(JSON.stringify({ t: 'token', token: 'x'.repeat(600) }))).toBeUndefined())
})
