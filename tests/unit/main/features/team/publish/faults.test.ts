/** Publishing to a real server that fails in every way: afterwards the log has each committed flush once, in order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { readHolds } from '../../../../../../src/main/core/store/library/holds.ts'
import { readHeader } from '../../../../../../src/main/features/team/frame/decode.ts'
import { streamName } from '../../../../../../src/main/features/team/names.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'
import { TcpProxy } from '../../../../../kit/tcp-proxy.ts'
import { EU, openLog, TeamRecorder } from '../../../../../kit/team-recorder.ts'
import { checkLog } from '../../../../../loss/team-log.ts'
import { killRecorder } from '../../../../../loss/team-recorder.ts'
import { DEMO, T0 } from '../../../core/store/harness.ts'

describe.skipIf(!hasNatsServer)('publishing through faults [needs nats-server]', () => {
  const recorders: TeamRecorder[] = []
  afterEach(async () => {
    for (const recorder of recorders.splice(0)) await recorder.remove()
  })

  const start = (port: number): TeamRecorder => {
    const recorder = new TeamRecorder(`nats://127.0.0.1:${port}`)
    recorders.push(recorder)
    return recorder
  }
  const caughtUp = (recorder: TeamRecorder) =>
    expect.poll(() => recorder.isCaughtUp(), { timeout: 20_000, interval: 20 }).toBe(true)

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
      expect(await checkLog(log, 1, recorder.reader, sessions)).toBeGreaterThan(0)
    } finally {
      await log.close()
    }
  }

  it('publishes a session with its end, then releases it once the history has it', async () => {
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
    await log.putWatermark(recorder.session, 59)
    await recorder.restart()
    await recorder.publishing.close()
    expect([...readHolds(recorder.folder.file).keys()]).toEqual([recorder.session])
    await log.putWatermark(recorder.session, 60)
    await log.close()
    await recorder.restart()
    await expect.poll(() => readHolds(recorder.folder.file).size, { timeout: 10_000 }).toBe(0)
    recorder.engine.library.erase([recorder.session])
  })

  it('records on while the server is away from the start, says so once, and catches up', async () => {
    const own = await ownServer()
    await own.kill()
    const recorder = start(own.port)
    await commitWhile(recorder, () => sleep(1_500))
    expect(recorder.said.filter((text) => text.startsWith('Not publishing'))).toHaveLength(1)
    expect(recorder.publishing.status().behind).toBeGreaterThan(0)
    await own.start()
    await caughtUp(recorder)
    expect(recorder.said.at(-1)).toBe('Publishing to the team eu has resumed.')
    await expectLog(recorder, own.port)
  })

  it('loses and doubles nothing when the server is killed again and again', async () => {
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

  it('loses and doubles nothing when acknowledgements don’t arrive', async () => {
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

  it('refuses a publish that arrives after the recorder has read the log back and gone on', async () => {
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
      release()
      await sleep(50)
    }
    recorder.commit(3)
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
    proxy.close()
  })

  it('goes on where it was after the recorder ended without a word', async () => {
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

  it('goes on where it was after the recorder’s process was killed', async () => {
    const own = await ownServer()
    expect(await killRecorder({ home: makeFolder('recorder'), servers: own.url, kills: 2 })).toContain('3 sessions')
  })

  it('publishes a session again as a whole after its stream was deleted', async () => {
    const own = await ownServer()
    const recorder = start(own.port)
    await commitWhile(recorder, () => sleep(200))
    await caughtUp(recorder)
    await deleteStream(own.port)
    await commitWhile(recorder, () => sleep(200))
    await caughtUp(recorder)
    await expectLog(recorder, own.port)
  })

  it('publishes only what the history lacks after its stream was deleted', async () => {
    const own = await ownServer()
    const recorder = start(own.port)
    for (let i = 0; i < 5; i++) recorder.commit(4)
    await caughtUp(recorder)
    const log = await openLog(own.url)
    await log.putWatermark(recorder.session, 12)
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

  it('publishes flushes larger than max_payload in parts, and begins a frame again after an interruption', async () => {
    const own = await ownServer('max_payload: 8192')
    const proxy = await TcpProxy.start(own.port)
    const recorder = start(proxy.port)
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

  it('gives up a session of which the log has other messages, and publishes the others', async () => {
    const own = await ownServer()
    const recorder = start(own.port)
    recorder.commit(5)
    await caughtUp(recorder)
    const first = recorder.session
    recorder.end()
    const log = await openLog(`nats://127.0.0.1:${own.port}`)
    await expect.poll(() => recorder.publishing.status().unfinished).toBe(0)
    recorder.begin()
    const last = await log.lastOf(1, first)
    await log.publish(1, recorder.session, last?.bytes ?? new Uint8Array(0), 0)
    recorder.commit(7)
    await expect.poll(() => recorder.said.at(-1), { timeout: 10_000 }).toContain('other messages')
    recorder.engine.end(unixMs(recorder.now), [])
    recorder.now += 1_000
    recorder.begin()
    recorder.commit(3)
    await expect.poll(async () => (await log.lastOf(1, recorder.session)) !== null, { timeout: 10_000 }).toBe(true)
    await log.close()
  })
})

async function deleteStream(port: number): Promise<void> {
  const { connect } = await import('@nats-io/transport-node')
  const { jetstreamManager } = await import('@nats-io/jetstream')
  const connection = await connect({ servers: `127.0.0.1:${port}` })
  await (await jetstreamManager(connection)).streams.delete(streamName(EU, 1))
  await connection.close()
}
