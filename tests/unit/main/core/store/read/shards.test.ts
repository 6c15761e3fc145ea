import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadParts } from '../../../../../../src/main/core/playback/replay-parts.ts'
import { intersectGaps } from '../../../../../../src/main/core/store/read/gap-intervals.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import type { BarQuery } from '../../../../../../src/main/core/store/types/bars.ts'
import { createViewHistory } from '../../../../../../src/main/core/views/history.ts'
import { exportBars } from '../../../../../../src/main/features/export/bars.ts'
import { exportTicks } from '../../../../../../src/main/features/export/ticks.ts'
import { chooseSource } from '../../../../../../src/main/features/export/options.ts'
import { visibleSessions } from '../../../../../../src/main/core/views/view-sessions.ts'
import { hubCalendar } from '../../../../../../src/main/core/market/hub-calendar.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { openedReplay } from '../../../terminal/opened-replay.ts'
import { T0, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { Replica } from '../replica-harness.ts'

const DAY = 86_400_000
const TEAM = 'team:*@eu'
const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const SOL = instrumentId('crypto', 'SOL-USD')

let folder: ReturnType<typeof makeStoreFolder>
let engine: StoreEngine
let reader: LocalReader
let now = T0
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: T0 + 60_000 })
  folder = makeStoreFolder()
  now = T0
  engine = new StoreEngine(folder.file, () => now)
  reader = openLocalReader(folder.file)
})
afterEach(async () => {
  await reader.close()
  engine.close()
  folder.remove()
  vi.useRealTimers()
})

/** A trade whose price is its second. */
const at = (symbol: string, second: number): Item => ({
  conn: 1,
  data: tradeText(symbol, second, 1, T0 + second * 1_000),
  recvMs: T0 + second * 1_000,
})
const acknowledged = (second: number, ...symbols: string[]): Item => ({
  entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols },
  wallMs: T0 + second * 1_000,
})
const seal = (): void => {
  now += SEAL_AFTER_MS
  engine.drain()
}
const bars = async (query: Partial<BarQuery> = {}) => {
  const page = await reader.bars({
    instrument: BTC,
    of: 'trade',
    interval: '1s',
    source: TEAM,
    beforeMs: null,
    limit: 100,
    ...query,
  })
  return {
    ...page,
    seconds: page.bars.map(({ startMs, count }) => (startMs - T0) / 1_000 + (count === 1 ? 0 : count * 1_000)),
    incomplete: page.bars.filter(({ complete }) => !complete).map(({ startMs }) => (startMs - T0) / 1_000),
  }
}

/** Two shards with an instrument each, and shard 2 away for a while. */
function twoShards(): readonly [Replica, Replica] {
  const one = new Replica(engine, 1, T0)
  one.add(acknowledged(0, 'BTC-USD'), at('BTC-USD', 1), at('BTC-USD', 2))
  const two = new Replica(engine, 2, T0 + 500)
  two.add(acknowledged(1, 'ETH-USD'), at('ETH-USD', 2), at('ETH-USD', 3))
  return [one, two]
}

describe.each([true, false])('bars of all shards of a team, sealed: %s', (isSealed) => {
  it('come from every open session, and none hides or interrupts another', async () => {
    const [one, two] = twoShards()
    one.add(at('BTC-USD', 8), at('BTC-USD', 9))
    if (isSealed) seal()
    const btc = await bars()
    expect(btc.seconds).toEqual([1, 2, 8, 9])
    expect(btc.overlaps).toBeUndefined()
    expect(btc.incomplete).toEqual([])
    expect((await bars({ instrument: ETH })).seconds).toEqual([2, 3])
    expect((await bars({ instrument: SOL })).seconds).toEqual([])
    expect((await bars({ source: 'team:2@eu' })).seconds).toEqual([])
    await expect(bars({ source: 'team:*@us' })).resolves.toMatchObject({ seconds: [] })
    two.end(T0 + 4_000)
    expect((await bars()).seconds).toEqual([1, 2, 8, 9])
  })

  it('end at the last seq that the market has of each session', async () => {
    const [one, two] = twoShards()
    if (isSealed) seal()
    const upTo = (...limits: [SessionId, number][]) => new Map(limits)
    expect((await bars({ upTo: upTo([one.id, 2], [two.id, 3]) })).seconds).toEqual([1])
    expect((await bars({ upTo: upTo([one.id, 3], [two.id, 1]) })).seconds).toEqual([1, 2])
    expect((await bars({ instrument: ETH, upTo: upTo([one.id, 2], [two.id, 2]) })).seconds).toEqual([2])
    // A shard without an open session isn't limited, and a session that began after the last one with a limit is.
    const later = new Replica(engine, 2, T0 + 10_000)
    later.add(acknowledged(11, 'ETH-USD'), at('ETH-USD', 12))
    if (isSealed) seal()
    expect((await bars({ instrument: ETH, upTo: upTo([one.id, 2], [two.id, 2]) })).seconds).toEqual([2])
    expect((await bars({ instrument: ETH, upTo: upTo([one.id, 2], [later.id, 2]) })).seconds).toEqual([2, 3, 12])
    expect((await bars({ instrument: ETH, upTo: upTo([one.id, 2]) })).seconds).toEqual([2, 3, 12])
    expect((await bars({ upTo: new Map() })).seconds).toEqual([1, 2])
  })

  it('count the session of a shard that began last, and the earlier one where that has ended', async () => {
    const first = new Replica(engine, 1, T0)
    first.add(acknowledged(0, 'BTC-USD'), at('BTC-USD', 1), at('BTC-USD', 4))
    const standby = new Replica(engine, 1, T0 + 2_000)
    standby.add(acknowledged(2, 'BTC-USD'), at('BTC-USD', 3), at('BTC-USD', 4), at('BTC-USD', 6))
    if (isSealed) seal()
    expect((await bars()).seconds).toEqual([1, 3, 4, 6])
    // It was connected, so it received the sixth second as well. It counts there: the other one may have ended at its start.
    first.add(at('BTC-USD', 6), at('BTC-USD', 7))
    if (isSealed) seal()
    const page = await bars()
    expect(page.seconds).toEqual([1, 3, 4, 6, 7])
    expect(page.overlaps).toMatchObject([{ source: 'team:1@eu', earlier: first.id, later: standby.id }])
  })

  it('are incomplete in a gap of the only shard that has the instrument', async () => {
    const [one] = twoShards()
    const cause = { feed: 'crypto/XT', cause: 'drop', symbols: [] } as const
    one.add({ entry: { type: 'gap-open', ...cause, fromMs: unixMs(T0 + 2_100) } })
    one.add({ entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 4 }, wallMs: T0 + 2_900 })
    new Replica(engine, 3, T0).add(at('SOL-USD', 1))
    if (isSealed) seal()
    expect((await bars()).incomplete).toEqual([2])
  })

  it('join an instrument that moved to another shard, incomplete only while no shard received it', async () => {
    const one = new Replica(engine, 1, T0)
    one.add(acknowledged(0, 'BTC-USD'), at('BTC-USD', 1), {
      entry: { type: 'released', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] },
      wallMs: T0 + 2_000,
    })
    const two = new Replica(engine, 2, T0 + 100)
    two.add(acknowledged(4, 'BTC-USD'), at('BTC-USD', 4), at('BTC-USD', 5), at('BTC-USD', 6))
    if (isSealed) seal()
    const page = await bars()
    expect(page.seconds).toEqual([1, 4, 5, 6])
    expect(page.incomplete).toEqual([])
    const minute = await bars({ interval: '5s' })
    expect(minute.incomplete).toEqual([0])
  })
})

it('bars of a replica that its recorder abandoned are incomplete at its end', async () => {
  const one = new Replica(engine, 1, T0)
  one.add(acknowledged(0, 'BTC-USD'), at('BTC-USD', 1), at('BTC-USD', 100))
  expect((await bars()).incomplete).toEqual([])
  vi.setSystemTime(T0 + 3 * DAY)
  expect((await bars()).incomplete).toEqual([100])
})

describe('other reads of all shards of a team', () => {
  it('see every shard: sessions, gaps, instruments and messages', async () => {
    const [one, two] = twoShards()
    two.add({ entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0) } })
    const instruments = await reader.instruments({ feed: 'crypto/XT', source: TEAM })
    expect(instruments.map(({ instrument }) => instrument).sort()).toEqual([BTC, ETH])
    expect((await reader.gaps({ source: TEAM })).map(({ session }) => session)).toEqual([two.id])
    expect(await reader.gaps({ source: 'team:1@eu' })).toEqual([])
    const seqs: number[] = []
    for await (const run of reader.ticks({ feed: 'crypto/XT', instruments: null, source: TEAM })) seqs.push(run.count)
    expect(seqs.reduce((a, b) => a + b)).toBe(4)
    expect((await reader.extent({ feed: 'crypto/XT', instruments: null, source: TEAM })).messages).toBe(4)
    await expect(reader.instruments({ feed: 'crypto/XT' })).rejects.toMatchObject({ code: 'ambiguous-source' })
    const rows = await reader.sessions()
    expect(chooseSource(rows, 'crypto/XT', { source: TEAM })).toMatchObject({ source: TEAM, overlaps: [] })
    expect(() => chooseSource(rows, 'crypto/XT', {})).toThrow('several sources')
    const live = { source: TEAM, nowMs: T0, upTo: null, past: false }
    expect((await visibleSessions(reader, live)).map(({ session }) => session)).toEqual([one.id, two.id])
  })

  it('export ticks and bars of every shard', async () => {
    twoShards()
    const out = join(folder.path, 'ticks.csv')
    const format = { source: TEAM, out, format: 'csv' } as const
    const ticks = await exportTicks(reader, { ...format, feed: 'crypto/XT' })
    expect(ticks.rows).toBe(4)
    const barsOf = {
      ...format,
      out: join(folder.path, 'bars.csv'),
      asset: 'crypto',
      of: 'trade',
      interval: '1s',
    } as const
    expect((await exportBars(reader, barsOf)).rows).toBe(4)
  })

  it.each([true, false])('leave out what comes after a replay, copied in order: %s', async (isInOrder) => {
    const copied = (isInOrder ? [0, 60] : [60, 0]).map((second) => {
      const session = new Replica(engine, 1, T0 + second * 1_000)
      session.add(at('BTC-USD', second + 1), {
        entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + second) },
      })
      session.end(T0 + second * 1_000 + 50_000)
      return session
    })
    const [early, late] = isInOrder ? copied : copied.toReversed()
    const view = { source: 'team:1@eu', nowMs: T0 + 2_000, upTo: new Map([[early.id, 1]]), past: true }
    expect((await visibleSessions(reader, view)).map(({ session }) => session)).toEqual([early.id])
    expect((await bars({ source: 'team:1@eu', upTo: new Map([[early.id, 1]]) })).seconds).toEqual([1])
    const replay = await openedReplay(reader, [early.id])
    await replay.seek({ at: 'end' })
    expect((await replay.view.history.printsBefore(BTC, null, 10)).prints.map(({ price }) => price)).toEqual([1])
    expect(await replay.view.history.gaps('crypto/XT', BTC, -Infinity, T0 + 90_000)).toHaveLength(1)
    await replay.close()
    const both = await openedReplay(reader, [late.id, early.id])
    expect(both.state().sessions.map(({ session }) => session)).toEqual([early.id, late.id])
    await both.close()
  })

  it('let a replay of an open session grow as it is copied, until it ends', async () => {
    const one = new Replica(engine, 1, T0)
    one.add(at('BTC-USD', 1))
    const replay = await openedReplay(reader, [one.id])
    const endMs = () => replay.state().toMs
    expect(endMs()).toBe(T0 + 1_000)
    one.add(at('BTC-USD', 7))
    replay.grow()
    await vi.waitFor(() => expect(endMs()).toBe(T0 + 7_000))
    await replay.close()
  })

  it('play a standby from the end of an open session whose recorder died', async () => {
    const died = new Replica(engine, 1, T0)
    died.add(at('BTC-USD', 1), at('BTC-USD', 3))
    const standby = new Replica(engine, 1, T0 + 2_000)
    standby.add(at('BTC-USD', 4))
    const { parts } = await loadParts(reader, [died.id, standby.id])
    expect(parts.map(({ session }) => session)).toEqual([died.id, standby.id])
  })
})

it('the history of a view continues several sessions: prints by time, and no gaps that the hub has', async () => {
  const [one, two] = twoShards()
  two.add({ entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0) } })
  two.add(at('BTC-USD', 1.5))
  const present = new Map([
    [one.id, one.seq],
    [two.id, two.seq],
  ])
  const committed: unknown[] = []
  const history = createViewHistory({
    reader,
    source: () => TEAM,
    present: () => present,
    committed: async (upTo) => committed.push(upTo) > 0,
    wallMs: () => T0 + 10_000,
    days: (asset) => hubCalendar.days(asset),
    failed: (what) => expect.unreachable(what),
  })
  expect((await history.prints(BTC, 10)).map(({ price }) => price)).toEqual([1, 1.5, 2])
  expect((await history.prints(BTC, 2)).map(({ price }) => price)).toEqual([1.5, 2])
  present.set(two.id, 3)
  expect((await history.prints(BTC, 10)).map(({ price }) => price)).toEqual([1, 2])
  expect(committed.at(-1)).toBe(present)
  expect(await history.gaps('crypto/XT', ETH, -Infinity)).toEqual([])
  expect(await history.gaps('crypto/XT', ETH, -Infinity, T0 + 9_000)).toHaveLength(1)
  const newest = await history.printsBefore(ETH, null, 10)
  expect(newest.prints.map(({ price }) => price)).toEqual([2, 3])
})

describe('intervals without reception', () => {
  const gap = (fromMs: number, toMs: number | null, skewMs = 0) => ({ fromMs, toMs, skewMs })
  it.each([
    [[gap(0, 10)], [gap(5, 20)], [gap(5, 10)]],
    [[gap(0, 10)], [gap(11, 20)], []],
    [[gap(0, null, 3)], [gap(5, null, 2)], [gap(5, null, 3)]],
    [[gap(-Infinity, 10), gap(20, null)], [gap(5, 30)], [gap(5, 10), gap(20, 30)]],
    [[gap(7, 7)], [gap(5, 9)], [gap(7, 7)]],
    [[gap(0, 10)], [], []],
    [
      [{ fromMs: 0, toMs: 1, unreadable: 'ledger' as const }],
      [],
      [{ fromMs: 0, toMs: 1, unreadable: 'ledger' as const }],
    ],
  ])('%j and %j: %j', (a, b, both) => {
    expect(intersectGaps(a, b)).toEqual(both)
  })
})
