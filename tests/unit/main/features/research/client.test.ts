import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock, type Clock } from '../../../../../src/main/base/clock.ts'
import { openResponses, type ResponseFile } from '../../../../../src/main/features/research/responses.ts'
import type { CallCount } from '../../../../../src/main/features/research/budget.ts'
import { createRestClient } from '../../../../../src/main/features/research/client.ts'
import type { RestOptions } from '../../../../../src/main/features/research/service-caller.ts'
import type { RestQuestion } from '../../../../../src/main/features/research/port.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let store: ResponseFile
let asked: { url: string; authorization: string | undefined }[]
let respond: (request: IncomingMessage, response: ServerResponse, nth: number) => void
let base: string
let nowMs: number
const server = createServer((request, response) => {
  asked.push({ url: request.url ?? '', authorization: request.headers.authorization })
  respond(request, response, asked.length)
})

beforeEach(async () => {
  folder = makeFolder('rest')
  store = openResponses(join(folder, 'answers.db'))
  asked = []
  nowMs = Date.UTC(2026, 0, 5, 12)
  respond = (_request, response) => json(response, 200, { n: asked.length })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listening on a port
})
afterEach(async () => {
  store.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const json = (response: ServerResponse, status: number, value: unknown, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** Real timers for the network, but waits between tries end at once and are noted. */
function client(over: Partial<RestOptions> = {}) {
  const waits: number[] = []
  let count: CallCount = { dayMs: 0, used: 0 }
  const clock: Clock = {
    ...systemClock,
    wallMs: () => unixMs(nowMs),
    after(ms, then) {
      if (ms >= 30_000) return systemClock.after(ms, then)
      waits.push(ms)
      return systemClock.after(0, then)
    },
  }
  const rest = createRestClient({
    clock,
    store,
    source: () => 'service:me@example',
    baseUrl: () => base,
    auth: () => 'api-key',
    secret: () => Promise.resolve('key-1'),
    dailyCalls: () => 10,
    count: { load: () => count, save: (now) => (count = now) },
    chance: () => 0.5,
    changed: () => undefined,
    notSaved: (thrown) => {
      throw thrown
    },
    ...over,
  })
  return { rest, waits }
}
const INCOME: RestQuestion = { endpoint: 'income-statement', symbol: 'AAPL', params: {} }

describe('one call', () => {
  it('asks the documented path with the key, keeps the response, and serves it from the store while it is fresh', async () => {
    const { rest } = client()
    const first = await rest.get({ ...INCOME, params: { period: 'annual', limit: '4' } }, 'fresh')
    expect(asked).toEqual([
      { url: '/fundamentals/AAPL/income-statement?limit=4&period=annual', authorization: 'Bearer key-1' },
    ])
    expect(first).toMatchObject({
      failure: null,
      stale: false,
      fresh: true,
      response: { text: '{"n":1}', status: 200 },
    })
    const again = await rest.get({ ...INCOME, params: { limit: '4', period: 'annual' } }, 'fresh')
    expect(again).toMatchObject({ fresh: false, stale: false, response: { text: '{"n":1}', id: first.response?.id } })
    nowMs += 13 * 3_600_000
    expect(await rest.get({ ...INCOME, params: { limit: '4', period: 'annual' } }, 'cached')).toMatchObject({
      stale: true,
      response: { text: '{"n":1}' },
    })
    expect(asked).toHaveLength(1)
    expect((await rest.get({ ...INCOME, params: { limit: '4', period: 'annual' } }, 'fresh')).response?.text).toBe(
      '{"n":2}',
    )
    expect(await rest.versions({ ...INCOME, params: { limit: '4', period: 'annual' } }, null)).toHaveLength(2)
  })

  it('shares a call that is on its way, and cancels it when the last one has left', async () => {
    const going = Promise.withResolvers<ServerResponse>()
    const gone = Promise.withResolvers<void>()
    respond = (request, response) => {
      request.on('close', () => gone.resolve())
      going.resolve(response)
    }
    const { rest } = client()
    const one = new AbortController()
    const two = new AbortController()
    const first = rest.get(INCOME, 'fresh', one.signal)
    const second = rest.get(INCOME, 'fresh', two.signal)
    await going.promise
    one.abort()
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    two.abort()
    await expect(second).rejects.toMatchObject({ code: 'cancelled' })
    await gone.promise
    expect(asked).toHaveLength(1)
    expect(rest.budget()).toMatchObject({ used: 1, waiting: 0 })
  })

  it('tells what was known at an instant, and nothing that came later', async () => {
    const { rest } = client()
    await rest.get(INCOME, 'force')
    const between = nowMs + 1
    nowMs += 1_000
    await rest.get(INCOME, 'force')
    expect((await rest.asOf(INCOME, between)).response?.text).toBe('{"n":1}')
    expect((await rest.asOf(INCOME, between - 2)).response).toBeNull()
    expect((await rest.asOf(INCOME, nowMs)).response?.text).toBe('{"n":2}')
    expect(asked).toHaveLength(2)
  })
})

describe('failures', () => {
  const page = '<!doctype html><title>Sign in</title>'
  it.each<[string, (response: ServerResponse) => void, string, number]>([
    ['a wrong key', (r) => json(r, 401, { detail: 'wrong' }), 'unauthorized', 1],
    ['a plan without it', (r) => json(r, 403, {}), 'forbidden', 1],
    ['something unknown', (r) => json(r, 404, { detail: 'No such symbol.' }), 'not-found', 1],
    ['what is to come', (r) => json(r, 404, { detail: 'This endpoint is coming soon.' }), 'coming-soon', 1],
    ['a server in trouble', (r) => json(r, 503, {}), 'server-error', 3],
    ['too many calls', (r) => json(r, 429, {}, { 'retry-after': '1' }), 'rate-limited', 3],
    ['too many calls for today', (r) => json(r, 429, {}, { 'retry-after': '3600' }), 'rate-limited', 1],
    ['a page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end(page), 'unexpected-answer', 1],
    [
      'a page that says it is JSON',
      (r) => r.writeHead(200, { 'content-type': 'application/json' }).end(page),
      'unexpected-answer',
      1,
    ],
    ['half an answer', (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'), 'truncated', 3],
    ['a broken connection', (r) => r.destroy(), 'offline', 3],
    [
      'a broken body',
      (r) => r.writeHead(200, { 'content-length': '99' }).write('{"a"', () => r.destroy()),
      'truncated',
      3,
    ],
    ['a redirect', (r) => r.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), 'unexpected-answer', 1],
    ['an endless answer', (r) => r.writeHead(200).end('x'.repeat((16 << 20) + 1)), 'too-large', 1],
  ])('tells %s, keeps what was known, and tries again only where it helps', async (_, bad, code, tries) => {
    const { rest } = client()
    const good = await rest.get(INCOME, 'force')
    respond = (_request, response) => bad(response)
    const response = await rest.get(INCOME, 'force')
    expect(response.failure).toMatchObject({ code, message: expect.stringMatching(/[.”]$/) })
    expect(response.response).toEqual(good.response)
    expect(asked).toHaveLength(1 + tries)
    expect(rest.budget().used).toBe(1 + tries)
  })

  it('waits as long as it is asked to, with jitter', async () => {
    respond = (_request, response, nth) => {
      if (nth < 3) json(response, 429, {}, { 'retry-after': '2' })
      else json(response, 200, { ok: true })
    }
    const { rest, waits } = client()
    expect((await rest.get(INCOME, 'force')).response?.text).toBe('{"ok":true}')
    expect(waits).toEqual([2_400, 2_800])
  })

  it.each([
    ['3540', 429, 'The service asks to wait 59 min.', 3_540_000],
    ['90', 503, 'The service asks to wait 2 min.', 90_000],
    ['45', 429, 'The service asks to wait 45 s.', 45_000],
  ])('says for how long a service asks to be left alone: %s s', async (after, status, hint, ms) => {
    respond = (_request, response) => json(response, status, {}, { 'retry-after': after })
    const { rest } = client()
    expect((await rest.get(INCOME, 'force')).failure).toMatchObject({ hint, notBeforeMs: nowMs + ms })
    expect(asked).toHaveLength(1)
  })

  it('says that there is no key, without a call', async () => {
    const { rest } = client({ secret: () => Promise.resolve(null) })
    expect((await rest.get(INCOME, 'force')).failure?.code).toBe('no-key')
    expect(asked).toEqual([])
    expect(rest.budget().used).toBe(0)
  })

  it('stops at the daily budget and starts again the next day', async () => {
    const { rest } = client({ dailyCalls: () => 2 })
    await rest.get(INCOME, 'force')
    await rest.get(INCOME, 'force')
    expect((await rest.get(INCOME, 'force')).failure).toMatchObject({
      code: 'budget',
      hint: expect.stringContaining('00:00 UTC'),
    })
    expect(asked).toHaveLength(2)
    nowMs += 12 * 3_600_000
    expect(rest.budget()).toMatchObject({ used: 0, limit: 2, resetsMs: Date.UTC(2026, 0, 7) })
    expect((await rest.get(INCOME, 'force')).failure).toBeNull()
  })

  it('never says a secret', async () => {
    const { rest } = client()
    respond = (_request, response) => json(response, 401, { detail: `Bearer key-1 is no key` })
    const { failure } = await rest.get(INCOME, 'force')
    expect(JSON.stringify(failure)).not.toContain('key-1')
  })

  it.each([200, 401, 500])(
    'stores no key that an response of status %i repeats, however it is encoded',
    async (status) => {
      const key = 'CANARY/key+"1"'
      const { rest } = client({ secret: () => Promise.resolve(key) })
      const echoes = [
        key,
        encodeURIComponent(key),
        Buffer.from(key).toString('base64'),
        Buffer.from(`Bearer ${key}`).toString('base64'),
        Buffer.from(key).toString('hex'),
      ]
      respond = (_request, response) =>
        json(
          response,
          status,
          { echoes, n: 12.5 },
          { 'content-type': `application/json; key=${encodeURIComponent(key)}` },
        )
      const { response, failure } = await rest.get(INCOME, 'force')
      const [version] = await rest.versions(INCOME, null)
      const stored = await rest.version(version?.id ?? 0)
      expect(stored?.text).toContain('"n":12.5')
      expect(stored?.contentType).toContain('application/json')
      for (const text of [JSON.stringify(stored), JSON.stringify(response), JSON.stringify(failure)]) {
        for (const echo of [...echoes, JSON.stringify(key).slice(1, -1), 'CANARY']) expect(text).not.toContain(echo)
        expect(text).not.toContain(Buffer.from('CANARY/ke').toString('base64'))
      }
    },
  )

  it('reads no response that nests without end, and does not ask for it again', async () => {
    const { rest, waits } = client()
    respond = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(100_000))
    const parse = vi.spyOn(JSON, 'parse')
    const { response, failure } = await rest.get(INCOME, 'force')
    expect(parse.mock.calls.filter(([text]) => text.startsWith('[[['))).toEqual([])
    parse.mockRestore()
    expect(response).toBeNull()
    expect(failure).toMatchObject({ code: 'unexpected-answer' })
    expect(waits).toEqual([])
    expect(asked).toHaveLength(1)
    expect(await rest.versions(INCOME, null)).toEqual([])
  })

  it.each([
    [{ ...INCOME, symbol: '' }, 'bad-arguments'],
    [{ ...INCOME, symbol: '..' }, 'bad-arguments'],
    [{ ...INCOME, endpoint: 'nothing' as never }, 'not-found'],
  ])('refuses %o', async (question, code) => {
    const { rest } = client()
    await expect(rest.get(question, 'force')).rejects.toMatchObject({ code })
    expect(asked).toEqual([])
  })
})
