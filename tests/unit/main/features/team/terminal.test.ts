/** A whole terminal on a team, over a real nats-server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CallArgs, CallName, CallValue, StreamValue } from '../../../../../src/shared/contracts.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { systemClock, type Clock } from '../../../../../src/main/base/clock.ts'
import { encodeReport } from '../../../../../src/main/features/team/reports/report.ts'
import { dispatchCall } from '../../../../../src/main/rpc/dispatch.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { store } from '../../../../../src/main/core/store/feature.ts'
import type { Terminal } from '../../../../../src/main/hosts/open-terminal.ts'
import { connectTeam } from '../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../src/main/features/team/nats/team-log.ts'
import type { SessionInfo } from '../../../../../src/main/features/team/session-info.ts'
import { manualClock } from '../../../../kit/clock.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../kit/nats-server.ts'
import type { Item } from '../../core/store/harness.ts'
import { Recorder, TEAM, type LogSink } from './follow/world.ts'
import { follow, startRealTerminal } from '../../../../kit/real-terminal.ts'

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

const trade = (price: number, atMs: number): Item => ({ conn: 1, data: tradeText('BTC-USD', price, 1, atMs), recvMs: atMs }) // oxfmt-ignore
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
    const team = `${TEAM}${++n}` as typeof TEAM
    const options = { target: readNatsTarget(server.url, {}, {}), team, name: 'recorder', allowOld: true }
    // While a server reads its configuration again, after a test that changed it, it has no JetStream.
    log = await vi.waitFor(() => connectTeam(options), { timeout: 10_000 })
    cleanups = [() => log.close()]
    await log.ensureBuckets()
    await log.ensureShard(1)
    sink = new NatsSink(log)
    const startedMs = unixMs(Date.now() - 3_000)
    recorder = new Recorder(sink, 1, { session: newSessionId(startedMs), startedMs })
  })
  afterEach(async () => {
    for (const clean of cleanups.reverse()) await clean()
  })
  afterAll(() => server.kill())

  async function terminalOf(dataDir = makeFolder('team'), clock = systemClock): Promise<Terminal> {
    const terminal = await startRealTerminal({
      dataDir,
      clock,
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

  const lastPrice = (terminal: Terminal, price: number) =>
    follow(terminal, 'quotes', { view: 'live', instruments: [BTC] }, ({ rows: [row] }) => row?.last === price)
  const stored = async (terminal: Terminal, session: SessionId) =>
    (await terminal.service(store).reader.sessions(true)).find((row) => row.session === session)

  it('shows live prices and bars of a session that it joins in the middle, and says who records', async () => {
    const now = Date.now()
    recorder.record([...opening(now - 2_000), trade(100, now - 2_000), trade(103, now - 1_500)])
    await sink.done()
    const terminal = await terminalOf()
    const joined = await follow(terminal, 'team', {}, (state) => state?.sessions[0]?.phase === 'live')
    expect(joined).toMatchObject({ name: `${TEAM}${n}`, isGiven: true })
    const { status: read } =
      (await follow(terminal, 'team.status', {}, (value) => (value?.status ?? null) !== null)) ?? {}
    expect(read?.shards).toMatchObject([{ shard: 1, sessions: [{ endedMs: null, committedSeq: null, behind: null }] }])
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

  it('reads two recorders of a shard as one: the first was stopped and came back, the clock of the second is an hour off', async () => {
    const now = Math.floor(Date.now() / 1_000) * 1_000
    const hour = 3_600_000
    const at = (second: number, recvMs: number): Item => ({
      conn: 1,
      data: tradeText('BTC-USD', second, 1, now - 60_000 + second * 1_000),
      recvMs,
    })
    const seconds = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
    const ms = (second: number) => now - 60_000 + second * 1_000
    const startedMs = unixMs(ms(0))
    const sinks = [new NatsSink(log), new NatsSink(log)]
    const stopped = new Recorder(sinks[0], 1, { session: newSessionId(startedMs), startedMs, epoch: 3 })
    stopped.record([...opening(ms(0)), ...seconds(1, 20).map((second) => at(second, ms(second) + 20))])
    // What waited in its socket.
    stopped.record(seconds(20, 50).map((second) => at(second, ms(50))))
    const laterMs = unixMs(ms(26) + hour)
    const standby = new Recorder(sinks[1], 1, {
      session: newSessionId(laterMs),
      startedMs: laterMs,
      epoch: 8,
    })
    standby.record([...opening(ms(26) + hour), ...seconds(27, 59).map((second) => at(second, ms(second) + 20 + hour))])
    await Promise.all([sink, ...sinks].map((one) => one.done()))
    const terminal = await terminalOf()
    await lastPrice(terminal, 58)
    const { reader } = terminal.service(store)
    const source = `team:*@${TEAM}${n}`
    const prices: number[] = []
    const query = { feed, instruments: [BTC], source }
    await vi.waitFor(async () => expect((await stored(terminal, stopped.info.session))?.messages).toBe(49))
    for await (const run of reader.ticks(query)) prices.push(...run.column('p'))
    expect(prices.toSorted((a, b) => a - b)).toEqual(seconds(1, 59))
    // The standby counts from a second after its acknowledgement on.
    expect(prices.slice(0, 26)).toEqual(seconds(1, 27))
    const { bars } = await reader.bars({
      source,
      instrument: BTC,
      of: 'trade',
      interval: '1s',
      beforeMs: null,
      limit: 100,
    })
    expect(bars.map(({ count }) => count)).toEqual(seconds(1, 59).map(() => 1))
    expect((await reader.sessions(true)).map(({ epoch }) => epoch)).toEqual(expect.arrayContaining([3, 8]))
  })

  it('says what is wrong when the servers can’t be reached, and connects once they can', async () => {
    await sink.done()
    await server.kill()
    const terminal = await terminalOf()
    const failed = await follow(terminal, 'team', {}, (state) => state?.link.is === 'failed')
    expect(failed?.link).toMatchObject({
      why: { code: 'offline', message: expect.stringContaining('reach') as string },
    })
    // What is wanted is lost: whether somebody records it isn't known.
    const states = new Set(terminal.status().feeds.map(({ state, missing }) => `${state.is} ${missing.length > 0}`))
    expect(states).toEqual(new Set(['waiting true', 'idle false']))
    await server.start()
    await follow(terminal, 'team', {}, (state) => state?.link.is === 'connected')
  })

  it('says that the servers refuse its user, and follows again once they accept it', async () => {
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const terminal = await terminalOf()
    await lastPrice(terminal, 100)
    const users = '\nauthorization { users: [ { user: x, password: x } ] }\n'
    onTestFinished(() => server.configure((config) => config.replace(users, '')))
    server.configure((config) => `${config}${users}`)
    const failed = await follow(terminal, 'team', {}, (state) => state?.link.is === 'failed')
    expect(failed?.link).toMatchObject({
      why: { code: 'unauthorized', message: expect.stringContaining('refused the credentials') as string },
    })
    await follow(terminal, 'quotes', { view: 'live', instruments: [BTC] }, ({ rows: [row] }) => row?.freshness === 'disconnected') // oxfmt-ignore
    server.configure((config) => config.replace(users, ''))
    await follow(terminal, 'team', {}, (state) => state?.link.is === 'connected')
    await expect.poll(() => log.state().is, { timeout: 20_000 }).toBe('connected')
    recorder.record([trade(101, Date.now())])
    await sink.done()
    await lastPrice(terminal, 101)
    expect(terminal.status().gapsToday).toBe(0)
  })

  it('says that a recorder is gone although it never ended, lets its prices age, and follows the standby', async () => {
    // Timers run on a clock of this test, so that a slow machine doesn't look like a silent recorder.
    const manual = manualClock(Date.now())
    const clock: Clock = { ...manual, wallMs: systemClock.wallMs }
    recorder.info.key = `U${'A'.repeat(55)}`
    sink.put({ ...recorder.info })
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const { session } = recorder.info
    const report = { role: 'recorder', name: 'paris', shard: 1, epoch: 1, spoolBytes: 0, spoolLimitBytes: null, unpublished: 0, trouble: null, sessions: [session] } as const // oxfmt-ignore
    let isAlive = true
    let isOver = false
    // It reports each second. The server confirms a report before more time passes.
    const passing = (async () => {
      while (!isOver) {
        if (isAlive) await log.bucket('reports').put('recorder.x', encodeReport(report))
        await manual.pass(1_000)
        await sleep(10)
      }
    })()
    onTestFinished(async () => {
      isOver = true
      await passing
    })
    const terminal = await terminalOf(undefined, clock)
    const goneOf = (state: StreamValue<'team'>) =>
      state?.sessions.find((one) => one.session === session)?.goneMs ?? null
    const { rows } = await lastPrice(terminal, 100)
    expect(rows[0].freshness).toBe('live')
    // Longer than it may be silent, and its feed is.
    const from = clock.monoNs()
    await expect.poll(() => clock.monoNs() - from).toBeGreaterThan(25e9)
    expect(goneOf(await follow(terminal, 'team', {}, (state) => state !== null))).toBeNull()
    isAlive = false
    const gone = await follow(terminal, 'team', {}, (state) => goneOf(state) !== null)
    expect(goneOf(gone)).toBeGreaterThan(recorder.info.startedMs)
    const aged = await follow(terminal, 'quotes', { view: 'live', instruments: [BTC] }, ({ rows: [row] }) => row?.freshness === 'disconnected') // oxfmt-ignore
    expect(aged.rows[0].last).toBe(100)
    const standby = new Recorder(new NatsSink(log), 2, { session: newSessionId(unixMs(Date.now())), startedMs: unixMs(Date.now()), epoch: 2, recorder: 'tokyo' }) // oxfmt-ignore
    standby.record([...opening(Date.now()), trade(104, Date.now())])
    const { rows: live } = await lastPrice(terminal, 104)
    expect(live[0].freshness).toBe('live')
    expect(terminal.status().gapsToday).toBe(0)
  })

  it('follows with the trusted keys of a team that is joined again', async () => {
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const terminal = await terminalOf()
    await lastPrice(terminal, 100)
    // Its options chose the team.
    expect((await call(terminal, 'account.get', {})).isTeamGiven).toBe(true)
    await expect(call(terminal, 'team.leave', {})).rejects.toThrow(
      `Tapedeck was started with options that set team ${TEAM}${n}.`,
    )
    const input = { name: `${TEAM}${n}`, upstream: server.url, history: '', ca: '', allowOldNats: true, trust: '' }
    await call(terminal, 'team.join', { ...input, trust: `U${'A'.repeat(55)} paris` })
    const joined = await follow(terminal, 'team', {}, (state) => state?.sessions[0]?.phase === 'stopped')
    expect(joined).toMatchObject({ isTrusting: true, isGiven: false })
    expect(joined?.sessions[0].why?.message).toMatch(/isn’t signed/)
    recorder.record([trade(101, Date.now())])
    await sink.done()
    await call(terminal, 'team.join', input)
    await lastPrice(terminal, 101)
    expect((await call(terminal, 'account.get', {})).isTeamGiven).toBe(false)
    expect((await call(terminal, 'team.leave', {})).source).toBe('demo')
  })

  it('knows what is recorded after a restart in which nothing new came', async () => {
    recorder.record([...opening(Date.now()), trade(100, Date.now())])
    await sink.done()
    const home = makeFolder('restarted')
    const first = await terminalOf(home)
    await lastPrice(first, 100)
    await first.close()
    const terminal = await terminalOf(home)
    const status = () => terminal.status().feeds.find((one) => one.feed === feed)
    await vi.waitFor(() => expect(status()).toMatchObject({ state: { is: 'open' }, acknowledged: ['BTC-USD'] }), { timeout: 20_000 }) // oxfmt-ignore
    const quotes = { view: 'live', instruments: [BTC] }
    await follow(terminal, 'quotes', quotes, ({ rows: [row] }) => row?.stored?.price === 100)
    recorder.record([trade(101, Date.now())])
    await lastPrice(terminal, 101)
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
