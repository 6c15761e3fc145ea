/** The cluster that docs/guide/team.md configures, on real servers whose certificates have names and no addresses. */
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { freePorts, hasNatsServer, isOldNatsServer, NatsServer } from '../../../../../kit/nats-server.ts'
import { EU } from '../../../../../kit/team-recorder.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../../../../${path}`, import.meta.url))
const GUIDE = readFileSync(pathOf('docs/guide/team.md'), 'utf8')
const CERTIFICATE = pathOf('tests/fixtures/tls/name-certificate.pem')
const KEY = pathOf('tests/fixtures/tls/name-key.pem')
/** It has the address as well. */
const FIRST_CERTIFICATE = pathOf('tests/fixtures/tls/certificate.pem')
const FIRST_KEY = pathOf('tests/fixtures/tls/key.pem')

/**
 * The guide's configuration of a node up to its users, on loopback, where its name is localhost. Each node knows only the
 * first one, by its address, and learns of the others from it. If a node doesn't advertise a name of its own, its
 * certificate is checked against the name of the node that announced it.
 */
function configOf(folder: string, at: number, ports: readonly number[]): string {
  const [, block = ''] = /<!-- nats-server -->\n+```\n([\s\S]*?)accounts \{/.exec(GUIDE) ?? []
  const [client, route] = [ports[at], ports[3 + at]]
  const authorities = join(folder, 'ca.pem')
  writeFileSync(authorities, readFileSync(CERTIFICATE, 'utf8') + readFileSync(FIRST_CERTIFICATE, 'utf8'))
  return block
    .replace('server_name: nats-1', `server_name: nats-${at + 1}`)
    .replace(/routes: \[.*\]/, `routes: [nats://127.0.0.1:${ports[3]}]`)
    .replace('nats-1:4222', `localhost:${client}`)
    .replace('nats-1:6222', `localhost:${route}`)
    .replace(/port: 4222/, `listen: "127.0.0.1:${client}"`)
    .replace(/port: 6222/, `listen: "127.0.0.1:${route}"`)
    .replace('/var/lib/nats', join(folder, 'store'))
    .replace(isOldNatsServer ? /, sync_interval: always/ : /$/, '')
    .replace('/etc/nats/ca.pem', authorities)
    .replace(/\/etc\/nats\/[\w-]+\.pem/g, at === 0 ? FIRST_CERTIFICATE : CERTIFICATE)
    .replace(/\/etc\/nats\/[\w-]+\.key/g, at === 0 ? FIRST_KEY : KEY)
}

/** What a server tells each client first: where else it may connect. */
const otherServers = (port: number): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      const info = JSON.parse(data.toString().replace(/^INFO /, '')) as { connect_urls?: readonly string[] } // NATS protocol
      resolve(info.connect_urls ?? [])
    })
  })

describe.skipIf(!hasNatsServer)('three nodes of the guide [needs nats-server]', { timeout: 60_000 }, () => {
  let ports: readonly number[]
  let nodes: readonly NatsServer[]
  beforeAll(async () => {
    ports = await freePorts(6)
    nodes = [0, 1, 2].map((at) => {
      const folder = makeFolder(`node-${at}`)
      return new NatsServer({
        folder,
        name: `n${at}`,
        port: ports[at] ?? 0,
        config: `${configOf(folder, at, ports)}accounts { eu { jetstream: enabled, users: [{ user: terminal, password: right }] } }`,
        scheme: 'tls',
      })
    })
    await Promise.all(nodes.map((node) => node.start()))
  })
  afterAll(() => Promise.all(nodes.map((node) => node.kill())))

  it('tell clients the names of their certificates, not addresses', async () => {
    const names = ports.slice(0, 3).map((port) => `localhost:${port}`)
    for (const { port } of nodes)
      await vi.waitFor(async () => expect([...(await otherServers(port))].sort()).toEqual([...names].sort()), {
        timeout: 30_000,
        interval: 50,
      })
  })

  it('refuse a user whom they don’t know, though each names the others again', async () => {
    const all = ports.slice(0, 3).map((port) => `tls://terminal@localhost:${port}`)
    const ca = [CERTIFICATE, FIRST_CERTIFICATE].map((file) => readFileSync(file, 'utf8')).join('')
    const connect = (servers: string, password: string): Promise<TeamLog> => {
      const target = readNatsTarget(servers, {}, { TAPEDECK_NATS_PASSWORD: password })
      return connectTeam({ target: { ...target, ca }, team: EU, name: 'test', allowOld: true })
    }
    for (const servers of [all.join(), all[0]])
      await expect(connect(servers, 'wrong')).rejects.toMatchObject({ code: 'unauthorized' })
    // Until the nodes have chosen a leader, JetStream doesn't respond.
    const log = await vi.waitFor(() => connect(all.join(), 'right'), { timeout: 30_000, interval: 50 })
    await log.close()
  })
})
