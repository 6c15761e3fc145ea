/** What a terminal claims as a gap of instruments that several recorders record. */
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hubCalendar } from '../../../../../../src/main/core/market/hub-calendar.ts'
import type { Hub } from '../../../../../../src/main/core/market/hub-types.ts'
import { createHub } from '../../../../../../src/main/core/market/hub.ts'
import { findGapChanges } from '../../../../../../src/main/features/team/follow/gaps/shard-gaps.ts'
import { TeamMarket } from '../../../../../../src/main/features/team/follow/team-market.ts'
import type { CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import { EDGE_MS } from '../../../../../../src/shared/core/recording/merged-sessions.ts'
import type { GapSpan, Reason } from '../../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs, type SessionId, type UnixMs } from '../../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { ENOUGH_LEADS } from '../../../../../../src/shared/core/recording/reception.ts'
import { feed, Session, time } from './sessions.ts'
import { settle } from './world.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const LOST: Reason = { code: 'offline', message: 'Away.', hint: '', closeCode: null }

let hub: Hub
/** The last seq of each session that the hub had been read up to, each time. */
let reads: ReadonlyMap<SessionId, number>[]
let market: TeamMarket
let copies: Session[]

beforeEach(() => begin())

function begin(): void {
  time.nowMs = T0
  copies = []
  reads = []
  hub = createHub({ calendar: hubCalendar, stateOf: (of, id) => market.stateOf(of, id) })
  market = new TeamMarket(
    {
      sink: hub,
      refresh: (context) => {
        reads.push(market.present())
        hub.restore(null, context)
      },
      entries: async (id, upToSeq) =>
        copies.find(({ info }) => info.session === id)?.entries.filter(({ seq }) => seq <= upToSeq) ?? [],
      wallMs: () => time.nowMs as UnixMs,
      wanted: () => ['BTC-USD'],
      failed: (what, thrown) => expect.unreachable(`${what} ${String(thrown)}`),
    },
    LOST,
  )
  market.setLost(null)
}

/** A session of shard 1: a later `n` has the later lease. */
const newSession = (n: number, epoch = n): Session =>
  new Session(n, { shard: 1, epoch, startedMs: time.nowMs as UnixMs, recorder: `recorder ${n}` })
const show = (session: Session, ...flushes: (readonly CommittedFlush[])[]): void =>
  market.show(session.info, flushes.flat())
const after = (ms: number): void => void (time.nowMs += ms)
const gaps = (id = BTC): readonly (readonly [from: number, to: number | null])[] =>
  hub.gaps(feed, id).map(({ fromMs, toMs }) => [fromMs - T0, toMs === null ? null : toMs - T0])

describe('a gap of one recorder of a shard', () => {
  it.each([
    { name: 'of the later lease', dropping: 1 },
    { name: 'of the earlier lease', dropping: 0 },
  ])('isn’t one $name while another one received, also once both are back', ({ dropping }) => {
    const both = [newSession(1), newSession(2)]
    for (const one of both) show(one, one.open('BTC-USD'))
    const down = both[dropping]
    const up = both[1 - dropping]
    after(10_000)
    show(up, up.trade('BTC-USD', 100))
    show(down, down.drop(time.nowMs - 200))
    expect(gaps()).toEqual([])
    after(5_000)
    show(up, up.trade('BTC-USD', 101))
    after(5_000)
    show(down, down.reconnect('BTC-USD'), down.trade('BTC-USD', 102))
    expect(gaps()).toEqual([])
    // Whatever makes the hub start again.
    market.reload()
    expect(gaps()).toEqual([])
    after(2_000)
    market.end(up.info.session, time.nowMs as UnixMs)
    market.reload()
    expect(gaps()).toEqual([])
  })

  it('is one while the other recorder doesn’t receive either, and only then', () => {
    const [one, two] = [newSession(1), newSession(2)]
    for (const each of [one, two]) show(each, each.open('BTC-USD'))
    after(10_000)
    show(two, two.drop(time.nowMs))
    after(5_000)
    show(one, one.drop(time.nowMs))
    // Within a second of an edge, two clocks can't tell.
    expect(gaps()).toEqual([[14_000, null]])
    after(5_000)
    show(one, one.reconnect('BTC-USD'))
    after(5_000)
    show(two, two.reconnect('BTC-USD'))
    expect(gaps()).toEqual([[14_000, 21_000]])
    market.reload()
    expect(gaps()).toEqual([[14_000, 21_000]])
  })

  it('is one as soon as the other one says that it had been cut off, too', () => {
    const [one, two] = [newSession(1), newSession(2)]
    for (const each of [one, two]) show(each, each.open('BTC-USD'))
    after(10_000)
    show(two, two.drop(time.nowMs))
    expect(gaps()).toEqual([])
    after(15_000)
    // It hadn't had a frame or pong since.
    show(one, one.drop(T0 + 9_500))
    expect(gaps()).toEqual([[10_000, null]])
    after(1_000)
    show(two, two.reconnect('BTC-USD'))
    expect(gaps()).toEqual([[10_000, 26_000]])
  })

  it('is no longer one once a session that was being read turns out to have received it', async () => {
    const two = newSession(2)
    show(two, two.open('BTC-USD'))
    const one = newSession(1)
    copies = [one]
    one.open('BTC-USD')
    after(10_000)
    show(two, two.drop(time.nowMs))
    expect(gaps()).toEqual([[10_000, null]])
    after(2_000)
    show(one, one.trade('BTC-USD', 1))
    await settle()
    expect(gaps()).toEqual([])
  })

  it('counts while the other recorder is gone, as far as known', () => {
    const [one, two] = [newSession(1), newSession(2)]
    for (const each of [one, two]) show(each, each.open('BTC-USD'))
    after(10_000)
    show(one, one.trade('BTC-USD', 1))
    after(20_000)
    market.setAway(new Map([[one.info.session, LOST]]))
    show(two, two.drop(time.nowMs))
    expect(gaps()).toEqual([[30_000, null]])
    // It had only been cut off from the team.
    market.setAway(new Map())
    show(one, one.trade('BTC-USD', 2))
    expect(gaps()).toEqual([])
  })

  it('that is over when it is heard of isn’t opened after the prices that came since', () => {
    const one = newSession(1)
    show(one, one.open('BTC-USD'), one.trade('BTC-USD', 1))
    after(30_000)
    market.setAway(new Map([[one.info.session, LOST]]))
    const two = newSession(2)
    show(two, two.open('BTC-USD'), two.trade('BTC-USD', 2))
    after(30_000)
    const opened = vi.spyOn(hub, 'gapOpened')
    // Its recorder was killed, and is back.
    market.setAway(new Map())
    show(one, one.drop(T0), one.entry({ type: 'gap-close', feed, openedSeq: 6 }))
    expect(gaps()).toEqual([[0, 30_000]])
    expect(opened).not.toHaveBeenCalled()
  })

  it('lasts as long as it did when its recorder’s clock is set back meanwhile', () => {
    const one = newSession(1)
    show(one, one.open('BTC-USD'))
    after(10_000)
    show(one, one.drop(time.nowMs))
    after(5_000 - 60_000)
    show(one, one.entry({ type: 'clock', shiftMs: -60_000 }), one.reconnect('BTC-USD'))
    expect(gaps()).toEqual([[10_000, 15_000]])
  })

  it('is told by a clock that is set back before the flush that it is compared by', () => {
    const [one, two] = [newSession(1), newSession(2)]
    for (const each of [one, two]) show(each, each.open('BTC-USD'))
    after(90_000)
    const BACK_MS = 30_000
    const trueMs = time.nowMs
    const trades = Array.from({ length: ENOUGH_LEADS }, (): Item => ({ conn: 1, data: tradeText('BTC-USD', 1, 1, trueMs), recvMs: trueMs - BACK_MS })) // oxfmt-ignore
    const shift: Item = { entry: { type: 'clock', shiftMs: -BACK_MS }, wallMs: trueMs - BACK_MS }
    show(one, one.flush([shift, ...trades]))
    const byClockOfOne = (flushes: () => readonly CommittedFlush[]): void => {
      after(-BACK_MS)
      const made = flushes()
      after(BACK_MS)
      show(one, made)
    }
    after(10_000)
    byClockOfOne(() => one.drop(time.nowMs))
    show(two, two.drop(time.nowMs))
    after(5_000)
    byClockOfOne(() => one.reconnect('BTC-USD'))
    show(two, two.reconnect('BTC-USD'))
    expect(gaps()).toEqual([[100_000, 105_000]])
  })

  it('has the hub read up to the flush that is not the present and shows that clocks differ', () => {
    const [one, two] = [newSession(1), newSession(2)]
    for (const each of [one, two]) show(each, each.open('BTC-USD'))
    after(10_000)
    for (const each of [one, two]) show(each, each.drop(time.nowMs))
    after(5_000)
    for (const each of [one, two]) show(each, each.reconnect('BTC-USD'))
    expect(gaps()).toEqual([[10_000, 15_000]])
    const before = reads.length
    const sentMs = time.nowMs
    after(70_000)
    show(two, two.trade('BTC-USD', 1, sentMs, sentMs + 3_000))
    expect(gaps()).not.toEqual([[10_000, 15_000]])
    expect(reads.length).toBeGreaterThan(before)
    expect(reads.at(-1)?.get(two.info.session)).toBe(market.present().get(two.info.session))
  })

  it('is told by clocks an hour apart', () => {
    const AHEAD_MS = 3_600_000
    const one = newSession(1)
    const byClockOfTwo = <T>(make: () => T): T => {
      after(AHEAD_MS)
      const made = make()
      after(-AHEAD_MS)
      return made
    }
    const two = byClockOfTwo(() => newSession(2))
    show(one, one.open('BTC-USD'), one.trade('BTC-USD', 1))
    const sentMs = time.nowMs
    show(
      two,
      byClockOfTwo(() => [...two.open('BTC-USD'), ...two.trade('BTC-USD', 1, time.nowMs, sentMs)]),
    )
    const drop = (): void => {
      show(one, one.drop(time.nowMs))
      show(
        two,
        byClockOfTwo(() => two.drop(time.nowMs)),
      )
    }
    const reconnect = (): void => {
      show(one, one.reconnect('BTC-USD'))
      show(
        two,
        byClockOfTwo(() => two.reconnect('BTC-USD')),
      )
    }
    after(10_000)
    drop()
    after(5_000)
    reconnect()
    // The later lease's gap is shown, by its clock.
    const both = [[AHEAD_MS + 10_000, AHEAD_MS + 15_000]]
    expect(gaps()).toEqual(both)
    after(10_000)
    show(one, one.drop(time.nowMs))
    after(5_000)
    show(one, one.reconnect('BTC-USD'))
    expect(gaps()).toEqual(both)
  })
})

it('is shown again once another gap says why nobody received since the same instant', () => {
  const gap = { feed, cause: 'drop', symbols: ['BTC-USD'], fromMs: unixMs(T0), toMs: null, skewMs: 0 } as const
  expect(findGapChanges([gap], [gap], [])).toEqual({ opened: [], closed: [] })
  expect(findGapChanges([gap], [{ ...gap, cause: 'crash' }], [])).toBeNull()
})

it('remembers what ended sessions received for as long as their gaps', () => {
  const one = newSession(1)
  show(one, one.open('BTC-USD'))
  const begin = (n: number): Session => {
    const next = newSession(n, 2)
    show(next, next.open('BTC-USD'))
    return next
  }
  let other = begin(2)
  after(5_000)
  show(one, one.drop(time.nowMs))
  after(5_000)
  show(one, one.reconnect('BTC-USD'))
  for (let n = 3; n < 20; n++) {
    after(5_000)
    market.end(other.info.session, time.nowMs as UnixMs)
    other = begin(n)
    if (n % 3 === 0) market.reload()
    expect(gaps()).toEqual([])
  }
})

describe('a gap is widened by what its recorder measured between its clock and the service’s', () => {
  const widened = vi.fn<(symbol: string, fromMs: number, skewMs: number) => void>()
  beforeEach(() => {
    widened.mockClear()
    for (const id of [BTC, ETH]) {
      const { value } = hub.watchBars(id, 'trade', '1m', { changed: () => undefined, reset: () => undefined })
      vi.spyOn(value, 'addGap').mockImplementation(({ fromMs }, skewMs) => widened(id, fromMs - T0, skewMs))
    }
  })
  const open = (session: Session, skewMs: number): void =>
    show(session, session.entry({ type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(T0), skewMs }))

  it('as it opens, and when all are shown again, whatever the recorder of another shard measured', () => {
    const one = newSession(1)
    const two = new Session(2, { shard: 2 })
    show(one, one.open('BTC-USD'))
    show(two, two.open('ETH-USD'))
    open(one, -40_000)
    open(two, 180)
    const each = [[BTC, 0, 40_000], [ETH, 0, 180]] // oxfmt-ignore
    expect(widened.mock.calls).toEqual(each)
    widened.mockClear()
    market.reload()
    expect(widened.mock.calls).toEqual(each)
  })
})

describe('two shards', () => {
  it('whose gaps began at the same time close each of them when it ends', () => {
    const one = newSession(1)
    const two = new Session(2, { shard: 2 })
    show(one, one.open('BTC-USD'))
    show(two, two.open('ETH-USD'))
    after(5_000)
    show(one, one.drop(time.nowMs))
    show(two, two.drop(time.nowMs))
    after(5_000)
    show(one, one.reconnect('BTC-USD'))
    expect(gaps()).toEqual([[5_000, 10_000]])
    expect(hub.gaps(feed, ETH).map(({ toMs }) => toMs)).toEqual([null])
  })

  it('of which one has many gaps show those of the other that came later, also when all are shown again', async () => {
    const one = newSession(1)
    const two = new Session(2, { shard: 2 })
    show(one, one.open('BTC-USD'))
    copies = [two]
    two.open('ETH-USD')
    for (let n = 0; n < 500; n++) {
      after(10)
      two.drop(time.nowMs)
      after(10)
      two.reconnect('ETH-USD')
    }
    show(two, two.trade('ETH-USD', 1))
    await settle()
    show(one, one.drop(time.nowMs))
    after(5_000)
    show(one, one.reconnect('BTC-USD'))
    market.reload()
    expect(gaps()).toEqual([[10_000, 15_000]])
  })
})

describe('the gap that a recorder leaves open when it stops', () => {
  const acknowledge = (session: Session, symbol: string): void =>
    show(session, session.entry({ type: 'acknowledged', feed, conn: 1, symbols: [symbol] }))
  const start = (n: number, shard: number, symbol: string): Session => {
    const session = new Session(n, { shard, startedMs: unixMs(time.nowMs) })
    show(session, session.open(symbol))
    return session
  }
  const end = (session: Session): void => market.end(session.info.session, unixMs(time.nowMs))
  const stop = (session: Session): void => {
    const fromMs = unixMs(time.nowMs)
    show(session, session.entry({ type: 'gap-open', feed, cause: 'quit', symbols: ['BTC-USD', 'ETH-USD'], fromMs }))
    end(session)
  }
  const both = () => [gaps(BTC), gaps(ETH)]

  it('ends when its shard is recorded again, also of symbols that it no longer has', () => {
    const one = start(1, 1, 'BTC-USD')
    acknowledge(one, 'ETH-USD')
    after(10_000)
    stop(one)
    expect(both()).toEqual([[[10_000, null]], [[10_000, null]]])
    after(5_000)
    start(2, 1, 'BTC-USD')
    expect(both()).toEqual([[[10_000, 15_000]], [[10_000, 15_000]]])
    market.reload()
    expect(both()).toEqual([[[10_000, 15_000]], [[10_000, 15_000]]])
  })

  it('ends for a symbol that another shard receives, and stays as it was once that one stops', () => {
    const one = start(1, 1, 'BTC-USD')
    acknowledge(one, 'ETH-USD')
    const two = start(2, 2, 'SOL-USD')
    after(10_000)
    stop(one)
    after(5_000)
    acknowledge(two, 'ETH-USD')
    // Within a second of an edge, two clocks can't tell.
    const moved = [[[10_000, null]], [[10_000, 16_000]]]
    expect(both()).toEqual(moved)
    after(5_000)
    end(two)
    start(3, 2, 'ETH-USD')
    market.reload()
    expect(both()).toEqual(moved)
  })

  it('isn’t one of a symbol that another shard had received all along', () => {
    const one = start(1, 1, 'BTC-USD')
    acknowledge(one, 'ETH-USD')
    start(2, 2, 'ETH-USD')
    after(10_000)
    stop(one)
    market.reload()
    expect(both()).toEqual([[[10_000, null]], []])
  })
})

/** A recorder of the schedule: when it received, and what a terminal learned of it. */
class Model {
  readonly session: Session
  /** Spans in which it received, and its gaps. */
  readonly received: [from: number, to: number][] = []
  readonly gaps: [from: number, to: number][] = []
  isUp = true
  isEnded = false

  constructor(n: number, epoch: number) {
    this.session = newSession(n, epoch)
    show(this.session, this.session.open('BTC-USD'))
    this.received.push([time.nowMs, Infinity])
  }

  /** Loses its connection, which it notices `lateMs` later. */
  drop(lateMs: number): void {
    const last = this.received.at(-1)!
    const fromMs = Math.max(last[0], time.nowMs - lateMs)
    last[1] = fromMs
    this.gaps.push([fromMs, Infinity])
    this.isUp = false
    show(this.session, this.session.drop(fromMs))
  }

  reconnect(): void {
    this.gaps.at(-1)![1] = time.nowMs
    this.received.push([time.nowMs, Infinity])
    this.isUp = true
    show(this.session, this.session.reconnect('BTC-USD'))
  }

  end(): void {
    const last = this.received.at(-1)!
    last[1] = Math.min(last[1], time.nowMs)
    this.isEnded = true
    market.end(this.session.info.session, time.nowMs as UnixMs)
  }
}

const isIn = (spans: readonly (readonly [number, number])[], ms: number): boolean =>
  spans.some(([from, to]) => from <= ms && ms < to)
const isClaimed = (all: readonly GapSpan[], ms: number): boolean =>
  all.some(({ fromMs, toMs }) => fromMs <= ms && ms < (toMs ?? Infinity))

/** Compares what is claimed with what happened, between any two instants at which something changed. */
function check(models: readonly Model[]): void {
  const shown = hub.gaps(feed, BTC)
  const received = models.flatMap((one) => one.received)
  const missed = models.flatMap((one) => one.gaps)
  // The store has those of sessions that have ended.
  const open = models.filter(({ isEnded }) => !isEnded).flatMap((one) => one.gaps)
  const edges = [...received, ...missed].flat().flatMap((ms) => [ms - EDGE_MS, ms, ms + EDGE_MS])
  const all = [...new Set([...edges, ...shown.flatMap(({ fromMs, toMs }) => [fromMs, toMs ?? Infinity]), time.nowMs])]
  const instants = all.filter((ms) => ms >= T0 && ms <= time.nowMs).sort((a, b) => a - b)
  for (const [i, from] of instants.slice(0, -1).entries()) {
    const ms = (from + instants[i + 1]) / 2
    const isMissing = isIn(open, ms) && !isIn(received, ms)
    if (isMissing && !isClaimed(shown, ms)) expect.unreachable(`the gap at ${ms - T0} is hidden`)
    if (!isClaimed(shown, ms)) continue
    if (!isIn(missed, ms)) expect.unreachable(`nobody had a gap at ${ms - T0}`)
    // Two clocks can't tell what is within a second of an edge.
    const isSure = received.some(([from, to]) => from + EDGE_MS < ms && ms < to - EDGE_MS)
    if (isSure) expect.unreachable(`somebody received at ${ms - T0}`)
  }
}

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 40 }).map((n) => n * 250),
    lane: fc.nat({ max: 2 }),
    does: fc.constantFrom('drop', 'reconnect', 'trade', 'end', 'gone', 'reload'),
    lateMs: fc.integer({ min: 0, max: 60 }).map((n) => n * 250),
  }),
  { minLength: 5, maxLength: 40 },
)

describe('the gaps of a shard', () => {
  it('are what none of its recorders received, whatever happens to them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.boolean(), steps, (count, isSameLease, schedule) => {
        begin()
        let n = 0
        const start = (): Model => new Model(++n, isSameLease ? 1 : n)
        const lanes = Array.from({ length: count }, start)
        const all = [...lanes]
        for (const { afterMs, lane, does, lateMs } of schedule) {
          after(afterMs)
          const at = lane % count
          const one = lanes[at]
          if (does === 'drop' && one.isUp) one.drop(lateMs)
          else if (does === 'reconnect' && !one.isUp) one.reconnect()
          else if (does === 'trade' && one.isUp) show(one.session, one.session.trade('BTC-USD', 1))
          else if (does === 'reload') market.reload()
          else if (does === 'gone') {
            // It is back before anything else happens: nothing may be left of it.
            market.setAway(new Map([[one.session.info.session, LOST]]))
            market.setAway(new Map())
          } else if (does === 'end' && all.length < count + 20) {
            one.end()
            all.push((lanes[at] = start()))
          }
          check(all)
        }
      }),
      { numRuns: 50 },
    )
  })
})
