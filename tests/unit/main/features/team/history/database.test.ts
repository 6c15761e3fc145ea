/** Connections to a real PostgreSQL that end at an awkward moment. */
import { connect as dial, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { connectDatabase } from '../../../../../../src/main/features/team/history/database.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { teamName, testServer } from './kit.ts'

/** ReadyForQuery of an idle session: what a server sends last when a client has logged in. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1')

/** ErrorResponse of a server that is killed. */
function goodbye(): Buffer {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0', 'latin1')
  const head = Buffer.alloc(5)
  head.write('E', 'latin1')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

describe.skipIf(!hasPostgres)('a database [needs postgresql]', () => {
  const sockets = new Set<Socket>()
  afterAll(() => sockets.forEach((socket) => socket.destroy()))

  it('survives a server that ends together with its reply to the login', async () => {
    const server = await testServer()
    let isDying = false
    const proxy = createServer((client) => {
      const upstream = dial(server.port, '127.0.0.1')
      for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
      client.pipe(upstream)
      upstream.on('data', (data: Buffer) => {
        if (isDying && data.includes(READY)) client.end(Buffer.concat([data, goodbye()]))
        else client.write(data)
      })
      upstream.on('close', () => client.destroy())
      client.on('close', () => upstream.destroy())
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo // a TCP server
    const url = server.url().replace(`:${server.port}`, `:${port}`)
    const db = await connectDatabase({ url, place: 'here' }, teamName('eu'))
    // Two transactions at once, so that one of them gets a new connection.
    isDying = true
    const outcomes = await Promise.allSettled([1, 2].map(() => db.transaction((sql) => sql.rows('SELECT 1'))))
    expect(outcomes.map((one) => one.status)).toContain('rejected')
    for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'offline' })
    isDying = false
    await db.transaction((sql) => sql.rows('SELECT 1'))
    await db.close()
    proxy.close()
  })
})
