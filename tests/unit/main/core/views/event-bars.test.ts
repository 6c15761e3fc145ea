/** Event bars are the same live, in a replay and from the store, and never know what comes after a view's position. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventBarRule } from '../../../../../src/shared/core/market/event-bars.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import type { BarsValue } from '../../../../../src/shared/core/views/contract.ts'
import type { StreamSource } from '../../../../../src/shared/rpc/transport.ts'
import { eventBarsStream } from '../../../../../src/main/core/market/event-bars/stream.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import type { LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { eventBarsPage } from '../../../../../src/main/core/views/event-bars-page.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import type { View } from '../../../../../src/main/core/views/views.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../store/harness.ts'
import { applyItem, cleanUp, storeOf } from './store-of.ts'
import { fixedExamples, timeLimit } from '../../../../kit/properties.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const DAY = 86_400_000
/** Shortly before midnight. */
const LATE_MS = Math.ceil(T0 / DAY) * DAY - 3_000
const RULES: readonly EventBarRule[] = [
  { kind: 'tick', size: 3 },
  { kind: 'volume', size: 2.5 },
  { kind: 'range', size: 2 },
  { kind: 'renko', size: 1 },
  { kind: 'delta', size: 1 },
]

afterEach(cleanUp)

interface Event {
  readonly afterMs: number
  readonly what: 'trade' | 'quote' | 'gap'
  readonly price: number
  readonly lateMs: number
}
const events = fc.array(
  fc.record<Event>({
    // Half a day, ten days, and a clock that steps back.
    afterMs: fc.oneof({ weight: 30, arbitrary: fc.nat(3_000) }, fc.constantFrom(40_000_000, 10 * DAY, -80)),
    what: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('trade' as const, 'quote' as const) },
      fc.constant('gap' as const),
    ),
    price: fc.integer({ min: 100, max: 106 }),
    // Of a day before, of the last minutes, or dated ahead.
    lateMs: fc.oneof({ weight: 20, arbitrary: fc.nat(400) }, fc.constantFrom(DAY / 2, 600_000, -300, -3_600_000)),
  }),
  { minLength: 5, maxLength: 70 },
)

/** What a recorder writes of these events: one item a seq. */
function itemsOf(list: readonly Event[], fromMs: number): readonly (Item & { readonly atMs: number })[] {
  let at = fromMs
  return list.map(({ afterMs, what, price, lateMs }) => {
    at += afterMs
    if (what === 'trade') return { conn: 1, data: tradeText('BTC-USD', price, 0.5, at - lateMs), recvMs: at, atMs: at }
    if (what === 'quote')
      return { conn: 2, data: quoteText('BTC-USD', price, price + 1, at - lateMs), recvMs: at, atMs: at }
    const entry = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(at - 50) } as const
    return { entry, wallMs: at, atMs: at }
  })
}

/** A view that stands after `seq` messages of a store that may hold more. */
function viewAt(reader: LocalReader, session: SessionId, seq: number, nowMs: number): View {
  const hub = createHub({ calendar: hubCalendar })
  const history = createViewHistory({
    reader,
    source: () => 'demo',
    present: () => new Map([[session, seq]]),
    committed: () => Promise.resolve(true),
    wallMs: () => nowMs,
    days: (asset) => hubCalendar.days(asset),
    failed(what, thrown) {
      throw new Error(`${what}: ${String(thrown)}`)
    },
  })
  const limits = new Map([[session, seq]])
  // The parts of a view that pages and streams of event bars use.
  return { hub, history, source: () => 'demo', upTo: () => limits, wallMs: () => nowMs } as never
}

/** What a window has after each value: bars by start. */
async function shown(stream: StreamSource<BarsValue>, woken: Promise<void>, then: () => void): Promise<readonly Bar[]> {
  await woken
  const bars = new Map<number, Bar>()
  const take = (): void => {
    const value = stream.take()
    if (value?.reset) bars.clear()
    for (const bar of [...(value?.reset ?? []), ...(value?.updates ?? [])]) bars.set(bar.startMs, bar)
  }
  take()
  then()
  take()
  stream.close()
  return [...bars.values()].toSorted((a, b) => a.startMs - b.startMs)
}

describe.each(RULES)('$kind bars', (rule) => {
  it('are the same wherever the store ends and the market begins, and in pages', async () => {
    let compared = 0
    const FIXED = 2
    const isSpent = timeLimit(FIXED)
    await fc.assert(
      fc.asyncProperty(events, fc.constantFrom(T0, LATE_MS), fc.nat(1_000), async (list, fromMs, at) => {
        if (isSpent()) return
        const items = itemsOf(list, fromMs)
        const nowMs = Math.max(...items.map(({ atMs }) => atMs))
        const { reader, session } = storeOf(items)
        const streamed = async (stored: number, sinceMs: number): Promise<readonly Bar[]> => {
          const view = viewAt(reader, session, stored, nowMs)
          let wake = (): void => undefined
          const woken = new Promise<void>((resolve) => (wake = resolve))
          const stream = eventBarsStream(
            view.hub,
            view.history,
            { instrument: BTC, rule },
            () => sinceMs,
            () => wake(),
          )
          return shown(stream, woken, () => {
            for (const [i, item] of items.entries()) if (i >= stored) applyItem(view.hub, i + 1, item)
            // Sides settle by the clock of other instruments, too.
            view.hub.sessionBegan(true)
          })
        }
        const live = await streamed(0, nowMs)
        compared += live.length
        const middle = at % items.length
        expect(await streamed(middle, nowMs)).toEqual(live)
        // A terminal that has run since the first day.
        const lived = await streamed(0, fromMs - 80 * items.length)
        // The whole store, in pages of two bars: today's bars and those of earlier days.
        const view = viewAt(reader, session, items.length, nowMs)
        const pages: Bar[] = []
        for (let beforeMs: number | null = null, more = true; more;) {
          const page = await eventBarsPage(reader, view, { instrument: BTC, rule, beforeMs, limit: 2 })
          pages.unshift(...page.bars)
          more = page.more
          beforeMs = page.bars.at(0)?.startMs ?? 0
        }
        expect(pages.slice(pages.length - live.length)).toEqual(live)
        expect(pages).toEqual(lived)
        // A view in the past shows what a store that ends there would.
        const past = viewAt(reader, session, middle, items[Math.max(0, middle - 1)].atMs)
        const cut = storeOf(items.slice(0, middle))
        const cutView = viewAt(cut.reader, cut.session, middle, past.wallMs())
        const asked = { instrument: BTC, rule, beforeMs: null, limit: 500 }
        const [seen, there] = [
          await eventBarsPage(reader, past, asked),
          await eventBarsPage(cut.reader, cutView, asked),
        ]
        // Which gaps a view in the past knows, its replay says.
        expect([seen.bars, seen.more]).toEqual([there.bars, there.more])
        await cleanUp()
      }),
      { numRuns: 12 + FIXED, examples: fixedExamples(FIXED, events, fc.constantFrom(T0, LATE_MS), fc.nat(1_000)) },
    )
    expect(compared).toBeGreaterThan(5)
  }, 60_000)
})

describe('a gap that began before midnight and was noticed after it', () => {
  const midnight = Math.ceil(T0 / DAY) * DAY
  const trade = (recvMs: number): Item => ({ conn: 1, data: tradeText('BTC-USD', 100, 1, recvMs), recvMs })
  const entry = {
    type: 'gap-open',
    feed: 'crypto/XT',
    cause: 'drop',
    symbols: [],
    fromMs: unixMs(midnight - 30),
  } as const
  const gap: Item = { entry, wallMs: midnight + 20 }
  const completeOf = async (items: readonly Item[]) => {
    const { reader, session } = storeOf(items)
    const view = viewAt(reader, session, items.length, midnight + DAY)
    const asked = { instrument: BTC, rule: { kind: 'tick', size: 5 }, beforeMs: midnight, limit: 500 } as const
    return (await eventBarsPage(reader, view, asked)).bars.map(({ complete }) => complete)
  }

  it('leaves the last bar of the day incomplete, unless trades of the next day came first', async () => {
    expect(await completeOf([trade(midnight - 40), gap, trade(midnight + 40)])).toEqual([false])
    expect(await completeOf([trade(midnight - 40), trade(midnight + 10), gap])).toEqual([true])
  })
})

describe('bars of single trades', () => {
  const rule = { kind: 'tick', size: 1 } as const
  const day = Math.ceil(T0 / DAY) * DAY
  const trade = (recvMs: number, price: number, lateMs = 20): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', price, 1, recvMs - lateMs),
    recvMs,
  })
  async function closesOf(items: readonly Item[], nowMs: number) {
    const { reader, session } = storeOf(items)
    const view = viewAt(reader, session, items.length, nowMs)
    let wake = (): void => undefined
    const woken = new Promise<void>((resolve) => (wake = resolve))
    const stream = eventBarsStream(
      view.hub,
      view.history,
      { instrument: BTC, rule },
      () => nowMs,
      () => wake(),
    )
    const today = await shown(stream, woken, () => undefined)
    const pages: number[][] = []
    for (let beforeMs: number | null = null, more = true; more;) {
      const page = await eventBarsPage(reader, view, { instrument: BTC, rule, beforeMs, limit: 500 })
      if (page.bars.length > 0) pages.unshift(page.bars.map((bar) => bar.close))
      more = page.more
      beforeMs = page.bars.at(0)?.startMs ?? 0
    }
    return { today: today.map((bar) => bar.close), pages }
  }

  it('are in the page of the day in which they were received', async () => {
    const items = [
      trade(day - 30, 100),
      trade(day, 101, 60),
      trade(day + 40, 102, 5),
      // The only trade of its day, dated the day before.
      trade(day + DAY + 40, 103, 600_000),
      // The only trade of its day, dated three days before.
      trade(day + 5 * DAY + 40, 106, 3 * DAY),
      // The only trade of its day, dated the day after.
      trade(day + 9 * DAY - 40, 104, -100),
      trade(day + 9 * DAY + 40, 105),
    ]
    const pages = [[100], [101, 102], [103], [106], [104], [105]]
    expect(await closesOf(items, day + 9 * DAY + 5_000)).toEqual({ today: [105], pages })
    expect(await closesOf(items.slice(0, 3), day + 5_000)).toEqual({ today: [101, 102], pages: [[100], [101, 102]] })
    // With nothing older than trades that were received days after their date.
    const late = [trade(day + 5 * DAY + 40, 106, 3 * DAY), trade(day + 9 * DAY + 40, 105)]
    expect(await closesOf(late, day + 9 * DAY + 5_000)).toEqual({ today: [105], pages: [[106], [105]] })
    expect(await closesOf([trade(day - 40, 99, -100)], day + 5_000)).toEqual({ today: [], pages: [[99]] })
  })
})
