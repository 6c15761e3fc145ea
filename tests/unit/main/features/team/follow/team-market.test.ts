import { beforeEach, describe, expect, it } from 'vitest'
import { hubCalendar } from '../../../../../../src/main/core/market/hub-calendar.ts'
import type { Hub, HubSink, MarketContext } from '../../../../../../src/main/core/market/hub-types.ts'
import { createHub } from '../../../../../../src/main/core/market/hub.ts'
import type { StoredEntry } from '../../../../../../src/main/core/store/types/messages.ts'
import { TeamMarket } from '../../../../../../src/main/features/team/follow/team-market.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import type { Reason } from '../../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs, type SessionId, type UnixMs } from '../../../../../../src/shared/base/units.ts'
import { T0 } from '../../../core/store/harness.ts'
import { feed, Session, time } from './sessions.ts'
import { settle } from './world.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const LOST: Reason = { code: 'offline', message: 'Away.', hint: '', closeCode: null }

let hub: Hub
let calls: string[]
let contexts: MarketContext[]
let copies: Map<SessionId, readonly StoredEntry[]>
let market: TeamMarket

beforeEach(() => {
  time.nowMs = T0 + 60_000
  calls = []
  contexts = []
  copies = new Map()
  hub = createHub({ calendar: hubCalendar, stateOf: (of, id) => market.stateOf(of, id) })
  const sink: HubSink = {
    apply(of, seq, recvMs, record) {
      calls.push(`${record.symbol} ${record.price}`)
      hub.apply(of, seq, recvMs, record)
    },
    feedState: (of, state, nowMs, best) => {
      calls.push(`${of} ${state.is}`)
      hub.feedState(of, state, nowMs, best)
    },
    acknowledged: (of, symbols) => hub.acknowledged(of, symbols),
    gapOpened: (of, cause, symbols, fromMs) => {
      calls.push(`gap ${cause} ${symbols.join()}`)
      hub.gapOpened(of, cause, symbols, fromMs)
    },
    gapClosed: (of, fromMs, toMs) => hub.gapClosed(of, fromMs, toMs),
  }
  market = new TeamMarket(
    {
      sink,
      refresh(context) {
        calls.push('refresh')
        contexts.push(context)
        hub.restore(null, context)
      },
      entries: async (session, upToSeq) => (copies.get(session) ?? []).filter(({ seq }) => seq <= upToSeq),
      wallMs: () => time.nowMs as UnixMs,
      wanted: () => ['BTC-USD', 'ETH-USD', 'SOL-USD'],
      failed: (what, thrown) => void calls.push(`failed ${what} ${String(thrown)}`),
    },
    LOST,
  )
  market.setLost(null)
})

const freshness = (id: typeof BTC): string => hub.row(hub.cell(id), time.nowMs).freshness
const watch = (...ids: (typeof BTC)[]): void => ids.forEach((id) => hub.watch(id, { changed() {} }))

describe('the market of a team', () => {
  it('shows a session from its first flush on, in order', () => {
    const one = new Session(1)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100), ...one.trade('BTC-USD', 101)])
    expect(calls).toEqual(['crypto/XT open', 'BTC-USD 100', 'BTC-USD 101'])
    expect(hub.row(hub.cell(BTC), time.nowMs)).toMatchObject({ last: 101, freshness: 'live' })
    expect([...market.present()]).toEqual([[one.info.session, 6]])
    expect(market.statuses().find((status) => status.feed === feed)).toMatchObject({
      state: { is: 'open' },
      acknowledged: ['BTC-USD'],
      missing: ['ETH-USD', 'SOL-USD'],
      received: 2,
    })
  })

  it('marks only the instruments of the shard that lost its connection', () => {
    const [one, two] = [new Session(1), new Session(2)]
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.show(two.info, [...two.open('ETH-USD'), ...two.trade('ETH-USD', 200)])
    watch(BTC, ETH)
    market.show(two.info, [
      ...two.entry({ type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(time.nowMs) }),
      ...two.entry({ type: 'disconnected', feed, conn: 1, closeCode: 1006, reason: '' }),
      ...two.entry({ type: 'state', feed, conn: 1, state: 'waiting', untilMs: time.nowMs + 1_000, attempt: 1 }),
    ])
    expect([freshness(BTC), freshness(ETH)]).toEqual(['live', 'disconnected'])
    expect(calls).toContain('gap drop ETH-USD')
    expect(hub.gaps(feed, BTC)).toEqual([])
    // The feed as a whole needs attention, and still delivers.
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('waiting')
  })

  it('counts feeds as lost, not as recorded by nobody, until the servers are reached', () => {
    const state = () => market.statuses().find((status) => status.feed === feed)?.state.is
    market.setLost(LOST)
    expect(state()).toBe('waiting')
    market.setLost(null)
    expect(state()).toBe('idle')
  })

  it('lets prices age while the servers are lost, without a gap', () => {
    const one = new Session(1)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.setLost(LOST)
    expect([freshness(BTC), hub.gaps(feed, BTC)]).toEqual(['disconnected', []])
    market.setLost(null)
    market.show(one.info, one.trade('BTC-USD', 101))
    // Until everything since then is read, a price isn't live and a silent market isn't quiet.
    expect([freshness(BTC), hub.gaps(feed, BTC)]).toEqual(['disconnected', []])
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('connecting')
    market.reachedPresent(one.info.session)
    expect([freshness(BTC), hub.gaps(feed, BTC)]).toEqual(['live', []])
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('open')
  })

  it.each([
    ['behind', -3_600_000],
    ['ahead', 3_600_000],
  ])('shows what a recorder receives whose clock is an hour %s, and not what it received an hour ago', (_, aheadMs) => {
    const one = new Session(1)
    const byItsClock = <T>(make: () => T): T => {
      time.nowMs += aheadMs
      const made = make()
      time.nowMs -= aheadMs
      return made
    }
    const trade = (price: number, atMs: number) => one.trade('BTC-USD', price, atMs + aheadMs, atMs)
    market.reachedPresent(one.info.session)
    market.show(one.info, byItsClock(() => one.open('BTC-USD'))) // oxfmt-ignore
    market.show(one.info, trade(100, time.nowMs))
    const { length } = contexts
    market.show(one.info, trade(101, time.nowMs))
    expect(hub.row(hub.cell(BTC), time.nowMs)).toMatchObject({ last: 101 })
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('open')
    expect([contexts.length, market.delayMs]).toEqual([length, 0])
    // Its connection to the servers was away.
    time.nowMs += 7_200_000
    market.show(one.info, trade(102, time.nowMs - 3_600_000))
    expect(hub.row(hub.cell(BTC), time.nowMs).last).toBe(101)
    market.show(one.info, trade(103, time.nowMs))
    expect(contexts.length).toBe(length + 1)
    expect(hub.row(hub.cell(BTC), time.nowMs).last).toBe(103)
  })

  it('shows no backlog as the present whose first messages show that its recorder’s clock is an hour ahead', () => {
    const one = new Session(1)
    const aheadMs = 3_600_000
    // Stamped an hour ahead, and an hour old.
    market.show(one.info, one.open('BTC-USD'))
    market.show(one.info, one.trade('BTC-USD', 100, time.nowMs, time.nowMs - aheadMs))
    market.show(one.info, one.trade('BTC-USD', 101, time.nowMs + 1, time.nowMs + 1 - aheadMs))
    expect(calls.filter((call) => call.startsWith('BTC-USD'))).toEqual([])
    market.show(one.info, one.trade('BTC-USD', 102, time.nowMs + aheadMs, time.nowMs))
    expect(calls.filter((call) => call.startsWith('BTC-USD'))).toEqual(['BTC-USD 102'])
  })

  it.each([
    ['whose computer was paused, so that its clock was corrected', 0, 600_000],
    ['whose computer slept, which older versions stored as a shift of the clock', 0, 28_800_000],
    ['of a feed that is a quarter of an hour late', 900_000, 0],
  ])('shows what a recorder receives %s', (_, lateMs, shiftMs) => {
    const one = new Session(1)
    const trade = (price: number) => one.trade('BTC-USD', price, time.nowMs, time.nowMs - lateMs)
    market.reachedPresent(one.info.session)
    market.show(one.info, [...one.open('BTC-USD'), ...trade(100)])
    time.nowMs += shiftMs
    if (shiftMs > 0) market.show(one.info, one.entry({ type: 'clock', shiftMs }))
    market.show(one.info, trade(101))
    market.show(one.info, trade(102))
    expect(calls.filter((call) => call.startsWith('BTC-USD'))).toEqual(['BTC-USD 100', 'BTC-USD 101', 'BTC-USD 102'])
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('open')
    expect(market.delayMs).toBe(0)
  })

  it('forgets a symbol that its recorder gave up while its connection was lost, not one whose gap begins again', () => {
    const one = new Session(1)
    const missing = () => market.statuses().find((status) => status.feed === feed)?.missing
    const gap = { feed, symbols: ['BTC-USD'], fromMs: unixMs(time.nowMs) }
    const opened = (flushes: ReturnType<Session['flush']>): number =>
      flushes.flatMap(({ batch }) => batch.entries).findLast(({ entry }) => entry.type === 'gap-open')?.seq ?? 0
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    const dropped = one.drop(time.nowMs, ['BTC-USD'])
    market.show(one.info, dropped)
    const refused = one.flush([
      { entry: { type: 'gap-close', feed, openedSeq: opened(dropped) }, wallMs: time.nowMs },
      { entry: { type: 'gap-open', cause: 'refused', ...gap }, wallMs: time.nowMs },
    ])
    market.show(one.info, refused)
    expect(missing()).toEqual(['ETH-USD', 'SOL-USD'])
    market.show(one.info, one.entry({ type: 'gap-close', feed, openedSeq: opened(refused) }))
    expect(missing()).toEqual(['BTC-USD', 'ETH-USD', 'SOL-USD'])
  })

  it('keeps what is not the present out of the hub, and reads the hub again before the first message that is', () => {
    const one = new Session(1)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 1, T0 - 100_000)])
    expect(hub.row(hub.cell(BTC), time.nowMs).last).toBeNull()
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('connecting')
    market.show(one.info, one.trade('BTC-USD', 2, T0 - 90_000))
    market.show(one.info, [...one.trade('BTC-USD', 100), ...one.trade('BTC-USD', 101)])
    expect(calls).toEqual(['crypto/XT open', 'crypto/XT connecting', 'refresh', 'BTC-USD 100', 'BTC-USD 101', 'crypto/XT open']) // oxfmt-ignore
    expect(contexts[0].feedStates).toMatchObject([[feed, { is: 'open' }]])
  })

  it('says how old what a recorder sends is where the log has no more and it isn’t shown as the present', () => {
    const one = new Session(1)
    const { session } = one.info
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 1, time.nowMs - 300_000)])
    expect(market.lateMs(session)).toBeNull()
    market.reachedPresent(session)
    expect(market.lateMs(session)).toBeNull()
    // This computer's clock is five minutes ahead, or the recorder catches up.
    market.show(one.info, one.trade('BTC-USD', 2, time.nowMs - 300_000))
    expect(market.lateMs(session)).toBe(300_000)
    market.show(one.info, one.trade('BTC-USD', 3))
    expect(market.lateMs(session)).toBeNull()
  })

  it('reads the hub again when it has caught up with a session that is silent', () => {
    const one = new Session(1)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 1, T0 - 100_000)])
    market.reachedPresent(one.info.session)
    market.reachedPresent(one.info.session)
    expect(calls.filter((call) => call === 'refresh')).toHaveLength(1)
    expect(market.statuses().find((status) => status.feed === feed)?.state.is).toBe('open')
  })

  it('shows the session of the latest lease, and the one before it never again', () => {
    const [old, next] = [new Session(1), new Session(3, { shard: 1, epoch: 2 })]
    market.show(old.info, [...old.open('BTC-USD'), ...old.trade('BTC-USD', 100)])
    market.show(next.info, [...next.open('BTC-USD'), ...next.trade('BTC-USD', 102)])
    market.show(old.info, old.trade('BTC-USD', 101))
    expect(calls.filter((call) => call.startsWith('BTC'))).toEqual(['BTC-USD 100', 'BTC-USD 102'])
    // Its copy goes on nevertheless.
    expect(market.present().get(old.info.session)).toBe(6)
  })

  it('reads the entries before a session that it joins in the middle, and keeps the order meanwhile', async () => {
    const one = new Session(1)
    const before = [...one.open('BTC-USD'), ...one.trade('BTC-USD', 99)]
    copies.set(one.info.session, one.entries)
    market.show(one.info, one.trade('BTC-USD', 100))
    market.show(one.info, one.trade('BTC-USD', 101))
    expect(calls).toEqual([])
    await settle()
    expect(before).toHaveLength(2)
    expect(calls.filter((call) => !call.startsWith(feed))).toEqual(['refresh', 'BTC-USD 100', 'BTC-USD 101'])
    expect(freshness(BTC)).toBe('live')
    expect([...market.present()]).toEqual([[one.info.session, 7]])
  })

  it('catches up where the copy has more than was shown', async () => {
    const one = new Session(1)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    one.entry({ type: 'acknowledged', feed, conn: 1, symbols: ['BTC-USD'] })
    copies.set(one.info.session, one.entries)
    market.show(one.info, one.trade('BTC-USD', 102))
    await settle()
    expect(calls.filter((call) => !call.startsWith(feed))).toEqual(['BTC-USD 100', 'refresh', 'BTC-USD 102'])
    expect([...market.present()]).toEqual([[one.info.session, 7]])
  })

  it('says that a recorder records the demo market', () => {
    const one = new Session(1, { source: { kind: 'demo', origin: 'demo', user: '' } })
    expect(market.isSimulated).toBe(false)
    market.show(one.info, one.open('BTC-USD'))
    expect(market.isSimulated).toBe(true)
  })

  it('forgets a session that ended', () => {
    const one = new Session(1)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.end(one.info.session)
    expect([...market.present()]).toEqual([])
    expect(calls.at(-1)).toBe('crypto/XT idle')
    expect(freshness(BTC)).toBe('disconnected')
  })

  it('lets prices of a recorder that is gone age, without a gap, until it is back or another one takes over', () => {
    const one = new Session(1)
    const two = new Session(2)
    watch(BTC, ETH)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.show(two.info, [...two.open('ETH-USD'), ...two.trade('ETH-USD', 10)])
    market.setAway(new Map([[one.info.session, LOST]]))
    expect([freshness(BTC), freshness(ETH)]).toEqual(['disconnected', 'live'])
    expect(hub.row(hub.cell(BTC), time.nowMs).last).toBe(100)
    const shown = () => market.statuses().find((status) => status.feed === feed)?.state
    // The other recorder receives this feed, so the window isn't offline.
    expect(shown()).toMatchObject({ is: 'open' })
    market.setAway(new Map([one, two].map(({ info }) => [info.session, LOST])))
    expect(shown()).toMatchObject({ is: 'waiting', why: LOST })
    const full = { ...LOST, message: 'The disk is full.' }
    market.setAway(new Map([one, two].map(({ info }) => [info.session, full])))
    expect(shown()).toMatchObject({ is: 'waiting', why: full })
    market.setAway(new Map())
    market.show(one.info, one.trade('BTC-USD', 101))
    market.show(two.info, two.trade('ETH-USD', 11))
    expect([freshness(BTC), freshness(ETH)]).toEqual(['live', 'live'])
    market.setAway(new Map([[one.info.session, LOST]]))
    const standby = new Session(3, { shard: 1, epoch: 2 })
    market.show(standby.info, [...standby.open('BTC-USD'), ...standby.trade('BTC-USD', 102)])
    // The hub is read again, and this test has no store.
    market.show(two.info, two.trade('ETH-USD', 12))
    expect([freshness(BTC), freshness(ETH)]).toEqual(['live', 'live'])
    expect(hub.row(hub.cell(BTC), time.nowMs).last).toBe(102)
    expect(calls.filter((call) => call.startsWith('gap'))).toEqual([])
  })

  it('shows a session of which nothing new came since the terminal was closed', async () => {
    const one = new Session(1)
    watch(BTC)
    one.open('BTC-USD')
    one.trade('BTC-USD', 100)
    copies.set(one.info.session, one.entries)
    const copy = { info: one.info, seq: 5, receivedMs: unixMs(time.nowMs - 1_000) }
    market.reachedPresent(one.info.session, copy)
    await settle()
    // Its prices come from the store.
    expect(calls).toContain('refresh')
    expect(contexts.at(-1)?.feedStates).toMatchObject([[feed, { is: 'open' }]])
    expect(market.lastMs(one.info.session)).toBe(time.nowMs - 1_000)
    const shown = market.statuses().find((status) => status.feed === feed)
    expect([shown?.state.is, shown?.missing]).toEqual(['open', ['ETH-USD', 'SOL-USD']])
    market.show(one.info, one.trade('BTC-USD', 101))
    expect(calls.at(-1)).toBe('BTC-USD 101')
    market.reachedPresent(one.info.session, copy)
    await settle()
    expect(calls.filter((call) => call === 'refresh')).toHaveLength(1)
  })
})

it('takes the state of a symbol that the plan moved from the recorder that has it now', () => {
  const [one, two] = [new Session(1), new Session(2)]
  market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
  market.show(one.info, one.entry({ type: 'subscribe', feed, conn: 1, symbols: ['ETH-USD'] }))
  market.show(one.info, one.entry({ type: 'acknowledged', feed, conn: 1, symbols: ['ETH-USD'] }))
  market.show(two.info, two.open('BTC-USD'))
  market.show(one.info, one.entry({ type: 'released', feed, conn: 1, symbols: ['BTC-USD'] }))
  market.show(
    two.info,
    two.entry({ type: 'state', feed, conn: 1, state: 'waiting', untilMs: time.nowMs + 1_000, attempt: 1 }),
  )
  expect([market.stateOf(feed, BTC)?.is, market.stateOf(feed, ETH)?.is]).toEqual(['waiting', 'open'])
  market.end(two.info.session)
  // Nobody receives it time.nowMs.
  expect(market.statuses().find((status) => status.feed === feed)?.missing).toEqual(['BTC-USD', 'SOL-USD'])
})

describe('two recorders of one shard', () => {
  const old = (): Session => new Session(1)
  const newer = (about: Partial<SessionInfo> = {}): Session => new Session(3, { shard: 1, epoch: 2, ...about })
  const status = () => market.statuses().find((one) => one.feed === feed)
  const prices = (): string[] => calls.filter((call) => /^(BTC|ETH|refresh)/.test(call))

  it('shows the one that records on when the latest is gone, and the latest again when it is back', () => {
    const [one, two] = [old(), newer()]
    watch(BTC)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.show(two.info, [...two.open('BTC-USD'), ...two.trade('BTC-USD', 101)])
    market.show(one.info, one.trade('BTC-USD', 101))
    market.setAway(new Map([[two.info.session, LOST]]))
    expect([market.stateOf(feed, BTC)?.is, status()?.state.is]).toEqual(['open', 'open'])
    expect(status()?.acknowledged).toEqual(['BTC-USD'])
    market.show(one.info, one.trade('BTC-USD', 102))
    expect([freshness(BTC), hub.row(hub.cell(BTC), time.nowMs).last]).toEqual(['live', 102])
    market.setAway(new Map())
    market.show(one.info, one.trade('BTC-USD', 103))
    market.show(two.info, two.trade('BTC-USD', 104))
    // Each time, the store says what both have received.
    expect(prices()).toEqual(['BTC-USD 100', 'refresh', 'BTC-USD 101', 'refresh', 'BTC-USD 102', 'refresh', 'BTC-USD 104']) // oxfmt-ignore
  })

  it('goes on with the earlier one until the later one receives, and while it does not', () => {
    const [one, two] = [old(), newer()]
    watch(BTC)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.show(two.info, two.entry({ type: 'connecting', feed, conn: 1 }))
    market.show(one.info, one.trade('BTC-USD', 101))
    expect([freshness(BTC), status()?.state.is]).toEqual(['live', 'open'])
    market.show(two.info, [...two.open('BTC-USD'), ...two.trade('BTC-USD', 102)])
    market.show(two.info, [
      ...two.entry({ type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(time.nowMs) }),
      ...two.entry({ type: 'state', feed, conn: 1, state: 'waiting', untilMs: time.nowMs + 1_000, attempt: 1 }),
    ])
    market.show(one.info, one.trade('BTC-USD', 103))
    expect([freshness(BTC), status()?.state.is]).toEqual(['live', 'open'])
    expect(prices()).toEqual(['BTC-USD 100', 'BTC-USD 101', 'refresh', 'BTC-USD 102', 'refresh', 'BTC-USD 103'])
    // The other one received what this one missed.
    expect(contexts.at(-1)?.gaps).toEqual([])
  })

  it('shows both where each receives instruments of its own', () => {
    const [one, two] = [old(), newer({ epoch: 1 })]
    watch(BTC, ETH)
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.show(two.info, [...two.open('ETH-USD'), ...two.trade('ETH-USD', 10)])
    market.show(one.info, one.trade('BTC-USD', 101))
    expect(prices()).toEqual(['BTC-USD 100', 'ETH-USD 10', 'BTC-USD 101'])
    expect([freshness(BTC), freshness(ETH), status()?.acknowledged]).toEqual(['live', 'live', ['ETH-USD', 'BTC-USD']])
    expect(status()?.missing).toEqual(['SOL-USD'])
    market.setAway(new Map([[one.info.session, LOST]]))
    expect([freshness(BTC), freshness(ETH), status()?.acknowledged]).toEqual(['disconnected', 'live', ['ETH-USD']])
    expect(status()?.missing).toEqual(['BTC-USD', 'SOL-USD'])
  })

  it('does not read the hub again when a recorder begins its next session', () => {
    const one = old()
    const next = newer({ epoch: 1, recorder: one.info.recorder })
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
    market.show(next.info, [...next.open('BTC-USD'), ...next.trade('BTC-USD', 101)])
    market.end(one.info.session)
    expect(prices()).toEqual(['BTC-USD 100', 'BTC-USD 101'])
  })

  it('keeps a session that is still catching up behind while the other one is read again', () => {
    const [one, other] = [old(), new Session(2)]
    market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 1, T0 - 100_000)])
    market.show(other.info, [...other.open('ETH-USD'), ...other.trade('ETH-USD', 1, T0 - 100_000)])
    market.show(other.info, other.trade('ETH-USD', 10))
    watch(BTC, ETH)
    expect(market.stateOf(feed, BTC)?.is).toBe('connecting')
    expect(market.stateOf(feed, ETH)?.is).toBe('open')
  })
})

it('stays with a recorder of a shard while its feed is only silent', () => {
  const one = new Session(1)
  const two = new Session(3, { shard: 1, epoch: 2 })
  watch(BTC)
  market.show(one.info, [...one.open('BTC-USD'), ...one.trade('BTC-USD', 100)])
  market.show(two.info, [...two.open('BTC-USD'), ...two.trade('BTC-USD', 102)])
  calls.length = 0
  for (const [session, state] of [
    [two, 'stale'],
    [one, 'stale'],
    [one, 'open'],
    [two, 'open'],
  ] as const)
    // oxfmt-ignore
    market.show(session.info, session.entry({ type: 'state', feed, conn: 1, state }))
  expect(calls.filter((call) => call === 'refresh')).toEqual([])
  expect(hub.row(hub.cell(BTC), time.nowMs).last).toBe(102)
})
