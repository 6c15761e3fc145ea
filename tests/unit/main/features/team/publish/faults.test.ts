/** Publishing to a real server that fails in every way: afterwards the log has each committed flush once, in order. */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test, vi } from 'vitest'
import { readHolds } from '../../../../../../src/main/core/store/library/holds.ts'
import { readHeader } from '../../../../../../src/main/features/team/frame/decode.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { bucketName, shardSubjects, streamName } from '../../../../../../src/main/features/team/names.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { decodeReport } from '../../../../../../src/main/features/team/reports/report.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer, withStreams, type NatsServer } from '../../../../../kit/nats-server.ts'
import { TcpProxy } from '../../../../../kit/tcp-proxy.ts'
import { EU, openLog, openStrictLog, TeamRecorder } from '../../../../../kit/team-recorder.ts'
import { checkLog } from '../../../../../loss/team-log.ts'
import { killRecorder } from '../../../../../loss/team-recorder.ts'
import { DEMO, T0 } from '../../../core/store/harness.ts'

/** A recorder looks every five seconds for what the team has lost. */
const SOON_MS = 20_000

/** `start`: a recorder that is removed after the test. */
const it = test.extend('start', ({}, { onCleanup }) => {
  const recorders: TeamRecorder[] = []
  onCleanup(async () => {
    for (const recorder of recorders) await recorder.remove()
  })
  return (port: number, connect = openLog): TeamRecorder => {
    const recorder = new TeamRecorder(`nats://127.0.0.1:${port}`, connect)
    recorders.push(recorder)
    return recorder
  }
})

// Side by side, because they mostly wait. Each has a server of its own.
describe.skipIf(!hasNatsServer).concurrent('publishing through faults [needs nats-server]', { timeout: 60_000 }, () => {
  const caughtUp = (recorder: TeamRecorder): Promise<void> =>
    vi.waitFor(
      () => {
        if (!recorder.isCaughtUp()) throw new Error(`not caught up: ${recorder.said.at(-1) ?? 'nothing was said'}`)
      },
      { timeout: SOON_MS, interval: 20 },
    )

  /** A server of this test alone, so that its log holds nothing else. */
  const ownServer = (config = ''): Promise<NatsServer> => startNatsServer({ config })

  /** Commits until `stop`, with sealing now and then, a few at a time. */
  async function commitWhile(recorder: TeamRecorder, work: () => Promise<unknown>): Promise<void> {
    let isOver = false
    const working = work().finally(() => {
      isOver = true
    })
    for (let i = 0; !isOver; i++) {
      recorder.commit(1 + (i % 7))
      if (i % 50 === 49) recorder.seal()
      await sleep(1)
    }
    await working
  }

  async function expectLog(recorder: TeamRecorder, port: number, sessions = [recorder.session]): Promise<void> {
    const log = await openLog(`nats://127.0.0.1:${port}`)
    try {
      if ((await checkLog(log, 1, recorder.reader, sessions)) === 0) throw new Error('the log has no frame')
    } finally {
      await log.close()
    }
  }

  it('goes on where it was after the recorder’s process was killed', async ({ expect }) => {
    const own = await ownServer()
    expect(await killRecorder({ home: makeFolder('recorder'), servers: own.url, kills: 2 })).toContain('3 sessions')
  })

  it('asks for nothing in buckets while they are being made', async ({ expect, start }) => {
    const own = await ownServer()
    const making = Promise.withResolvers<void>()
    const asked: string[] = []
    let isMaking = false
    const recorder = start(own.port, async (servers) => {
      const log = await openLog(servers)
      const { ensureBuckets, watermark, bucket } = log
      log.ensureBuckets = async (...args) => {
        isMaking = true
        await making.promise
        await ensureBuckets.apply(log, args)
        isMaking = false
      }
      const note = (what: string) => void (isMaking && asked.push(what))
      log.watermark = (...args) => (note('watermark'), watermark.apply(log, args))
      log.bucket = (...args) => (note(args[0]), bucket.apply(log, args))
      return log
    })
    recorder.commit(3)
    await expect.poll(() => isMaking).toBe(true)
    // Looks at the history, and reports.
    recorder.aheadMs += 60_000
    await recorder.publishing.close(1)
    making.resolve()
    expect(asked).toEqual([])
    await recorder.restart()
    await caughtUp(recorder)
  })

  it('publishes on while the stream has a leader again and the buckets don’t', async ({ expect, start }) => {
    const own = await ownServer()
    let isLost = false
    let asked = 0
    const recorder = start(own.port, async (servers) => {
      const log = await openLog(servers)
      const { ensureBuckets, publish } = log
      log.ensureBuckets = (...args) => (isLost ? new Promise(() => asked++) : ensureBuckets.apply(log, args))
      log.publish = (...args) => {
        if (!isLost || asked++ > 0) return publish.apply(log, args)
        // What a cluster replies to a publish while the stream has no leader.
        return Promise.reject(new CodedError('not-found', 'The NATS server doesn’t have the stream TD_eu_1.'))
      }
      return log
    })
    recorder.commit(3)
    await caughtUp(recorder)
    isLost = true
    recorder.commit(3)
    await caughtUp(recorder)
    expect(asked).toBeGreaterThan(1)
    await expectLog(recorder, own.port)
  })

  it('makes a bucket again that was deleted, and describes its session there', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    recorder.commit(3)
    await caughtUp(recorder)
    await withStreams(own.port, (streams) => streams.delete(`KV_${bucketName(EU, 'sessions')}`))
    const log = await openLog(own.url)
    const described = () => log.session(recorder.session).catch(() => null)
    await expect.poll(async () => (await described())?.session, { timeout: SOON_MS }).toBe(recorder.session)
    await log.close()
  })

  it('publishes a session with its end, then releases it once the history has it', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    for (let i = 0; i < 20; i++) recorder.commit(3)
    expect(() => recorder.engine.library.erase([recorder.session])).toThrow('can’t be erased yet')
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    await expectLog(recorder, own.port)
    const log = await openLog(`nats://127.0.0.1:${own.port}`)
    const info = await log.session(recorder.session)
    const ledger = await recorder.reader.ledger(recorder.session)
    expect(info).toMatchObject({ shard: 1, shards: 1, recorder: 'desk', source: DEMO, startedMs: T0 })
    expect(info?.end).toMatchObject({ clean: ledger.clean, lastSeq: 60, messages: 60, entries: 0, heads: ledger.heads })
    expect([...readHolds(recorder.folder.file).keys()]).toEqual([recorder.session])
    recorder.aheadMs += 400_000
    expect(recorder.publishing.status().historyLagMs).toBeGreaterThanOrEqual(400_000)
    expect(recorder.publishing.status().lagMs).toBe(0)
    // The history has all messages. The close record is still in the log alone.
    await log.putWatermark(recorder.session, { lastSeq: 60, isComplete: false })
    await recorder.restart()
    await recorder.publishing.close()
    expect([...readHolds(recorder.folder.file).keys()]).toEqual([recorder.session])
    await log.putWatermark(recorder.session, { lastSeq: 60, isComplete: true })
    await log.close()
    await recorder.restart()
    await expect.poll(() => readHolds(recorder.folder.file).size, { timeout: SOON_MS }).toBe(0)
    recorder.engine.library.erase([recorder.session])
  })

  it('records on while the server is away from the start, says so once, and catches up', async ({ expect, start }) => {
    const own = await ownServer()
    await own.kill()
    const recorder = start(own.port)
    const refusals = (): string[] => recorder.said.filter((text) => text.startsWith('Not publishing'))
    await commitWhile(recorder, async () => {
      await expect.poll(refusals, { timeout: SOON_MS }).not.toEqual([])
      await sleep(1_000) // it tries again meanwhile
    })
    expect(refusals()).toHaveLength(1)
    expect(recorder.publishing.status().behind).toBeGreaterThan(0)
    await own.start()
    await caughtUp(recorder)
    expect(recorder.said.at(-1)).toBe('Publishing to the team eu has resumed.')
    await expectLog(recorder, own.port)
  })

  it('loses and doubles nothing when the server is killed again and again', async ({ start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    await commitWhile(recorder, async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(300)
        await own.kill()
        await sleep(100)
        await own.start()
      }
      await sleep(300)
    })
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
  })

  it('loses and doubles nothing when acknowledgements don’t arrive', async ({ start }) => {
    const own = await ownServer()
    const proxy = await TcpProxy.start(own.port)
    const recorder = start(proxy.port)
    await commitWhile(recorder, async () => {
      for (let i = 0; i < 4; i++) {
        await sleep(150)
        proxy.eatReplies()
        await sleep(30)
        proxy.cut()
      }
      await sleep(200)
    })
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
    proxy.close()
  })

  it('refuses a publish that arrives after the recorder has read the log back and gone on', async ({ start }) => {
    const own = await ownServer()
    const proxy = await TcpProxy.start(own.port)
    const recorder = start(proxy.port)
    for (let i = 0; i < 3; i++) {
      recorder.commit(3)
      await caughtUp(recorder)
      proxy.holdRequests()
      recorder.commit(2)
      await sleep(50)
      const { release } = proxy.cutHeld()
      recorder.commit(1)
      await caughtUp(recorder)
      // Servers know an id for two minutes. Here they forget it, as they have when it arrives later than that.
      await rememberIds(own.port, 0.1)
      await sleep(300)
      release()
      await sleep(50)
      await rememberIds(own.port, 120)
    }
    recorder.commit(3)
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
    proxy.close()
  })

  it('goes on where it was after the recorder ended without a word', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    const sessions = [recorder.session]
    for (let i = 0; i < 3; i++) {
      await commitWhile(recorder, () => sleep(100))
      await recorder.restart()
      await commitWhile(recorder, () => sleep(50))
      recorder.end()
      await recorder.restart()
      recorder.now += 1_000
      if (i < 2) sessions.push(recorder.begin())
    }
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    await expectLog(recorder, own.port, sessions)
  })

  it('publishes a session again as a whole after its stream was deleted', async ({ start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    await commitWhile(recorder, () => sleep(200))
    await caughtUp(recorder)
    await deleteStream(own.port)
    await commitWhile(recorder, () => sleep(200))
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
  })

  it('describes a session again whose description was damaged, and keeps it until the watermark is whole', async ({
    expect,
    start,
  }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    recorder.commit(4)
    await caughtUp(recorder)
    const log = await openLog(own.url)
    const { session } = recorder
    /** Stores the value of a key with another digit in it. */
    const damage = async (bucket: 'sessions' | 'watermarks', digit: RegExp) => {
      const { value, revision } = (await log.bucket(bucket).get(session)) ?? { value: null, revision: 0 }
      const changed = (value ?? '').replace(digit, (found) => found.slice(0, -1) + String(9 - Number(found.at(-1))))
      expect(changed).not.toBe(value)
      await log.bucket(bucket).update(session, changed, revision)
    }
    await damage('sessions', /"startedMs":\d/)
    expect(await log.session(session)).toBeNull()
    await expect.poll(async () => (await log.session(session))?.startedMs, { timeout: SOON_MS }).toBe(T0)
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    await damage('sessions', /"lastSeq":\d/)
    await log.putWatermark(session, { lastSeq: 1, isComplete: false })
    await damage('watermarks', /\.\d/)
    expect(await log.watermark(session)).toBeNull()
    await recorder.restart()
    await expect.poll(async () => (await log.session(session))?.end?.lastSeq, { timeout: SOON_MS }).toBe(4)
    expect([...readHolds(recorder.folder.file).keys()]).toEqual([session])
    await log.close()
  })

  it('publishes only what the history lacks after its stream was deleted', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    for (let i = 0; i < 5; i++) recorder.commit(4)
    await caughtUp(recorder)
    const log = await openLog(own.url)
    await log.putWatermark(recorder.session, { lastSeq: 12, isComplete: false })
    await deleteStream(own.port)
    recorder.commit(4)
    await caughtUp(recorder)
    const stop = new AbortController()
    for await (const { bytes } of log.read({ shard: 1, from: { at: 'first' }, signal: stop.signal })) {
      expect(readHeader(bytes)).toMatchObject({ ok: true, value: { firstSeq: 13, lastSeq: 24 } })
      break
    }
    await log.close()
  })

  it('publishes again what the log dropped before the history had it', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    for (let i = 0; i < 5; i++) {
      recorder.commit(4)
      await caughtUp(recorder)
    }
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    const log = await openLog(own.url)
    await log.putWatermark(recorder.session, { lastSeq: 4, isComplete: false })
    await withStreams(own.port, async (streams) => {
      const name = streamName(EU, 1)
      const { state } = await streams.info(name)
      // A lower limit drops the oldest frames, as their age does after three days.
      await streams.update(name, { discard: 'old', max_bytes: Math.ceil(state.bytes / 2) })
      await streams.update(name, { discard: 'new', max_bytes: -1 })
    })
    const [first] = await spans(log)
    expect(first[0]).toBeGreaterThan(5)
    await recorder.restart()
    await expect.poll(async () => (await spans(log)).some(([from]) => from === 5), { timeout: SOON_MS }).toBe(true)
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    const present = new Set(
      (await spans(log)).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
    )
    expect([...present].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => 5 + i))
    expect(recorder.said.filter((text) => text.includes('dropped messages'))).toHaveLength(1)
    await log.close()
  })

  it('publishes again what the log lost in the middle', async ({ expect, start }) => {
    const own = await ownServer()
    // A damaged file of the server takes frames with it. Streams of a team refuse to delete them otherwise.
    await withStreams(own.port, (streams) => streams.add({ name: streamName(EU, 1), subjects: [shardSubjects(EU, 1)] }))
    const recorder = start(own.port, async (servers) => {
      const log = await openLog(servers)
      return Object.assign(log, { ensureShard: () => Promise.resolve('made by the test') })
    })
    for (let i = 0; i < 5; i++) {
      recorder.commit(4)
      await caughtUp(recorder)
    }
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    const log = await openLog(own.url)
    const before = await spans(log)
    await withStreams(own.port, (streams) => streams.deleteMessage(streamName(EU, 1), before.findIndex(([from]) => from === 9) + 1)) // oxfmt-ignore
    expect((await spans(log)).some(([from]) => from === 9)).toBe(false)
    await log.putWatermark(recorder.session, { lastSeq: 8, isComplete: false })
    await expect.poll(async () => (await spans(log)).some(([from]) => from === 9), { timeout: SOON_MS }).toBe(true)
    await log.close()
  })

  it('publishes a session that had ended again after the server lost its disk', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    for (let i = 0; i < 5; i++) recorder.commit(4)
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    await own.kill()
    rmSync(own.storeFolder, { recursive: true })
    await own.start()
    await recorder.restart()
    // A server of 2.9 panics when a bucket is read while it is being created.
    const published = () => recorder.publishing.status().progress[0]?.publishedSeq
    await expect.poll(published, { timeout: SOON_MS }).toBe(20)
    const log = await openLog(own.url)
    await expect.poll(async () => (await log.session(recorder.session))?.end?.lastSeq, { timeout: SOON_MS }).toBe(20)
    await log.close()
    await expectLog(recorder, own.port)
  })

  it('gives the close record again that was lost before the history had it', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    const { session } = recorder
    recorder.commit(4)
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    const log = await openLog(own.url)
    await log.putWatermark(session, { lastSeq: 4, isComplete: false })
    await log.bucket('sessions').delete(session)
    await recorder.restart()
    await expect.poll(async () => (await log.session(session))?.end?.lastSeq, { timeout: SOON_MS }).toBe(4)
    await log.close()
  })

  it('publishes flushes larger than max_payload in parts, and begins a frame again after an interruption', async ({
    start,
  }) => {
    const own = await ownServer('max_payload: 8192')
    const proxy = await TcpProxy.start(own.port)
    const recorder = start(proxy.port, openStrictLog)
    for (const bytes of [20_000, 40_000]) {
      await caughtUp(recorder)
      proxy.cutAfter(bytes) // a frame has about 90 KB
      recorder.commit(4_000)
      recorder.commit(1)
    }
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
    proxy.close()
  })

  it('gives up a session of which the log has other messages, and publishes the others', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    recorder.commit(5)
    await caughtUp(recorder)
    const first = recorder.session
    recorder.end()
    const log = await openLog(`nats://127.0.0.1:${own.port}`)
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    recorder.begin()
    const last = await log.lastOf(1, first)
    await log.publish(1, recorder.session, last?.bytes ?? new Uint8Array(0), 0)
    recorder.commit(7)
    await expect.poll(() => recorder.said.at(-1), { timeout: 10_000 }).toContain('different messages')
    recorder.engine.end(unixMs(recorder.now), [])
    recorder.now += 1_000
    recorder.begin()
    recorder.commit(3)
    await expect.poll(async () => (await log.lastOf(1, recorder.session)) !== null, { timeout: 10_000 }).toBe(true)
    await log.close()
  })

  it('publishes a session that it gave up once its stream was deleted', async ({ expect, start }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    recorder.commit(5)
    await caughtUp(recorder)
    const log = await openLog(own.url)
    const sequence = (await log.lastOf(1, recorder.session))?.sequence ?? 0
    await log.publish(1, recorder.session, new Uint8Array(100).fill(7), sequence)
    recorder.commit(5)
    await expect.poll(() => recorder.said.at(-1), { timeout: 10_000 }).toContain('can’t be published')
    const reports = () => log.bucket('reports').entries()
    const troubles = async () => (await reports()).map(({ value }) => decodeReport(value ?? ''))
    await expect
      .poll(troubles, { timeout: SOON_MS })
      .toContainEqual(expect.objectContaining({ trouble: expect.stringContaining('can’t be published') as string }))
    await deleteStream(own.port)
    recorder.commit(5)
    await expect.poll(() => recorder.publishing.status().givenUp, { timeout: SOON_MS }).toEqual([])
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
    await log.close()
  })

  it('leaves a session alone that the log has more of than a store that was restored from an older copy', async ({
    expect,
    start,
  }) => {
    const own = await ownServer()
    const recorder = start(own.port)
    recorder.commit(5)
    recorder.commit(7)
    await caughtUp(recorder)
    const log = await openLog(`nats://127.0.0.1:${own.port}`)
    const last = await log.lastOf(1, recorder.session)
    const restored = start(own.port)
    restored.end()
    restored.begin(recorder.session)
    restored.commit(5)
    restored.end()
    await expect
      .poll(() => restored.said.at(-1), { timeout: 10_000 })
      .toMatch(/can’t be published: .* ends at 5 in the store, before 12/)
    expect(restored.publishing.status()).toMatchObject({ givenUp: [recorder.session], unfinished: 0 })
    restored.now += 1_000
    restored.begin()
    restored.commit(3)
    await expect.poll(async () => (await log.lastOf(1, restored.session)) !== null, { timeout: 10_000 }).toBe(true)
    expect(await log.lastOf(1, recorder.session)).toEqual(last)
    expect((await log.session(recorder.session))?.end).toBeNull()
    await log.close()
  })
})

/** First and last seqs of the frames in the log, in their order there. */
async function spans(log: TeamLog): Promise<[from: number, to: number][]> {
  const [{ session }] = await log.sessions()
  const last = (await log.lastOf(1, session))?.sequence ?? 0
  const stop = new AbortController()
  const found: [number, number][] = []
  for await (const { bytes, sequence } of log.read({ shard: 1, from: { at: 'first' }, signal: stop.signal })) {
    const header = readHeader(bytes)
    if (header.ok) found.push([header.value.firstSeq, header.value.lastSeq])
    if (sequence >= last) break
  }
  return found
}

/** For how long the server knows the ids of messages. */
const rememberIds = (port: number, seconds: number): Promise<void> =>
  withStreams(port, (streams) => streams.update(streamName(EU, 1), { duplicate_window: seconds * 1e9 }))

const deleteStream = (port: number): Promise<void> => withStreams(port, (streams) => streams.delete(streamName(EU, 1)))
