/** A replay of a team: its shards play as one (decision 61), whatever one seeks, steps or asks for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { barsPage } from '../../../../../src/main/core/views/views.ts'
import { Player } from '../../../../../src/main/features/replay/player.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { loadPlayable, type Playable } from '../../../../../src/main/features/replay/play/playable.ts'
import {
  startReplayServer,
  type ReplayServer,
  type ReplayServerOptions,
} from '../../../../../src/main/features/replay/serve/replay-server.ts'
import { playTeam } from '../../../../../src/main/features/replay/play-team.ts'
import type { OpenReplay } from '../../../../../src/main/features/replay/replay-view.ts'
import { readMessages } from '../../../../../src/main/features/evidence/messages.ts'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { Replica } from '../../core/store/replica-harness.ts'
import { openedReplay } from '../../terminal/opened-replay.ts'
import { emptyMarket, rowsOf } from './live.ts'

const FEED = 'crypto/XT'
const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
let folder: ReturnType<typeof makeStoreFolder>
let engine: StoreEngine
let reader: LocalReader
const replays: OpenReplay[] = []
const servers: ReplayServer[] = []
beforeEach(() => {
  base = T0
  folder = makeStoreFolder()
  engine = new StoreEngine(folder.file, () => T0)
  reader = openLocalReader(folder.file)
})
afterEach(async () => {
  for (const one of replays.splice(0)) await one.close()
  for (const one of servers.splice(0)) await one.close()
  await reader.close()
  engine.close()
  folder.remove()
})

/** Seconds count from here, UTC ms. */
let base = T0
const second = (n: number): number => base + n * 1_000
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

const begin = (symbols: readonly string[], at: number, conn = 1): Item[] => [
  { entry: { type: 'connecting', feed: FEED, conn }, wallMs: second(at) },
  { entry: { type: 'connected', feed: FEED, conn }, wallMs: second(at) },
  { entry: { type: 'subscribe', feed: FEED, conn, symbols }, wallMs: second(at) },
  { entry: { type: 'acknowledged', feed: FEED, conn, symbols }, wallMs: second(at) },
  { entry: { type: 'state', feed: FEED, conn, state: 'open' }, wallMs: second(at) },
]
const trade = (symbol: string, at: number, price: number): Item => ({
  conn: 1,
  data: tradeText(symbol, price, 1, second(at)),
  recvMs: second(at) + 20,
})
const trades = (symbol: string, seconds: readonly number[], shard: number): Item[] =>
  seconds.map((at) => trade(symbol, at, at + shard / 10))

/** Shard 1 with BTC from 2 to 150 s; shard 2 with ETH to 100 s, and from 80 s by the recorder that takes it over. */
function recordTeam() {
  const early = new Replica(engine, 2, second(0), { epoch: 2 })
  early.add(...begin(['ETH-USD'], 0), ...trades('ETH-USD', range(1, 100), 2))
  early.end(second(100))
  const other = new Replica(engine, 1, second(1))
  other.add(...begin(['BTC-USD'], 1), ...trades('BTC-USD', range(2, 150), 1))
  other.end(second(150))
  const late = new Replica(engine, 2, second(80), { epoch: 5 })
  late.add(...begin(['ETH-USD'], 80), ...trades('ETH-USD', range(81, 160), 2))
  late.end(second(160))
  return { early, other, late }
}

const digestUpTo = async (toMs: number) => {
  const context = { clock: systemClock, signal: new AbortController().signal }
  return playTeam({ reader, source: 'team:*@eu', speed: 'max', fromMs: -Infinity, toMs, context })
}

function playerOf(playable: Playable) {
  const of = emptyMarket()
  const player = new Player({
    reader: playable.reader,
    parts: playable.parts,
    market: playable.into(of.market),
    newMarket: () => playable.into(emptyMarket().market),
    realMs: () => performance.now(),
    after: (ms, then) => systemClock.after(ms, then),
    changed: () => undefined,
  })
  return { player, of }
}

async function opened(sessions: readonly Replica[], team = true): Promise<OpenReplay> {
  const replay = await openedReplay(reader, sessions.map(({ id }) => id), team) // oxfmt-ignore
  replays.push(replay)
  await replay.seek({ at: 'start' })
  return replay
}

describe('a replay of a team', () => {
  it('plays all shards and both recorders of one as `replay --source` does, to the same digest', async () => {
    const { early, other, late } = recordTeam()
    const whole = await digestUpTo(Infinity)
    // Opened with any of the sessions that began first and ended last, or with all of them.
    const playable = await loadPlayable(reader, { sessions: [early.id, other.id, late.id], team: true })
    expect(playable).toMatchObject({ source: 'team:*@eu' })
    const { player, of } = playerOf(playable)
    await player.seekStart()
    player.speed('max')
    player.play(true)
    while (!player.state.ended) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(of.digest()).toBe(whole?.digest)
    expect(player.state).toMatchObject({ messages: 148 + 159, exactness: { is: 'not comparable' }, problem: null })
    player.close()
  })

  it.each([30.5, 61, 90, 101, 149.5])('is at %s s what playing up to there makes', async (at) => {
    const { early, other, late } = recordTeam()
    const playable = await loadPlayable(reader, { sessions: [early, other, late].map(({ id }) => id), team: true })
    const { player, of } = playerOf(playable)
    const there = await digestUpTo(second(at) + 0.001)
    await player.seek(second(at))
    expect(of.digest()).toBe(there?.digest)
    const rows = rowsOf(of.hub, second(at))
    const place = playable.limitsAt(player.present)
    // From the end back to it, and from a step before and after it.
    await player.seek(second(160))
    await player.seek(second(at))
    expect([of.digest(), rowsOf(of.hub, second(at))]).toEqual([there?.digest, rows])
    await player.stepMessage(true)
    expect(of.digest()).not.toBe(there?.digest)
    await player.stepMessage(false)
    await player.stepMessage(false)
    await player.stepMessage(true)
    expect(of.digest()).toBe(there?.digest)
    const messagesOf = (limits: typeof place) => [...limits].filter(([, seq]) => seq > 5)
    expect(messagesOf(playable.limitsAt(player.present)).length).toBe(messagesOf(place).length)
    player.close()
  })

  it('is as long as the session that it was opened with, and shows what the others had then', async () => {
    const { other } = recordTeam()
    const replay = await opened([other])
    expect(replay.state()).toMatchObject({
      source: 'team:*@eu',
      opened: [other.id],
      team: true,
      fromMs: second(1),
      toMs: second(150),
    })
    expect(replay.state().sessions.length).toBe(3)
    await replay.seek({ at: 'ms', ms: second(20) })
    const { hub } = replay.view
    expect([hub.cell(BTC).last, hub.cell(ETH).last]).toEqual([19.1, 19.2])
    // The session of the last message that counted.
    expect(replay.state().at?.session).toBeDefined()
    const alone = await opened([other], false)
    await alone.seek({ at: 'ms', ms: second(20) })
    expect(alone.state()).toMatchObject({ source: 'team:1@eu', team: false })
    expect(alone.view.hub.find(ETH)).toBeUndefined()
  })

  it('plays a session alone whole, also what counts in another one', async () => {
    const { late } = recordTeam()
    const alone = await opened([late], false)
    await alone.seek({ at: 'end' })
    expect(alone.player.feeds().find(({ feed }) => feed === FEED)?.received).toBe(79)
    expect(alone.view.hub.cell(ETH).last).toBe(159.2)
  })

  it('shows nothing that arrived later, of any session', async () => {
    const { early, other, late } = recordTeam()
    const replay = await opened([early, other, late])
    await replay.seek({ at: 'ms', ms: second(60) + 500 })
    for (const [instrument, shard] of [
      [BTC, 1],
      [ETH, 2],
    ] as const) {
      const query = { instrument, of: 'trade', interval: '1s', beforeMs: null, limit: 500 } as const
      const { bars } = await barsPage(reader, replay.view, { ...query, afterMs: undefined })
      expect(bars.at(-1)).toMatchObject({ startMs: second(60), close: 60 + shard / 10 })
      const prints = await replay.view.history.prints(instrument, 3)
      expect(prints.map(({ price }) => price)).toEqual([58, 59, 60].map((at) => at + shard / 10))
    }
    expect(await replay.view.history.gaps(FEED, ETH, -Infinity)).toEqual([])
  })

  it('finds the message of a trade in its own session, where another one has a message with this seq', async () => {
    const { early, other, late } = recordTeam()
    const replay = await opened([early, other, late])
    await replay.seek({ at: 'ms', ms: second(90) + 500 })
    for (const [instrument, price] of [
      [BTC, 90.1],
      [ETH, 90.2],
    ] as const) {
      const [print] = await replay.view.history.prints(instrument, 1)
      expect(print.price).toBe(price)
      const view = { source: 'team:*@eu', nowMs: second(91), upTo: replay.view.upTo() ?? null, past: true }
      const what = { is: 'print', session: null, seq: print.seq, recvMs: print.recvMs } as const
      const { messages } = await readMessages(reader, view, { view: 'x', instrument, what, after: null, limit: 10 })
      expect(messages[0].read.values.map(({ value: read }) => read)).toContain(price)
      expect(messages[0].session).toBe(instrument === BTC ? other.id : late.id)
    }
  })
})

describe('gaps and ends in a replay of a team', () => {
  it('are of the symbols of their shard, and of none if another recorder filled them', async () => {
    const one = new Replica(engine, 1, second(0), { epoch: 1 })
    one.add(...begin(['BTC-USD'], 0), ...trades('BTC-USD', range(1, 20), 1))
    const openedSeq = one.seq + 2
    one.add(
      { entry: { type: 'state', feed: FEED, conn: 1, state: 'waiting' }, wallMs: second(20) },
      { entry: { type: 'gap-open', feed: FEED, cause: 'drop', symbols: [], fromMs: unixMs(second(19)) }, wallMs: second(20) }, // oxfmt-ignore
    )
    one.add(
      { entry: { type: 'state', feed: FEED, conn: 1, state: 'open' }, wallMs: second(30) },
      { entry: { type: 'gap-close', feed: FEED, openedSeq }, wallMs: second(30) },
      ...trades('BTC-USD', range(31, 60), 1),
    )
    one.end(second(60))
    // Two recorders have ETH; the earlier one loses it while the later one has it.
    const two = new Replica(engine, 2, second(0), { epoch: 2 })
    two.add(...begin(['ETH-USD'], 0), ...trades('ETH-USD', range(1, 15), 2))
    const alsoOpened = two.seq + 1
    two.add(
      { entry: { type: 'gap-open', feed: FEED, cause: 'drop', symbols: [], fromMs: unixMs(second(14)) }, wallMs: second(15) }, // oxfmt-ignore
      { entry: { type: 'gap-close', feed: FEED, openedSeq: alsoOpened }, wallMs: second(25) },
      ...trades('ETH-USD', range(26, 40), 2),
    )
    two.end(second(40))
    const three = new Replica(engine, 2, second(5), { epoch: 3 })
    three.add(...begin(['ETH-USD'], 5), ...trades('ETH-USD', range(6, 90), 2))
    three.end(second(90))

    const replay = await opened([one, two, three])
    const { gaps } = await replay.timeline({ fromMs: second(0), toMs: second(90), buckets: 1 })
    expect(gaps.filter(({ cause }) => cause === 'drop')).toMatchObject([
      { session: one.id, symbols: ['BTC-USD'], fromMs: second(19), toMs: second(30) },
    ])
    await replay.seek({ at: 'ms', ms: second(19) + 500 })
    const { hub, history } = replay.view
    const gapsOf = async (id: typeof BTC) => [hub.gaps(FEED, id).length, (await history.gaps(FEED, id, second(0))).length] // oxfmt-ignore
    // Nobody knew of it yet.
    expect(await gapsOf(BTC)).toEqual([0, 0])
    await replay.seek({ at: 'ms', ms: second(22) })
    expect(hub.gaps(FEED, BTC)).toMatchObject([{ cause: 'drop', fromMs: second(19), toMs: null }])
    expect(await gapsOf(ETH)).toEqual([0, 0])
    const freshness = (id: typeof BTC) => hub.row(hub.cell(id), replay.player.nowMs).freshness
    expect([freshness(BTC), freshness(ETH)]).toEqual(['disconnected', 'live'])
    await replay.seek({ at: 'ms', ms: second(35) })
    expect(hub.gaps(FEED, BTC)).toMatchObject([{ cause: 'drop', fromMs: second(19), toMs: second(30) }])
    expect([freshness(BTC), freshness(ETH)]).toEqual(['live', 'live'])
    // The first shard ends before the second one.
    await replay.seek({ at: 'ms', ms: second(70) })
    expect(freshness(BTC)).not.toBe('live')
    expect(freshness(ETH)).toBe('live')
    expect(hub.gaps(FEED, BTC).at(-1)).toMatchObject({ cause: 'quit', fromMs: second(60), toMs: null })
    await replay.seek({ at: 'previous gap' })
    expect(replay.player.nowMs).toBe(second(60))
  })

  it('grows with what its sessions record, after what was there', async () => {
    base = Date.now() - 60_000
    const one = new Replica(engine, 1, second(0))
    one.add(...begin(['BTC-USD'], 0), ...trades('BTC-USD', range(1, 20), 1))
    const two = new Replica(engine, 2, second(0))
    two.add(...begin(['ETH-USD'], 0), ...trades('ETH-USD', range(1, 12), 2))
    const playable = await loadPlayable(reader, { sessions: [one.id], team: true })
    const { player, of } = playerOf(playable)
    await player.seek(second(20))
    expect(of.hub.cell(ETH).last).toBe(11.2)
    // What the second shard had recorded before the last message of the first one comes after it.
    two.add(...trades('ETH-USD', range(12, 30), 2))
    one.add(...trades('BTC-USD', range(20, 25), 1))
    const grown = await playable.grow(() => true)
    expect(grown).toMatchObject({ toMs: second(29) + 20 })
    if (grown !== null) player.grow(grown)
    await player.seek(second(30))
    expect([of.hub.cell(BTC).last, of.hub.cell(ETH).last]).toEqual([24.1, 29.2])
    expect([...playable.limitsAt(player.present).values()]).toEqual([one.seq, two.seq])
    const digest = of.digest()
    await player.seek(second(10))
    await player.seek(second(30))
    expect(of.digest()).toBe(digest)
    player.close()
  })
})

describe('a served team', () => {
  const served = async (options: Partial<ReplayServerOptions>): Promise<ReplayServer> => {
    const defaults = { reader, clock: systemClock, port: 0, speed: 'max', loop: false } as const
    const server = await startReplayServer({ ...defaults, served: { sessions: [] }, ...options })
    servers.push(server)
    return server
  }
  const linesOf = async (server: ReplayServer, query = '') => {
    const headers = { authorization: `Bearer ${server.apiKey}` }
    const text = await (await fetch(`${server.baseUrl}/replay${query}`, { headers })).text()
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { recv_ms: number; message: { p: number } }])) // oxfmt-ignore
  }

  it('is one stream of all shards in a range, each message once, with the clock anywhere in it', async () => {
    recordTeam()
    const range = { source: 'team:*@eu', fromMs: second(10) + 20, endMs: second(100) }
    const server = await served({ served: range })
    const lines = await linesOf(server)
    const times = lines.map((line) => line.recv_ms)
    expect(lines.length).toBe(90 + 90)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect([times[0], times[179]]).toEqual([second(10) + 20, second(99) + 20])
    expect(new Set(lines.map(({ message }) => message.p)).size).toBe(180)
    // From the middle, of the same recording.
    const from = `?from=${second(90)}&speed=max`
    expect(await linesOf(server, from)).toEqual(lines.filter((line) => line.recv_ms >= second(90)))
    expect(server.control({ atMs: second(50) })).toMatchObject({ atMs: second(50), fromMs: second(10) + 20 })
  })

  it('merges sessions of a team that are named, and plays one alone whole', async () => {
    const { early, late } = recordTeam()
    const both = await linesOf(await served({ served: { sessions: [early.id, late.id] } }))
    // 1 to 159 s: once, although both have 81 to 99 s.
    expect(both.map(({ message }) => Math.floor(message.p))).toEqual(range(1, 160))
    expect((await linesOf(await served({ served: { sessions: [late.id] } }))).length).toBe(79)
    await expect(served({ served: { sessions: [early.id, late.id] }, gapsDisconnect: true })).rejects.toMatchObject({
      code: 'usage',
    })
  })
})
