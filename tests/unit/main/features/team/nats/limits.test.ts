/** Limits of NATS servers and accounts, as sentences with the next step. */
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, describe, it } from 'vitest'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { readClosingError } from '../../../../../../src/main/features/team/nats/closing-error.ts'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { freePorts, hasNatsServer, startNatsServer } from '../../../../../kit/nats-server.ts'
import { TcpProxy } from '../../../../../kit/tcp-proxy.ts'
import { toFailure } from '../../../../../../src/shared/base/errors.ts'
import { numberedId } from '../follow/world.ts'

const team = readTeamName('eu') as TeamName // it is a name
const SESSION = numberedId(1)
const FRAME = new Uint8Array(30_000)

const open = (url: string, timeoutMs = 1_500): Promise<TeamLog> =>
  connectTeam({ target: readNatsTarget(url, {}, {}), team, name: 'test', allowOld: true, timeoutMs })

/** What somebody reads of the error. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return ''
  } catch (thrown) {
    const { message, hint = '' } = toFailure(thrown)
    return `${message} ${hint}`
  }
}

/** Publishes until the server refuses it. */
async function fill(log: TeamLog): Promise<void> {
  let previous = (await log.lastOf(1, SESSION))?.sequence ?? 0
  for (let i = 0; i < 10; i++) {
    const outcome = await log.publish(1, SESSION, FRAME, previous)
    if (outcome.is === 'stored') previous = outcome.sequence
  }
}

describe.skipIf(!hasNatsServer)('a NATS server with a limit [needs nats-server]', () => {
  it('takes no more connections', async () => {
    const server = await startNatsServer({ config: 'max_connections: 1' })
    const first = await open(server.url)
    const [nobody] = await freePorts(1)
    for (const url of [server.url, `nats://127.0.0.1:${nobody},127.0.0.1:${server.port}`])
      expect(await refusalOf(open(url))).toBe(
        `The NATS server at 127.0.0.1:${server.port} takes no more connections. Raise max_connections in its configuration, or close connections of others.`,
      )
    await first.close()
    // One that is there says nothing, and neither does one that isn't.
    await expect.poll(() => readClosingError(`127.0.0.1:${server.port}`), { timeout: 10_000 }).toBeNull()
    expect(await readClosingError(`127.0.0.1:${nobody}`)).toBeNull()
    await server.kill()
  })

  it('takes no connection back that was lost, and says so until there is room', async () => {
    const server = await startNatsServer({ config: 'max_connections: 1' })
    const proxy = await TcpProxy.start(server.port)
    const log = await open(`nats://127.0.0.1:${proxy.port}`, 5_000)
    // The client's side is closed, and the server doesn't know.
    proxy.holdRequests()
    proxy.cutHeld()
    const message = `The NATS server at 127.0.0.1:${proxy.port} takes no more connections.`
    await expect
      .poll(() => log.state(), { timeout: 30_000 })
      .toMatchObject({ is: 'disconnected', why: { code: 'offline', message } })
    expect(await refusalOf(log.lastOf(1, SESSION))).toContain(message)
    server.configure((config) => config.replace('max_connections: 1', 'max_connections: 10'))
    await expect.poll(() => log.state().is, { timeout: 30_000 }).toBe('connected')
    await log.close()
    proxy.close()
    await server.kill()
  }, 90_000)

  it.each([
    {
      jetstream: 'max_streams: 2',
      refuses: (log: TeamLog) => log.ensureBuckets(1),
      says: /^The NATS server refused creating the stream KV_td_eu_\w+: the account may have no more streams\. Raise max_streams/,
    },
    {
      jetstream: 'max_store: 100KB',
      refuses: fill,
      says: /^The NATS server refused the stream TD_eu_1: its JetStream storage is full\. Raise max_file .* Recorders keep what was refused\.$/,
    },
    {
      jetstream: 'max_consumers: 1',
      refuses: (log: TeamLog) => {
        const { signal } = new AbortController()
        const read = async () => {
          for await (const _ of log.bucket('sessions').watch({ signal })) return
        }
        return Promise.all([read(), read()])
      },
      says: /^The NATS server refused the bucket td_eu_sessions: the account may have no more consumers\. Raise max_consumers/,
    },
  ])('of its account: $jetstream', async ({ jetstream, refuses, says }) => {
    const config = `accounts {\n A {\n jetstream: { ${jetstream} }\n users: [{ user: a, password: a }]\n }\n}\nno_auth_user: a`
    const server = await startNatsServer({ config })
    const log = await open(server.url)
    if (!jetstream.startsWith('max_streams')) {
      await log.ensureBuckets(1)
      await log.ensureShard(1, 1)
    }
    await log
      .bucket('sessions')
      .put(SESSION, 'x')
      .catch(() => undefined) // isn't there with max_streams
    expect(await refusalOf(refuses(log))).toMatch(says)
    await log.close()
    await server.kill()
  })

  it('of a stream', async () => {
    const server = await startNatsServer({})
    const log = await open(server.url)
    await log.ensureShard(1, 1)
    const connection = await connect({ servers: server.url })
    const { streams } = await jetstreamManager(connection)
    const limited = async (limits: { max_bytes?: number; max_msgs?: number; max_msg_size?: number }) => {
      const none = { max_bytes: -1, max_msgs: -1, max_msg_size: -1 }
      await streams.update('TD_eu_1', { ...(await streams.info('TD_eu_1')).config, ...none, ...limits })
      return refusalOf(fill(log))
    }
    const full = /^The NATS server refused the stream TD_eu_1: the stream is full\. .*--max-bytes=-1 --max-msgs=-1/
    expect(await limited({ max_bytes: 50_000 })).toMatch(full)
    expect(await limited({ max_msgs: 2 })).toMatch(full)
    expect(await limited({ max_msg_size: 1_000 })).toMatch(
      /: the stream takes only smaller messages\. .*--max-msg-size=-1/,
    )
    await connection.close()
    await log.close()
    await server.kill()
  })
})
