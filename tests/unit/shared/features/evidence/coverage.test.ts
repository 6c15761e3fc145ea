import fc from 'fast-check'
import { expect, it } from 'vitest'
import { coverageOf, reportedGaps } from '../../../../../src/shared/features/evidence/coverage.ts'
import { receivedSpans, type CoveredSession } from '../../../../../src/shared/features/evidence/session-spans.ts'
import type { Gap, GapCause, LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import { commonSpans, mergeSpans, spansMs, withoutSpans } from '../../../../../src/shared/base/spans.ts'
import { sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'

const R = sessionId('r1')
const XT: FeedId = 'crypto/XT'
const gap = (feed: FeedId, cause: GapCause, fromMs: number, toMs: number | null, symbols: string[] = []): Gap => ({
  session: R,
  feed,
  symbols,
  cause,
  fromMs: unixMs(fromMs),
  toMs: toMs === null ? null : unixMs(toMs),
  fromSeq: 1,
  toSeq: toMs === null ? null : 2,
})
const subscribe = (wallMs: number, conn = 1, feed: FeedId = XT, symbols = ['BTC-USD']) => ({
  wallMs,
  entry: { type: 'subscribe', feed, conn, symbols } satisfies LedgerEntry,
})
const sessionOf = (part: Partial<CoveredSession>): CoveredSession => ({
  session: R,
  startedMs: 0,
  endedMs: 10_000,
  entries: [],
  gaps: [],
  ...part,
})
const all = { fromMs: 0, toMs: Infinity }

/** Spans within 0 to 40, whole numbers, so that instants can be counted. */
const spans = fc.array(
  fc.tuple(fc.nat(40), fc.nat(10)).map(([fromMs, length]) => ({ fromMs, toMs: fromMs + length })),
  { maxLength: 8 },
)
const instants = (of: readonly { fromMs: number; toMs: number }[]): Set<number> =>
  new Set(of.flatMap(({ fromMs, toMs }) => Array.from({ length: Math.max(0, toMs - fromMs) }, (_, i) => fromMs + i)))

it('counts every instant of overlapping spans once', () => {
  fc.assert(
    fc.property(spans, spans, (a, b) => {
      const inA = instants(a)
      const inB = instants(b)
      expect(instants(mergeSpans(a))).toEqual(inA)
      expect(spansMs(a)).toBe(inA.size)
      expect(instants(withoutSpans(a, b))).toEqual(new Set([...inA].filter((ms) => !inB.has(ms))))
      expect(instants(commonSpans(a, b))).toEqual(new Set([...inA].filter((ms) => inB.has(ms))))
      for (const [i, one] of mergeSpans(a).entries())
        expect(one.fromMs).toBeGreaterThan(mergeSpans(a)[i - 1]?.toMs ?? -1)
    }),
  )
})

it('tells what share of the wanted time was covered, overlapping gaps counted once', () => {
  const { feeds, covered, gaps } = coverageOf(
    [
      sessionOf({
        entries: [subscribe(1_000)],
        gaps: [gap(XT, 'connect', 500, 1_200), gap(XT, 'drop', 4_000, 5_000), gap(XT, 'unacknowledged', 4_500, 5_500)],
      }),
    ],
    all,
    10_000,
  )
  // wanted from 500 (the connect gap) to 10 000; missing 700 + 1 500
  expect(feeds).toEqual([
    {
      feed: XT,
      wantedMs: 9_500,
      gapMs: 2_200,
      covered: 1 - 2_200 / 9_500,
      gaps: 3,
      causes: [
        { cause: 'drop', gaps: 1, ms: 1_000 },
        { cause: 'unacknowledged', gaps: 1, ms: 1_000 },
        { cause: 'connect', gaps: 1, ms: 700 },
      ],
      symbols: 1,
      assumed: false,
    },
  ])
  expect(covered).toBeCloseTo(1 - 2_200 / 9_500)
  expect(gaps.map(({ fromMs }) => fromMs)).toEqual([4_500, 4_000, 500])
})

it('does not count time that nobody wanted: before, after, and the end that the user asked for', () => {
  const entries = [
    subscribe(2_000),
    { wallMs: 3_000, entry: { type: 'released', feed: XT, conn: 1, symbols: ['BTC-USD'] } satisfies LedgerEntry },
    subscribe(8_000),
  ]
  const { feeds } = coverageOf([sessionOf({ entries, gaps: [gap(XT, 'quit', 9_000, 90_000)] })], all, 100_000)
  expect(feeds).toMatchObject([{ wantedMs: 2_000, gapMs: 0, covered: 1, gaps: 0, causes: [] }])
})

it('counts time between two sessions in which received messages could not be stored, as while the store moves', () => {
  const before = sessionOf({ endedMs: 4_000, entries: [subscribe(0)], gaps: [gap(XT, 'quit', 3_900, 6_000)] })
  const after = (cause: GapCause) =>
    sessionOf({
      session: sessionId('r2'),
      startedMs: 6_000,
      entries: [subscribe(6_000)],
      gaps: [gap(XT, cause, 4_000, 6_000)],
    })
  const { feeds, covered } = coverageOf([before, after('disk')], all, 10_000)
  expect(feeds).toMatchObject([{ gapMs: 2_000, gaps: 1, causes: [{ cause: 'disk', ms: 2_000 }] }])
  expect(covered).toBeCloseTo(1 - 2_000 / 9_900)
  // A user who stopped recording asked for nothing, whatever happened to the connection meanwhile.
  expect(coverageOf([before, after('drop')], all, 10_000).covered).toBe(1)
})

it('counts what a crash left until the next start, and a gap that is still open until now', () => {
  const one = sessionOf({ entries: [subscribe(0)], gaps: [gap(XT, 'crash', 10_000, 15_000)] })
  expect(coverageOf([one], all, 50_000).feeds).toMatchObject([{ wantedMs: 15_000, gapMs: 5_000 }])
  const open = sessionOf({ entries: [subscribe(0)], gaps: [gap(XT, 'drop', 9_000, null)] })
  expect(coverageOf([open], all, 12_000).feeds).toMatchObject([{ wantedMs: 12_000, gapMs: 3_000 }])
})

it('keeps to the range asked for', () => {
  const one = sessionOf({
    entries: [subscribe(0)],
    gaps: [gap(XT, 'drop', 1_000, 3_000), gap(XT, 'drop', 7_000, 8_000)],
  })
  const { feeds, gaps } = coverageOf([one], { fromMs: 2_000, toMs: 6_000 }, 10_000)
  expect(feeds).toMatchObject([{ wantedMs: 4_000, gapMs: 1_000, gaps: 1 }])
  expect(gaps).toMatchObject([{ fromMs: 1_000, ms: 1_000 }])
})

it('counts by symbol and time: one symbol of four that is missing is a quarter', () => {
  const entries = [subscribe(0, 1, XT, ['A-USD', 'B-USD', 'C-USD', 'D-USD'])]
  const one = sessionOf({ entries, gaps: [gap(XT, 'unacknowledged', 0, 5_000, ['b/usd'])] })
  const { feeds, covered, symbols, gaps } = coverageOf([one], all, 10_000, XT)
  expect(feeds).toMatchObject([{ wantedMs: 10_000, gapMs: 5_000, covered: 1 - 5 / 40, gaps: 1, symbols: 4 }])
  expect(covered).toBe(1 - 5 / 40)
  expect(gaps).toMatchObject([{ ms: 5_000 }])
  expect(symbols).toMatchObject([
    { symbol: 'B-USD', wantedMs: 10_000, gapMs: 5_000, covered: 0.5, gaps: 1 },
    { symbol: 'A-USD', gapMs: 0, covered: 1, gaps: 0 },
    { symbol: 'C-USD', covered: 1 },
    { symbol: 'D-USD', covered: 1 },
  ])
  expect(coverageOf([one], all, 10_000).symbols).toEqual([])
})

it('counts a gap of the whole feed for those who waited in it, not for a symbol that was added later', () => {
  const entries = [subscribe(0, 1, XT, ['A-USD']), subscribe(6_000, 1, XT, ['B-USD'])]
  const one = sessionOf({ entries, gaps: [gap(XT, 'drop', 2_000, 4_000)] })
  expect(coverageOf([one], all, 10_000, XT).symbols).toMatchObject([
    { symbol: 'A-USD', wantedMs: 10_000, gapMs: 2_000 },
    { symbol: 'B-USD', wantedMs: 4_000, gapMs: 0 },
  ])
})

const released = (wallMs: number, symbol: string) => ({
  wallMs,
  entry: { type: 'released', feed: XT, conn: 1, symbols: [symbol] } satisfies LedgerEntry,
})

it.each([
  [
    'those held when it began',
    [subscribe(0, 1, XT, ['A']), released(4_000, 'A'), subscribe(6_000, 1, XT, ['B'])],
    ['A'],
  ],
  ['else those held when it ended', [subscribe(6_000, 1, XT, ['B']), subscribe(7_000, 1, XT, ['C'])], ['B']],
  [
    'else all of the session',
    [subscribe(0, 1, XT, ['A']), released(3_999, 'A'), subscribe(6_001, 1, XT, ['B'])],
    ['A', 'B'],
  ],
])('takes a gap of the whole feed for one of %s', (_, entries, symbols) => {
  const session = sessionOf({ entries, gaps: [gap(XT, 'drop', 4_000, 6_000)] })
  const found = coverageOf([session], all, 10_000, XT).symbols
  expect(found.filter(({ gapMs }) => gapMs === 2_000).map(({ symbol }) => symbol)).toEqual(symbols)
  expect(found.filter(({ gapMs }) => gapMs > 0)).toHaveLength(symbols.length)
})

it('lists symbols of the range, least covered first', () => {
  const entries = [subscribe(0, 1, XT, ['D', 'B', 'C', 'A', 'OLD']), released(1_000, 'OLD')]
  const session = sessionOf({
    entries,
    gaps: [gap(XT, 'drop', 5_000, 6_000, ['C']), gap(XT, 'drop', 5_000, 7_000, ['D'])],
  })
  const { feeds, symbols } = coverageOf([session], { fromMs: 2_000, toMs: 10_000 }, 10_000, XT)
  expect(symbols.map(({ symbol, gapMs }) => [symbol, gapMs])).toEqual([
    ['D', 2_000],
    ['C', 1_000],
    ['A', 0],
    ['B', 0],
  ])
  expect(feeds[0].symbols).toBe(4)
})

it('reports no gaps of connecting and of the end that was asked for', () => {
  const causes = (['connect', 'drop', 'crash', 'quit'] as const).map((cause, i) => ({ cause, gaps: 10 ** i, ms: 0 }))
  expect(reportedGaps({ causes })).toBe(110)
  expect(reportedGaps({ causes: [] })).toBe(0)
})

it('counts a feed that was refused before it was subscribed to as wanted and missing', () => {
  const refused = sessionOf({ gaps: [gap(XT, 'refused', 1_000, 4_000)] })
  expect(coverageOf([refused], all, 10_000, XT)).toMatchObject({ covered: 0, symbols: [{ symbol: '', gapMs: 3_000 }] })
})

it('takes symbols of an import that tells no subscriptions as wanted from their first to their last message', () => {
  const extents = [
    { feed: XT, symbol: 'A-USD', fromMs: 1_000, toMs: 9_000 },
    { feed: XT, symbol: 'B-USD', fromMs: 4_000, toMs: 6_000 },
  ]
  const gaps = [
    gap(XT, 'drop', 2_000, 3_000),
    gap(XT, 'drop', 5_000, 6_000, ['B-USD', 'NEVER-SEEN']),
    gap(XT, 'crash', 9_000, 20_000),
    gap('crypto/XQ', 'drop', 2_000, 3_000),
  ]
  const report = coverageOf([sessionOf({ extents, gaps })], all, 100_000, XT)
  expect(report.feeds).toMatchObject([
    { feed: 'crypto/XQ', wantedMs: 0, covered: null },
    { feed: XT, wantedMs: 8_000, gapMs: 2_000, covered: 1 - 2_000 / 10_000, symbols: 2, assumed: true },
  ])
  expect(report.symbols).toMatchObject([
    { symbol: 'B-USD', wantedMs: 2_000, gapMs: 1_000 },
    { symbol: 'A-USD', wantedMs: 8_000, gapMs: 1_000 },
  ])
  // what the file does tell counts
  const told = sessionOf({ entries: [subscribe(0)], extents, gaps })
  expect(coverageOf([told], all, 10_000).feeds.find(({ feed }) => feed === XT)).toMatchObject({ assumed: false })
})

it('counts symbols and time as counting every instant of every symbol does', () => {
  const names = ['A-USD', 'B-USD', 'C-USD']
  const wanted = fc.array(fc.tuple(fc.nat(2), fc.nat(30), fc.integer({ min: 1, max: 10 })), { maxLength: 8 })
  const lost = fc.array(fc.tuple(fc.nat(3), fc.nat(30), fc.nat(10)), { maxLength: 8 })
  fc.assert(
    fc.property(wanted, lost, (holds, misses) => {
      const events = holds
        .flatMap(([who, from, length], conn) => [
          { ...subscribe(from, conn, XT, [names[who]]), at: from },
          {
            at: from + length,
            wallMs: from + length,
            entry: { type: 'released', feed: XT, conn, symbols: [names[who]] } satisfies LedgerEntry,
          },
        ])
        .sort((a, b) => a.at - b.at)
      const gaps = misses.map(([who, from, length]) =>
        gap(XT, 'drop', from, from + length, who < 3 ? [names[who]] : [...names]),
      )
      const { feeds } = coverageOf([sessionOf({ entries: events, gaps, endedMs: 100 })], all, 100)
      const held = new Set<string>()
      const missing = new Set<string>()
      const mark = (set: Set<string>, who: number, from: number, length: number): void => {
        for (let ms = from; ms < from + length; ms++) set.add(`${who} ${ms}`)
      }
      for (const [who, from, length] of holds) mark(held, who, from, length)
      for (const [who, from, length] of misses) {
        for (const one of who < 3 ? [who] : [0, 1, 2]) {
          mark(missing, one, from, length)
          mark(held, one, from, length) // who is told a gap of was waiting
        }
      }
      if (held.size === 0) expect(feeds.every(({ covered }) => covered === null)).toBe(true)
      else expect(feeds[0].covered).toBeCloseTo(1 - missing.size / held.size, 9)
    }),
  )
})

it('never says more missing than wanted', () => {
  const causes: GapCause[] = ['drop', 'connect', 'quit', 'crash']
  const gaps = fc.array(
    fc
      .tuple(fc.nat(12_000), fc.option(fc.nat(9_000)), fc.constantFrom(...causes))
      .map(([from, length, cause]) => gap(XT, cause, from, length === null ? null : from + length)),
  )
  fc.assert(
    fc.property(gaps, fc.array(fc.nat(10_000)), fc.nat(9_000), (list, starts, from) => {
      const entries = starts.sort((a, b) => a - b).map((ms) => subscribe(ms))
      const { feeds, covered } = coverageOf(
        [sessionOf({ entries, gaps: list })],
        { fromMs: from, toMs: 11_000 },
        10_500,
      )
      for (const one of feeds) {
        expect(one.gapMs).toBeLessThanOrEqual(one.wantedMs)
        for (const cause of one.causes) expect(cause.ms).toBeLessThanOrEqual(one.gapMs)
      }
      if (covered !== null) expect(covered).toBeGreaterThanOrEqual(0)
    }),
  )
})

it('knows when an instrument was received: acknowledged, connected, and in no gap widened by the skew', () => {
  const entries = [
    subscribe(0),
    { wallMs: 100, entry: { type: 'acknowledged', feed: XT, conn: 1, symbols: ['BTC-USD'] } satisfies LedgerEntry },
    {
      wallMs: 6_000,
      entry: { type: 'disconnected', feed: XT, conn: 1, closeCode: 1006, reason: '' } satisfies LedgerEntry,
    },
    { wallMs: 7_000, entry: { type: 'acknowledged', feed: XT, conn: 2, symbols: ['BTC-USD'] } satisfies LedgerEntry },
  ]
  const gaps = [
    { ...gap(XT, 'drop', 2_000, 3_000, ['BTC-USD']), skewMs: -50 },
    gap(XT, 'drop', 8_000, 9_000, ['ETH-USD']),
  ]
  const mine = (symbol: string) => symbol === 'BTC-USD'
  expect(receivedSpans(sessionOf({ entries, gaps }), XT, mine)).toEqual([
    { fromMs: 100, toMs: 1_950 },
    { fromMs: 3_050, toMs: 6_000 },
    { fromMs: 7_000, toMs: 10_000 },
  ])
  expect(receivedSpans(sessionOf({ gaps: [] }), XT, mine)).toEqual([{ fromMs: 0, toMs: 10_000 }])
})
