/** The team's log on a real nats-server: connecting, settings, publishing with compare-and-set, reading, buckets. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectTeam } from '../../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import type {
  BucketEntry,
  ConnectionState,
  Delivery,
  LiveMessage,
  StoredMessage,
  TeamLog,
} from '../../../../../../src/main/features/team/nats/team-log.ts'
import { makeSeed } from '../../../../../../src/main/features/team/sign/keys.ts'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import {
  hasNatsServer,
  isOldNatsServer,
  startNatsCluster,
  startNatsServer,
  withStreams,
  type NatsServer,
} from '../../../../../kit/nats-server.ts'

const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]
const EU = readTeamName('eu') as TeamName
const open: TeamLog[] = []

async function connect(url: string, more: { team?: TeamName; allowOld?: boolean; env?: NodeJS.ProcessEnv } = {}) {
  const { team = EU, allowOld = true, env = {} } = more
  const log = await connectTeam({ target: readNatsTarget(url, {}, env), team, name: 'test', allowOld })
  open.push(log)
  return log
}

afterAll(() => Promise.all(open.map((log) => log.close())))

const bytes = (text: string) => Buffer.from(text)

async function take<T>(from: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const one of from) if (taken.push(one) === count) break
  return taken
}

const info = (session: typeof A): SessionInfo => ({
  session,
  shard: 1,
  shards: 1,
  recorder: 'desk',
  source: { kind: 'demo', origin: '', user: '' },
  startedMs: unixMs(1_700_000_000_000),
  epoch: 0,
  end: null,
})

const isLost = (thrown: unknown): boolean =>
  thrown instanceof CodedError && (thrown.code === 'timeout' || thrown.code === 'offline')

describe.skipIf(!hasNatsServer)('a team on NATS [needs nats-server]', () => {
  let server: NatsServer
  let log: TeamLog
  beforeAll(async () => {
    server = await startNatsServer()
    log = await connect(server.url)
    await log.ensureBuckets()
    await log.ensureShard(1)
  })

  it('creates streams and buckets once, and accepts them afterwards', async () => {
    await log.ensureShard(1)
    await log.ensureBuckets()
    await (await connect(server.url)).ensureShard(1)
  })

  it('refuses a stream with other settings', async () => {
    const { connect: raw } = await import('@nats-io/transport-node')
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const nc = await raw({ servers: `127.0.0.1:${server.port}` })
    const manager = await jetstreamManager(nc)
    await manager.streams.add({ name: 'TD_eu_9', subjects: ['td.eu.f.9.*'], max_age: 1_000_000_000 })
    await nc.close()
    await expect(log.ensureShard(9)).rejects.toMatchObject({
      code: 'unexpected-answer',
      message: expect.stringContaining('TD_eu_9 has other settings than this team’s: ') as string,
    })
  })

  it('stores a message only behind the expected one', async () => {
    expect(await log.lastOf(1, A)).toBeNull()
    const first = await log.publish(1, A, bytes('one'), 0)
    expect(await log.publish(1, A, bytes('again'), 0)).toEqual({ is: 'conflict' })
    const sequence = first.is === 'stored' ? first.sequence : 0
    expect(await log.publish(1, A, bytes('two'), sequence)).toMatchObject({ is: 'stored' })
    expect(await log.publish(1, A, bytes('other two'), sequence)).toEqual({ is: 'conflict' })
    // Another session has a chain of its own.
    expect(await log.publish(1, B, bytes('one'), 0)).toMatchObject({ is: 'stored' })
    const last = await log.lastOf(1, A)
    expect(Buffer.from(last?.bytes ?? []).toString()).toBe('two')
  })

  it('says that a stream is missing', async () => {
    await expect(log.publish(77, A, bytes('x'), 0)).rejects.toMatchObject({ code: 'not-found' })
    await expect(log.lastOf(77, A)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('reads a shard, or one session of it, from where it is asked to', async () => {
    await log.ensureShard(2)
    for (let i = 0, previous = 0; i < 3; i++) {
      const stored = await log.publish(2, A, bytes(`a${i}`), previous)
      if (stored.is === 'stored') previous = stored.sequence
    }
    await log.publish(2, B, bytes('b0'), 0)
    const texts = async (from: Parameters<TeamLog['read']>[0]['from'], count: number, session?: typeof A) => {
      const stop = new AbortController()
      const read = log.read({ shard: 2, from, signal: stop.signal, ...(session === undefined ? {} : { session }) })
      const taken = await take(read, count)
      stop.abort()
      return taken.map((one) => Buffer.from(one.bytes).toString())
    }
    expect(await texts({ at: 'first' }, 4)).toEqual(['a0', 'a1', 'a2', 'b0'])
    expect(await texts({ sequence: 3 }, 2)).toEqual(['a2', 'b0'])
    expect(await texts({ at: 'first' }, 1, B)).toEqual(['b0'])
    expect(await texts({ sinceMs: unixMs(0) }, 1)).toEqual(['a0'])
  })

  it('reads thousands of small messages without waiting for a pull to expire', async () => {
    await log.ensureShard(40)
    const text = 'x'.repeat(300)
    let previous = 0
    for (let i = 0; i < 3_000; i++) {
      const outcome = await log.publish(40, A, bytes(text), previous)
      if (outcome.is === 'stored') previous = outcome.sequence
    }
    // A pull expires after 30 s, which is the time limit of a test.
    for (let i = 0; i < 3; i++) {
      const stop = new AbortController()
      const taken = await take(log.read({ shard: 40, session: A, from: { at: 'first' }, signal: stop.signal }), 3_000)
      stop.abort()
      expect(taken).toHaveLength(3_000)
    }
  })

  it('delivers again what a durable consumer did not acknowledge', async () => {
    await log.ensureShard(3)
    await log.publish(3, A, bytes('a'), 0)
    await log.publish(3, B, bytes('b'), 0)
    const consume = (signal: AbortSignal) => log.consume({ shard: 3, name: 'archive', signal })
    const first = new AbortController()
    const [a, b] = await take(consume(first.signal), 2)
    first.abort()
    await a.ack()
    b.retry()
    const second = new AbortController()
    const [again] = await take(consume(second.signal), 1)
    second.abort()
    expect(again.session).toBe(B)
    await again.ack()
  })

  it('says that an acknowledgement was lost, so that it is delivered again later', async () => {
    const own = await startNatsServer()
    const away = await connect(own.url)
    await away.ensureShard(1)
    await away.publish(1, A, bytes('one'), 0)
    const stop = new AbortController()
    for await (const delivery of away.consume({ shard: 1, name: 'archive', signal: stop.signal })) {
      await own.kill()
      await expect(delivery.ack()).rejects.toSatisfy(isLost)
      break
    }
    stop.abort()
  })

  it('ends reading when the connection is lost, and says how far a consumer has acknowledged', async () => {
    const own = await startNatsServer()
    const team = await connect(own.url)
    await team.ensureShard(1)
    expect(await team.acknowledged({ shard: 1, name: 'archive' })).toBe(0)
    await team.publish(1, A, bytes('one'), 0)
    await team.publish(1, A, bytes('two'), 1)
    const signal = new AbortController().signal
    const ends = [
      team.consume({ shard: 1, name: 'archive', signal }),
      team.read({ shard: 1, session: A, from: { at: 'first' }, signal }),
    ].map(async (messages: AsyncIterable<StoredMessage>) => {
      let count = 0
      for await (const message of messages) {
        if (message.sequence === 1 && 'ack' in message) await (message as Delivery).ack()
        if (++count === 2) read.push(message.sequence)
      }
    })
    const read: number[] = []
    await expect.poll(() => read).toEqual([2, 2])
    expect(await team.acknowledged({ shard: 1, name: 'archive' })).toBe(1)
    const refusals = ends.map((end) => expect(end).rejects.toMatchObject({ code: 'offline' }))
    await own.kill()
    await Promise.all(refusals)
  })

  it('ends reading soon when the stream is deleted while nothing is asked for', async () => {
    const team = await connect(server.url)
    await team.ensureShard(42)
    for (let sequence = 0; sequence < 70; sequence++) await team.publish(42, A, bytes('x'), sequence)
    const signal = new AbortController().signal
    const read = (from: AsyncIterable<StoredMessage>) => async (): Promise<void> => {
      // The client asks for the next 64 messages once some of the first were taken: until then, nothing waits on the server.
      for await (const { sequence } of from) if (sequence === 1) await deleted
    }
    const deleted = sleep(500).then(() => withStreams(server.port, (streams) => streams.delete('TD_eu_42')))
    const ends = [
      team.consume({ shard: 42, name: 'archive', signal }),
      team.read({ shard: 42, session: A, from: { at: 'first' }, signal }),
    ].map((from) => expect(read(from)).rejects.toBeInstanceOf(CodedError))
    await Promise.all(ends)
  }, 20_000)

  it('refuses to remove what a shard has, also to its operator', async () => {
    await log.ensureShard(41)
    await log.publish(41, A, bytes('a'), 0)
    const remove = (run: Parameters<typeof withStreams>[1]) => withStreams(server.port, run)
    await expect(remove((streams) => streams.purge('TD_eu_41'))).rejects.toThrow('purge not permitted')
    await expect(remove((streams) => streams.deleteMessage('TD_eu_41', 1))).rejects.toThrow('delete not permitted')
    expect(await log.lastOf(41, A)).toMatchObject({ sequence: 1 })
  })

  it('republishes each stored message with the one before it', async () => {
    await log.ensureShard(4)
    const reader = await connect(server.url)
    const seen: LiveMessage[] = []
    const undo = reader.subscribeLive('*', (message) => seen.push(message))
    await reader.bucket('plan').get('none') // the subscription has reached the server
    const first = await log.publish(4, A, bytes('a'), 0)
    await log.publish(4, A, bytes('b'), first.is === 'stored' ? first.sequence : 0)
    await expect.poll(() => seen.length).toBe(2)
    undo()
    expect(seen.map(({ shard, session, sequence, previous }) => ({ shard, session, sequence, previous }))).toEqual([
      { shard: 4, session: A, sequence: 1, previous: 0 },
      { shard: 4, session: A, sequence: 2, previous: 1 },
    ])
  })

  it('keeps descriptions and watermarks of sessions', async () => {
    expect(await log.session(A)).toBeNull()
    expect(await log.watermark(A)).toBeNull()
    await log.putSession(info(A))
    await log.putSession(info(B))
    await log.putWatermark(A, { lastSeq: 17, isComplete: false })
    expect(await log.session(A)).toEqual(info(A))
    expect(await log.watermark(A)).toEqual({ lastSeq: 17, isComplete: false })
    expect((await log.sessions()).map(({ session }) => session).sort()).toEqual([A, B])
    const stop = new AbortController()
    expect((await take(log.watchSessions(stop.signal), 2)).map(({ session }) => session).sort()).toEqual([A, B])
    expect(await take(log.watchWatermarks(stop.signal), 1)).toEqual([{ session: A, lastSeq: 17 }])
    stop.abort()
  })

  it('reads a description again that was damaged on its way to a watcher', async () => {
    const own = await connect(server.url)
    await own.putSession(info(A))
    const bucketOf = own.bucket.bind(own)
    vi.spyOn(own, 'bucket').mockImplementation((name) => {
      const bucket = bucketOf(name)
      return {
        ...bucket,
        async *watch(options) {
          for await (const entry of bucket.watch(options))
            yield { ...entry, value: entry.value?.replace('"version":1', '"version":9') ?? null }
        },
      }
    })
    const stop = new AbortController()
    expect(await take(own.watchSessions(stop.signal), 2)).toContainEqual(info(A))
    stop.abort()
  })

  it('updates a bucket only behind the expected revision, and tells watchers', async () => {
    const plan = log.bucket('plan')
    expect(await plan.entries()).toEqual([])
    const stop = new AbortController()
    const seen: BucketEntry[] = []
    const watching = (async () => {
      for await (const entry of plan.watch({ signal: stop.signal })) seen.push(entry)
    })()
    const first = await plan.update('k', 'one', 0)
    expect(await plan.update('k', 'other', 0)).toBeNull()
    expect(await plan.update('k', 'two', first ?? 0)).toBeGreaterThan(first ?? 0)
    await plan.delete('k')
    await expect.poll(() => seen.at(-1)?.value).toBeNull()
    expect(seen.map(({ value }) => value).filter((value) => value !== null && value !== 'two')).not.toContain('other')
    stop.abort()
    await watching
  })

  it('lists a bucket whose values are replaced meanwhile', async () => {
    const bucket = log.bucket('watermarks')
    await bucket.put('quiet', 'q')
    let isDone = false
    const writing = (async () => {
      for (let n = 1; !isDone; n++) await bucket.put('busy', String(n))
    })()
    await expect.poll(() => bucket.get('busy')).not.toBeNull()
    for (let n = 0; n < 30; n++) {
      const entries = await bucket.entries()
      expect(
        entries
          .map(({ key }) => key)
          .filter((key) => key !== A)
          .sort(),
      ).toEqual(['busy', 'quiet'])
    }
    isDone = true
    await writing
    await bucket.delete('busy')
    expect((await bucket.entries()).find(({ key }) => key === 'busy')?.value).toBeNull()
  })

  it('reconnects by itself after the server was killed, and keeps what was stored', async () => {
    const one = await startNatsServer()
    const team = await connect(one.url)
    await team.ensureShard(1)
    await team.publish(1, A, bytes('before'), 0)
    const states: string[] = []
    team.onState((state) => states.push(state.is))
    await one.kill()
    await expect.poll(() => team.state().is).toBe('disconnected')
    await one.start()
    await expect.poll(() => team.state().is, { timeout: 10_000 }).toBe('connected')
    expect(states).toEqual(['disconnected', 'connected'])
    expect(Buffer.from((await team.lastOf(1, A))?.bytes ?? []).toString()).toBe('before')
    await team.close()
    expect(states.at(-1)).toBe('closed')
  })
})

describe.skipIf(!hasNatsServer)('connecting to NATS [needs nats-server]', () => {
  it('says that no server can be reached', async () => {
    const server = await startNatsServer()
    await server.kill()
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'offline' })
  })

  it.runIf(isOldNatsServer)('refuses an old server unless it is allowed', async () => {
    const server = await startNatsServer()
    await expect(connect(server.url, { allowOld: false })).rejects.toMatchObject({
      code: 'unexpected-answer',
      message: expect.stringMatching(/^nats-server .* is too old: a team needs 2\.11 or newer\.$/) as string,
    })
  })

  it('refuses a server whose messages can’t hold a part of a frame', async () => {
    const server = await startNatsServer({ config: 'max_payload: 1024' })
    await expect(connect(server.url)).rejects.toMatchObject({
      code: 'unexpected-answer',
      message: 'The NATS server accepts messages of at most 1024 bytes.',
    })
  })

  it('refuses a server without JetStream', async () => {
    const server = await startNatsServer({ jetstream: false })
    await expect(connect(server.url)).rejects.toMatchObject({
      code: 'unexpected-answer',
      message: 'JetStream isn’t enabled on the NATS server.',
    })
  })

  it('refuses wrong credentials, and names a permission that is missing', async () => {
    const permissions =
      'permissions: { publish: ["$JS.API.STREAM.INFO.*", "td.eu.f.1.*", "$JS.API.INFO"], subscribe: ["_INBOX.>"] }'
    const server = await startNatsServer({
      config: `authorization { users: [ { user: admin, password: a }, { user: r, password: b, ${permissions} } ] }`,
    })
    const url = server.url.replace('//', '//r@')
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(connect(url, { env: { TAPEDECK_NATS_PASSWORD: 'x' } })).rejects.toMatchObject({ code: 'unauthorized' })
    const recorder = await connect(url, { env: { TAPEDECK_NATS_PASSWORD: 'b' } })
    await expect(recorder.ensureShard(1)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This NATS user has no permission for creating the stream TD_eu_1.',
    })
    const admin = await connect(server.url.replace('//', '//admin@'), { env: { TAPEDECK_NATS_PASSWORD: 'a' } })
    await admin.ensureShard(1)
    await admin.ensureShard(2)
    await recorder.ensureShard(1)
    expect(await recorder.publish(1, A, bytes('x'), 0)).toMatchObject({ is: 'stored' })
    await expect(recorder.publish(2, A, bytes('x'), 0)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('connects again by itself when its user was removed and is there again, and says meanwhile why not', async () => {
    const user = '{ user: r, password: b }'
    const server = await startNatsServer({ config: `authorization { users: [ { user: x, password: x }, ${user} ] }` })
    const log = await connect(server.url.replace('//', '//r@'), { env: { TAPEDECK_NATS_PASSWORD: 'b' } })
    await log.ensureShard(1)
    await log.ensureBuckets()
    const states: ConnectionState[] = []
    log.onState((state) => states.push(state))
    const refused = { code: 'unauthorized', message: expect.stringContaining('refused the credentials') as string }
    server.configure((config) => config.replace(user, ''))
    await expect.poll(() => log.state(), { timeout: 10_000 }).toMatchObject({ is: 'disconnected', why: refused })
    for (const request of [
      () => log.publish(1, A, bytes('x'), 0),
      () => log.lastOf(1, A),
      () => log.ensureShard(1),
      () => log.bucket('leases').put('1', 'x'),
      () => take(log.bucket('plan').watch({ signal: AbortSignal.timeout(10_000) }), 1),
      () => take(log.read({ shard: 1, from: { at: 'first' }, signal: AbortSignal.timeout(10_000) }), 1),
    ])
      await expect(request()).rejects.toMatchObject(refused)
    // The client would have given up after the second refusal.
    const refusals = () => server.log.match(/authentication error/gi)?.length ?? 0
    await expect.poll(refusals, { timeout: 15_000 }).toBeGreaterThan(3)
    // A server that isn't there doesn't refuse anybody.
    await server.kill()
    await expect.poll(() => log.state(), { timeout: 20_000 }).toEqual({ is: 'disconnected', why: null })
    await expect(log.lastOf(1, A)).rejects.toMatchObject({ code: 'offline' })
    server.configure((config) => config.replace('password: x }, ', `password: x }, ${user}`))
    await server.start()
    await expect.poll(() => log.state().is, { timeout: 10_000 }).toBe('connected')
    expect(await log.publish(1, A, bytes('x'), 0)).toMatchObject({ is: 'stored' })
    // Each change once: lost, refused, not there any more, connected. Refusing may come with the loss.
    expect(states.map(({ is }) => is).join()).toMatch(/^(disconnected,){2,3}connected$/)
    expect(await log.bucket('leases').put('1', 'x')).toBe(1)
  }, 60_000)

  it('forms a cluster in which a stream has three replicas and outlives one server', async () => {
    const cluster = await startNatsCluster()
    const log = await connect(cluster.url)
    await expect
      .poll(
        () =>
          log.ensureShard(1).then(
            () => 'made',
            (error: Error) => error.message,
          ),
        { timeout: 20_000 },
      )
      .toBe('made')
    const first = await log.publish(1, A, bytes('one'), 0)
    await cluster.nodes[0].kill()
    let sequence = first.is === 'stored' ? first.sequence : 0
    for (let stored = false; !stored;) {
      const last = await log.lastOf(1, A).catch(() => null)
      if (last !== null) sequence = last.sequence
      stored = await log.publish(1, A, bytes('two'), sequence).then(
        (outcome) => outcome.is === 'stored',
        () => false,
      )
      if (!stored) await sleep(100)
    }
    expect(Buffer.from((await log.lastOf(1, A))?.bytes ?? []).toString()).toBe('two')
  })
})

describe('the address of NATS servers', () => {
  const read = (url: string, env: NodeJS.ProcessEnv = {}) => readNatsTarget(url, {}, env)

  it('takes several servers and the default port', () => {
    expect(read('nats://a:1,nats://b').servers).toEqual(['a:1', 'b:4222'])
    expect(read('tls://a').tls).toBe(true)
    expect(read('nats://me@a', { TAPEDECK_NATS_PASSWORD: 's' })).toMatchObject({ user: 'me', password: 's' })
  })

  it.each([
    ['nats://me:secret@a', 'leave the password out'],
    ['nats://me@a', 'TAPEDECK_NATS_PASSWORD'],
    ['http://a', 'isn’t a NATS URL'],
    ['nats://', 'isn’t a NATS URL'],
    ['nats://a/b', 'isn’t a NATS URL'],
    ['nats://a,tls://b', 'not both'],
    ['nats://x@a,nats://y@b', 'the same user'],
  ])('refuses %s', (url, message) => {
    expect(() => read(url)).toThrow(message)
    expect(() => read(url)).not.toThrow('secret@')
  })

  it('refuses a seed and a credentials file that are none, without repeating them', () => {
    const file = join(makeFolder('creds'), 'bad.creds')
    writeFileSync(file, 'secret')
    const withFile = () => readNatsTarget('nats://a', { creds: file }, {})
    expect(() => read('nats://a', { TAPEDECK_NATS_SEED: 'SUsecret' })).toThrow('TAPEDECK_NATS_SEED isn’t the seed')
    expect(() => read('nats://a', { TAPEDECK_NATS_SEED: 'SUsecret' })).not.toThrow('SUsecret')
    expect(withFile).toThrow('doesn’t hold the JWT and the seed')
    const seed = makeSeed()
    writeFileSync(
      file,
      `-----BEGIN NATS USER JWT-----\neyJ0.eyJq.c2ln\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    )
    expect(withFile().creds).toContain(seed)
    expect(read('nats://a', { TAPEDECK_NATS_SEED: seed }).seed).toBe(seed)
  })
})
