/** A whole terminal on a team, over a real nats-server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CallArgs, CallName, CallValue, StreamName, StreamValue } from '../../../../../src/shared/contracts.ts'
import { instrumentId, unixMs, type RecordingId } from '../../../../../src/shared/base/units.ts'
import { dispatchCall, openStream } from '../../../../../src/main/rpc/dispatch.ts'
import { newRecordingId } from '../../../../../src/main/core/store/types/recording-id.ts'
import { store } from '../../../../../src/main/core/store/feature.ts'
import { openTerminal, type Terminal } from '../../../../../src/main/hosts/open-terminal.ts'
import { connectTeam } from '../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../src/main/features/team/nats/team-log.ts'
import type { SessionInfo } from '../../../../../src/main/features/team/session-info.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../kit/nats-server.ts'
import type { Item } from '../../core/store/harness.ts'
import { Recorder, TEAM, type LogSink } from './follow/world.ts'

const root = new URL('../../../../../', import.meta.url)
const BTC = instrumentId('crypto', 'BTC-USD')
const feed = 'crypto/XT' as const

/** Publishes to NATS in order. */
class NatsSink implements LogSink {
  readonly #log: TeamLog
  #previous = 0
  #work: Promise<unknown> = Promise.resolve()

  constructor(log: TeamLog) {
    this.#log = log
  }

  put(info: SessionInfo): void {
    this.#add(() => this.#log.putSession(info))
  }

  publish(info: SessionInfo, bytes: Uint8Array): void {
    this.#add(async () => {
      const outcome = await this.#log.publish(info.shard, info.session, bytes, this.#previous)
      if (outcome.is !== 'stored') throw new Error('conflict')
      this.#previous = outcome.sequence
    })
  }

  done(): Promise<unknown> {
    return this.#work
  }

  #add(work: () => Promise<unknown>): void {
    this.#work = this.#work.then(work)
  }
}

const trade = (price: number, atMs: number): Item => ({ conn: 1, data: tradeText('BTC-USD', price, 1, atMs), recvMs: atMs }) // prettier-ignore
const opening = (atMs: number): Item[] =>
  (
    [
      { type: 'connecting', feed, conn: 1 },
      { type: 'connected', feed, conn: 1 },
      { type: 'state', feed, conn: 1, state: 'open' },
      { type: 'subscribe', feed, conn: 1, symbols: ['BTC-USD'] },
      { type: 'acknowledged', feed, conn: 1, symbols: ['BTC-USD'] },
    ] as const
  ).map((entry) => ({ entry, wallMs: atMs }))

describe.skipIf(!hasNatsServer)('a terminal on a team [needs nats-server]', () => {
  let server: NatsServer
  let log: TeamLog
  let cleanups: (() => Promise<unknown>)[] = []
  let sink: NatsSink
  let recorder: Recorder
  let n = 0
  beforeAll(async () => {
    server = await startNatsServer()
  })
  beforeEach(async () => {
    // A team of its own for each test.
    log = await connectTeam({ target: readNatsTarget(server.url, {}, {}), team: `${TEAM}${++n}` as typeof TEAM, name: 'recorder', allowOld: true }) // prettier-ignore
    cleanups = [() => log.close()]
    await log.ensureBuckets()
    await log.ensureShard(1)
    sink = new NatsSink(log)
    const startedMs = unixMs(Date.now() - 3_000)
    recorder = new Recorder(sink, 1, { session: newRecordingId(startedMs), startedMs })
  })
  afterEach(async () => {
    for (const clean of cleanups.reverse()) await clean()
  })
  afterAll(() => server.kill())

  async function terminalOf(dataDir = makeFolder('team')): Promise<Terminal> {
    const terminal = await openTerminal({
      dataDir,
      host: 'test',
      version: '0.0.0',
      workers: {
        store: new URL('src/main/store-worker.ts', root),
        reader: new URL('src/main/reader-worker.ts', root),
        simulator: new URL('src/simulator/worker.ts', root),
      },
      demoData: new URL('resources/demo/', root),
      memoryKeychain: true,
      source: 'team',
      team: { name: `${TEAM}${n}`, target: readNatsTarget(server.url, {}, {}), allowOld: true },
    })
    cleanups.push(() => terminal.close())
    return terminal
  }

  async function call<K extends CallName>(terminal: Terminal, name: K, args: CallArgs<K>): Promise<CallValue<K>> {
    const result = await dispatchCall(terminal.handlers, name, args)
    if (!result.ok) throw new Error(result.error.message)
    return result.value as CallValue<K> // the call of this name
  }

  /** Follows a stream until `until` holds; takes whenever woken, as a carrier would. */
  async function follow<K extends StreamName>(
    terminal: Terminal,
    name: K,
    args: unknown,
    until: (value: StreamValue<K>) => boolean,
  ): Promise<StreamValue<K>> {
    const found = Promise.withResolvers<StreamValue<K>>()
    const take = () => {
      const value = source.take() as StreamValue<K> | undefined // the stream of this name
      if (value !== undefined && until(value)) found.resolve(value)
    }
    const opened = openStream(terminal.handlers, name, args, () => setImmediate(take))
    if (!opened.ok) throw new Error(opened.error.message)
    const source = opened.value
    take()
    return found.promise.finally(() => source.close())
  }

  const lastPrice = (terminal: Terminal, price: number) =>
    follow(terminal, 'quotes', { view: 'live', instruments: [BTC] }, ({ rows: [row] }) => row?.last === price)
  const stored = async (terminal: Terminal, session: RecordingId) =>
    (await terminal.service(store).reader.sessions(true)).find((row) => row.session === session)

  it('shows live prices and bars of a session that it joins in the middle, and says who records', async () => {
    const now = Date.now()
    recorder.record([...opening(now - 2_000), trade(100, now - 2_000), trade(103, now - 1_500)])
    await sink.done()
    const terminal = await terminalOf()
    await follow(terminal, 'team', {}, (state) => state?.sessions[0]?.phase === 'live')
    recorder.record([trade(101, Date.now())])
    const { rows } = await lastPrice(terminal, 101)
    expect(rows[0]).toMatchObject({ symbol: 'BTC-USD', freshness: 'live', lastOf: 'trade' })
    const bars = await follow(
      terminal,
      'bars',
      { view: 'live', instrument: BTC, of: 'trade', interval: '1D', fromMs: null },
      (value) => (value.reset?.length ?? 0) > 0,
    )
    expect(bars.reset?.at(-1)).toMatchObject({ open: 100, high: 103, close: 101, volume: 3, count: 3 })
    const status = terminal.status()
    expect(status).toMatchObject({ source: 'team', origin: `${TEAM}${n}`, recorder: { is: 'off' } })
    const shown = status.feeds.find((one) => one.feed === feed)
    expect(shown).toMatchObject({ state: { is: 'open' }, acknowledged: ['BTC-USD'], received: 3 })
    expect(await terminal.service(store).reader.verify(null)).toMatchObject({ ok: true, problems: [] })
  })

  it('lets prices age while the servers are away, invents no gap, and fills in what it missed', async () => {
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const terminal = await terminalOf()
    await lastPrice(terminal, 100)
    await server.kill()
    const lost = await follow(terminal, 'team', {}, (state) => state?.link.is === 'lost')
    expect(lost?.link).toMatchObject({ why: { code: 'offline' } })
    const { rows } = await follow(
      terminal,
      'quotes',
      { view: 'live', instruments: [BTC] },
      ({ rows: [row] }) => row?.freshness === 'disconnected',
    )
    expect(rows[0].last).toBe(100)
    await server.start()
    await vi.waitFor(() => expect(log.state().is).toBe('connected'), { timeout: 20_000 })
    for (const price of [104, 102]) recorder.record([trade(price, Date.now())])
    await lastPrice(terminal, 102)
    const bars = await call(terminal, 'bars.history', {
      view: 'live',
      instrument: BTC,
      of: 'trade',
      interval: '1D',
      beforeMs: null,
      limit: 5,
    })
    expect(bars.bars.at(-1)).toMatchObject({ open: 100, high: 104, close: 102, count: 3 })
    expect(bars.gaps).toEqual([])
    expect(terminal.status().gapsToday).toBe(0)
  })

  it('ends equal to a terminal that was there all the time, after sleeping through the end of the session', async () => {
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const awake = await terminalOf()
    const home = makeFolder('sleeper')
    const sleeper = await terminalOf(home)
    await Promise.all([lastPrice(awake, 100), lastPrice(sleeper, 100)])
    await sleeper.close()
    for (let i = 0; i < 50; i++) recorder.record([trade(100 + i, Date.now())])
    recorder.end()
    await sink.done()
    const woken = await terminalOf(home)
    const session = recorder.info.session
    const rows = []
    for (const terminal of [awake, woken]) {
      await vi.waitFor(async () => expect((await stored(terminal, session))?.endedMs).not.toBeNull(), {
        timeout: 20_000,
      })
      const reader = terminal.service(store).reader
      expect(await reader.verify(null)).toMatchObject({ ok: true, problems: [] })
      const { heads, lastSeq } = await reader.ledger(session)
      rows.push({ heads, lastSeq, row: { ...(await stored(terminal, session)), bytes: 0 } })
    }
    expect(rows[1]).toEqual(rows[0])
    expect(rows[0].heads).toEqual(recorder.info.end?.heads)
  })

  it('says what is wrong when the servers can’t be reached, and connects once they can', async () => {
    await sink.done()
    await server.kill()
    const terminal = await terminalOf()
    const failed = await follow(terminal, 'team', {}, (state) => state?.link.is === 'failed')
    expect(failed?.link).toMatchObject({
      why: { code: 'offline', message: expect.stringContaining('reach') as string },
    })
    expect(terminal.status().feeds.every(({ state }) => state.is === 'idle')).toBe(true)
    await server.start()
    await follow(terminal, 'team', {}, (state) => state?.link.is === 'connected')
  })

  it('names symbols that no recorder of the team records', async () => {
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const terminal = await terminalOf()
    await lastPrice(terminal, 100)
    terminal.want('crypto/XT', ['BTC-USD', 'ETH-USD'])
    const shown = terminal.status().feeds.find((one) => one.feed === feed)
    expect(shown?.missing).toContain('ETH-USD')
    expect(shown?.missing).not.toContain('BTC-USD')
  })
})
