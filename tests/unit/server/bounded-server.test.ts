import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createBoundedServer, type ServerBounds } from '../../../src/server/bounded-server.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

async function listen(bounds: ServerBounds): Promise<number> {
  const server = createBoundedServer(bounds)
  server.on('request', (_request, response) => response.end('served'))
  server.listen(0, '127.0.0.1')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port // a listening TCP server has one
}

async function join(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined) // a reset is an end, too
  closing.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Resolves once the connection is over, also if it was reset. */
const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()))

// By default Node looks every 30 seconds, and the test would time out.
it.each([
  ['nothing', ''],
  ['half of its headers', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n'],
])('ends the connection of a client that sends %s', async (_what, sent) => {
  const port = await listen({ patienceMs: 50, maxConnections: 10 })
  const socket = await join(port)
  socket.write(sent)
  socket.resume()
  await closed(socket)
})

it('closes connections beyond its limit, and serves those that are there', async () => {
  const port = await listen({ patienceMs: 10_000, maxConnections: 3 })
  const first = await join(port)
  for (let i = 0; i < 2; i++) await join(port)
  const surplus = await join(port)
  surplus.resume()
  await closed(surplus)
  first.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n')
  const [answer] = (await once(first, 'data')) as [Buffer] // no encoding is set
  expect(answer.toString()).toContain('200 OK')
})
