import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadParts } from '../../../../../../src/main/core/playback/replay-parts.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import type { BarQuery } from '../../../../../../src/main/core/store/types/bars.ts'
import type { TickQuery } from '../../../../../../src/main/core/store/types/ticks.ts'
import { syncDataset } from '../../../../../../src/main/features/export/sync/sync.ts'
import { exportTicks } from '../../../../../../src/main/features/export/ticks.ts'
import { instrumentId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { T0, type Item } from '../harness.ts'
import { Replica } from '../replica-harness.ts'
import { fixedExamples } from '../../../../../kit/properties.ts'

const SHARD = 'team:1@eu'
const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const HOUR = 3_600_000

let folder: ReturnType<typeof makeStoreFolder>
let engine: StoreEngine
let reader: LocalReader
let now = T0
const openStore = (): void => {
  folder = makeStoreFolder()
  now = T0
  engine = new StoreEngine(folder.file, () => now)
  reader = openLocalReader(folder.file)
}
const closeStore = async (): Promise<void> => {
  await reader.close()
  engine.close()
  folder.remove()
}
beforeEach(openStore)
afterEach(closeStore)

/** Seals what is stored. */
const seal = (): void => {
  now += SEAL_AFTER_MS
  engine.drain()
}

/** A recorder whose clock is behind the service's by `skewMs`. Its times are given by the service's clock, in seconds. */
const recorder = (skewMs: number) => {
  const local = (second: number): number => T0 + second * 1_000 - skewMs
  return {
    started: local,
    /** A trade whose price is its second. */
    trade: (symbol: string, second: number, lateMs = 20): Item => ({
      conn: 1,
      data: tradeText(symbol, second, 1, T0 + second * 1_000),
      recvMs: local(second) + lateMs,
    }),
    acknowledged: (second: number, ...symbols: string[]): Item => ({
      entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols },
      wallMs: local(second),
    }),
    gap: (openedAs: number, from: number, to: number, ...symbols: string[]): Item[] => [
      {
        entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols, fromMs: unixMs(local(from)) },
        wallMs: local(from) + 100,
      },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: openedAs }, wallMs: local(to) },
    ],
  }
}
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

const ticks = async (query: Partial<TickQuery> = {}): Promise<readonly (readonly [string, number])[]> => {
  const rows: [string, number][] = []
  for await (const run of reader.ticks({ feed: 'crypto/XT', instruments: [BTC], source: SHARD, ...query })) {
    const prices = run.column('p')
    for (let i = 0; i < run.count; i++) rows.push([run.session, prices[i]])
  }
  return rows
}
const bars = async (query: Partial<BarQuery> = {}) => {
  const { bars: page } = await reader.bars({
    instrument: BTC,
    of: 'trade',
    interval: '1s',
    source: SHARD,
    beforeMs: null,
    limit: 5_000,
    ...query,
  })
  return {
    seconds: page.map(({ startMs }) => (startMs - T0) / 1_000),
    counts: page.map(({ count }) => count),
    incomplete: page.filter(({ complete }) => !complete).map(({ startMs }) => (startMs - T0) / 1_000),
  }
}

/**
 * The standby took over at 100, while the recorder before it went on to 130. The standby lost its connection from 110
 * to 118.
 */
function takeOver(skews: readonly [number, number] = [0, 0], epochs: readonly (number | undefined)[] = [7, 9]) {
  const one = recorder(skews[0])
  const two = recorder(skews[1])
  const first = new Replica(engine, 1, one.started(0), { epoch: epochs[0] })
  first.add(one.acknowledged(0, 'BTC-USD', 'ETH-USD'))
  for (const second of range(1, 131)) first.add(one.trade('BTC-USD', second))
  const second = new Replica(engine, 1, two.started(99), { epoch: epochs[1] })
  second.add(two.acknowledged(100, 'BTC-USD', 'ETH-USD'))
  for (const at of range(101, 110)) second.add(two.trade('BTC-USD', at))
  second.add(...two.gap(second.seq + 1, 109.5, 118))
  for (const at of range(119, 200)) second.add(two.trade('BTC-USD', at))
  // Recorders write an entry each minute.
  second.add({ entry: { type: 'connected', feed: 'crypto/XT', conn: 1 }, wallMs: two.started(199.9) })
  const end = (): void => {
    first.end(one.started(131))
    second.end(two.started(200.1))
  }
  return { first, second, end }
}

describe.each(['open', 'sealed', 'ended'])('a standby that took over, with sessions that are %s', (state) => {
  const finish = (end: () => void): void => {
    if (state === 'sealed') seal()
    if (state === 'ended') end()
  }
  const clocks: readonly (readonly [number, number])[] = [
    [0, 0],
    [0, HOUR],
    [-HOUR, 0],
    [HOUR, -HOUR],
  ]

  it.each(clocks)('is read once, with clocks off by %i and %i ms', async (...skews) => {
    const { first, second, end } = takeOver(skews)
    finish(end)
    const rows = await ticks()
    expect(rows.map(([, price]) => price).sort((a, b) => a - b)).toEqual(range(1, 200))
    const of = (replica: Replica): number[] => rows.filter(([id]) => id === replica.id).map(([, price]) => price)
    // From a second after the acknowledgement on, except around the gap.
    expect(of(first)).toEqual([...range(1, 101), ...range(109, 119)])
    expect(of(second)).toEqual([...range(101, 109), ...range(119, 200)])
    expect(rows.map(([id]) => id)).toEqual([
      ...range(1, 111).map(() => first.id),
      ...range(111, 200).map(() => second.id),
    ])
  })

  it.each(clocks)('has complete bars, with clocks off by %i and %i ms', async (...skews) => {
    const { end } = takeOver(skews)
    finish(end)
    const seconds = await bars()
    expect(seconds.seconds).toEqual(range(1, 200))
    expect(new Set(seconds.counts)).toEqual(new Set([1]))
    expect(seconds.incomplete).toEqual([])
    const minutes = await bars({ interval: '1m' })
    expect(minutes.counts).toEqual([59, 60, 60, 20])
  })

  it('shows no gap that the other session fills', async () => {
    const { second, end } = takeOver()
    finish(end)
    const gaps = await reader.gaps({ source: SHARD, feed: 'crypto/XT' })
    expect(gaps).toEqual([])
    // As recorded.
    expect(await reader.gaps({ session: second.id })).toHaveLength(1)
    expect(await reader.gaps({ source: SHARD, sessions: [second.id] })).toHaveLength(1)
  })

  it('is whole when read alone, and as a part of the shard when asked so', async () => {
    const { first, second, end } = takeOver()
    finish(end)
    expect(await ticks({ session: first.id })).toHaveLength(130)
    expect(await ticks({ session: second.id })).toHaveLength(90)
    expect(await ticks({ session: first.id, asInSource: true })).toHaveLength(110)
    expect(await ticks({ session: second.id, asInSource: true })).toHaveLength(89)
    const { parts } = await loadParts(reader, [first.id])
    expect(parts[0].counts).toBeNull()
  })
})

describe('overlaps', () => {
  it('of sessions without leases go by their start', async () => {
    const { first, second } = takeOver([0, 0], [undefined, undefined])
    const rows = await ticks()
    expect(rows.map(([, price]) => price).sort((a, b) => a - b)).toEqual(range(1, 200))
    expect(rows.filter(([id]) => id === first.id)).toHaveLength(110)
    expect(rows.filter(([id]) => id === second.id)).toHaveLength(89)
  })

  it('are read in the order of leases, whatever the clocks said', async () => {
    const { first, second } = takeOver([-HOUR, HOUR])
    const sessions = await reader.sessions()
    expect(new Map(sessions.map(({ session, epoch }) => [session, epoch]))).toEqual(
      new Map([
        [first.id, 7],
        [second.id, 9],
      ]),
    )
    expect((await ticks()).at(0)?.[0]).toBe(first.id)
    expect((await ticks()).at(-1)?.[0]).toBe(second.id)
  })

  it('leave a gap that none of the sessions filled, for the symbols that lack it', async () => {
    const one = recorder(0)
    const first = new Replica(engine, 1, one.started(0), { epoch: 1 })
    first.add(one.acknowledged(0, 'BTC-USD'), ...range(1, 30).map((at) => one.trade('BTC-USD', at)))
    first.add(...one.gap(first.seq + 1, 29.5, 41), ...range(41, 60).map((at) => one.trade('BTC-USD', at)))
    const second = new Replica(engine, 1, one.started(10), { epoch: 2 })
    second.add(one.acknowledged(10, 'BTC-USD', 'ETH-USD'), ...range(11, 20).map((at) => one.trade('BTC-USD', at)))
    second.add(...one.gap(second.seq + 1, 19.5, 35), ...range(35, 70).map((at) => one.trade('BTC-USD', at)))
    const gaps = await reader.gaps({ source: SHARD })
    const times = gaps.map(({ session, symbols, fromMs, toMs }) => [
      session === first.id ? 1 : 2,
      symbols,
      (fromMs - T0) / 1_000,
      ((toMs ?? NaN) - T0) / 1_000,
    ])
    // A second is left at each edge for the clocks. The gap of the later lease states what both have.
    expect(new Set(times)).toEqual(
      new Set([
        [2, ['BTC-USD'], 28.5, 35],
        [2, ['ETH-USD'], 19.5, 35],
      ]),
    )
    const { incomplete } = await bars({ interval: '5s' })
    expect(incomplete).toEqual([25])
  })

  it('last as long as they did where a recorder’s clock was set back meanwhile', async () => {
    const BACK_MS = 60_000
    const one = recorder(0)
    const first = new Replica(engine, 1, one.started(0), { epoch: 9 })
    first.add(one.acknowledged(0, 'BTC-USD'), ...range(1, 20).map((at) => one.trade('BTC-USD', at)))
    const [open, close] = one.gap(first.seq + 1, 20, 30, 'BTC-USD')
    const back: Item = { entry: { type: 'clock', shiftMs: -BACK_MS }, wallMs: one.started(22) - BACK_MS }
    first.add(open, back, { ...close, wallMs: one.started(30) - BACK_MS })
    const second = new Replica(engine, 1, one.started(0), { epoch: 7 })
    second.add(one.acknowledged(0, 'BTC-USD'), ...range(1, 25).map((at) => one.trade('BTC-USD', at)))
    second.add(...one.gap(second.seq + 1, 25, 28, 'BTC-USD'), ...range(28, 60).map((at) => one.trade('BTC-USD', at)))
    const gaps = await reader.gaps({ source: SHARD })
    const times = gaps.map(({ fromMs, toMs }) => [(fromMs - T0) / 1_000, ((toMs ?? NaN) - T0) / 1_000])
    expect(times).toEqual([[24, 29]])
  })

  it.each([
    { name: 'the same clock', skews: [0, 0] },
    { name: 'the clock of the second an hour ahead', skews: [0, -HOUR] },
    { name: 'the clock of the first an hour ahead', skews: [-HOUR, 0] },
  ] as const)(
    'leave of a crash what nobody received until another recorder took over, with $name',
    async ({ skews }) => {
      const [one, two] = skews.map(recorder)
      const first = new Replica(engine, 1, one.started(0), { epoch: 7 })
      first.add(one.acknowledged(0, 'BTC-USD'))
      for (const second of range(1, 60)) first.add(one.trade('BTC-USD', second))
      // Its recorder is back at 150.
      first.add(...one.gap(first.seq + 1, 59.5, 150))
      first.end(one.started(60))
      const second = new Replica(engine, 1, two.started(69), { epoch: 9 })
      second.add(two.acknowledged(70, 'BTC-USD'))
      for (const at of range(71, 200)) second.add(two.trade('BTC-USD', at))
      second.end(two.started(200))
      const gaps = (await reader.gaps({ source: SHARD, feed: 'crypto/XT' })).filter(({ cause }) => cause === 'drop')
      // Clocks are compared by messages, which take 20 ms.
      const tenth = (ms: number | null): number => Math.round(((ms ?? NaN) - T0 + skews[0]) / 100) / 10
      expect(gaps.map(({ fromMs, toMs }) => [tenth(fromMs), tenth(toMs)])).toEqual([[59.5, 70]]) // oxfmt-ignore
      const seconds = await bars()
      expect(seconds.seconds).toEqual([...range(1, 60), ...range(71, 200)])
      // A second at each edge isn't sure.
      expect(seconds.incomplete.filter((at) => at > 72 && at < 199)).toEqual([])
    },
  )

  it('are written as joined to the manifest of an export', async () => {
    const { first, second, end } = takeOver()
    end()
    const out = join(folder.path, 'ticks.csv')
    const { rows, manifest } = await exportTicks(reader, { source: SHARD, out, format: 'csv', feed: 'crypto/XT' })
    expect(rows).toBe(199)
    const text = JSON.parse(await readFile(manifest ?? '', 'utf8')) as Record<string, unknown>
    expect(text.overlaps).toMatchObject([{ joined: [first.id, second.id] }])
    expect(text.gaps).toEqual([])
    const extent = await reader.extent({ feed: 'crypto/XT', instruments: [BTC], source: SHARD })
    expect(Math.abs(extent.messages - 199)).toBeLessThan(10)
  })

  it('are in a dataset once, also if a session is added to it later', async () => {
    const root = join(folder.path, 'dataset')
    const sync = { root, feeds: null, signal: new AbortController().signal } as const
    const rowsOf = (): number =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.includes('BTC') && path.endsWith('_manifest.json'))
        .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as { readonly files: { rows: number }[] })
        .reduce((sum, { files }) => sum + files.reduce((rows, file) => rows + file.rows, 0), 0)
    const { second, end } = takeOver()
    end()
    const bin = (binnedMs: number | null) => engine.library.label([{ session: second.id, patch: {}, binnedMs }])
    bin(T0)
    await syncDataset(reader, sync)
    expect(rowsOf()).toBe(130)
    bin(null)
    await syncDataset(reader, sync)
    expect(rowsOf()).toBe(199)
    expect(await syncDataset(reader, sync)).toMatchObject({ files: 0 })
  })

  it('show nothing that a session received after the place of another', async () => {
    const { first, second } = takeOver()
    const { seconds } = await bars({ upTo: new Map([[second.id, 5]]) })
    expect(seconds.at(-1)).toBe(104)
    expect((await bars({ upTo: new Map([[first.id, 121]]) })).seconds).toEqual(range(1, 121))
  })

  it('cut nothing where sessions of one recorder follow each other', async () => {
    const one = recorder(0)
    const first = new Replica(engine, 1, one.started(0), { epoch: 3 })
    first.add(one.acknowledged(0, 'BTC-USD'), one.trade('BTC-USD', 1), one.trade('BTC-USD', 9.9))
    first.end(one.started(10))
    const second = new Replica(engine, 1, one.started(10), { epoch: 3 })
    second.add(one.acknowledged(10, 'BTC-USD'), one.trade('BTC-USD', 9.95, 80), one.trade('BTC-USD', 9.8, 250))
    second.add(one.trade('BTC-USD', 11))
    expect((await ticks()).map(([, price]) => price)).toEqual([1, 9.9, 9.95, 9.8, 11])
    const clock = [{ fromSeq: 0, skewMs: 0 }]
    expect(await reader.shares([first.id, second.id], SHARD)).toEqual(
      [first, second].map(({ id }) => ({ session: id, clock, feeds: new Map() })),
    )
  })
})

/** Milliseconds on the way, and how long before its loss a connection's gap begins. */
const WAY_MS = 30
const LEAD_MS = 200
/** Edges of two recorders that are closer to a message than this can't be told apart: clocks aren't known so exactly. */
const UNSURE_MS = 500
const drawn = fc.record({
  recorders: fc.array(
    fc.record({
      skewMs: fc.constantFrom(0, 0, 300, -HOUR, HOUR),
      edges: fc.uniqueArray(fc.integer({ min: 0, max: 180 }), { minLength: 2, maxLength: 6, size: 'max' }),
      ways: fc.array(fc.integer({ min: 1, max: WAY_MS }), { minLength: 3, maxLength: 5 }),
    }),
    { minLength: 2, maxLength: 3 },
  ),
  messages: fc.array(
    fc.record({
      eventMs: fc.integer({ min: 0, max: 180_000 }),
      isBtc: fc.boolean(),
      lateMs: fc.integer({ min: 0, max: 120 }),
    }),
    { minLength: 150, maxLength: 300, size: 'max' },
  ),
  isSealed: fc.boolean(),
})

it('any overlapping sessions read as one: nothing doubled or invented, and nothing missing in a complete bar', async () => {
  let checked = 0
  await fc.assert(
    fc.asyncProperty(drawn, async ({ recorders, messages, isSealed }) => {
      await closeStore()
      openStore()
      // A price identifies its message.
      const all = messages.map((one, i) => ({ ...one, price: i + 1, sentMs: one.eventMs + one.lateMs }))
      const isUnsure = ({ eventMs }: { readonly eventMs: number }): boolean => {
        const isClose = (second: number): boolean => Math.abs(second * 1_000 - eventMs) < UNSURE_MS
        return recorders.filter(({ edges }) => edges.some(isClose)).length > 1
      }
      const received = new Map<number, number>()
      for (const [epoch, { skewMs, edges, ways }] of recorders.entries()) {
        const local = (ms: number): number => T0 + ms - skewMs
        const times = edges.toSorted((a, b) => a - b).map((second) => second * 1_000)
        const connections = Array.from(
          { length: times.length >> 1 },
          (_, i) => [times[2 * i], times[2 * i + 1]] as const,
        )
        const replica = new Replica(engine, 1, local(times[0] - 500), { epoch: epoch + 1 })
        const items: { readonly ms: number; readonly item: Item }[] = []
        for (const [i, [fromMs, toMs]] of connections.entries()) {
          const wayMs = ways[i % ways.length]
          const symbols = ['BTC-USD', 'ETH-USD']
          items.push({
            ms: fromMs + wayMs,
            item: {
              entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols },
              wallMs: local(fromMs + wayMs),
            },
          })
          const open = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [] } as const
          items.push({
            ms: toMs,
            item: { entry: { ...open, fromMs: unixMs(local(toMs - LEAD_MS)) }, wallMs: local(toMs) },
          })
          for (const [k, { eventMs, sentMs, price, isBtc }] of all.entries()) {
            const arrivedMs = sentMs + ways[k % ways.length]
            if (sentMs < fromMs || arrivedMs >= toMs) continue
            received.set(price, (received.get(price) ?? 0) + 1)
            const data = tradeText(isBtc ? 'BTC-USD' : 'ETH-USD', price, 1, T0 + eventMs)
            items.push({ ms: arrivedMs, item: { conn: 1, data, recvMs: local(arrivedMs) } })
          }
        }
        items.sort((a, b) => a.ms - b.ms)
        let openedSeq = 0
        for (const { ms, item } of items) {
          // The gap of the connection before ends with the acknowledgement.
          if ('entry' in item && item.entry.type === 'acknowledged' && openedSeq > 0) {
            replica.add({ entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq }, wallMs: local(ms) })
            openedSeq = 0
          }
          replica.add(item)
          if ('entry' in item && item.entry.type === 'gap-open') openedSeq = replica.seq
        }
        if (isSealed) replica.end(local(times[times.length - 1] + 10))
      }
      for (const instrument of [BTC, ETH]) {
        const mine = all.filter(({ isBtc }) => isBtc === (instrument === BTC))
        const prices = (await ticks({ instruments: [instrument] })).map(([, price]) => price)
        const twice = prices.filter((price, i) => prices.indexOf(price) !== i)
        expect(twice.filter((price) => !isUnsure(all[price - 1]))).toEqual([])
        expect(prices.filter((price) => !received.has(price))).toEqual([])
        for (const interval of ['1s', '5s', '1m'] as const) {
          const ms = { '1s': 1_000, '5s': 5_000, '1m': 60_000 }[interval]
          const page = await reader.bars({
            instrument,
            of: 'trade',
            interval,
            source: SHARD,
            beforeMs: null,
            limit: 1_000,
          })
          for (const { startMs, count, complete } of page.bars) {
            const sent = mine.filter(({ eventMs }) => Math.floor((T0 + eventMs) / ms) * ms === startMs)
            // Bars and messages agree.
            expect(count).toBe(prices.filter((price) => sent.includes(all[price - 1])).length)
            if (complete && !sent.some(isUnsure)) expect(count).toBe(sent.length)
            if (complete) checked++
          }
        }
      }
    }),
    // A run takes a fifth of a second without a pause, so finding a smaller example would keep the test from ever ending.
    { numRuns: 14, examples: fixedExamples(2, drawn), endOnFailure: true },
  )
  expect(checked).toBeGreaterThan(100)
}, 120_000)
