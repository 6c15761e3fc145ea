/**
 * TLS, passwords, and who may do what over it: a recorder publishes its own shard only, an archiver reads and moves
 * watermarks, a terminal only reads, a stranger does nothing, and nobody but an administrator deletes. The roles of the
 * guide, with NKeys, are tested in guide-permissions.test.ts.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTeamName, streamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { toFailure } from '../../../../../../src/shared/base/errors.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { freePorts, hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'

const EU = readTeamName('eu') as TeamName
const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]
const tlsFile = (name: string) => fileURLToPath(new URL(`../../../../../fixtures/tls/${name}`, import.meta.url))
const CA = tlsFile('certificate.pem')

const READ = '"$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*"'
const CONSUME =
  '"$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.API.CONSUMER.DELETE.>", "$JS.FC.>"'
/** A terminal makes consumers of its own, and leaves the archiver's alone. */
const NOT_ARCHIVE = [
  'CREATE.*.archive',
  'CREATE.*.archive.>',
  'DURABLE.CREATE.*.archive',
  'MSG.NEXT.*.archive',
  'DELETE.*.archive',
]
  .map((subject) => `"$JS.API.CONSUMER.${subject}"`)
  .join(', ')
const recorder = (shard: number) =>
  `publish: [${READ}, "td.eu.f.${shard}.*", "$KV.td_eu_sessions.*"], subscribe: ["_INBOX.>"]`
const USERS: Readonly<Record<string, string>> = {
  admin: '',
  recorder1: recorder(1),
  recorder2: recorder(2),
  archiver: `publish: [${READ}, ${CONSUME}, "$JS.ACK.>", "$KV.td_eu_watermarks.*"], subscribe: ["_INBOX.>"]`,
  terminal: `publish: { allow: [${READ}, ${CONSUME}], deny: [${NOT_ARCHIVE}] }, subscribe: ["_INBOX.>", "td.eu.live.>"]`,
  stranger: 'publish: { deny: ">" }, subscribe: { deny: ">" }',
}
const USER_LINES = Object.entries(USERS).map(
  ([user, permissions]) =>
    `{ user: ${user}, password: "${user}"${permissions === '' ? '' : `, permissions: { ${permissions} }`} }`,
)
const CONFIG = `
tls { cert_file: "${CA}", key_file: "${tlsFile('key.pem')}" }
accounts {
  EU { jetstream: enabled, users: [ ${USER_LINES.join(',\n')} ] }
  US { jetstream: enabled, users: [ { user: other, password: other } ] }
}`

const info: SessionInfo = {
  session: A,
  shard: 1,
  shards: 2,
  recorder: 'desk',
  source: { kind: 'demo', origin: '', user: '' },
  startedMs: unixMs(1_700_000_000_000),
  epoch: 0,
  end: null,
}

describe.skipIf(!hasNatsServer)('permissions on a server with TLS [needs nats-server]', () => {
  let server: NatsServer
  const logs = new Map<string, TeamLog>()

  const connect = (user: string, options: { ca?: string; scheme?: string; password?: string } = {}) => {
    const { scheme = 'tls', password = user } = options
    const url = `${scheme}://${user}@localhost:${server.port}`
    const target = readNatsTarget(url, options, { TAPEDECK_NATS_PASSWORD: password })
    return connectTeam({ target, team: EU, name: 'test', allowOld: true, timeoutMs: 2_000 })
  }
  const as = (user: string): TeamLog => {
    const log = logs.get(user)
    if (log === undefined) throw new Error(`no ${user}`)
    return log
  }

  beforeAll(async () => {
    server = await startNatsServer({ config: CONFIG, tls: true })
    const admin = await connect('admin', { ca: CA })
    logs.set('admin', admin)
    await admin.ensureBuckets()
    for (const shard of [1, 2]) await admin.ensureShard(shard)
    await admin.publish(1, B, Buffer.from('frame'), 0)
    await admin.putSession(info)
    for (const user of ['recorder1', 'recorder2', 'archiver', 'terminal', 'stranger', 'other'])
      logs.set(user, await connect(user, { ca: CA }))
  })
  afterAll(() => Promise.all([...logs.values()].map((log) => log.close())))

  it('refuses a server that can’t prove its name, wrong passwords, and servers without TLS', async () => {
    await expect(connect('recorder1')).rejects.toMatchObject({ code: 'tls' })
    await expect(connect('recorder1', { ca: CA, password: 'wrong' })).rejects.toMatchObject({ code: 'unauthorized' })
    const plain = await startNatsServer()
    const target = readNatsTarget(`tls://me@localhost:${plain.port}`, {}, { TAPEDECK_NATS_PASSWORD: 'secret' })
    const refused = connectTeam({ target, team: EU, name: 'test', allowOld: true })
    await expect(refused).rejects.toMatchObject({ code: 'tls' })
    expect(plain.log).not.toContain('secret')
  })

  it('names the fault of the servers that run, though the last one of the list doesn’t', async () => {
    const [free] = await freePorts(1)
    const servers = `tls://recorder1@localhost:${server.port},tls://localhost:${free}`
    const connectAs = (password: string, ca?: string) =>
      connectTeam({
        target: readNatsTarget(servers, { ca }, { TAPEDECK_NATS_PASSWORD: password }),
        team: EU,
        name: 'test',
        allowOld: true,
        timeoutMs: 2_000,
      })
    await expect(connectAs('recorder1')).rejects.toMatchObject({ code: 'tls' })
    await expect(connectAs('wrong', CA)).rejects.toMatchObject({ code: 'unauthorized' })
    await (await connectAs('recorder1', CA)).close()
  })

  /** What each user may do. Everything else is refused. */
  const ACTIONS: Readonly<Record<string, { do: (log: TeamLog) => Promise<unknown>; users: readonly string[] }>> = {
    'publish shard 1': { do: (log) => log.publish(1, A, Buffer.from('x'), 99), users: ['recorder1'] },
    'publish shard 2': { do: (log) => log.publish(2, A, Buffer.from('x'), 99), users: ['recorder2'] },
    'read a session back': { do: (log) => log.lastOf(1, B), users: ['recorder1', 'recorder2', 'archiver', 'terminal'] },
    'read the sessions': { do: (log) => log.session(A), users: ['recorder1', 'recorder2', 'archiver', 'terminal'] },
    'describe a session': { do: (log) => log.putSession(info), users: ['recorder1', 'recorder2'] },
    'move a watermark': { do: (log) => log.putWatermark(A, { lastSeq: 1, isComplete: false }), users: ['archiver'] },
    'change the plan': { do: (log) => log.bucket('plan').put('plan', '{}'), users: [] },
    'take a lease': { do: (log) => log.bucket('leases').update('1', 'me', 0), users: [] },
    'create a stream': { do: (log) => log.ensureShard(3), users: [] },
    'follow a shard': {
      do: (log) => first(log.read({ shard: 1, from: { at: 'first' }, signal: new AbortController().signal })),
      users: ['archiver', 'terminal'],
    },
    'take messages of the archiver': {
      do: (log) => first(log.consume({ shard: 1, name: 'archive', signal: new AbortController().signal })),
      users: ['archiver'],
    },
  }
  const CASES = Object.entries(ACTIONS).flatMap(([action, { do: act, users }]) =>
    ['recorder1', 'recorder2', 'archiver', 'terminal', 'stranger'].map(
      (user) => [user, users.includes(user) ? 'may' : 'may not', action, act] as const,
    ),
  )

  it.each(CASES)('%s %s %s', async (user, may, _, act) => {
    const outcome = await act(as(user)).then(
      () => 'may',
      (thrown: unknown) => toFailure(thrown).code,
    )
    expect(outcome).toBe(may === 'may' ? 'may' : 'forbidden')
  })

  it('lets a terminal see live messages, and a stranger none', async () => {
    const seen: string[] = []
    for (const user of ['terminal', 'stranger', 'recorder2']) as(user).subscribeLive('*', () => seen.push(user))
    await as('terminal').session(A) // its subscription has reached the server
    await as('admin').publish(2, A, Buffer.from('live'), 0)
    await as('admin').session(A)
    await expect.poll(() => seen).toEqual(['terminal'])
  })

  it.each(['recorder1', 'recorder2', 'archiver', 'terminal', 'stranger'])(
    '%s may neither delete nor purge a stream, nor delete a message',
    async (user) => {
      const { connect: raw } = await import('@nats-io/transport-node')
      const { jetstreamManager } = await import('@nats-io/jetstream')
      const tls = { ca: readFileSync(CA, 'utf8') }
      const connection = await raw({ servers: `localhost:${server.port}`, user, pass: user, tls })
      const { streams } = await jetstreamManager(connection, { checkAPI: false, timeout: 500 })
      for (const stream of [streamName(EU, 1), 'KV_td_eu_sessions']) {
        await expect(streams.delete(stream)).rejects.toThrow()
        await expect(streams.purge(stream)).rejects.toThrow()
        await expect(streams.deleteMessage(stream, 1)).rejects.toThrow()
      }
      await connection.close()
    },
  )

  it('keeps accounts apart: another team’s user finds nothing', async () => {
    await expect(as('other').session(A)).rejects.toMatchObject({ code: 'not-found' })
    await expect(as('other').lastOf(1, B)).rejects.toMatchObject({ code: 'not-found' })
    await expect(as('other').publish(1, A, Buffer.from('x'), 0)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('still has everything', async () => {
    expect(Buffer.from((await as('admin').lastOf(1, B))?.bytes ?? []).toString()).toBe('frame')
    expect(await as('admin').session(A)).toEqual(info)
  })
})

async function first(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages) return
}
