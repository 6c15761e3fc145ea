/** The development server in front of a browser host: the host's rules hold at its address, too. */
import { writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startDevServer, type DevServer } from '../../../scripts/lib/dev-server.mjs'
import { startBrowserHost, type BrowserHost } from '../../../src/main/hosts/browser/host.ts'
import { stubTerminal } from '../../contract/stub-terminal.ts'
import { makeFolder } from '../../kit/folder.ts'

let folder: string
let host: BrowserHost
let server: DevServer
/** What the host refused or let go, as its log has it. */
let logged: string[] = []
beforeAll(async () => {
  folder = makeFolder('dev')
  await writeFile(join(folder, 'index.html'), '<!doctype html>built')
  host = await startBrowserHost(stubTerminal().handlers, {
    rendererDir: folder,
    log: (_level, text) => logged.push(text),
    // Vite, which makes ready for the first page, shares the thread.
    patienceMs: 60_000,
  })
  server = await startDevServer({ hostUrl: host.url, logLevel: 'silent' })
})
afterAll(async () => {
  await server.close()
  await host.close()
})
beforeEach(() => (logged = []))

const authority = (): string => `127.0.0.1:${server.port}`
const tokenOf = (url: string): string => new URL(url).hash.replace('#token=', '')

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<IncomingMessage & { text: string }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (more: string) => (text += more))
      response.on('end', () => resolve(Object.assign(response, { text })))
    })
    asked.on('error', reject)
    asked.end()
  })
}

interface Answer {
  readonly t: string
  readonly secret?: string
  /** How a socket was closed without an answer. */
  readonly why?: string
}

/** Opens a socket, sends `hello` when it is open, and resolves with the first answer, `closed` when it was refused. */
function knock(hello: object, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://${authority()}/ws`, { headers: { origin: `http://${authority()}`, ...headers } })
    socket.on('open', () => socket.send(JSON.stringify(hello)))
    socket.on('message', (data: Buffer) => {
      resolve(JSON.parse(data.toString('utf8')) as Answer)
      socket.close()
    })
    let why = ''
    socket.on('error', (error) => (why = error.message)) // a close follows
    socket.on('close', (code) => resolve({ t: 'closed', why: `${code} ${why}` }))
  })
}

describe('its pages', () => {
  test('are the window from its sources, under the policy of the built one', async () => {
    const page = await get('/')
    expect(page.text).toContain('/@vite/client')
    expect(page.text).toContain('main.ts')
    const policy = String(page.headers['content-security-policy'])
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(rule)
    }
  })

  test('are refused under another name and by another method', async () => {
    expect((await get('/', { host: `localhost:${server.port}` })).statusCode).toBe(421)
    expect((await get('/', { host: 'evil.example' })).statusCode).toBe(403) // Vite's own check
    expect((await get('/main.ts', {}, 'POST')).statusCode).toBe(405)
  })
})

describe('its WebSocket', () => {
  test('lets a page in once per address, and again by its secret', async () => {
    const url = server.addressOf(host.newUrl())
    expect(new URL(url).host).toBe(authority())
    const token = tokenOf(url)
    const first = await knock({ t: 'token', token })
    expect(first).toMatchObject({ t: 'welcome' })
    expect(await knock({ t: 'secret', secret: first.secret })).toMatchObject({ t: 'welcome' })
    expect(await knock({ t: 'secret', secret: 'guessed' })).toMatchObject({ t: 'refused' })
  })

  test.each([
    ['of another origin', { origin: 'http://evil.example' }],
    ['of the host behind it', { origin: 'HOST' }],
    ['under another name', { host: 'evil.example' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses a page %s before the host sees it', async (_case, headers: Record<string, string>) => {
    const sent = headers['origin'] === 'HOST' ? { origin: `http://127.0.0.1:${host.port}` } : headers
    const token = tokenOf(host.newUrl())
    expect(await knock({ t: 'token', token }, sent)).toMatchObject({ t: 'closed' })
    expect(logged).toEqual([])
    expect(await knock({ t: 'token', token })).toMatchObject({ t: 'welcome' })
  })
})
