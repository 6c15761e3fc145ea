/** Alert actions against servers and programs that are slow, hostile or broken. */
import { createHmac } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import {
  actionFile,
  checkAddress,
  readActions,
  writeActions,
} from '../../../../../../src/main/features/alerts/actions/action-file.ts'
import {
  createActions,
  MAX_WAITING,
  RETRY_MS,
  type AlertActions,
} from '../../../../../../src/main/features/alerts/actions/actions.ts'
import { MAX_ANSWER_BYTES, type ActionNote } from '../../../../../../src/main/features/alerts/actions/deliver.ts'
import { testNote } from '../../../../../../src/main/features/alerts/actions/note.ts'
import type { AlertAction } from '../../../../../../src/shared/features/alerts/actions.ts'
import { makeFolder } from '../../../../../kit/folder.ts'

/** Waits for a condition, however busy the machine is. */
const soon = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 20_000 })

interface Got {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let dataDir: string
let got: Got[]
let log: string[]
let secrets: Map<AlertAction, string>
const closing: (() => unknown)[] = []

beforeEach(() => {
  dataDir = makeFolder('actions')
  got = []
  log = []
  secrets = new Map()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server that answers as `answer` says; without one, with 200. Returns its address. */
async function serve(answer: (response: ServerResponse, count: number) => void = (r) => r.end()): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      answer(response, got.length)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` // a listening TCP server has one
}

/** Actions whose waits between attempts pass at once. */
function start(
  withinMs = 60_000,
  after = (then: () => void) => systemClock.after(0, then),
): AlertActions & { readonly waits: number[] } {
  const waits: number[] = []
  const actions = createActions({
    dataDir,
    clock: {
      wallMs: systemClock.wallMs,
      after(ms, then) {
        waits.push(ms)
        return after(then)
      },
    },
    secret: (action) => Promise.resolve(secrets.get(action) ?? null),
    async setSecret(action, secret) {
      if (secret === null) secrets.delete(action)
      else secrets.set(action, secret)
    },
    log: (_level, text) => log.push(text),
    withinMs,
  })
  closing.push(() => actions.close())
  return { ...actions, waits }
}
const note = (text = 'BTC-USD: above 100'): ActionNote => ({ delivery: 'd1', body: JSON.stringify({ text }), text })
const failures = async (actions: AlertActions, action: AlertAction): Promise<number> =>
  (await actions.state()).find((one) => one.action === action)?.failed ?? 0

describe('addresses', () => {
  it.each([
    ['https://example.com/hook', null],
    ['http://127.0.0.1:8080/', null],
    ['http://localhost/', null],
    ['http://192.168.1.5/', 'insecure-url'],
    ['http://169.254.169.254/latest/meta-data', 'insecure-url'],
    ['http://localhost.example.com/', 'insecure-url'],
    ['https://user:secret@example.com/', 'bad-url'],
    ['ftp://example.com/', 'bad-url'],
    ['file:///etc/passwd', 'bad-url'],
    ['example.com', 'bad-url'],
  ])('%s: %s', (address, code) => {
    if (code === null) expect(checkAddress(address).href).toContain(new URL(address).host)
    else expect(() => checkAddress(address)).toThrow(expect.objectContaining({ code }) as Error)
  })

  it('are saved in a file that only its owner reads, without secrets, and are checked first', async () => {
    const actions = start()
    await actions.set('webhook', ' https://example.com/hook ', 'a-signing-key')
    expect(readActions(dataDir)).toMatchObject({ webhook: 'https://example.com/hook', ntfy: '', command: [] })
    expect(readFileSync(actionFile(dataDir), 'utf8')).not.toContain('a-signing-key')
    expect(statSync(actionFile(dataDir)).mode & 0o777).toBe(0o600)
    await expect(actions.set('ntfy', 'http://example.com/topic', undefined)).rejects.toMatchObject({
      code: 'insecure-url',
    })
    expect(await actions.state()).toMatchObject([
      { action: 'webhook', target: 'https://example.com/hook', hasSecret: true },
      { action: 'ntfy', target: '', hasSecret: false },
      { action: 'command', target: '' },
    ])
    await actions.set('webhook', '', null)
    expect(await actions.state()).toMatchObject([{ target: '', hasSecret: false }, {}, {}])
  })

  it('are all off without a file, and stay off with one that can’t be read', async () => {
    expect(readActions(dataDir)).toEqual({ webhook: '', ntfy: '', command: [] })
    writeFileSync(actionFile(dataDir), '{"command":"rm -rf"}')
    expect(() => readActions(dataDir)).toThrow(expect.objectContaining({ code: 'disk-error' }) as Error)
    const actions = start()
    actions.run('command', note())
    await soon(() => expect(log).toHaveLength(1))
  })
})

describe('a webhook', () => {
  it('gets the body, signed with the time so that it can’t be replayed', async () => {
    const actions = start()
    await actions.set('webhook', await serve(), 'key')
    await actions.test('webhook', note())
    const [{ headers, body }] = got
    expect(body).toBe(note().body)
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'tapedeck-delivery': 'd1' })
    const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['tapedeck-signature'])) ?? []
    expect(Math.abs(Number(seconds) - Date.now() / 1_000)).toBeLessThan(60)
    expect(signature).toBe(createHmac('sha256', 'key').update(`${seconds}.${body}`).digest('hex'))
    secrets.clear()
    await actions.test('webhook', note())
    expect(got[1].headers).not.toHaveProperty('tapedeck-signature')
  })

  it('is tried again with growing waits after failures that may pass, with the same delivery', async () => {
    const actions = start()
    await actions.set('webhook', await serve((r, n) => r.writeHead([503, 429, 408, 200][n - 1]).end()), undefined)
    actions.run('webhook', note())
    await soon(async () => expect((await actions.state())[0].done).toBe(1))
    expect(actions.waits).toEqual(RETRY_MS)
    expect(new Set(got.map(({ headers }) => headers['tapedeck-delivery']))).toEqual(new Set(['d1']))
    expect(log).toEqual([])
  })

  it.each([400, 401, 403, 404, 410])('isn’t tried again after %i, and says so', async (status) => {
    const actions = start()
    await actions.set('webhook', await serve((r) => r.writeHead(status).end()), undefined)
    actions.run('webhook', note())
    await soon(() => expect(log).toEqual([expect.stringContaining(`answered ${status}.`)]))
    expect([got.length, await failures(actions, 'webhook')]).toEqual([1, 1])
  })

  it('that doesn’t speak TLS, or isn’t there, is named in one plain line', async () => {
    const plain = await serve()
    const actions = start()
    for (const [address, sentence] of [
      [plain.replace('http:', 'https:'), /^Couldn’t (reach|establish a secure connection to) [^\n]+\.$/],
      ['http://127.0.0.1:1/', /^Nothing is listening at 127\.0\.0\.1:1\.$/],
    ] as const) {
      await actions.set('webhook', address, undefined)
      await expect(actions.test('webhook', note())).rejects.toMatchObject({
        code: 'offline',
        message: expect.stringMatching(sentence) as string,
      })
    }
  })

  it('doesn’t follow a redirect', async () => {
    const inside = await serve()
    const actions = start()
    await actions.set('webhook', await serve((r) => r.writeHead(302, { location: inside }).end()), undefined)
    await expect(actions.test('webhook', note())).rejects.toMatchObject({ code: 'not-allowed' })
    expect(got).toHaveLength(1)
  })

  it('that never answers is given up, and one that answers without end is read no further', async () => {
    const actions = start(200)
    await actions.set('webhook', await serve(() => undefined), undefined)
    await expect(actions.test('webhook', note())).rejects.toMatchObject({ code: 'timeout' })
    let sent = 0
    const endless = await serve((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384
        sent += 16_384
      }
      response.on('drain', more)
      more()
    })
    const patient = start()
    await patient.set('webhook', endless, undefined)
    await patient.test('webhook', note())
    expect(sent).toBeLessThan(MAX_ANSWER_BYTES * 200)
  })

  it('that accepts an alert and then responds slowly doesn’t get it again', async () => {
    const actions = start(200)
    await actions.set('webhook', await serve((response) => response.write('a')), undefined)
    await actions.test('webhook', note())
    const refusing = await serve((response) => {
      response.statusCode = 400
      response.write('a')
    })
    await actions.set('webhook', refusing, undefined)
    await expect(actions.test('webhook', note())).rejects.toMatchObject({ code: 'server-error', isFinal: true })
  })

  it('that isn’t there fails after every attempt', async () => {
    const actions = start()
    writeActions(dataDir, { webhook: 'http://127.0.0.1:1/', ntfy: '', command: [] })
    actions.run('webhook', note())
    await soon(() => expect(log).toEqual([expect.stringContaining('Nothing is listening at 127.0.0.1:1.')]))
    expect(actions.waits).toHaveLength(RETRY_MS.length)
  })
})

it('a token of ntfy is saved without its line break, and refused if no header can carry it', async () => {
  const actions = start()
  await actions.set('ntfy', await serve(), 'tk_secret\n')
  await actions.test('ntfy', note())
  expect(got[0]?.headers.authorization).toBe('Bearer tk_secret')
  for (const token of ['tk\nX: y', 'ключ', ' ', 'x'.repeat(1_001)]) {
    await expect(actions.set('ntfy', await serve(), token)).rejects.toMatchObject({ code: 'usage' })
  }
  expect(secrets.get('ntfy')).toBe('tk_secret')
})

it('ntfy gets the text as its body, and the token', async () => {
  const actions = start()
  await actions.set('ntfy', await serve(), 'tk_secret')
  await actions.test('ntfy', note('BTC-USD: ≥ 100\r\nX-Injected: yes'))
  expect(got[0]).toMatchObject({
    body: 'BTC-USD: ≥ 100\r\nX-Injected: yes',
    headers: { title: 'Tapedeck', authorization: 'Bearer tk_secret' },
  })
})

describe('a command', () => {
  const command = (...argv: string[]): void => writeActions(dataDir, { webhook: '', ntfy: '', command: argv })
  const script = `let text = ''
process.stdin.on('data', (d) => (text += d)).on('end', () => {
  const secrets = Object.keys(process.env).filter((name) => name.startsWith('TAPEDECK_'))
  require('node:fs').writeFileSync(process.argv[1], JSON.stringify([process.argv.slice(2), text, process.env.TAPEDECK_ALERT, secrets]))
})`

  it('gets the alert on standard input, no shell reads anything, and no secret is passed on', async () => {
    vi.stubEnv('TAPEDECK_PASSWORD', 'hunter2')
    const out = join(dataDir, 'out.json')
    command(process.execPath, '-e', script, out, '$(touch /tmp/owned)', ';')
    const actions = start()
    await actions.test('command', note('`rm -rf ~`'))
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual([
      ['$(touch /tmp/owned)', ';'],
      note('`rm -rf ~`').body,
      '`rm -rf ~`',
      ['TAPEDECK_ALERT'],
    ])
    vi.unstubAllEnvs()
  })

  it.each([
    ['that fails', [process.execPath, '-e', 'process.exit(3)'], 'ended with 3', undefined],
    ['that isn’t there', ['/nowhere/program'], 'couldn’t be started', undefined],
    ['that never ends', [process.execPath, '-e', 'setInterval(() => {}, 1000)'], 'didn’t end within', 300],
  ])('%s is reported and not repeated', async (_what, argv, sentence, withinMs) => {
    command(...argv)
    const actions = start(withinMs)
    actions.run('command', note())
    await soon(() => expect(log).toEqual([expect.stringContaining(sentence)]))
    expect(actions.waits).toEqual([])
  })
})

describe('the queue', () => {
  it('returns at once, drops what doesn’t fit, and says so', async () => {
    const actions = start()
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await actions.set('webhook', await serve((r) => void held.then(() => r.end())), undefined)
    for (let i = 0; i < MAX_WAITING + 3; i++) actions.run('webhook', note(String(i)))
    expect(log).toHaveLength(3)
    expect((await actions.state())[0]).toMatchObject({ failed: 3, done: 0 })
    release()
    await soon(() => expect(got).toHaveLength(MAX_WAITING))
    expect(got.map(({ body }) => (JSON.parse(body) as { text: string }).text)).toEqual(
      Array.from({ length: MAX_WAITING }, (_, i) => String(i)),
    )
  })

  it('is given up when Tapedeck closes, without waiting for a slow server', async () => {
    const actions = start()
    await actions.set('webhook', await serve(() => undefined), undefined)
    actions.run('webhook', note())
    await soon(() => expect(got).toHaveLength(1))
    await actions.close()
    actions.run('webhook', note())
    expect(got).toHaveLength(1)
  })

  it('is not tried again when Tapedeck closes between two attempts', async () => {
    const actions = start(60_000, () => () => undefined)
    await actions.set('webhook', await serve((response) => response.writeHead(503).end()), undefined)
    actions.run('webhook', note())
    await soon(() => expect(actions.waits).toHaveLength(1))
    await actions.close()
    expect(got).toHaveLength(1)
    expect(await failures(actions, 'webhook')).toBe(1)
  })

  it('of one action doesn’t hold up another', async () => {
    const actions = start()
    await actions.set('webhook', await serve(() => undefined), undefined)
    actions.run('webhook', note())
    await actions.set('ntfy', await serve(), undefined)
    actions.run('ntfy', note())
    await soon(async () => expect((await actions.state())[1].done).toBe(1))
  })
})

it('a test says that it is one', () => {
  expect(JSON.parse(testNote('d', 0).body)).toMatchObject({ schema: 'tapedeck/alert/1', test: true })
})
