/** The last quote of a quiet instrument, after its prices come from another recorder of its team. */
import { afterEach, expect, it, vi } from 'vitest'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { TickQuery } from '../../../../../src/main/core/store/types/ticks.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import { createSeeder } from '../../../../../src/main/core/views/seeder.ts'
import { STORED_ONLY } from '../../../../../src/shared/core/recording/session.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { inStore } from '../store/flip.ts'
import { T0, type Item } from '../store/harness.ts'
import { Replica } from '../store/replica-harness.ts'
import { cleanUp, cleanups } from './store-of.ts'

const BTC = instrumentId('stocks', 'BTC')
const feed = 'stocks/Q' as const

afterEach(cleanUp)

interface Quote {
  readonly atMs: number
  readonly bp?: number
  readonly ap?: number
  readonly bs?: number
  readonly as?: number
  readonly flags?: number
}

interface GapParts {
  readonly fromMs: number
  /** Null: still open. */
  readonly toMs: number | null
  readonly symbols?: readonly string[]
  readonly skewMs?: number
}

const itemOf = ({ atMs, flags = 0, ...fields }: Quote): Item => ({
  conn: 1,
  data: JSON.stringify({ ev: 'Q', sym: 'BTC', ...fields, t: T0 + atMs }),
  recvMs: T0 + atMs,
  flags,
})

const gap = (fromMs: number, toMs: number | null, symbols: readonly string[] = ['BTC']): GapParts => ({
  fromMs,
  toMs,
  symbols,
})

const gapItems = ({ fromMs, toMs, symbols = ['BTC'], skewMs }: GapParts, openedSeq: number): Item[] => [
  {
    entry: { type: 'gap-open', feed, cause: 'drop', symbols, fromMs: unixMs(T0 + fromMs), skewMs },
    wallMs: T0 + fromMs,
  },
  ...(toMs === null ? [] : [{ entry: { type: 'gap-close', feed, openedSeq } as const, wallMs: T0 + toMs }]),
]

/**
 * Seeds a hub from a store with these quotes, a shard of a team each, and the gaps of the last. Its clock is an hour
 * after T0. `damage`: SQL that damages the store.
 */
async function seeded(
  source: string,
  quotes: readonly (readonly Quote[])[],
  gaps: readonly GapParts[] = [],
  damage = '',
) {
  const folder = makeStoreFolder()
  cleanups.push(() => folder.remove())
  const engine = new StoreEngine(folder.file, () => T0)
  cleanups.push(() => engine.close())
  const sessions = quotes.map((some, i) => {
    const session = new Replica(engine, i + 1, T0, { feeds: [feed] })
    session.add(...some.map(itemOf))
    return session
  })
  for (const one of gaps) {
    const session = sessions.at(-1)!
    session.add(...gapItems(one, session.seq + 1))
  }
  if (damage !== '') inStore(folder.file, (db) => db.exec(damage))
  const local = openLocalReader(folder.file)
  cleanups.push(() => local.close())
  const asked: TickQuery[] = []
  const reader: StoreReader = {
    ...local,
    ticks(query) {
      asked.push(query)
      return local.ticks(query)
    },
  }
  const present = new Map(sessions.map(({ id, seq }) => [id, seq]))
  const history = createViewHistory({
    reader,
    source: () => source,
    present: () => present,
    committed: () => Promise.resolve(),
    wallMs: () => unixMs(T0 + 3_600_000),
    days: (asset) => hubCalendar.days(asset),
    failed: (what, thrown) => expect.unreachable(`${what}: ${String(thrown)}`),
  })
  const hub = createHub({ calendar: hubCalendar })
  const seed = await history.seed(BTC)
  if (seed !== null) hub.seed(BTC, seed)
  const { bid, ask, bidSize, askSize } = hub.row(hub.cell(BTC), T0 + 3_600_000)
  return { hub, history, seed, asked, ids: [...present.keys()], quote: [bid, ask, bidSize, askSize] }
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
  const { quote, asked, ids } = await seeded('team:*@eu', both)
  expect(quote).toEqual([3, 4, 5, 7])
  // A busy instrument doesn't read half an hour.
  expect(asked.map(({ fromMs, sessions, asInSource }) => [(fromMs ?? 0) - T0, sessions, asInSource])).toEqual([
    [58 * MINUTE, ids, true],
    [30 * MINUTE, ids, true],
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

it('isn’t shown after a gap that ends before it only by the clock of the gap’s recorder', async () => {
  // Its clock is 10 s behind, so what it missed for 5 s after the quote is dated before the quote.
  const [fromMs, toMs] = [56, 61].map((second) => 55 * MINUTE + (second - 65) * 1_000)
  const behind = await seeded('team:*@eu', both, [{ fromMs, toMs, skewMs: 10_000 }])
  expect(behind.quote).toEqual([null, null, null, null])
  const ahead = await seeded('team:*@eu', both, [{ fromMs, toMs, skewMs: -3_000 }])
  expect(ahead.quote).toEqual([3, 4, 5, 7])
})

it('isn’t shown where it isn’t known what a gap was of, which fails nothing else', async () => {
  const { quote } = await seeded(
    'team:*@eu',
    both,
    [gap(56 * MINUTE, 57 * MINUTE, ['ETH'])],
    "UPDATE gap SET symbols = '['",
  )
  expect(quote).toEqual([null, null, null, null])
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

it('isn’t read again for an instrument whose quote is there', async () => {
  const { hub, history, asked } = await seeded('team:*@eu', both)
  const read = asked.length
  const seeds = vi.spyOn(history, 'seed')
  const seeder = createSeeder(hub, history)
  const seedAll = async (): Promise<void> => {
    seeder.forget()
    seeder.seed(BTC)
    await Promise.all(seeds.mock.results.map(({ value }) => value as Promise<unknown>))
  }
  await seedAll()
  expect(asked).toHaveLength(read)
  hub.reset()
  await seedAll()
  expect(asked).toHaveLength(2 * read)
})
