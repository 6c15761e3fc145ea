/** A service whose certificate nobody vouches for: nothing is sent to it, whatever the environment says. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { createCredentials } from '../../../../../src/main/core/account/credentials.ts'
import { memoryKeychain } from '../../../../../src/main/core/account/keychain.ts'
import { requestToken } from '../../../../../src/main/core/account/token.ts'
import { createFeeds } from '../../../../../src/main/core/feeds/feeds.ts'
import type { FeedState } from '../../../../../src/shared/core/status/status.ts'
import { sessionId } from '../../../../../src/shared/base/units.ts'

const pem = (name: string): Buffer => readFileSync(new URL(`../../../../fixtures/tls/${name}.pem`, import.meta.url))

let server: Server
let base = ''
/** What reached the service: requests and upgrades. */
let reached: string[]
beforeEach(async () => {
  reached = []
  server = createServer({ key: pem('key'), cert: pem('certificate') }, (request, response) => {
    reached.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"access":"a.b.c"}')
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    reached.push(`upgrade ${request.url}`)
    sockets.handleUpgrade(request, socket, head, (ws) => ws.close())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const ENV = 'NODE_TLS_REJECT_UNAUTHORIZED'
describe.each([
  ['as usual', undefined],
  ['with an environment that turns checking off', '0'],
])('a self-signed certificate, %s', (_, value) => {
  const before = process.env[ENV]
  beforeEach(() => {
    if (value !== undefined) process.env[ENV] = value
  })
  afterEach(() => {
    if (before === undefined) delete process.env[ENV]
    else process.env[ENV] = before
  })

  test('is refused before the password is sent', async () => {
    const request = { baseUrl: base, user: 'me', password: 'CANARY', userField: 'username', passwordField: 'password' }
    await expect(requestToken(request, systemClock)).rejects.toMatchObject({
      code: 'tls',
      message: expect.stringContaining('nothing was sent'),
    })
    expect(reached).toEqual([])
  })

  test('ends Test connection at the token, with the reason', async () => {
    const credentials = createCredentials({ clock: systemClock, keychain: async () => memoryKeychain('test') })
    const steps = await credentials.testConnection({ baseUrl: base, user: 'me', password: 'CANARY' })
    expect(steps.map(({ step, ok, code }) => [step, ok, code])).toEqual([
      ['reach', true, null],
      ['token', false, 'tls'],
    ])
    expect(reached).toEqual([])
  })

  test('is refused before the token is sent over a feed, which goes on trying', async () => {
    const waits = Promise.withResolvers<FeedState>()
    const ignored = (): void => undefined
    const feeds = createFeeds({
      baseUrl: () => base,
      token: {
        get: () => Promise.resolve({ access: 'CANARY', expiresMs: null }),
        renew: () => Promise.reject(new Error('not of this test')),
      },
      recorder: {
        session: sessionId('r'),
        setBackMs: 0,
        connection: () => 1,
        frame: () => 0,
        mark: ignored,
        dated: ignored,
        entry: () => 0,
      },
      listener: {
        record: ignored,
        acknowledged: ignored,
        gapOpened: ignored,
        gapClosed: ignored,
        problem: ignored,
        log: ignored,
        state(_feed, state) {
          if (state.is === 'waiting' || state.is === 'refused') waits.resolve(state)
        },
      },
      clock: systemClock,
      allowSharding: () => false,
    })
    feeds.subscribe('crypto/XT', ['BTC-USD'])
    expect(await waits.promise).toMatchObject({ is: 'waiting', why: { code: 'tls' } })
    expect(reached).toEqual([])
    await feeds.close()
  })
})
