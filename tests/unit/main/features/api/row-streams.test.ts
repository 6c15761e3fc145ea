/** Streams of rows of clients that don't read them, or ask for too many. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { startApiServer, type ApiServer } from '../../../../../src/main/features/api/api-server.ts'
import { LiveSockets } from '../../../../../src/main/features/api/live-socket.ts'

let server: ApiServer | undefined
const clients: Socket[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await server?.close()
})

/** A server whose streams of rows end only with their clients. `running`: how many there are. */
async function serve(): Promise<{ readonly ask: (times?: number) => Socket; readonly running: () => number }> {
  let running = 0
  const nothing = (): never => {
    throw new Error('only ticks are asked for here')
  }
  server = await startApiServer({
    port: 0,
    token: 'test',
    live: new LiveSockets({ subscribe: nothing }, { after: nothing, monoNs: nothing }),
    monoMs: () => 0,
    side: {
      // It has no sessions, because the export is replaced, too.
      reader: {} as never,
      replays: { open: nothing, close: nothing, play: nothing, speed: nothing, seek: nothing, states: nothing },
      alerts: { list: nothing, save: nothing, remove: nothing, history: nothing },
      info: nothing,
      wallMs: () => 0,
      async exportRows(_request, write, signal) {
        running += 1
        await write(Buffer.from('{}\n'))
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        running -= 1
      },
    },
  })
  const { host, hostname, port } = new URL(server.baseUrl)
  return {
    running: () => running,
    ask(times = 1) {
      const client = connect({ host: hostname, port: Number(port) })
      clients.push(client)
      client.on('error', () => undefined)
      client.write(
        `GET /v1/ticks?feed=crypto/XT HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer test\r\n\r\n`.repeat(times),
      )
      return client
    },
  }
}

const statusOf = async (client: Socket): Promise<string> => String((await once(client, 'data'))[0]).split('\r\n', 1)[0]

it('are refused beyond a limit, so that they can’t use up the memory, until others leave', async () => {
  const { ask, running } = await serve()
  const first = ask()
  expect(await statusOf(first)).toBe('HTTP/1.1 200 OK')
  for (let i = 1; i < 16; i++) expect(await statusOf(ask())).toBe('HTTP/1.1 200 OK')
  expect(await statusOf(ask())).toBe('HTTP/1.1 503 Service Unavailable')
  first.destroy()
  await vi.waitFor(() => expect(running()).toBe(15))
  expect(await statusOf(ask())).toBe('HTTP/1.1 200 OK')
})

it('run one at a time on a connection, and end with it', async () => {
  const { ask, running } = await serve()
  const client = ask(100)
  expect(await statusOf(client)).toBe('HTTP/1.1 200 OK')
  expect(running()).toBe(1)
  client.destroy()
  await vi.waitFor(() => expect(running()).toBe(0))
})
