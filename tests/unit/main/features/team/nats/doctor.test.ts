/** Faults of NATS servers that work: they acknowledge too early, or their clock is wrong. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import {
  askServer,
  examineServers,
  findFaults,
  readMonitors,
} from '../../../../../../src/main/features/team/nats/doctor.ts'
import { UsageError } from '../../../../../../src/main/command-line/command.ts'
import { freePorts, hasNatsServer, startNatsServer } from '../../../../../kit/nats-server.ts'

const NOW = Date.UTC(2026, 0, 5, 10)
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** A monitoring port that replies this. */
async function monitor(replies: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    response.end(JSON.stringify(replies[(request.url ?? '').split('?')[0]] ?? null))
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const varz = (version: string) => ({ server_name: 'n1', version, now: new Date(NOW).toISOString() })

describe('the servers of a team', () => {
  it.each([
    ['2.11.4', { config: { sync_always: true } }, true],
    ['2.11.4', { config: { sync_interval: 120e9 } }, false],
    ['2.12.0', {}, false],
    ['2.9.10', { config: {} }, null],
  ])('of version %s with %j sync always: %s', async (version, jsz, expected) => {
    const report = await askServer(await monitor({ '/varz': varz(version), '/jsz': jsz }))
    expect(report).toEqual({ name: 'n1', syncsAlways: expected, nowMs: NOW })
  })

  it('are reported when they acknowledge before they sync, and when their clock is off', () => {
    const of = (syncsAlways: boolean | null, aheadMs: number) =>
      findFaults({ name: 'n1', syncsAlways, nowMs: NOW + aheadMs }, NOW)
    expect(of(true, 1_999)).toEqual([])
    expect(of(null, -1_999)).toEqual([])
    expect(of(false, 0)).toEqual([expect.stringContaining('Set `sync_interval: always`')])
    expect(of(true, 3_600_000)).toEqual([expect.stringContaining('is 3600 s ahead of this computer’s')])
    expect(of(true, -5_000)).toEqual([expect.stringContaining('is 5 s behind this computer’s')])
  })

  it('are named when they can’t be asked', async () => {
    const said: string[] = []
    await examineServers(
      [],
      () => NOW,
      (text) => said.push(text),
    )
    const odd = await monitor({ '/varz': { hello: 1 } })
    await examineServers(
      [odd, 'http://127.0.0.1:1'],
      () => NOW,
      (text) => said.push(text),
    )
    expect(said).toEqual([
      expect.stringContaining('couldn’t be checked'),
      `The NATS server’s monitoring port at ${odd} didn’t answer as expected.`,
      'The NATS server’s monitoring port at http://127.0.0.1:1 didn’t answer as expected.',
    ])
  })

  it('have monitoring ports that are http addresses', () => {
    expect(readMonitors(undefined)).toEqual([])
    expect(readMonitors('http://a:8222, https://b/x')).toEqual(['http://a:8222', 'https://b'])
    expect(() => readMonitors('nats://a')).toThrow(UsageError)
    expect(() => readMonitors('a:8222')).toThrow(UsageError)
  })

  it.skipIf(!hasNatsServer)('reply to these questions [needs nats-server]', async () => {
    const [port] = await freePorts(1)
    await startNatsServer({ config: `http: "127.0.0.1:${port}"` })
    const report = await askServer(`http://127.0.0.1:${port}`)
    expect(report.name).toBe('n1')
    expect(findFaults(report, Date.now())).toEqual(report.syncsAlways === false ? [expect.any(String)] : [])
  })
})
