import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startBrowserHost, type BrowserHost } from '../../../../src/main/browser/host.ts'
import { createTransport, type Timing } from '../../../../src/renderer/state/transport-client.ts'
import { socketDial } from '../../../../src/renderer/state/transport-socket.ts'
import type { Failure } from '../../../../src/shared/errors.ts'
import { keysOf, socketOf } from '../../../contract/lines.ts'
import { stubTerminal, type StubTerminal } from '../../../contract/stub-terminal.ts'

const timing: Timing = {
  frame: (then) => void setImmediate(then),
  after(_ms, then) {
    const timer = setTimeout(then, 1)
    return () => clearTimeout(timer)
  },
  random: () => 0.5,
}

let folder: string
let stub: StubTerminal
let host: BrowserHost
let logged: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-host-'))
  await mkdir(join(folder, 'pages', 'assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'not for you')
  await writeFile(join(folder, 'pages', 'index.html'), '<!doctype html><title>Tapedeck</title>')
  await writeFile(join(folder, 'pages', 'assets', 'main.js'), 'export {}')
  stub = stubTerminal()
  logged = []
  host = await startBrowserHost(stub.handlers, {
    rendererDir: join(folder, 'pages'),
    patienceMs: 200,
    log: (_level, text) => logged.push(text),
  })
})
afterEach(async () => {
  await host.close()
  await rm(folder, { recursive: true })
})

const authority = (): string => `127.0.0.1:${host.port}`
const tokenOf = (url: string): string => new URL(url).hash.replace('#token=', '')

function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: host.port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (more: string) => (text += more))
      response.on('end', () => resolve(Object.assign(response, { text })))
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** A socket with everything it was told. */
function knock(options: { origin?: string; headers?: Record<string, string>; path?: string } = {}): {
  socket: WebSocket
  texts: string[]
  opened: Promise<boolean>
  closed: Promise<{ code: number; reason: string }>
} {
  const socket = new WebSocket(`ws://${authority()}${options.path ?? '/ws'}`, {
    origin: options.origin ?? `http://${authority()}`,
    headers: options.headers ?? {},
  })
  const texts: string[] = []
  socket.on('message', (data: Buffer) => texts.push(data.toString('utf8')))
  socket.on('error', () => undefined)
  return {
    socket,
    texts,
    opened: new Promise((resolve) => {
      socket.once('open', () => resolve(true))
      socket.once('close', () => resolve(false))
    }),
    closed: new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') }))
    }),
  }
}

async function greeted(hello: object): Promise<ReturnType<typeof knock>> {
  const door = knock()
  await door.opened
  door.socket.send(JSON.stringify(hello))
  await vi.waitFor(() => expect(door.texts).toHaveLength(1), { interval: 2 })
  return door
}

describe('its pages', () => {
  test('are the built files with strict headers', async () => {
    const index = await get('/')
    expect(index.statusCode).toBe(200)
    expect(index.text).toContain('Tapedeck')
    expect(index.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-type': 'text/html; charset=utf-8',
    })
    const policy = String(index.headers['content-security-policy'])
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src ws://${authority()}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(rule)
    expect(policy).not.toContain('unsafe')
    expect(index.headers['set-cookie']).toBeUndefined()
    expect((await get('/assets/main.js')).headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect((await get('/', {}, 'HEAD')).text).toBe('')
  })

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..\\..\\secret.txt',
    '//etc/passwd',
    '/assets',
    '/assets/',
    '/index.html%00.js',
    '/__proto__',
    'http://evil.test/secret.txt',
  ])('are nothing else: %s', async (path) => {
    const answer = await get(path)
    expect(answer.statusCode).toBe(404)
    expect(answer.text).not.toContain('not for you')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })

  test('are refused to a rebound name and to writers', async () => {
    expect((await get('/', { host: `evil.test:${host.port}` })).statusCode).toBe(421)
    expect((await get('/', { host: `localhost:${host.port}` })).statusCode).toBe(421)
    expect((await get('/', {}, 'POST')).statusCode).toBe(405)
  })

  test('hold no token: the address carries it in the fragment', async () => {
    expect((await get('/')).text).not.toContain(tokenOf(host.url))
    expect(host.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/)
  })

  test('are served on loopback only', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === 'IPv4')
    if (!outside) return // this machine has no other address to try
    const failed = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: outside.address, port: host.port })
      socket.once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })
    expect(failed).toBe(true)
  })
})

describe('its WebSocket', () => {
  test.each([
    ['another origin', { origin: 'http://evil.test' }],
    ['an opaque origin', { origin: 'null' }],
    ['another local server', { origin: 'http://127.0.0.1:1' }],
    ['a rebound host', { headers: { host: 'evil.test' } }],
    ['another path', { path: '/other' }],
    ['a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ])('is refused to %s', async (_name, options) => {
    const door = knock(options)
    expect(await door.opened).toBe(false)
    expect(host.windows).toBe(0)
  })

  test('is refused without an Origin', async () => {
    const socket = connect({ host: '127.0.0.1', port: host.port })
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: ${authority()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    const text = await new Promise<string>((resolve) => {
      let all = ''
      socket.setEncoding('utf8').on('data', (more: string) => (all += more))
      socket.once('close', () => resolve(all))
    })
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('exchanges the token once; the second tab is told how to get an address', async () => {
    const first = await greeted({ t: 'token', token: tokenOf(host.url) })
    expect(JSON.parse(first.texts[0] ?? '')).toMatchObject({ t: 'welcome' })
    const second = await greeted({ t: 'token', token: tokenOf(host.url) })
    const told = JSON.parse(second.texts[0] ?? '') as { t: string; error: Failure }
    expect(told.t).toBe('refused')
    expect(told.error.code).toBe('not-allowed')
    expect(told.error.message).toContain('already used')
    expect(told.error.hint).toContain('new address')
    expect((await second.closed).code).toBe(4401)
    expect(host.windows).toBe(1)
    const third = await greeted({ t: 'token', token: tokenOf(host.newUrl()) })
    expect(JSON.parse(third.texts[0] ?? '')).toMatchObject({ t: 'welcome' })
  })

  test('lets a page that was reloaded before it said anything show its token again, and no other', async () => {
    const hello = { t: 'token', token: tokenOf(host.url) } as const
    const reloaded = await greeted(hello)
    reloaded.socket.close()
    await reloaded.closed
    const again = await greeted(hello)
    expect(JSON.parse(again.texts[0] ?? '')).toMatchObject({ t: 'welcome' })
    again.socket.send(JSON.stringify({ t: 'call', id: 1, name: 'app.info', args: {} }))
    while (again.texts.length < 2) await new Promise((resolve) => again.socket.once('message', resolve))
    again.socket.close()
    await again.closed
    const late = await greeted(hello)
    expect(JSON.parse(late.texts[0] ?? '')).toMatchObject({ t: 'refused' })
  })

  test('knows its secret after a reload, and no other', async () => {
    const first = await greeted({ t: 'token', token: tokenOf(host.url) })
    const { secret } = JSON.parse(first.texts[0] ?? '') as { secret: string }
    first.socket.close()
    const again = await greeted({ t: 'secret', secret })
    expect(JSON.parse(again.texts[0] ?? '')).toEqual({ t: 'welcome', secret })
    const wrong = await greeted({ t: 'secret', secret: `${secret.slice(0, -1)}_` })
    expect(JSON.parse(wrong.texts[0] ?? '')).toMatchObject({ t: 'refused', error: { code: 'not-allowed' } })
    const asToken = await greeted({ t: 'token', token: secret })
    expect(JSON.parse(asToken.texts[0] ?? '')).toMatchObject({ t: 'refused' })
  })

  test('sets no cookie and heeds none', async () => {
    const first = await greeted({ t: 'token', token: tokenOf(host.url) })
    const { secret } = JSON.parse(first.texts[0] ?? '') as { secret: string }
    const door = knock({ headers: { cookie: `secret=${secret}; tapedeck-secret=${secret}` } })
    await door.opened
    door.socket.send(JSON.stringify({ t: 'call', id: 1, name: 'app.info', args: {} }))
    expect((await door.closed).code).toBe(1002)
    expect(stub.asked).toEqual([])
  })

  test('hears no call before the greeting', async () => {
    const door = knock()
    await door.opened
    door.socket.send(JSON.stringify({ t: 'call', id: 1, name: 'account.disconnect', args: {} }))
    door.socket.send(JSON.stringify({ t: 'token', token: tokenOf(host.url) }))
    expect((await door.closed).code).toBe(1002)
    expect(stub.asked).toEqual([])
    // The token was not spent on a socket that was already turned away.
    const honest = await greeted({ t: 'token', token: tokenOf(host.url) })
    expect(JSON.parse(honest.texts[0] ?? '')).toMatchObject({ t: 'welcome' })
  })

  test.each([
    ['a binary frame', Buffer.from('{}'), 1003],
    ['no JSON', 'nonsense', 1002],
    ['a frame that is none', '{"t":"result","id":1}', 1002],
    ['too large a text', JSON.stringify({ t: 'call', id: 1, name: 'x'.repeat(1_000_001), args: {} }), 1009],
    ['a frame over every bound', 'x'.repeat(4_100_000), 1009],
  ])('hangs up on %s', async (_name, data, code) => {
    const door = await greeted({ t: 'token', token: tokenOf(host.url) })
    door.socket.send(data)
    expect((await door.closed).code).toBe(code)
    await vi.waitFor(() => expect(host.windows).toBe(0))
    expect(stub.asked).toEqual([])
  })

  test('closes a socket that never says who it is', async () => {
    const door = knock()
    await door.opened
    expect(await door.closed).toEqual({ code: 4408, reason: 'no first message' })
  })

  test('lets only a few strangers wait at a time', async () => {
    const doors = Array.from({ length: 20 }, () => knock())
    await Promise.all(doors.map(({ opened }) => opened))
    const codes = (await Promise.all(doors.map(({ closed }) => closed))).map(({ code }) => code)
    expect(codes.filter((code) => code === 4429)).toHaveLength(4)
    expect(codes.filter((code) => code === 4408)).toHaveLength(16)
  })

  test('closes a request that dribbles in', async () => {
    const socket = connect({ host: '127.0.0.1', port: host.port })
    socket.write(`GET / HTTP/1.1\r\nHost: ${authority()}\r\nX-Slow: `)
    const dribble = setInterval(() => socket.write('a'), 20)
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.once('close', () => resolve()))
    clearInterval(dribble)
    expect((await get('/')).statusCode).toBe(200)
  })

  test('never logs a token or secret', async () => {
    const first = await greeted({ t: 'token', token: tokenOf(host.url) })
    const { secret } = JSON.parse(first.texts[0] ?? '') as { secret: string }
    await greeted({ t: 'token', token: tokenOf(host.url) })
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.join('\n')).not.toContain(tokenOf(host.url))
    expect(logged.join('\n')).not.toContain(secret)
  })
})

describe('a window of it', () => {
  test('that is refused for good tells its panes why and tries no more', async () => {
    await greeted({ t: 'token', token: tokenOf(host.url) })
    let dialled = 0
    const transport = createTransport(
      socketDial(
        socketOf(host.url, () => (dialled += 1)),
        keysOf(host.url),
      ),
      timing,
    )
    const failure = await new Promise<Failure>((resolve) => {
      transport.subscribe('log', {}, () => undefined, resolve)
    })
    expect(failure.hint).toContain('new address')
    expect(await transport.invoke('app.info', {})).toEqual({ ok: false, error: failure })
    expect(dialled).toBe(1)
    transport.close()
  })

  test('that still shows its used token comes in by its secret', async () => {
    const keys = keysOf(host.url)
    const first = createTransport(socketDial(socketOf(host.url), keys), timing)
    expect(await first.invoke('app.info', {})).toMatchObject({ ok: true })
    first.close()
    const reloaded = createTransport(
      socketDial(socketOf(host.url), { ...keysOf(host.url), secret: () => keys.secret() }),
      timing,
    )
    expect(await reloaded.invoke('app.info', {})).toMatchObject({ ok: true })
    reloaded.close()
  })

  test('closing the host closes every window and frees the port', async () => {
    const transport = createTransport(socketDial(socketOf(host.url), keysOf(host.url)), timing)
    transport.subscribe('log', {}, () => undefined)
    await vi.waitFor(() => expect(stub.openStreams).toBe(1))
    await host.close()
    await host.close()
    await vi.waitFor(() => expect(stub.openStreams).toBe(0))
    transport.close()
    await expect(get('/')).rejects.toThrow()
  })

  test('a taken port and a missing build are errors of the start', async () => {
    await expect(
      startBrowserHost(stub.handlers, { port: host.port, rendererDir: join(folder, 'pages') }),
    ).rejects.toThrow(/EADDRINUSE/)
    await expect(startBrowserHost(stub.handlers, { rendererDir: join(folder, 'nowhere') })).rejects.toThrow(/ENOENT/)
  })
})
