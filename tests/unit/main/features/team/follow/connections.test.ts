/** What a terminal and its store claim as gaps of recorders with several connections: the same, and what happened. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hubCalendar } from '../../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../../src/main/core/market/hub.ts'
import type { Hub } from '../../../../../../src/main/core/market/hub-types.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { TeamMarket } from '../../../../../../src/main/features/team/follow/team-market.ts'
import { commonSpans, mergeSpans, withoutSpans, type Span } from '../../../../../../src/shared/base/spans.ts'
import { instrumentId, unixMs, type SessionId, type UnixMs } from '../../../../../../src/shared/base/units.ts'
import { EDGE_MS } from '../../../../../../src/shared/core/recording/merged-sessions.ts'
import { FLAG, type LedgerEntry } from '../../../../../../src/shared/core/recording/session.ts'
import type { Reason } from '../../../../../../src/shared/core/status/status.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { fixedExamples, timeLimit } from '../../../../../kit/properties.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { Replica } from '../../../core/store/replica-harness.ts'
import { feed, Session, time } from './sessions.ts'

const SYMBOLS = ['BTC-USD', 'ETH-USD'] as const
type Symbol = (typeof SYMBOLS)[number]
const SHARD = 'team:1@eu'
const LOST: Reason = { code: 'offline', message: 'Away.', hint: '', closeCode: null }

let folder: ReturnType<typeof makeStoreFolder>
let engine: StoreEngine
let reader: LocalReader
let hub: Hub
let market: TeamMarket

function begin(): void {
  time.nowMs = T0
  folder = makeStoreFolder()
  engine = new StoreEngine(folder.file, () => time.nowMs)
  reader = openLocalReader(folder.file)
  hub = createHub({ calendar: hubCalendar, stateOf: (of, id) => market.stateOf(of, id) })
  market = new TeamMarket(
    {
      sink: hub,
      refresh: (context) => hub.restore(null, context),
      entries: async () => [],
      wallMs: () => time.nowMs as UnixMs,
      wanted: () => SYMBOLS,
      failed: (what, thrown) => expect.unreachable(`${what} ${String(thrown)}`),
    },
    LOST,
  )
  market.setLost(null)
}

async function close(): Promise<void> {
  await reader.close()
  engine.close()
  folder.remove()
}
beforeEach(begin)
afterEach(close)

const after = (ms: number): void => void (time.nowMs += ms)

interface Slot {
  /** Its connection; null: it is down or has nothing to receive. */
  conn: number | null
  readonly wanted: Set<Symbol>
  /** Seq of its open gap. */
  gap: number | null
}

/** A recorder with two connections, as its session says it, and what it really received and missed. */
class Recorder {
  readonly received = new Map<Symbol, { fromMs: number; toMs: number }[]>(SYMBOLS.map((one) => [one, []]))
  readonly missed = new Map<Symbol, { fromMs: number; toMs: number }[]>(SYMBOLS.map((one) => [one, []]))
  readonly #session: Session
  readonly #replica: Replica
  readonly #slots: readonly Slot[] = [0, 1].map(() => ({ conn: null, wanted: new Set<Symbol>(), gap: null }))
  #conns = 0

  get startedMs(): number {
    return this.#session.info.startedMs
  }

  get id(): SessionId {
    return this.#session.info.session
  }

  constructor(n: number) {
    const startedMs = unixMs(time.nowMs)
    this.#session = new Session(n, { shard: 1, epoch: n, startedMs, recorder: `recorder ${n}` })
    this.#replica = new Replica(engine, 1, startedMs, { epoch: n, feeds: Array.from({ length: 500 }, () => feed) })
  }

  /** Subscribes to a symbol on a connection, or moves it there from the other one. */
  want(symbol: Symbol, at: number, isReleasedFirst = true): void {
    const [to, from] = [this.#slots[at], this.#slots[1 - at]]
    if (to.wanted.has(symbol) || to.gap !== null) return
    const isMoved = from.wanted.delete(symbol)
    if (isMoved && from.conn !== null) this.#end([symbol], time.nowMs)
    if (isMoved) this.#leaveGap(from, symbol)
    to.wanted.add(symbol)
    const openedSeq = this.#open('connect', [symbol])
    after(300)
    const release = (): void => {
      if (isMoved) this.#leave(from, symbol)
    }
    if (isReleasedFirst) release()
    after(300)
    if (to.conn === null) this.#connect(to)
    this.#acknowledge(to)
    this.#close(openedSeq, [symbol])
    after(300)
    if (!isReleasedFirst) release()
  }

  /** Asks for a symbol on a connection that has nothing else, and gets no answer. */
  ask(symbol: Symbol, at: number): void {
    const slot = this.#slots[at]
    if (slot.conn !== null || slot.wanted.size > 0 || this.#slots[1 - at].wanted.has(symbol)) return
    slot.wanted.add(symbol)
    slot.gap = this.#open('connect', [symbol])
  }

  unwant(symbol: Symbol): void {
    for (const slot of this.#slots) {
      if (!slot.wanted.delete(symbol)) continue
      if (slot.conn !== null) this.#end([symbol], time.nowMs)
      this.#leave(slot, symbol)
      this.#leaveGap(slot, symbol)
    }
  }

  drop(at: number, lateMs: number): void {
    const slot = this.#slots[at]
    if (slot.conn === null) return
    const symbols = [...slot.wanted]
    const sinceMs = Math.max(...symbols.map((one) => this.received.get(one)?.at(-1)?.fromMs ?? T0))
    const fromMs = Math.max(sinceMs, time.nowMs - lateMs)
    this.#add({ type: 'disconnected', feed, conn: slot.conn, closeCode: 1006, reason: '' })
    slot.conn = null
    slot.gap = this.#open('drop', symbols, fromMs)
    this.#end(symbols, fromMs)
  }

  reconnect(at: number): void {
    const slot = this.#slots[at]
    if (slot.gap === null) return
    this.#connect(slot)
    this.#acknowledge(slot)
    this.#close(slot.gap, [...slot.wanted])
    slot.gap = null
  }

  /** Frames are refused, and written as a gap of every symbol once there is room. */
  overflow(lateMs: number): void {
    const fromMs = Math.max(T0, time.nowMs - lateMs)
    for (const [symbol, spans] of this.received) {
      const isWanted = this.#slots.some(({ wanted }) => wanted.has(symbol))
      if (isWanted) this.missed.get(symbol)?.unshift({ fromMs, toMs: time.nowMs })
      spans.unshift(...withoutSpans(spans.splice(0), [{ fromMs, toMs: time.nowMs }]).map((span) => ({ ...span })))
    }
    this.#add({ type: 'gap-open', feed, cause: 'overflow', symbols: [], fromMs: unixMs(fromMs) })
    this.#add({ type: 'gap-close', feed, openedSeq: this.#replica.seq })
  }

  /** Its recorder is ended. */
  quit(): void {
    const symbols = this.#slots.flatMap(({ wanted }) => [...wanted])
    const down = this.#slots.filter(({ gap }) => gap !== null)
    if (down.length === 0) this.#open('quit', symbols)
    this.#end(symbols, time.nowMs)
    market.end(this.#session.info.session, unixMs(time.nowMs))
    this.#replica.end(time.nowMs)
  }

  /** It was killed, and is back: as its recovery does, ends what was open, and misses everything from its last message on. */
  crash(killedMs: number): void {
    for (const { wanted, gap, conn } of this.#slots) {
      if (gap !== null) this.#close(gap, [...wanted], false, killedMs)
      if (conn !== null) this.#end([...wanted], killedMs)
      for (const one of wanted) this.missed.get(one)?.push({ fromMs: killedMs, toMs: time.nowMs })
    }
    this.#add({ type: 'gap-open', feed, cause: 'crash', symbols: [], fromMs: unixMs(killedMs) }, killedMs)
    this.#add({ type: 'gap-close', feed, openedSeq: this.#replica.seq })
    market.end(this.#session.info.session, unixMs(killedMs))
    this.#replica.end(killedMs)
  }

  /** Is killed right after its last message, and comes back with another session that wants the same. */
  restart(n: number, awayMs: number): Recorder {
    this.trade()
    const killedMs = time.nowMs
    market.setAway(new Map([[this.id, LOST]]))
    after(awayMs)
    market.setAway(new Map())
    this.crash(killedMs)
    const next = new Recorder(n)
    for (const [at, { wanted }] of this.#slots.entries()) for (const symbol of wanted) next.want(symbol, at)
    return next
  }

  /** Something arrives from each connection, so that its store says up to when it received. */
  trade(): void {
    for (const { conn, wanted } of this.#slots)
      for (const symbol of wanted)
        if (conn !== null) this.#put({ conn, data: tradeText(symbol, 1, 1, time.nowMs), recvMs: time.nowMs })
    this.#add({ type: 'oversize', feed, conn: 1, limitBytes: 1 })
  }

  #connect(slot: Slot): void {
    slot.conn = ++this.#conns
    this.#add({ type: 'connecting', feed, conn: slot.conn })
    this.#add({ type: 'state', feed, conn: slot.conn, state: 'open' })
    // The store learns of a connection by what arrives from it.
    this.#put({
      conn: slot.conn,
      data: tradeText('SOL-USD', 1, 1, time.nowMs),
      recvMs: time.nowMs,
      flags: FLAG.unasked,
    })
  }

  #acknowledge({ conn, wanted }: Slot): void {
    if (conn === null) return
    this.#add({ type: 'subscribe', feed, conn, symbols: [...wanted] })
    this.#add({ type: 'acknowledged', feed, conn, symbols: [...wanted] })
  }

  /** A connection that has nothing to receive any more is closed, without an answer to an unsubscribe. */
  #leave(slot: Slot, symbol: Symbol): void {
    const { conn } = slot
    if (conn === null) return
    if (slot.wanted.size > 0) return this.#add({ type: 'released', feed, conn, symbols: [symbol] })
    this.#add({ type: 'state', feed, conn, state: 'idle' })
    this.#add({ type: 'disconnected', feed, conn, closeCode: 1000, reason: '' })
    slot.conn = null
  }

  /** The gap of a connection that is down ends for a symbol that it no longer has, and begins again for the other one. */
  #leaveGap(slot: Slot, symbol: Symbol): void {
    if (slot.gap === null) return
    this.#close(slot.gap, [symbol, ...slot.wanted], false)
    slot.gap = slot.wanted.size === 0 ? null : this.#open('drop', [...slot.wanted])
  }

  #open(cause: 'connect' | 'drop' | 'quit', symbols: readonly Symbol[], fromMs = time.nowMs): number {
    for (const one of symbols) this.missed.get(one)?.push({ fromMs, toMs: Infinity })
    this.#add({ type: 'gap-open', feed, cause, symbols, fromMs: unixMs(fromMs) })
    return this.#replica.seq
  }

  #close(openedSeq: number, symbols: readonly Symbol[], isBack = true, atMs = time.nowMs): void {
    this.#add({ type: 'gap-close', feed, openedSeq }, atMs)
    this.#endMissed(symbols, atMs)
    if (isBack) for (const one of symbols) this.received.get(one)?.push({ fromMs: time.nowMs, toMs: Infinity })
  }

  #endMissed(symbols: readonly Symbol[], atMs: number): void {
    for (const one of symbols) this.missed.get(one)!.at(-1)!.toMs = atMs
  }

  #end(symbols: readonly Symbol[], toMs: number): void {
    for (const one of symbols) this.received.get(one)!.at(-1)!.toMs = toMs
  }

  #add(entry: LedgerEntry, wallMs = time.nowMs): void {
    this.#put({ entry, wallMs })
  }

  #put(item: Item): void {
    market.show(this.#session.info, this.#session.flush([item]))
    this.#replica.add(item)
  }
}

interface Claim extends Span {
  readonly cause: string
}

const live = (symbol: Symbol): readonly Claim[] =>
  hub
    .gaps(feed, instrumentId('crypto', symbol))
    .map(({ cause, fromMs, toMs }) => ({ cause, fromMs, toMs: toMs ?? Infinity }))

async function stored(symbol: Symbol): Promise<readonly Claim[]> {
  const gaps = await reader.gaps({ source: SHARD, feed })
  return gaps
    .filter(({ symbols }) => symbols.length === 0 || symbols.includes(symbol))
    .map(({ cause, fromMs, toMs }) => ({ cause, fromMs, toMs: toMs ?? Infinity }))
    .sort((a, b) => a.fromMs - b.fromMs)
}

/** Seconds from the start, of what the window and the store say. */
async function claimed(symbol: Symbol = 'BTC-USD') {
  const inSeconds = (spans: readonly Span[]) =>
    spans.map(({ fromMs, toMs }) => [(fromMs - T0) / 1_000, toMs === Infinity ? null : (toMs - T0) / 1_000])
  return { live: inSeconds(live(symbol)), stored: inSeconds(await stored(symbol)) }
}

describe('a symbol of a recorder with two connections', () => {
  it.each([
    { name: 'before the first one is told to release it', isReleasedFirst: false },
    { name: 'after the first one has released it', isReleasedFirst: true },
  ])('that the second one has $name is received', async ({ isReleasedFirst }) => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    for (const each of [one, two]) for (const symbol of SYMBOLS) each.want(symbol, 0)
    after(10_000)
    one.want('BTC-USD', 1, isReleasedFirst)
    after(10_000)
    two.drop(0, 0)
    after(5_000)
    two.reconnect(0)
    after(5_000)
    one.trade()
    two.trade()
    const { live: shown, stored: kept } = await claimed()
    // Only while each of them was connecting.
    for (const [, toS] of [...shown, ...kept]) expect(toS).toBeLessThan(5)
  })

  it('whose connection is closed isn’t received any more', async () => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    one.want('BTC-USD', 0)
    one.want('ETH-USD', 1)
    two.want('BTC-USD', 0)
    after(10_000)
    one.unwant('BTC-USD')
    after(10_000)
    two.drop(0, 0)
    const fromS = (time.nowMs - T0) / 1_000
    after(5_000)
    two.reconnect(0)
    after(5_000)
    one.trade()
    two.trade()
    const { live: shown, stored: kept } = await claimed()
    expect(shown.at(-1)).toEqual([fromS, fromS + 5])
    expect(kept.at(-1)).toEqual([fromS, fromS + 5])
  })
})

/** By cause, without what is no longer than an instant. */
function byCause(claims: readonly Claim[], within: readonly Span[]): Record<string, readonly Span[]> {
  const causes = [...new Set(claims.map(({ cause }) => cause))].sort()
  const spans = causes.map((one) => [one, commonSpans(claims.filter(({ cause }) => cause === one), within)] as const) // oxfmt-ignore
  return Object.fromEntries(spans.filter(([, of]) => of.length > 0))
}

/**
 * What one says and another one doesn't. The window forgets sessions that ended before those it follows began, and by what is
 * known of others, an edge can be a second earlier or later.
 */
function unlike(one: Record<string, readonly Span[]>, other: Record<string, readonly Span[]>): readonly Span[] {
  return Object.entries(one).flatMap(([cause, spans]) => {
    const certain = spans.map(({ fromMs, toMs }) => ({ fromMs: fromMs + EDGE_MS, toMs: toMs - EDGE_MS }))
    return withoutSpans(certain.filter(({ fromMs, toMs }) => fromMs < toMs), other[cause] ?? []) // oxfmt-ignore
  })
}

/** What is missing of BTC-USD after both have connected, with causes and in seconds from the start. */
async function seconds() {
  const of = (claims: readonly Claim[]) => claims.map(({ cause, fromMs, toMs }) => [cause, (fromMs - T0) / 1_000, toMs === Infinity ? null : (toMs - T0) / 1_000]) // oxfmt-ignore
  const isLater = ({ toMs }: Claim): boolean => toMs > T0 + 5_000
  const symbol = 'BTC-USD'
  return { live: of(live(symbol).filter(isLater)), stored: of((await stored(symbol)).filter(isLater)) }
}

describe('a gap of a recorder that runs on', () => {
  it('lasts after another one of its shard has begun that doesn’t receive the symbol either', async () => {
    const one = new Recorder(1)
    one.want('BTC-USD', 0)
    after(20_000)
    one.trade()
    const fromS = (time.nowMs - T0) / 1_000
    one.drop(0, 0)
    after(5_000)
    const two = new Recorder(2)
    two.want('ETH-USD', 0)
    after(5_000)
    one.trade()
    two.trade()
    expect(await seconds()).toEqual({ live: [['drop', fromS, null]], stored: [['drop', fromS, null]] })
    one.reconnect(0)
    const dropped = [['drop', fromS, (time.nowMs - T0) / 1_000]]
    after(5_000)
    one.trade()
    expect(await seconds()).toEqual({ live: dropped, stored: dropped })
  })

  it('of every symbol is none of a symbol that was wanted later', async () => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    after(20_000)
    one.overflow(5_000)
    after(20_000)
    one.want('BTC-USD', 0)
    two.want('ETH-USD', 0)
    after(5_000)
    one.trade()
    two.trade()
    for (const claims of Object.values(await seconds())) expect(claims.map(([cause]) => cause)).toEqual(['connect'])
  })
})

describe('a gap of every symbol', () => {
  it('of a recorder that was killed is one of what it had asked for, too', async () => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    two.want('ETH-USD', 0)
    one.ask('BTC-USD', 0)
    after(10_000)
    two.trade()
    const fromS = (time.nowMs - T0) / 1_000
    one.restart(3, 20_000)
    after(5_000)
    two.trade()
    const { live: shown, stored: kept } = await seconds()
    expect(shown.find(([cause]) => cause === 'crash')).toEqual(['crash', fromS, fromS + 20])
    expect(kept).toEqual(shown)
  })

  it('is none of what was given up while its connection was lost', async () => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    for (const [at, symbol] of SYMBOLS.entries()) one.want(symbol, at)
    two.want('ETH-USD', 0)
    after(10_000)
    one.drop(0, 0)
    after(5_000)
    one.unwant('BTC-USD')
    after(20_000)
    one.overflow(5_000)
    after(5_000)
    for (const each of [one, two]) each.trade()
    const { live: shown, stored: kept } = await seconds()
    expect(shown.map(([cause]) => cause)).toEqual(['drop'])
    expect(kept).toEqual(shown)
  })

  it('is none of what only another recorder wanted', async () => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    one.want('ETH-USD', 0)
    two.want('BTC-USD', 0)
    after(20_000)
    two.trade()
    two.drop(0, 0)
    after(5_000)
    two.unwant('BTC-USD')
    after(5_000)
    one.overflow(2_000)
    after(5_000)
    one.trade()
    const { live: shown, stored: kept } = await seconds()
    expect(shown.map(([cause]) => cause)).toEqual(['drop'])
    expect(kept).toEqual(shown)
  })
})

describe('a recorder that ends beside another one of its shard', () => {
  const both = (): readonly [Recorder, Recorder] => {
    const [one, two] = [new Recorder(1), new Recorder(2)]
    for (const each of [one, two]) each.want('BTC-USD', 0)
    return [one, two]
  }

  it('leaves no gap open once that one gives the symbol up, and none of its own where that one has one', async () => {
    const [one, two] = both()
    after(20_000)
    one.trade()
    two.quit()
    after(10_000)
    one.trade()
    expect(await seconds()).toEqual({ live: [], stored: [] })
    const fromS = (time.nowMs - T0) / 1_000
    one.drop(0, 0)
    after(5_000)
    one.reconnect(0)
    after(5_000)
    one.trade()
    const dropped = [['drop', fromS, fromS + 5]]
    expect(await seconds()).toEqual({ live: dropped, stored: dropped })
    one.want('ETH-USD', 1)
    one.unwant('BTC-USD')
    after(20_000)
    one.trade()
    expect(await seconds()).toEqual({ live: dropped, stored: dropped })
    market.reload()
    expect(await seconds()).toEqual({ live: dropped, stored: dropped })
  })

  it('leaves its gap open if that one isn’t there any more', async () => {
    const [one, two] = both()
    after(20_000)
    one.trade()
    after(30_000)
    two.trade()
    market.setAway(new Map([[one.id, LOST]]))
    two.quit()
    const { live: shown, stored: kept } = await seconds()
    expect(shown).toEqual([['quit', expect.any(Number), null]])
    expect(kept).toEqual(shown)
  })

  it('says once why nobody received, when the next one takes over: not that it was connecting', async () => {
    const one = new Recorder(1)
    one.want('BTC-USD', 0)
    after(20_000)
    one.trade()
    const killedMs = time.nowMs
    market.setAway(new Map([[one.id, LOST]]))
    after(6_000)
    const two = new Recorder(2)
    two.want('BTC-USD', 0)
    const backMs = time.nowMs
    after(20_000)
    two.trade()
    market.setAway(new Map())
    one.crash(killedMs)
    after(5_000)
    two.trade()
    const inSeconds = (ms: number): number => (ms - T0) / 1_000
    // It was acknowledged 300 ms before `want` returned.
    const crashed = [['crash', inSeconds(killedMs), inSeconds(backMs) - 0.3]]
    expect(await seconds()).toEqual({ live: crashed, stored: crashed })
  })
})

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 1, max: 40 }).map((n) => n * 250),
    recorder: fc.nat({ max: 1 }),
    symbol: fc.constantFrom(...SYMBOLS),
    at: fc.nat({ max: 1 }),
    does: fc.constantFrom(
      'want',
      'want',
      'swap',
      'unwant',
      'drop',
      'drop',
      'reconnect',
      'reconnect',
      'ask',
      'overflow',
      'restart',
      'trade',
    ),
    lateMs: fc.integer({ min: 0, max: 60 }).map((n) => n * 250),
  }),
  { minLength: 5, maxLength: 40 },
)

/** What can be missing for certain, and what certainly isn't: within a second of an edge, two clocks can't tell. */
function truthOf(recorders: readonly Recorder[], symbol: Symbol) {
  const received = recorders.flatMap((one) => one.received.get(symbol) ?? [])
  const missed = recorders.flatMap((one) => one.missed.get(symbol) ?? [])
  const surely = received.map(({ fromMs, toMs }) => ({ fromMs: fromMs + EDGE_MS, toMs: toMs - EDGE_MS }))
  return { missing: withoutSpans(missed, received), received: mergeSpans(surely), missed: mergeSpans(missed) }
}

describe('random histories of two recorders with two connections each', () => {
  it('show a gap where nobody received what somebody wanted, in the window as in the store', async () => {
    const isOver = timeLimit(20)
    const seen = { gaps: 0, moves: 0 }
    await fc.assert(
      fc.asyncProperty(steps, async (schedule) => {
        if (isOver()) return
        await close()
        begin()
        const recorders = [new Recorder(1), new Recorder(2)]
        const all = [...recorders]
        for (const each of recorders) for (const [at, symbol] of SYMBOLS.entries()) each.want(symbol, at)
        for (const { afterMs, recorder, symbol, at, does, lateMs } of schedule) {
          after(afterMs)
          const one = recorders[recorder]
          if (does === 'want' || does === 'swap') {
            one.want(symbol, at, does === 'want')
            seen.moves += 1
          } else if (does === 'unwant') one.unwant(symbol)
          else if (does === 'drop') one.drop(at, lateMs)
          else if (does === 'reconnect') one.reconnect(at)
          else if (does === 'ask') one.ask(symbol, at)
          else if (does === 'overflow') one.overflow(lateMs)
          else if (does === 'restart') all.push((recorders[recorder] = one.restart(all.length + 1, lateMs)))
          else one.trade()
        }
        after(5_000)
        for (const each of recorders) each.trade()
        for (const symbol of SYMBOLS) {
          const { missing, received, missed } = truthOf(all, symbol)
          // What comes next isn't known yet, and the window leaves what was before its sessions to the store.
          const fromMs = all.length === 2 ? -Infinity : Math.min(...recorders.map(({ startedMs }) => startedMs))
          const known: readonly Span[] = [{ fromMs, toMs: time.nowMs - EDGE_MS }]
          const inKnown = (spans: readonly Span[]) => commonSpans(spans, known)
          const shown = inKnown(live(symbol))
          seen.gaps += shown.length
          const [kept, told] = [await stored(symbol), live(symbol)].map((claims) => byCause(claims, known))
          if (all.length === 2) expect(kept, `${symbol} in the store`).toEqual(told)
          expect(unlike(kept, told), `${symbol}: in the store, and not in the window`).toEqual([])
          expect(unlike(told, kept), `${symbol}: in the window, and not in the store`).toEqual([])
          expect(withoutSpans(inKnown(missing), shown), `${symbol}: missing, and not shown`).toEqual([])
          expect(withoutSpans(shown, missed), `${symbol}: shown, and nobody’s gap`).toEqual([])
          expect(commonSpans(shown, received), `${symbol}: shown, and received`).toEqual([])
        }
      }),
      { numRuns: 100, examples: fixedExamples(20, steps) },
    )
    expect(seen.gaps).toBeGreaterThan(50)
    expect(seen.moves).toBeGreaterThan(50)
  })
})
