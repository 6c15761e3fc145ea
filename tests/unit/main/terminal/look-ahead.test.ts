/** Nothing after a replay's clock is visible: everything is as if the recording had been cut there. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { BarsValue, QuotesValue, TapeValue } from '../../../../src/shared/core/views/contract.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'
import { instrumentId, type SessionId } from '../../../../src/shared/base/units.ts'
import { barsStream, quotesStream, tapeStream } from '../../../../src/main/core/market/streams.ts'
import { StoreEngine } from '../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../src/main/core/store/types/session-id.ts'
import type { OpenReplay } from '../../../../src/main/features/replay/replay-view.ts'
import { barsPage } from '../../../../src/main/core/views/views.ts'
import { DEMO, T0, Writer, type Item } from '../core/store/harness.ts'
import type { Clock } from '../../../../src/main/base/clock.ts'
import { manualClock } from '../../../kit/clock.ts'
import { makeStoreFolder } from '../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../kit/market.ts'
import { openedReplay } from './opened-replay.ts'
import { timeLimit } from '../../../kit/properties.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const SYMBOLS = ['BTC-USD', 'ETH-USD']

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

interface Event {
  readonly afterMs: number
  readonly what: 'trade' | 'quote' | 'drop' | 'release'
  readonly symbol: string
  readonly price: number
  readonly lateMs: number
}

const event: fc.Arbitrary<Event> = fc.record({
  afterMs: fc.oneof({ weight: 6, arbitrary: fc.nat(800) }, fc.nat(50_000)),
  what: fc.oneof(
    { weight: 10, arbitrary: fc.constant('trade' as const) },
    { weight: 4, arbitrary: fc.constant('quote' as const) },
    fc.constantFrom('drop' as const, 'release' as const),
  ),
  symbol: fc.constantFrom(...SYMBOLS),
  price: fc.integer({ min: 4, max: 400 }),
  lateMs: fc.nat(4_000),
})

const DAY_BEFORE = T0 - 86_400_000

/** What a recorder writes of these events: one item a seq. */
function itemsOf(events: readonly Event[], from: number): Item[] {
  const items: Item[] = []
  const open = (conn: number, feed: 'crypto/XT' | 'crypto/XQ', wallMs: number): Item[] => [
    { entry: { type: 'connecting', feed, conn }, wallMs },
    { entry: { type: 'connected', feed, conn }, wallMs },
    { entry: { type: 'subscribe', feed, conn, symbols: SYMBOLS }, wallMs },
    { entry: { type: 'acknowledged', feed, conn, symbols: SYMBOLS }, wallMs },
    { entry: { type: 'state', feed, conn, state: 'open' }, wallMs },
  ]
  items.push(...open(1, 'crypto/XT', from), ...open(2, 'crypto/XQ', from))
  let at = from
  for (const { afterMs, what, symbol, price, lateMs } of events) {
    at += afterMs
    if (what === 'trade') items.push({ conn: 1, data: tradeText(symbol, price / 4, price, at - lateMs), recvMs: at })
    else if (what === 'quote') items.push({ conn: 2, data: quoteText(symbol, price, price + 1, at), recvMs: at })
    else if (what === 'drop') {
      const feed = 'crypto/XT'
      items.push({ entry: { type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(at - 50) }, wallMs: at })
      items.push({ entry: { type: 'gap-close', feed, openedSeq: items.length }, wallMs: at + 700 })
      at += 700
    } else {
      const feed = 'crypto/XT'
      items.push({ entry: { type: 'released', feed, conn: 1, symbols: [symbol] }, wallMs: at })
      items.push({ entry: { type: 'subscribe', feed, conn: 1, symbols: [symbol] }, wallMs: at + 5 })
      items.push({ entry: { type: 'acknowledged', feed, conn: 1, symbols: [symbol] }, wallMs: at + 300 })
      at += 300
    }
  }
  return items
}

const wallOf = (item: Item): number => ('entry' in item ? (item.wallMs ?? 0) : (item.recvMs ?? 0))

/** A store with a day before, and a recording of these items that is still open. */
function storeOf(before: readonly Item[], items: readonly Item[], after: readonly Item[]): LocalReader {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const record = (some: readonly Item[], startedMs: number, last: boolean): SessionId => {
    const id = newSessionId(unixMs(startedMs))
    engine.begin(id, DEMO, unixMs(startedMs))
    const writer = new Writer()
    for (let i = 0; i < some.length; i += 20) engine.commit([writer.batch(some.slice(i, i + 20))])
    if (!last) engine.end(unixMs(Math.max(startedMs, ...some.map(wallOf))), [])
    return id
  }
  record(before, DAY_BEFORE, false)
  record(items, T0, after.length === 0)
  if (after.length > 0) record(after, T0 + 7_200_000, true)
  const reader = openLocalReader(folder.file)
  cleanups.push(
    () => folder.remove(),
    () => engine.close(),
    () => reader.close(),
  )
  return reader
}

async function replayOf(reader: LocalReader, clock?: Clock): Promise<OpenReplay> {
  const rows = (await reader.sessions()).filter((row) => row.startedMs === T0)
  const replay = await openedReplay(
    reader,
    rows.map(({ session }) => session),
    false,
    clock,
  )
  cleanups.push(() => replay.close())
  return replay
}

/** Everything that streams and pages of a view give now. */
async function seen({ view }: OpenReplay, reader: LocalReader): Promise<unknown> {
  const { hub, history } = view
  const wake = () => undefined
  const quotes = quotesStream(hub, [BTC, ETH], () => view.wallMs(), wake)
  view.seeder.seed(BTC)
  view.seeder.seed(ETH)
  const bars = (['trade', 'mid'] as const).flatMap((of) =>
    (['100ms', '1s', '1m', '1h', '1D'] as const).map((interval) => ({
      of,
      interval,
      stream: barsStream(hub, history, { instrument: BTC, of, interval, fromMs: null }, wake),
    })),
  )
  const tape = tapeStream(hub, history, { instrument: BTC, limit: 50 }, wake)
  // The past is asked in this thread: every answer is there after some turns.
  for (let i = 0; i < 40; i += 1) await new Promise((resolve) => setImmediate(resolve))
  const taken: { quotes?: QuotesValue; bars: unknown[]; tape?: TapeValue } = { bars: [] }
  taken.quotes = quotes.take()
  for (const one of bars) taken.bars.push(one.stream.take() satisfies BarsValue | undefined)
  taken.tape = tape.take()
  for (const one of [quotes, tape, ...bars.map(({ stream }) => stream)]) one.close()
  const pages = []
  for (const interval of ['250ms', '1m', '5m', '1D'] as const) {
    const args = { instrument: BTC, of: 'trade', interval, beforeMs: null, limit: 100 } as const
    const page = await barsPage(reader, view, args)
    const startMs = page.bars.at(0)?.startMs ?? 0
    pages.push(
      page,
      await barsPage(reader, view, { ...args, afterMs: startMs }),
      await barsPage(reader, view, { ...args, afterMs: 0, limit: 3 }),
    )
  }
  const newest = await history.printsBefore(BTC, null, 7)
  const older = newest.older === null ? null : await history.printsBefore(BTC, newest.older, 7)
  return { ...taken, pages, newest: newest.prints, older: older?.prints ?? null }
}

describe('a replay', () => {
  it('shows what a recording cut at its clock would show', async () => {
    const isSpent = timeLimit()
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 3, maxLength: 60 }),
        fc.array(event, { minLength: 1, maxLength: 20 }),
        fc.array(event, { minLength: 1, maxLength: 10 }),
        fc.nat(1_000),
        fc.nat(1_000),
        async (events, early, late, at, detour) => {
          if (isSpent()) return
          const items = itemsOf(events, T0)
          const cut = 10 + (at % (items.length - 9))
          const ms = wallOf(items[cut - 1])
          // Everything that was received in that very millisecond.
          const upTo = items.findLastIndex((item) => wallOf(item) <= ms) + 1
          const before = itemsOf(early, DAY_BEFORE)
          const wholeStore = storeOf(before, items, itemsOf(late, T0 + 7_200_000))
          const shortStore = storeOf(before, items.slice(0, upTo), [])
          const whole = await replayOf(wholeStore)
          const short = await replayOf(shortStore)
          await whole.seek({ at: 'ms', ms: wallOf(items[detour % items.length]) })
          await whole.seek({ at: 'ms', ms })
          await short.seek({ at: 'ms', ms })
          expect(await seen(whole, wholeStore)).toEqual(await seen(short, shortStore))
          for (const clean of cleanups.splice(0).reverse()) await clean()
        },
      ),
      { numRuns: 25 },
    )
  }, 120_000)

  it('tells of its feeds at the new time after each jump, however soon it follows', async () => {
    const events = Array.from({ length: 20 }, () => {
      return { afterMs: 1_000, what: 'trade', symbol: 'BTC-USD', price: 100, lateMs: 0 } satisfies Event
    })
    const clock = manualClock(T0)
    const replay = await replayOf(storeOf([], itemsOf(events, T0), []), clock)
    const stream = replay.view.status.open(() => undefined)
    const told = () => {
      const status = stream.take()
      const trades = status?.feeds.find(({ feed }) => feed === 'crypto/XT')
      return status && [status.nowMs - T0, (trades?.lastMessageMs ?? NaN) - T0]
    }
    for (const ms of [18_000, 5_000, 12_000, 1_500]) {
      const seek = replay.seek({ at: 'ms', ms: T0 + ms })
      told() // while it seeks
      await seek
      expect(told()).toEqual([ms, Math.floor(ms / 1_000) * 1_000])
    }
    // A step soon after isn't lost, either.
    await replay.step({ by: 'second', forward: true, interval: '1m' })
    clock.advance(200)
    expect(told()).toEqual([2_500, 2_000])
  })
})
