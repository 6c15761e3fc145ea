import { describe, expect, it } from 'vitest'
import { tradingSpans, type Instruments } from '../../../../../src/main/features/screener/read-facts.ts'
import { ViewScreener } from '../../../../../src/main/features/screener/view-screener.ts'
import type { View } from '../../../../../src/main/core/views/views.ts'
import type { Bar, BarSource } from '../../../../../src/shared/core/market/market.ts'
import type { LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import type { GapSpan } from '../../../../../src/shared/core/status/status.ts'
import type { CoveredSession } from '../../../../../src/shared/features/evidence/session-spans.ts'
import type { MetricValues } from '../../../../../src/shared/features/screener/metrics.ts'
import { MAX_SCREEN_ROWS } from '../../../../../src/shared/features/screener/contract.ts'
import { NEW_SCREEN, universeOf, type Screen } from '../../../../../src/shared/features/screener/screen.ts'
import {
  instrumentId,
  sessionId,
  unixMs,
  type FeedId,
  type InstrumentId,
} from '../../../../../src/shared/base/units.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const T0 = Date.UTC(2026, 0, 5, 12)
const screen: Screen = { ...NEW_SCREEN, span: '1h', sort: { metric: null, descending: false } }
const AAPL = instrumentId('stocks', 'AAPL')

interface Setup {
  readonly live?: boolean
  readonly ids?: Instruments
  readonly fundamentals?: (stocks: Instruments) => Promise<ReadonlyMap<InstrumentId, MetricValues>>
  readonly sessions?: readonly CoveredSession[]
  /** Called for each query for bars; what it returns is awaited first. */
  readonly beforeBars?: (nth: number, of: BarSource) => Promise<void>
  readonly quoted?: boolean
}
const coins = (count: number): Instruments =>
  new Map(Array.from({ length: count }, (_, i) => [instrumentId('crypto', `C${i}-USD`), `C${i}-USD`]))

/** A view whose minute bars close at 1, 2, 3, …: at each clock only the bars before it are there. */
function open(count: number, { live = false, quoted = false, ...setup }: Setup = {}) {
  let nowMs = T0 + HOUR
  let realMs = 0
  let failing = ''
  let ids = setup.ids ?? coins(count)
  let gaps: readonly GapSpan[] = []
  const asked: InstrumentId[] = []
  const resets: (() => void)[] = []
  const barsAt = (ms: number): Bar[] =>
    Array.from({ length: Math.max(0, Math.floor((ms - T0) / MINUTE)) }, (_, i) => ({
      ...{ startMs: unixMs(T0 + i * MINUTE), endMs: unixMs(T0 + (i + 1) * MINUTE) },
      ...{ open: i + 1, high: i + 1, low: i + 1, close: i + 1, volume: 1, count: 1, complete: true },
    }))
  // Only what a screener uses.
  const view = {
    live,
    wallMs: () => nowMs,
    hub: { cells: () => [], find: () => undefined, onReset: (reset: () => void) => resets.push(reset) },
    history: {
      readableBars: async (id: InstrumentId, of: BarSource) => {
        const nth = asked.push(id)
        await setup.beforeBars?.(nth, of)
        if (failing !== '') throw new Error(failing)
        return { bars: quoted && of === 'trade' ? [] : barsAt(nowMs), gaps }
      },
    },
  } as unknown as View
  let told = 0
  const screener = new ViewScreener({
    view,
    instruments: async () => ids,
    sessions: async () => setup.sessions ?? [],
    fundamentals: setup.fundamentals ?? (async () => new Map()),
    inUniverse: (universe) => universeOf(universe, []),
    realMs: () => realMs,
    changed: () => void (told += 1),
  })
  return {
    screener,
    asked,
    told: () => told,
    at(ms: number, real = realMs + 60_000) {
      if (ms < nowMs) for (const reset of resets) reset()
      nowMs = ms
      realMs = real
    },
    /** The store can't be read; '': it can. */
    fail: (why: string) => void (failing = why),
    corrupt: (found: readonly GapSpan[]) => void (gaps = found),
    switchTo: (others: Instruments) => void (ids = others),
  }
}
const highs = ({ screener }: ReturnType<typeof open>) =>
  screener.page(screen, 0, 10).rows.map(({ values }) => values.high)

describe('the screener of a view', () => {
  it('lists what was recorded, in pages', async () => {
    const { screener } = open(120)
    await screener.settle(screen)
    const page = screener.page(screen, 100, 50)
    expect(page).toMatchObject({ offset: 100, matched: 120, known: 120, readMs: T0 + HOUR, reading: null, covered: 0 })
    expect(page.rows).toHaveLength(20)
    expect(page.rows[0].values).toMatchObject({ price: 60, change: 59, volume: 60 })
  })

  it('never shows anything later than the clock after a replay went back', async () => {
    const { screener, at, told } = open(3)
    await screener.settle(screen)
    const before = told()
    at(T0 + 10 * MINUTE)
    expect(told(), 'windows get the new page at once').toBe(before + 1)
    const back = screener.page(screen, 0, 10)
    expect(back).toMatchObject({ known: 0, readMs: null })
    await screener.settle(screen)
    expect(screener.page(screen, 0, 10).rows.map(({ values }) => values.high)).toEqual([10, 10, 10])
  })

  it('drops what it was still reading when the clock went back, and reads again for those who wait', async () => {
    const one = open(3)
    const reading = one.screener.settle(screen)
    one.at(T0 + 10 * MINUTE)
    expect(one.screener.page(screen, 0, 10)).toMatchObject({ known: 0, readMs: null })
    await reading
    expect(highs(one)).toEqual([10, 10, 10])
  })

  it('counts as of the last clock that it read at, however early it began', async () => {
    const gate = Promise.withResolvers<void>()
    const one = open(1, { beforeBars: () => gate.promise })
    const reading = one.screener.settle(screen)
    await Promise.resolve()
    one.at(T0 + HOUR + 30 * MINUTE) // it plays on
    gate.resolve()
    await reading
    // Of the bar that was forming when it began, all that came later.
    expect(highs(one)).toEqual([61])
    one.at(T0 + HOUR + 10 * MINUTE)
    expect(one.screener.page(screen, 0, 10)).toMatchObject({ known: 0, readMs: null })
    await one.screener.settle(screen)
    expect(highs(one)).toEqual([70])
  })

  it('drops a read during which a replay went forth and back', async () => {
    const later = Promise.withResolvers<void>()
    let seek = (): void => undefined
    const one = open(1, {
      beforeBars: async (nth) => {
        if (nth > 1) return
        seek()
        await later.promise
      },
    })
    seek = () => one.at(T0 + 2 * HOUR)
    one.screener.refresh([screen])
    await expect.poll(() => one.asked.length).toBe(1)
    one.at(T0 + HOUR)
    later.resolve()
    await one.screener.settle(screen)
    expect(one.asked).toHaveLength(2)
    expect(highs(one)).toEqual([60])
  })

  it('hides instruments that a replay hasn’t reached', async () => {
    const { screener, at } = open(3)
    at(T0)
    await screener.settle(screen)
    expect(screener.page(screen, 0, 10)).toMatchObject({ known: 0, matched: 0, covered: null })
  })

  it('reads each instrument once a pass, and again only when that is due', async () => {
    const { screener, asked, at } = open(500, { live: true })
    await screener.settle(screen)
    expect(asked).toHaveLength(500)
    screener.refresh([screen])
    expect(asked).toHaveLength(500)
    for (let i = 0; i < 20; i++) screener.page(screen, 0, 100)
    expect(asked).toHaveLength(500)
    at(T0 + HOUR + MINUTE)
    screener.refresh([screen, screen])
    await screener.settle(screen)
    await expect.poll(() => asked.length).toBe(1_000)
  })

  it('doesn’t read again while a replay stands still', async () => {
    const { screener, asked, at } = open(2)
    await screener.settle(screen)
    at(T0 + HOUR)
    screener.refresh([screen])
    expect(asked).toHaveLength(2)
  })

  it('has every row of the result where no page is asked for', async () => {
    const { screener } = open(MAX_SCREEN_ROWS + 500)
    await screener.settle(screen)
    expect(screener.page(screen).rows).toHaveLength(MAX_SCREEN_ROWS + 500)
    expect(screener.members(screen)?.rows).toHaveLength(MAX_SCREEN_ROWS + 500)
  })

  it('has a trend in each row if the screen shows it', async () => {
    const { screener } = open(2)
    await screener.settle(screen)
    const trends = (one: Screen) => screener.page(one, 0, 1).rows.map(({ trend }) => [trend[0], trend.at(-1)])
    expect(trends(screen)).toEqual([[1, 60]])
    expect(trends({ ...screen, trend: false })).toEqual([[undefined, undefined]])
  })

  it('correlates with its reference', async () => {
    const { screener } = open(2)
    const correlated: Screen = { ...screen, columns: ['correlation'], reference: 'crypto:C0USD' }
    await screener.settle(correlated)
    expect(screener.page(correlated, 0, 10).rows.map(({ values }) => values.correlation)).toEqual([1, 1])
    const nothing = { ...correlated, reference: 'crypto:NONE' }
    expect(screener.page(nothing, 0, 10).rows[0].values.correlation).toBeNull()
  })
})

describe('a screener that can’t read the store', () => {
  it('keeps what it read before, says why, and knows no members meanwhile', async () => {
    const one = open(3, { live: true })
    await one.screener.settle(screen)
    expect(one.screener.members(screen)?.rows).toHaveLength(3)
    one.fail('The disk is gone.')
    one.at(T0 + HOUR + MINUTE)
    one.screener.refresh([screen])
    await expect.poll(() => one.screener.page(screen).problem).toBe('The disk is gone.')
    expect(one.screener.page(screen)).toMatchObject({ matched: 3, readMs: T0 + HOUR, reading: null })
    expect(highs(one)).toEqual([60, 60, 60])
    expect(one.screener.members(screen)).toBeNull()
    await expect(one.screener.settle(screen)).rejects.toThrow('The disk is gone.')

    one.fail('')
    one.screener.refresh([screen])
    expect(one.screener.page(screen).reading, 'waits before it tries again').toBeNull()
    one.at(T0 + HOUR + 2 * MINUTE)
    one.screener.refresh([screen])
    await expect.poll(() => one.screener.members(screen)?.rows).toHaveLength(3)
    expect(highs(one)).toEqual([62, 62, 62])
  })

  it('asks for no more instruments once one failed', async () => {
    const one = open(100)
    one.fail('The disk is gone.')
    await expect(one.screener.settle(screen)).rejects.toThrow('The disk is gone.')
    expect(one.asked).toHaveLength(4)
    expect(one.screener.page(screen)).toMatchObject({ known: 0, readMs: null, problem: 'The disk is gone.' })
  })
})

describe('another source', () => {
  it('never shows what was being read of the one before', async () => {
    const gate = Promise.withResolvers<void>()
    const one = open(2, { live: true, beforeBars: (nth) => (nth <= 2 ? gate.promise : Promise.resolve()) })
    one.screener.refresh([screen])
    await expect.poll(() => one.asked.length).toBe(2)
    one.switchTo(new Map())
    one.screener.forget()
    gate.resolve()
    await one.screener.settle(screen)
    expect(one.screener.page(screen)).toMatchObject({ known: 0, problem: '' })
  })

  it('never shows fundamentals that were being read of the one before', async () => {
    const gate = Promise.withResolvers<void>()
    let cap = 1
    const one = open(0, {
      live: true,
      ids: new Map([[AAPL, 'AAPL']]),
      async fundamentals() {
        const marketCap = cap++
        if (marketCap === 1) await gate.promise
        return new Map([[AAPL, { marketCap }]])
      },
    })
    const caps: Screen = { ...screen, columns: ['marketCap'] }
    one.screener.refresh([caps])
    await expect.poll(() => cap).toBe(2)
    one.screener.forget()
    gate.resolve()
    await one.screener.settle(caps)
    expect(one.screener.page(caps).rows.map(({ values }) => values.marketCap)).toEqual([2])
  })
})

describe('fundamentals', () => {
  const large: Screen = { ...screen, span: '1w', filters: [{ metric: 'marketCap', min: 1e12, max: null }] }
  const stock = (fundamentals: Setup['fundamentals'] & {}) =>
    open(0, { live: true, ids: new Map([[AAPL, 'AAPL']]), fundamentals })

  it('are awaited: before they were read, who passes isn’t known', async () => {
    const gate = Promise.withResolvers<void>()
    let reads = 0
    const { screener } = stock(async () => {
      reads += 1
      await gate.promise
      return new Map([[AAPL, { marketCap: 3e12 }]])
    })
    screener.refresh([large])
    await expect.poll(() => screener.page(large).readMs).not.toBeNull()
    expect(screener.members(large)).toBeNull()
    expect(screener.members({ ...large, filters: [] })?.rows).toHaveLength(1)
    const settled = screener.settle(large)
    gate.resolve()
    await settled
    expect(screener.page(large).rows.map(({ symbol }) => symbol)).toEqual(['AAPL'])
    expect(screener.members(large)?.rows).toHaveLength(1)
    expect(reads).toBe(1)
  })

  it('stay as they were while they can’t be read, and then nobody left', async () => {
    let failing = false
    const one = stock(() => {
      if (failing) return Promise.reject(new Error('Locked.'))
      return Promise.resolve(new Map([[AAPL, { marketCap: 3e12 }]]))
    })
    await one.screener.settle(large)
    failing = true
    one.at(T0 + 2 * HOUR)
    one.screener.refresh([large])
    await expect.poll(() => one.screener.page(large).problem).toBe('Locked.')
    expect(one.screener.page(large).rows).toHaveLength(1)
    expect(one.screener.members(large)).toBeNull()
    expect(one.screener.page({ ...large, filters: [] }).problem, 'only screens that need them').toBe('')
  })
})

describe('who may belong', () => {
  it('are those without a quote yet, if everything else passes', async () => {
    const { screener } = open(2, { live: true })
    const tight: Screen = {
      ...screen,
      filters: [
        { metric: 'spread', min: null, max: 5 },
        { metric: 'price', min: 50, max: null },
      ],
    }
    await screener.settle(tight)
    expect(screener.members(tight)).toMatchObject({ rows: [], undecided: { size: 2 } })
    const dear = { ...tight, filters: [tight.filters[0], { metric: 'price' as const, min: 500, max: null }] }
    expect(screener.members(dear)?.undecided.size).toBe(0)
    // A figure of the span that isn't known isn't current: it passes no filter, and that is all.
    expect(screener.members({ ...screen, filters: [{ metric: 'correlation', min: 0, max: 1 }] })?.undecided.size).toBe(
      0,
    )
  })
})

describe('received', () => {
  const TRADES: FeedId = 'crypto/XT'
  const QUOTES: FeedId = 'crypto/XQ'
  const covered = (entries: readonly (readonly [minute: number, entry: object])[]): CoveredSession => ({
    session: sessionId('r'),
    startedMs: T0,
    endedMs: T0 + HOUR,
    entries: entries.map(([minute, entry]) => ({ wallMs: T0 + minute * MINUTE, entry: entry as LedgerEntry })),
    gaps: [],
  })
  const coverage = async (setup: Setup, corrupt: readonly GapSpan[] = []) => {
    const one = open(2, setup)
    one.corrupt(corrupt)
    await one.screener.settle(screen)
    return one.screener.page(screen).rows.map(({ values }) => values.coverage)
  }
  const both = { feed: TRADES, conn: 1, type: 'subscribe', symbols: ['C0-USD', 'C1-USD'] }

  it('is only what was subscribed', async () => {
    const off = { ...both, type: 'unsubscribe', symbols: ['C0-USD'] }
    expect(
      await coverage({
        sessions: [
          covered([
            [0, both],
            [15, off],
          ]),
        ],
      }),
    ).toEqual([25, 100])
  })
  it('isn’t what is corrupt', async () => {
    const gap = { feed: TRADES, cause: 'unreadable' as const }
    const spans = [{ ...gap, fromMs: unixMs(T0 + 6 * MINUTE), toMs: unixMs(T0 + 12 * MINUTE) }]
    expect(await coverage({ sessions: [covered([[0, both]])] }, spans)).toEqual([90, 90])
  })
  it('is of the feed that the bars are from', async () => {
    const quotes = { ...both, feed: QUOTES }
    expect(
      await coverage({
        quoted: true,
        sessions: [
          covered([
            [0, both],
            [30, quotes],
          ]),
        ],
      }),
    ).toEqual([50, 50])
  })
})

describe('trading time', () => {
  const hours = (asset: 'crypto' | 'forex' | 'stocks', fromMs: number, toMs: number) =>
    tradingSpans(asset, fromMs, toMs).map((span) => [span.fromMs, span.toMs].map((ms) => new Date(ms).toISOString()))

  it('is all of it for crypto, clipped to the span', () => {
    expect(tradingSpans('crypto', T0 + MINUTE, T0 + 2 * HOUR)).toEqual([{ fromMs: T0 + MINUTE, toMs: T0 + 2 * HOUR }])
    expect(tradingSpans('forex', T0, T0)).toEqual([])
  })
  it('leaves out nights, weekends and holidays of stocks', () => {
    // From a Sunday to a Tuesday in winter, and the Christmas of a Friday.
    expect(hours('stocks', Date.UTC(2026, 0, 4, 12), Date.UTC(2026, 0, 6, 9, 45))).toEqual([
      ['2026-01-05T09:00:00.000Z', '2026-01-06T01:00:00.000Z'],
      ['2026-01-06T09:00:00.000Z', '2026-01-06T09:45:00.000Z'],
    ])
    expect(hours('stocks', Date.UTC(2026, 11, 25, 6), Date.UTC(2026, 11, 28, 6))).toEqual([])
  })
  it('leaves out the weekend of forex', () => {
    expect(hours('forex', Date.UTC(2026, 0, 2, 12, 10), Date.UTC(2026, 0, 5, 12))).toEqual([
      ['2026-01-02T12:10:00.000Z', '2026-01-02T22:00:00.000Z'],
      ['2026-01-04T22:00:00.000Z', '2026-01-05T12:00:00.000Z'],
    ])
  })
})
