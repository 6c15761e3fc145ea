import { mkdir, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { MAX_REQUESTS, startBrowserHost, type BrowserHost } from '../../../../../src/main/hosts/browser/host.ts'
import { MAX_BUFFERED_BYTES, MAX_WINDOWS, PING_MS } from '../../../../../src/main/hosts/browser/window-sockets.ts'
import { MAX_GREETING_BYTES, MAX_STRANGERS } from '../../../../../src/main/hosts/browser/strangers.ts'
import { createTransport, type Timing } from '../../../../../src/renderer/rpc/transport-client.ts'
import { socketDial } from '../../../../../src/renderer/rpc/transport-socket.ts'
import type { Failure } from '../../../../../src/shared/base/errors.ts'
import { keysOf, socketOf } from '../../../../contract/lines.ts'
import { replaceHandler, stubTerminal, type StubTerminal } from '../../../../contract/stub-terminal.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { knockAndStay } from '../../../../kit/half-open.ts'

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
let reused: number
beforeEach(async () => {
  folder = makeFolder('host')
  await mkdir(join(folder, 'pages', 'assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'not for you')
  await writeFile(join(folder, 'pages', 'index.html'), '<!doctype html><title>Tapedeck</title>')
  await writeFile(join(folder, 'pages', 'assets', 'main.js'), 'export {}')
  stub = stubTerminal()
  logged = []
  reused = 0
  host = await startBrowserHost(stub.handlers, {
    rendererDir: join(folder, 'pages'),
    patienceMs: 200,
    log: (_level, text) => logged.push(text),
    onReuse: () => (reused += 1),
  })
})
afterEach(async () => {
  await host.close()
})

const authority = (): string => `127.0.0.1:${host.port}`
const upgradeRequest = (headers: string): string =>
  `GET /ws HTTP/1.1\r\nHost: ${authority()}\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'
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

  test('are read from the disk once: requests that nobody reads must not each hold a copy', async () => {
    expect((await get('/assets/main.js')).text).toBe('export {}')
    await rm(join(folder, 'pages', 'assets', 'main.js'))
    expect((await get('/assets/main.js')).text).toBe('export {}')
  })

  test('come to at most a hundred requests on one connection', async () => {
    const socket = connect({ host: '127.0.0.1', port: host.port })
    socket.write(`GET / HTTP/1.1\r\nHost: ${authority()}\r\n\r\n`.repeat(MAX_REQUESTS + 50))
    let text = ''
    socket.setEncoding('utf8').on('data', (more: string) => (text += more))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(text.split('HTTP/1.1 200 OK').length - 1).toBe(MAX_REQUESTS)
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
    socket.write(upgradeRequest(''))
    const text = await new Promise<string>((resolve) => {
      let all = ''
      socket.setEncoding('utf8').on('data', (more: string) => (all += more))
      socket.once('close', () => resolve(all))
    })
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('exchanges the token once, and explains to a second tab how to get an address', async () => {
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

  test('lets a page that was reloaded before it said anything show its token again, once', async () => {
    const hello = { t: 'token', token: tokenOf(host.url) } as const
    const reloaded = await greeted(hello)
    const { secret } = JSON.parse(reloaded.texts[0] ?? '') as { secret: string }
    reloaded.socket.close()
    await reloaded.closed
    const again = await greeted(hello)
    expect(JSON.parse(again.texts[0] ?? '')).toMatchObject({ t: 'welcome' })
    // The second exchange revoked the secret of the first.
    const first = await greeted({ t: 'secret', secret })
    expect(JSON.parse(first.texts[0] ?? '')).toMatchObject({ t: 'refused' })
    again.socket.close()
    await again.closed
    expect(reused).toBe(0)
    const third = await greeted(hello)
    expect(JSON.parse(third.texts[0] ?? '')).toMatchObject({ t: 'refused' })
    expect(reused).toBe(1)
  })

  test('lets a page that was reloaded once it had its secret in by that secret', async () => {
    const hello = { t: 'token', token: tokenOf(host.url) } as const
    const reloaded = await greeted(hello)
    const { secret } = JSON.parse(reloaded.texts[0] ?? '') as { secret: string }
    reloaded.socket.close()
    await reloaded.closed
    expect(JSON.parse((await greeted({ t: 'secret', secret })).texts[0] ?? '')).toMatchObject({ t: 'welcome' })
    expect(JSON.parse((await greeted(hello)).texts[0] ?? '')).toMatchObject({ t: 'refused' })
  })

  test('takes no token again once its page has said something', async () => {
    const hello = { t: 'token', token: tokenOf(host.url) } as const
    const page = await greeted(hello)
    page.socket.send(JSON.stringify({ t: 'call', id: 1, name: 'app.info', args: {} }))
    while (page.texts.length < 2) await new Promise((resolve) => page.socket.once('message', resolve))
    page.socket.close()
    await page.closed
    expect(JSON.parse((await greeted(hello)).texts[0] ?? '')).toMatchObject({ t: 'refused' })
    expect(reused).toBe(1)
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

  test('lets a page in while others hold more connections than may wait and show no token', async () => {
    const first = await greeted({ t: 'token', token: tokenOf(host.url) })
    const { secret } = JSON.parse(first.texts[0] ?? '') as { secret: string }
    let attacking = true
    const held = new Set<Socket>()
    /** Half of a WebSocket: upgraded, and silent from then on. Opened again each time it is closed. */
    const hold = (again: boolean): void => {
      const socket = connect({ host: '127.0.0.1', port: host.port })
      held.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        held.delete(socket)
        if (attacking && again) hold(again)
      })
      socket.write(upgradeRequest(`Origin: http://${authority()}\r\n`))
    }
    for (let i = 0; i < MAX_STRANGERS + 40; i += 1) hold(i < 24)
    try {
      for (let tries = 0; tries < 20; tries += 1) {
        const door = await greeted({ t: 'secret', secret })
        expect(JSON.parse(door.texts[0] ?? '')).toMatchObject({ t: 'welcome' })
        door.socket.terminate()
      }
      expect((await get('/')).statusCode).toBe(200)
      expect(logged).toContain('A connection was closed before it showed a token: too many were waiting')
      expect(first.socket.readyState).toBe(WebSocket.OPEN)
    } finally {
      attacking = false
      for (const socket of held) socket.destroy()
    }
  })

  test('warns once of a flood of refusals', async () => {
    for (let i = 0; i < 5; i += 1) await knock({ origin: 'http://evil.test' }).opened
    expect(logged.filter((text) => text.includes('Only pages from this host'))).toHaveLength(1)
  })

  test('drops a connection that sends more than a greeting before it says who it is', async () => {
    const door = knock()
    await door.opened
    // One frame of a message that never ends.
    door.socket.send('x'.repeat(MAX_GREETING_BYTES + 1), { fin: false })
    expect((await door.closed).code).toBe(1006)
    expect(logged).toContain('A connection was closed before it showed a token: it sent too much data')
  })

  test('hangs up on a window that no longer answers pings, and on no other', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const window = async (autoPong: boolean) => {
        const socket = new WebSocket(`ws://${authority()}/ws`, { origin: `http://${authority()}`, autoPong })
        await new Promise((resolve) => socket.once('open', resolve))
        socket.send(JSON.stringify({ t: 'token', token: tokenOf(host.newUrl()) }))
        await new Promise((resolve) => socket.once('message', resolve))
        return socket
      }
      const [asleep, awake] = await Promise.all([window(false), window(true)])
      const gone = new Promise((resolve) => asleep.once('close', resolve))
      for (let round = 1; round <= 4; round += 1) {
        const pinged = new Promise((resolve) => awake.once('ping', resolve))
        vi.advanceTimersByTime(PING_MS)
        await pinged
        // The answer to a call sent behind the pong: the host has heard both.
        const answered = new Promise((resolve) => awake.once('message', resolve))
        awake.send(JSON.stringify({ t: 'call', id: round, name: 'app.info', args: {} }))
        await answered
      }
      await gone
      await vi.waitFor(() => expect(host.windows).toBe(1), { interval: 2 })
      expect(awake.readyState).toBe(WebSocket.OPEN)
      awake.terminate()
    } finally {
      vi.useRealTimers()
    }
  })

  test('hangs up on a window that reads nothing while results pile up', async () => {
    const large = 'x'.repeat(1_000_000)
    let answered = 0
    const talkative = await startBrowserHost(
      replaceHandler(stub.handlers, 'call', 'app.info', () => {
        answered += 1
        return { version: large }
      }),
      { rendererDir: join(folder, 'pages'), log: (_level, text) => logged.push(text) },
    )
    try {
      const socket = new WebSocket(`ws://127.0.0.1:${talkative.port}/ws`, {
        origin: `http://127.0.0.1:${talkative.port}`,
      })
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('open', resolve))
      socket.send(JSON.stringify({ t: 'token', token: tokenOf(talkative.url) }))
      await new Promise((resolve) => socket.once('message', resolve))
      socket.pause()
      let id = 0
      while (talkative.windows === 1 && id < 250) {
        id += 1
        socket.send(JSON.stringify({ t: 'call', id, name: 'app.info', args: {} }))
        await vi.waitFor(() => expect(answered === id || talkative.windows === 0).toBe(true), { interval: 1 })
      }
      expect(talkative.windows).toBe(0)
      expect(logged).toContain('A window was disconnected because it stopped reading')
      // The bound, and what the system's own buffers take.
      expect(answered * large.length).toBeGreaterThan(MAX_BUFFERED_BYTES)
      expect(answered * large.length).toBeLessThan(2 * MAX_BUFFERED_BYTES)
      socket.terminate()
    } finally {
      await talkative.close()
    }
  })

  test('admits no more windows than it serves, and an address keeps until there is room', async () => {
    const doors = []
    for (let i = 0; i < MAX_WINDOWS; i += 1) doors.push(await greeted({ t: 'token', token: tokenOf(host.newUrl()) }))
    const door = knock()
    await door.opened
    door.socket.send(JSON.stringify({ t: 'token', token: tokenOf(host.url) }))
    expect((await door.closed).code).toBe(4429)
    doors[0]?.socket.close()
    await vi.waitFor(() => expect(host.windows).toBe(MAX_WINDOWS - 1), { interval: 2 })
    expect(JSON.parse((await greeted({ t: 'token', token: tokenOf(host.url) })).texts[0] ?? '')).toMatchObject({
      t: 'welcome',
    })
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

  test('a caller that was refused and stays doesn’t keep the host from closing', async () => {
    const patient = await startBrowserHost(stub.handlers, { rendererDir: join(folder, 'pages'), patienceMs: 600_000 })
    expect(await knockAndStay(patient.url, '/ws')).toBe('HTTP/1.1 403 Forbidden')
    await patient.close()
  })

  test('a taken port and a missing build are errors of the start', async () => {
    await expect(
      startBrowserHost(stub.handlers, { port: host.port, rendererDir: join(folder, 'pages') }),
    ).rejects.toThrow(/EADDRINUSE/)
    await expect(startBrowserHost(stub.handlers, { rendererDir: join(folder, 'nowhere') })).rejects.toThrow(/ENOENT/)
  })
})
