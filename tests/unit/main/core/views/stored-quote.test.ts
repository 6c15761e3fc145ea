/** The last quote of a quiet instrument, after its prices come from another recorder of its team. */
import { expect, it } from 'vitest'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { TickColumns, TickQuery } from '../../../../../src/main/core/store/types/ticks.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import { STORED_ONLY, type Gap } from '../../../../../src/shared/core/recording/session.ts'
import { instrumentId, sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { T0 } from '../store/harness.ts'

const BTC = instrumentId('stocks', 'BTC')
const feed = 'stocks/Q' as const
const [A, B] = ['01khj7x0a0abcdefghjkmnp001', '01khj7x0a0abcdefghjkmnp002'].map(sessionId)

interface Quote {
  readonly atMs: number
  readonly bp?: number
  readonly ap?: number
  readonly bs?: number
  readonly as?: number
  readonly flags?: number
}

/** What one session has. Only the columns that are read. */
const columnsOf = (quotes: readonly Quote[]): TickColumns =>
  ({
    feed,
    count: quotes.length,
    flags: Uint8Array.from(quotes.map(({ flags = 0 }) => flags)),
    eventMs: Float64Array.from(quotes.map(({ atMs }) => T0 + atMs)),
    keys: ['bp', 'ap', 'bs', 'as'],
    column: (key: 'bp' | 'ap' | 'bs' | 'as') => Float64Array.from(quotes.map((quote) => quote[key] ?? NaN)),
  }) as Partial<TickColumns> as TickColumns

const gap = (fromMs: number, toMs: number | null, symbols: readonly string[] = ['BTC']): Gap => ({
  session: B,
  feed,
  symbols,
  cause: 'drop',
  fromMs: unixMs(T0 + fromMs),
  toMs: toMs === null ? null : unixMs(T0 + toMs),
  fromSeq: 1,
  toSeq: null,
})

/** Seeds a hub from a store with these quotes, by session. Its clock is an hour after T0. */
async function seeded(source: string, quotes: readonly (readonly Quote[])[], gaps: readonly Gap[] = []) {
  const asked: TickQuery[] = []
  const reader = {
    bars: () => Promise.resolve({ bars: [], gaps: [], more: false }),
    gaps: () => Promise.resolve(gaps),
    async *ticks(query: TickQuery) {
      asked.push(query)
      for (const some of quotes) {
        const found = some.filter(({ atMs }) => T0 + atMs >= (query.fromMs ?? 0))
        if (found.length > 0) yield columnsOf(found)
      }
    },
  } as Partial<StoreReader> as StoreReader // nothing else is asked
  const history = createViewHistory({
    reader,
    source: () => source,
    present: () => new Map([A, B].map((session) => [session, 100])),
    committed: () => Promise.resolve(),
    wallMs: () => unixMs(T0 + 3_600_000),
    days: (asset) => hubCalendar.days(asset),
    failed: (what) => expect.unreachable(what),
  })
  const hub = createHub({ calendar: hubCalendar })
  const seed = await history.seed(BTC)
  if (seed !== null) hub.seed(BTC, seed)
  const { bid, ask, bidSize, askSize } = hub.row(hub.cell(BTC), T0 + 3_600_000)
  return { hub, seed, asked, quote: [bid, ask, bidSize, askSize] }
}

const MINUTE = 60_000
const both = [
  [
    { atMs: 50 * MINUTE, bp: 1, ap: 2, bs: 5, as: 6 },
    { atMs: 55 * MINUTE, bp: 3 },
  ],
  [
    { atMs: 52 * MINUTE, ap: 4, as: 7 },
    { atMs: 56 * MINUTE, bp: 99, flags: STORED_ONLY },
  ],
]

it('is the newest of all its recorders, side by side', async () => {
  const { quote, asked } = await seeded('team:*@eu', both)
  expect(quote).toEqual([3, 4, 5, 7])
  // A busy instrument doesn't read half an hour.
  expect(asked.map(({ fromMs, sessions, asInSource }) => [(fromMs ?? 0) - T0, sessions, asInSource])).toEqual([
    [58 * MINUTE, [A, B], true],
    [30 * MINUTE, [A, B], true],
  ])
})

it('has no side that was sent as empty', async () => {
  const { quote } = await seeded('team:*@eu', [...both, [{ atMs: 57 * MINUTE, ap: 0 }]])
  expect(quote).toEqual([3, null, 5, 7])
})

it('isn’t shown if it is older than half an hour, or if something may have been missed since', async () => {
  const none = [null, null, null, null]
  expect((await seeded('team:*@eu', [[{ atMs: 20 * MINUTE, bp: 1, ap: 2 }]])).quote).toEqual(none)
  for (const since of [gap(56 * MINUTE, 57 * MINUTE), gap(54 * MINUTE, null), gap(58 * MINUTE, null, [])])
    expect((await seeded('team:*@eu', both, [since])).quote).toEqual(none)
  const others = [gap(40 * MINUTE, 45 * MINUTE), gap(56 * MINUTE, null, ['ETH'])]
  expect((await seeded('team:*@eu', both, others)).quote).toEqual([3, 4, 5, 7])
})

it('doesn’t replace one that has arrived, and isn’t read where one recorder has everything', async () => {
  const { hub, seed } = await seeded('team:*@eu', both)
  const cell = hub.cell(BTC)
  cell.bid = 8
  hub.seed(BTC, seed!)
  expect([cell.bid, cell.ask]).toEqual([8, 4])
  const { quote, asked } = await seeded('service:you@https://data.example.com', both)
  expect([quote, asked]).toEqual([[null, null, null, null], []])
})
