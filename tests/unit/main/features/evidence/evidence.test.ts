import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreReader } from '../../../../../src/main/core/store/open.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { SidedTrades } from '../../../../../src/main/core/market/flow/sided-trades.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import { createEvidence, type Evidence } from '../../../../../src/main/features/evidence/evidence.ts'
import type { EvidenceView } from '../../../../../src/main/features/evidence/view.ts'
import { createJobs, type Jobs } from '../../../../../src/main/core/jobs/jobs.ts'
import type { JobState } from '../../../../../src/shared/core/jobs/jobs.ts'
import type { AgreementTotal, MessagesPage } from '../../../../../src/shared/features/evidence/evidence.ts'
import { FLAG, sourceKey, type LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import {
  instrumentId,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../../../src/shared/base/units.ts'
import { writerOf } from '../../../../../src/simulator/market/frames.ts'
import { createMarket } from '../../../../../src/simulator/market/market.ts'
import { DEMO, T0, Writer, type Item } from '../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const FEEDS: readonly FeedId[] = ['crypto/XT', 'crypto/XQ', 'crypto/XA', 'crypto/XAS']
const MINUTE = 60_000

let folder: ReturnType<typeof makeStoreFolder>
let reader: StoreReader | undefined
let jobs: Jobs
beforeEach(() => {
  folder = makeStoreFolder()
  jobs = createJobs(() => T0)
})
afterEach(async () => {
  await jobs.close()
  await reader?.close()
  reader = undefined
  folder.remove()
})

interface Made {
  readonly evidence: Evidence
  readonly id: SessionId
  view: EvidenceView
}

/** A recording of `items`, closed or going on, and evidence over it. */
async function record(
  items: readonly Item[],
  { end = T0 + 10 * MINUTE, closed = true, source = DEMO, feeds = FEEDS } = {},
): Promise<Made> {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const id = newSessionId(T0)
  engine.begin(id, source, unixMs(T0))
  engine.commit([new Writer(feeds).batch(items)])
  now = end
  if (closed) engine.end(unixMs(end), [])
  if (closed) engine.drain() // else all of it stays in the journal, one row
  engine.close()
  const opened = await openStoreReader({ file: folder.file })
  reader = opened
  const made: Made = {
    id,
    view: { source: 'demo', nowMs: end, upTo: null, past: false, sided: sidesOf(opened, end) },
    evidence: createEvidence({
      reader: opened,
      openReader: () => openStoreReader({ file: folder.file }),
      jobs,
      view: async () => made.view,
      decimals: () => 2,
    }),
  }
  return made
}

/** Reads sides as a view does. */
const sidesOf =
  (reader: StoreReader, nowMs: number): EvidenceView['sided'] =>
  (range, settled) => {
    const history = createViewHistory({
      reader,
      source: () => 'demo',
      present: () => new Map(),
      committed: () => Promise.resolve(true),
      wallMs: () => nowMs,
      days: (asset) => hubCalendar.days(asset),
      failed(what, thrown) {
        throw new Error(`${what}: ${String(thrown)}`)
      },
    })
    const hub = createHub({ calendar: hubCalendar })
    return new Promise((ready) => void new SidedTrades(hub, history, range, { settled, ready }))
  }

/** The state of a job once it has ended. */
const jobEnded = (job: string): Promise<JobState> =>
  new Promise((resolve) => {
    const look = (): void => {
      const state = stream.take()?.find((one) => one.id === job)
      if (state === undefined || state.outcome.is === 'running') return
      resolve(state)
      stream.close()
    }
    const stream = jobs.streams.open(look)
    look()
  })

const at = (ms: number, item: Item): Item => ('entry' in item ? { ...item, wallMs: ms } : { ...item, recvMs: ms })
const entry = (ms: number, one: LedgerEntry): Item => ({ entry: one, wallMs: ms })
const subscribed = (ms: number): Item[] =>
  FEEDS.flatMap((feed, i) => [
    entry(ms, { type: 'subscribe', feed, conn: i + 1, symbols: ['BTC-USD'] }),
    entry(ms, { type: 'acknowledged', feed, conn: i + 1, symbols: ['BTC-USD'] }),
  ])
const tradeAt = (ms: number, price: number, size = 0.5): Item =>
  at(ms + 40, { conn: 1, data: tradeText('BTC-USD', price, size, ms) })
const barText = (ev: string, s: number, e: number, [o, h, l, c, v]: readonly number[]): string =>
  `{"ev":"${ev}","pair":"BTC-USD","o":${o},"c":${c},"h":${h},"l":${l},"v":${v},"s":${s},"e":${e}}`
const minuteBar = (start: number, numbers: readonly number[]): Item =>
  at(start + MINUTE + 100, { conn: 3, data: barText('XA', start, start + MINUTE, numbers) })
const secondBar = (start: number, numbers: readonly number[]): Item =>
  at(start + 1_100, { conn: 4, data: barText('XAS', start, start + 1_000, numbers) })

const bar = (startMs: number, of: 'trade' | 'mid' | 'service' = 'trade', interval: '1m' | '5m' | '1D' = '1m') => ({
  is: 'bar' as const,
  of,
  interval,
  startMs,
})
const page = { view: 'live', instrument: BTC, after: null, limit: 100 }

describe('the trades behind a figure of order flow', () => {
  const quoteAt = (ms: number, bid: number, ask: number): Item =>
    at(ms + 40, { conn: 2, data: quoteText('BTC-USD', bid, ask, ms) })
  const items = [
    tradeAt(T0 + 1_000, 100), // no quote, and no price before
    tradeAt(T0 + 2_000, 101), // no quote: by the direction of the price
    quoteAt(T0 + 3_000, 100, 102),
    tradeAt(T0 + 4_000, 102),
    tradeAt(T0 + 5_000, 101), // in the middle
    tradeAt(T0 + 20_000, 102),
  ]
  const what = { is: 'trades', fromMs: unixMs(T0), toMs: unixMs(T0 + 10_000) } as const
  const prices = ({ messages }: MessagesPage) => messages.map(({ read }) => read.values[0].value)

  it('are those of its span, of one price row, without a side, or without a quote', async () => {
    const { evidence } = await record(items)
    const ask = async (more: object) => prices(await evidence.messages({ ...page, what: { ...what, ...more } }))
    expect(await ask({})).toEqual([100, 101, 102, 101])
    expect(await ask({ toMs: null })).toEqual([100, 101, 102, 101, 102])
    expect(await ask({ cell: { decimals: 0, group: 2, row: 50 } })).toEqual([100, 101, 101])
    expect(await ask({ only: 'unquoted' })).toEqual([100, 101])
    expect(await ask({ only: 'unsided' })).toEqual([100, 101])
    expect((await evidence.messages({ ...page, what: { ...what, only: 'unsided' } })).messages[1].seq).toBe(5)
  })

  it('of a long span are read an hour of sides at a time, and refused where sides can’t be told', async () => {
    const HOUR = 60 * MINUTE
    const made = await record(
      Array.from({ length: 9 }, (_, i) => tradeAt(T0 + i * (HOUR / 2), 100 + i)),
      { end: T0 + 5 * HOUR },
    )
    const spans: number[] = []
    const { sided } = made.view
    made.view = {
      ...made.view,
      sided(range, settled) {
        spans.push((range.toMs - range.fromMs) / HOUR)
        return sided?.(range, settled) ?? Promise.resolve([])
      },
    }
    const long = { ...what, toMs: unixMs(T0 + 5 * HOUR), only: 'unquoted' as const }
    const found: unknown[] = []
    let after: MessagesPage['after'] = null
    do {
      const next = await made.evidence.messages({ ...page, what: long, limit: 4, after })
      found.push(...prices(next))
      after = next.after
      expect(spans.length).toBeLessThanOrEqual(4)
      spans.length = 0
    } while (after !== null)
    expect(found).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108])
    made.view = { ...made.view, sided: () => Promise.resolve([{ fromMs: T0, toMs: T0 + MINUTE }]) }
    await expect(made.evidence.messages({ ...page, what: long })).rejects.toMatchObject({ code: 'store-damaged' })
  })

  it('come page by page, and in a replay none from after its clock', async () => {
    const made = await record(items)
    const ask = (after: MessagesPage['after']) => made.evidence.messages({ ...page, what, after, limit: 3 })
    const first = await ask(null)
    expect([prices(first), prices(await ask(first.after))]).toEqual([[100, 101, 102], [101]])
    made.view = { ...made.view, upTo: new Map([[made.id, 4]]), past: true }
    expect(prices(await ask(null))).toEqual([100, 101, 102])
  })
})

describe('the messages of a bar', () => {
  const trades = [
    tradeAt(T0 + 5_000, 100),
    tradeAt(T0 + 9_000, 103),
    tradeAt(T0 + 7_000, 99), // late
    tradeAt(T0 + 50_000, 101, 0.25),
    tradeAt(T0 + 61_000, 500),
  ]

  it('are all of its time, with text, times, connection and how they were read', async () => {
    const { evidence, id } = await record(trades)
    const { messages, bar: sum, after } = await evidence.messages({ ...page, what: bar(T0) })
    expect(messages.map(({ read }) => read.values[0])).toEqual(
      [100, 103, 99, 101].map((value) => ({ part: 'price', value })),
    )
    expect(messages[1]).toEqual({
      session: id,
      feed: 'crypto/XT',
      conn: 1,
      connSeq: 2,
      seq: 2,
      eventMs: T0 + 9_000,
      recvMs: T0 + 9_040,
      flags: 0,
      raw: tradeText('BTC-USD', 103, 0.5, T0 + 9_000),
      rawBase64: null,
      bytes: tradeText('BTC-USD', 103, 0.5, T0 + 9_000).length,
      read: {
        kind: 'trade',
        symbol: 'BTC-USD',
        values: [
          { part: 'price', value: 103 },
          { part: 'size', value: 0.5 },
        ],
        mapping: '',
        why: '',
      },
      roles: ['high'],
    })
    expect(after).toBeNull()
    const term = (value: number, seq: number) => ({ value, session: id, seq })
    expect(sum?.arithmetic).toEqual({
      open: term(100, 1),
      high: term(103, 2),
      low: term(99, 3),
      close: term(101, 4),
      volume: 1.75,
      sized: 4,
      count: 4,
      leftOut: 0,
    })
    expect(sum).toMatchObject({
      same: true,
      stored: { open: 100, high: 103, low: 99, close: 101, volume: 1.75, count: 4 },
    })
  })

  it('are only those of one price row for a cell of a footprint', async () => {
    const { evidence } = await record(trades)
    const cell = { decimals: 0, group: 2, row: 50 }
    const ask = async (limit: number, after: MessagesPage['after'] = null) =>
      await evidence.messages({ ...page, limit, after, what: { ...bar(T0), cell } })
    const prices = ({ messages }: MessagesPage) => messages.map(({ read }) => read.values[0].value)
    const all = await ask(100)
    expect([prices(all), all.after, all.bar]).toEqual([[100, 101], null, null])
    const first = await ask(1)
    expect([prices(first), prices(await ask(1, first.after))]).toEqual([[100], [101]])
  })

  it('come page by page, the arithmetic with the first', async () => {
    const { evidence } = await record(trades)
    const first = await evidence.messages({ ...page, what: bar(T0, 'trade', '1D'), limit: 2 })
    expect(first.bar?.arithmetic?.count).toBe(5)
    const second = await evidence.messages({ ...page, what: bar(T0, 'trade', '1D'), limit: 2, after: first.after })
    const third = await evidence.messages({ ...page, what: bar(T0, 'trade', '1D'), limit: 2, after: second.after })
    expect([first, second, third].flatMap(({ messages }) => messages.map(({ seq }) => seq))).toEqual([1, 2, 3, 4, 5])
    expect([second.bar, third.bar, third.after]).toEqual([null, null, null])
  })

  it('say what was left out', async () => {
    const { evidence } = await record([
      ...trades,
      at(T0 + 12_000, { conn: 1, data: tradeText('BTC-USD', 700, 9, T0 + 12_000), flags: FLAG.unasked }),
      at(T0 + 13_000, { conn: 1, data: tradeText('BTC-USD', -5, 9, T0 + 13_000) }),
    ])
    const { messages, bar: sum } = await evidence.messages({ ...page, what: bar(T0) })
    expect(sum?.arithmetic).toMatchObject({ count: 4, high: { value: 103 } })
    expect(sum?.same).toBe(true)
    expect(messages.find(({ flags }) => flags === FLAG.unasked)?.roles).toEqual(['left out'])
  })

  it('of quotes and of service bars too', async () => {
    const { evidence } = await record([
      at(T0 + 1_000, { conn: 2, data: quoteText('BTC-USD', 99, 101, T0 + 1_000) }),
      at(T0 + 2_000, { conn: 2, data: quoteText('BTC-USD', 100, 104, T0 + 2_000) }),
      minuteBar(T0, [100, 105, 98, 101, 7]),
      minuteBar(T0, [100, 106, 98, 101, 8]), // sent again, corrected
      minuteBar(T0 + MINUTE, [101, 109, 97, 100, 2]),
    ])
    const mid = await evidence.messages({ ...page, what: bar(T0, 'mid') })
    expect(mid.bar).toMatchObject({
      same: true,
      arithmetic: { open: { value: 100 }, close: { value: 102 }, volume: null, count: 2 },
    })
    const sent = await evidence.messages({ ...page, what: bar(T0, 'service', '5m') })
    expect(sent.bar).toMatchObject({
      same: true,
      arithmetic: { open: { value: 100 }, high: { value: 109 }, low: { value: 97 }, close: { value: 100 }, volume: 10 },
    })
    expect(sent.bar?.arithmetic?.leftOut).toBe(1)
  })

  it('show nothing after a replay’s instant', async () => {
    const made = await record(trades)
    made.view = { source: 'demo', nowMs: T0 + 9_040, upTo: new Map([[made.id, 2]]), past: true }
    const { messages, bar: sum } = await made.evidence.messages({ ...page, what: bar(T0) })
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2])
    expect(sum).toMatchObject({ same: true, arithmetic: { close: { value: 103 } }, stored: { close: 103, count: 2 } })
    await expect(
      made.evidence.messages({ ...page, what: { is: 'print', session: null, seq: 4, recvMs: null } }),
    ).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('the messages of a print and of a quote', () => {
  const items = [
    tradeAt(T0 + 1_000, 100),
    at(T0 + 2_000, { conn: 2, data: quoteText('BTC-USD', 99, 101, T0 + 2_000) }),
    tradeAt(T0 + 3_000, 102),
    at(T0 + 4_000, { conn: 2, data: quoteText('BTC-USD', 98, 0, T0 + 4_000) }),
  ]

  it('are found by seq', async () => {
    const { evidence, id } = await record(items)
    const asked = { ...page, what: { is: 'print' as const, session: null, seq: 3, recvMs: T0 + 3_040 } }
    expect((await evidence.messages(asked)).messages).toMatchObject([{ session: id, seq: 3, roles: ['print'] }])
    await expect(
      evidence.messages({ ...page, what: { is: 'print', session: id, seq: 99, recvMs: null } }),
    ).rejects.toMatchObject({ code: 'not-found' })
  })

  it('are found while they lie in the journal, with others before and behind', async () => {
    const { evidence } = await record(items, { closed: false })
    const asked = { ...page, what: { is: 'print' as const, session: null, seq: 3, recvMs: T0 + 3_040 } }
    expect((await evidence.messages(asked)).messages).toMatchObject([{ seq: 3, conn: 1, connSeq: 2 }])
  })

  it('are the newest ones for each part', async () => {
    const { evidence } = await record(items)
    const { messages } = await evidence.messages({ ...page, what: { is: 'quote' } })
    expect(messages.map(({ seq, roles }) => [seq, roles])).toEqual([
      [3, ['last']],
      [4, ['bid', 'ask']],
    ])
  })
})

describe('agreement', () => {
  const minute = (start: number, seconds: readonly number[], volume = 0.5 * seconds.length): Item[] => [
    ...seconds.flatMap((price, i) => [
      tradeAt(start + i * 1_000 + 10, price),
      secondBar(start + i * 1_000, [price, price, price, price, 0.5]),
    ]),
    minuteBar(start, [seconds[0], Math.max(...seconds), Math.min(...seconds), seconds.at(-1)!, volume]),
  ]
  const lossless = [...subscribed(T0), ...minute(T0 + MINUTE, [100, 102, 99]), ...minute(T0 + 2 * MINUTE, [103, 104])]
  const asked = (id: SessionId, instrument: InstrumentId = BTC) => ({ view: 'live', session: id, instrument })

  it('is whole where nothing was lost', async () => {
    const { evidence, id } = await record(lossless)
    const report = await evidence.agreement(asked(id))
    expect(report).toMatchObject({
      of: 'trade',
      tickFeed: 'crypto/XT',
      minuteFeed: 'crypto/XA',
      secondFeed: 'crypto/XAS',
      agreement: 1,
      counts: { agrees: 2, differs: 0, notComparable: 0 },
    })
    expect(report.minutes[0]).toMatchObject({ startMs: T0 + MINUTE, seconds: { agrees: 3, differs: 0 } })
    expect(report.proves.length).toBeGreaterThan(2)
  })

  it('finds a trade that is missing, in its minute and its second', async () => {
    const { evidence, id } = await record(
      lossless.filter((item) => !('data' in item) || !String(item.data).includes('"p":99')),
    )
    const report = await evidence.agreement(asked(id))
    expect(report.minutes[0]).toMatchObject({
      overall: 'differs',
      parts: ['low', 'close', 'volume'],
      built: { low: 100, volume: 1 },
      sent: { low: 99, volume: 1.5 },
      seconds: { agrees: 2, differs: 1, notComparable: 0 },
    })
    expect(report.agreement).toBe(0.5)
    const { seconds } = await evidence.seconds({ ...asked(id), of: 'trade', minuteMs: T0 + MINUTE })
    expect(seconds.map(({ verdict, why }) => [verdict, why])).toEqual([
      ['agrees', null],
      ['agrees', null],
      ['differs', 'no tick received'],
    ])
  })

  it('compares nothing that a gap touches', async () => {
    const holed: Item[] = [
      ...lossless,
      entry(T0 + 3 * MINUTE, {
        type: 'gap-open',
        feed: 'crypto/XT',
        cause: 'drop',
        symbols: [],
        fromMs: unixMs(T0 + MINUTE + 1_500),
      }),
    ]
    const open = holed.length
    const { evidence, id } = await record([
      ...holed,
      entry(T0 + 3 * MINUTE, { type: 'gap-close', feed: 'crypto/XT', openedSeq: open }),
    ])
    const report = await evidence.agreement(asked(id))
    expect(report.minutes[0]).toMatchObject({ overall: 'agrees', verdict: 'not comparable', why: 'gap in the ticks' })
    expect(report.minutes[0]?.seconds).toEqual({ agrees: 1, differs: 0, notComparable: 2 })
  })

  it.each([
    { instrument: BTC, symbol: 'BTC-USD', feeds: ['crypto/XT', 'crypto/XA', 'crypto/XAS'] },
    { instrument: instrumentId('forex', 'EURUSD'), symbol: 'EURUSD', feeds: ['forex/C', 'forex/CA', 'forex/CAS'] },
  ] as const)(
    'of the demo market is whole for $symbol, and not where ticks are lost',
    async ({ instrument, symbol, feeds }) => {
      const simulate = (dropEvery: number): Item[] => {
        const market = createMarket(new URL('../../../../../resources/demo/', import.meta.url), 3)
        const writers = feeds.map((feed) => writerOf(feed, 'javascript'))
        const { decimals, sizeDecimals } = market.decimalsOf(instrument)
        market.advance(T0, [instrument])
        const items: Item[] = feeds.flatMap((feed, i) => [
          entry(T0, { type: 'subscribe', feed, conn: i + 1, symbols: [symbol] }),
          entry(T0, { type: 'acknowledged', feed, conn: i + 1, symbols: [symbol] }),
        ])
        let ticks = 0
        for (const { feed, atMs, values } of market.advance(T0 + 6 * MINUTE, [instrument])) {
          const conn = feeds.findIndex((one) => one === feed)
          if (conn < 0 || (conn === 0 && ++ticks % dropEvery === 0)) continue
          const data = writers[conn](symbol, values, decimals, sizeDecimals)
          items.push(at(atMs, { conn: conn + 1, data }))
        }
        return items
      }
      const total = async (items: readonly Item[]): Promise<AgreementTotal> => {
        const { evidence, id } = await record(items, { end: T0 + 6 * MINUTE, feeds })
        const job = await jobEnded(evidence.agree({ view: 'live', session: id, instrument, fromMs: null, toMs: null }))
        await reader?.close()
        folder.remove()
        folder = makeStoreFolder()
        if (job.outcome.is !== 'done') throw new Error(JSON.stringify(job.outcome))
        return job.outcome.result as AgreementTotal // what a job of this kind answers
      }
      const whole = await total(simulate(Infinity))
      expect(whole).toMatchObject({ minuteFeed: feeds[1], secondFeed: feeds[2], agreement: 1, differing: [] })
      expect(whole.counts.agrees).toBeGreaterThanOrEqual(4)
      expect(whole.seconds).toMatchObject({ differs: 0 })
      expect(whole.seconds.agrees).toBeGreaterThan(60)
      const lossy = await total(simulate(5))
      expect(lossy.agreement).toBeLessThan(0.5)
      expect(lossy.seconds.differs).toBeGreaterThan(5)
    },
  )

  it('of a session longer than a page is read page by page, and summed up whole by a job', async () => {
    const days = 5
    const items: Item[] = [...subscribed(T0)]
    for (let day = 0; day < days; day++) {
      // the third day lost a trade
      const start = T0 + day * 1_440 * MINUTE + MINUTE
      items.push(...minute(start, day === 2 ? [100, 102] : [100, 102, 99], 1.5))
      items.push(...minute(start + 5 * MINUTE, [103, 104]))
    }
    const { evidence, id } = await record(items, { end: T0 + days * 1_440 * MINUTE })
    const newest = await evidence.agreement(asked(id))
    expect(newest).toMatchObject({ more: true, later: false, counts: { agrees: 4, differs: 0 } })
    const before = await evidence.agreement({ ...asked(id), beforeMs: newest.fromMs })
    expect(before).toMatchObject({ more: true, later: true, counts: { agrees: 3, differs: 1 }, toMs: newest.fromMs })
    const first = await evidence.agreement({ ...asked(id), beforeMs: before.fromMs })
    expect(first).toMatchObject({ more: false, later: true, fromMs: T0 })
    const run = async (range: { fromMs: number | null; toMs: number | null }): Promise<JobState> =>
      jobEnded(evidence.agree({ ...asked(id), session: id, ...range }))
    const all = await run({ fromMs: null, toMs: null })
    expect(all.outcome).toMatchObject({
      is: 'done',
      result: {
        sessions: [id],
        of: 'trade',
        counts: { agrees: 9, differs: 1, notComparable: 0 },
        agreement: 0.9,
        differing: [{ session: id, startMs: T0 + 2 * 1_440 * MINUTE + MINUTE }],
      },
    })
    expect(all.count).toBe(10)
    const part = await run({ fromMs: T0 + 1_440 * MINUTE, toMs: T0 + 2 * 1_440 * MINUTE })
    expect(part.outcome).toMatchObject({ result: { counts: { agrees: 2, differs: 0 }, differing: [] } })
  })

  it('of a whole session can be stopped', async () => {
    const { evidence, id } = await record(lossless)
    const job = evidence.agree({ ...asked(id), session: id, fromMs: null, toMs: null })
    jobs.cancel(job)
    expect((await jobEnded(job)).outcome).toEqual({ is: 'cancelled' })
  })

  it('says where there is nothing to compare with, and no such session', async () => {
    const { evidence, id } = await record([...subscribed(T0), tradeAt(T0 + 1_000, 100)])
    expect(await evidence.agreement(asked(id))).toMatchObject({ minuteFeed: null, secondFeed: null, agreement: null })
    expect((await evidence.agreement(asked(id, instrumentId('crypto', 'ETH-USD')))).minutes).toEqual([])
    await expect(evidence.agreement({ view: 'live', session: 'none', instrument: BTC })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('coverage', () => {
  const gapped: Item[] = [
    ...subscribed(T0 + 1_000),
    entry(T0 + 20_000, {
      type: 'gap-open',
      feed: 'crypto/XT',
      cause: 'drop',
      symbols: [],
      fromMs: unixMs(T0 + 11_000),
    }),
    entry(T0 + 21_000, { type: 'gap-close', feed: 'crypto/XT', openedSeq: 2 * FEEDS.length + 1 }),
  ]
  const all = { view: 'live', fromMs: null, toMs: null, session: null, skip: 0, limit: 10 }

  it('is reported by feed, with a page of gaps', async () => {
    const { evidence, id } = await record(gapped, { end: T0 + 101_000 })
    const report = await evidence.coverage(all)
    expect(report.feeds.find(({ feed }) => feed === 'crypto/XT')).toMatchObject({
      wantedMs: 100_000,
      gapMs: 10_000,
      covered: 0.9,
      gaps: 1,
    })
    expect(report.covered).toBeCloseTo(1 - 10 / 400)
    expect(report).toMatchObject({ sessions: [id], gapCount: 1, gaps: [{ cause: 'drop', ms: 10_000 }] })
    expect(await evidence.coverage({ ...all, skip: 1 })).toMatchObject({ gaps: [], gapCount: 1 })
    expect((await evidence.coverage({ ...all, session: id })).covered).toBeCloseTo(1 - 10 / 400)
    await expect(evidence.coverage({ ...all, session: 'none' })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('is reported by symbol if a feed is given', async () => {
    const { evidence } = await record(gapped, { end: T0 + 101_000 })
    expect((await evidence.coverage(all)).symbols).toEqual([])
    expect((await evidence.coverage({ ...all, symbolsOf: 'crypto/XT' })).symbols).toEqual([
      { symbol: 'BTC-USD', wantedMs: 100_000, gapMs: 10_000, covered: 0.9, gaps: 1 },
    ])
  })

  it('of an import counts each symbol from its first to its last message, and says so', async () => {
    const source = { kind: 'import', origin: 'x', user: 'file.csv' } as const
    const open = entry(T0 + 20_000, {
      type: 'gap-open',
      feed: 'crypto/XT',
      cause: 'drop',
      symbols: [],
      fromMs: unixMs(T0 + 20_000),
    })
    const close = entry(T0 + 30_000, { type: 'gap-close', feed: 'crypto/XT', openedSeq: 2 })
    const items = [tradeAt(T0, 1), open, close, tradeAt(T0 + 100_000, 1)]
    const made = await record(items, { end: T0 + 100_040, source })
    made.view = { ...made.view, source: sourceKey(source) }
    for (let again = 0; again < 2; again++) {
      const report = await made.evidence.coverage({ ...all, session: made.id, symbolsOf: 'crypto/XT' })
      expect(report.feeds).toMatchObject([{ wantedMs: 100_000, gapMs: 10_000, covered: 0.9, assumed: true }])
      expect(report.symbols).toMatchObject([{ symbol: 'BTC-USD', covered: 0.9 }])
    }
  })

  it('tells a replay nothing of what comes', async () => {
    const made = await record(gapped, { end: T0 + 101_000 })
    made.view = {
      source: 'demo',
      nowMs: T0 + 20_500,
      upTo: new Map([[made.id, 2 * FEEDS.length + 1]]),
      past: true,
    }
    const report = await made.evidence.coverage(all)
    expect(report.gaps).toMatchObject([{ toMs: null, toSeq: null, ms: 9_500 }])
    made.view = { source: 'demo', nowMs: T0 + 5_000, upTo: new Map([[made.id, 2 * FEEDS.length]]), past: true }
    expect(await made.evidence.coverage(all)).toMatchObject({ covered: 1, gapCount: 0 })
  })
})

describe('verification', () => {
  it('is a job whose result is the report', async () => {
    const { evidence, id } = await record([tradeAt(T0, 100)])
    const state = await jobEnded(evidence.verify(id))
    expect(state).toMatchObject({ kind: 'verify', done: 1, count: 1, unit: 'messages', title: `session ${id}` })
    expect(state.outcome).toMatchObject({
      is: 'done',
      result: { ok: true, sessions: 1, messages: 1, problems: [], session: id },
    })
  })

  it('ends early when it is cancelled', async () => {
    const { evidence } = await record([tradeAt(T0, 100)])
    const job = evidence.verify(null)
    jobs.cancel(job)
    expect((await jobEnded(job)).outcome).toEqual({ is: 'cancelled' })
  })
})
