import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EDGE_MS,
  divideTime,
  isCounted,
  isCut,
  isWhole,
  leaveOut,
  shareSince,
  skewAt,
  uncovered,
  WHOLE,
  type Reception,
  type Share,
} from '../../../../../src/shared/core/recording/merged-sessions.ts'
import type { Span } from '../../../../../src/shared/base/spans.ts'
import { fixedExamples } from '../../../../kit/properties.ts'

const span = (fromMs: number, toMs: number): Span => ({ fromMs, toMs })
const session = (running: Span, ...covered: Span[]): Reception => ({ covered, connected: covered, running })
const owners = (...sessions: Reception[]): readonly (readonly [number, number, number])[] =>
  divideTime(sessions).reduce<[number, number, number][]>((joined, { fromMs, toMs, owner }) => {
    const last = joined.at(-1)
    if (last?.[2] === owner) last[1] = toMs
    else joined.push([fromMs, toMs, owner])
    return joined
  }, [])

describe('time divided among sessions', () => {
  it('belongs to the earlier session until the later one covers it', () => {
    const first = session(span(0, 60_000), span(0, 60_000))
    const standby = session(span(20_000, 90_000), span(30_000, 90_000))
    expect(owners(first, standby)).toEqual([
      [-Infinity, 30_000 + EDGE_MS, 0],
      [30_000 + EDGE_MS, Infinity, 1],
    ])
    expect(uncovered([first, standby])).toEqual([span(-Infinity, 0), span(90_000, Infinity)])
  })

  it('belongs to the session before while the later one has a gap, and to the later one again after it', () => {
    const first = session(span(0, 100_000), span(0, 100_000))
    const second = session(span(10_000, 90_000), span(10_000, 40_000), span(50_000, 90_000))
    expect(owners(first, second)).toEqual([
      [-Infinity, 10_000 + EDGE_MS, 0],
      [10_000 + EDGE_MS, 40_000 - EDGE_MS, 1],
      [40_000 - EDGE_MS, 50_000 + EDGE_MS, 0],
      [50_000 + EDGE_MS, 90_000 - EDGE_MS, 1],
      [90_000 - EDGE_MS, 100_000, 0],
      [100_000, Infinity, 1],
    ])
  })

  it('that no session covers belongs to the one whose edges are furthest away', () => {
    const first = session(span(0, 73_800), span(0, 73_800))
    const second = session(span(0, 90_000), span(0, 65_000), span(73_000, 90_000))
    expect(owners(first, second)).toEqual([
      [-Infinity, 0, 0],
      [0, 64_000, 1],
      [64_000, 73_400, 0],
      [73_400, Infinity, 1],
    ])
    // What came just after the later one had connected again counts once, although clocks are off by some milliseconds.
    const shares = leaveOut([first, second]).map((leftOut): Share => ({ clock: [{ fromSeq: 0, skewMs: 0 }], leftOut }))
    expect([isCounted(shares[0], 1, 72_990, 72_999), isCounted(shares[1], 1, 72_990, 73_010)]).toEqual([true, false])
    // It is still unsure that nothing is missing.
    expect(uncovered([first, second])).toContainEqual(span(72_800, 73_000))
  })

  it('is uncovered once the session that began last has ended, although an earlier one has its messages', () => {
    const sessions = [session(span(0, 10_000), span(0, 10_000)), session(span(9_500, 9_900), span(9_500, 9_900))]
    expect(owners(...sessions)).toEqual([
      [-Infinity, 10_000, 0],
      [10_000, Infinity, 1],
    ])
    expect(uncovered(sessions)).toEqual([span(-Infinity, 0), span(9_900, 10_000), span(10_000, Infinity)])
  })

  it('that no session covers belongs to the last one that had begun to receive', () => {
    const sessions = [session(span(0, 10_000), span(0, 10_000)), session(span(20_000, 30_000), span(20_000, 30_000))]
    expect(owners(...sessions)).toEqual([
      [-Infinity, 20_000, 0],
      [20_000, Infinity, 1],
    ])
    expect(owners(session(span(0, 10), span(0, 10)))).toEqual([[-Infinity, Infinity, 0]])
  })
})

describe('what sessions leave out', () => {
  it('is nothing where they follow each other', () => {
    const sessions = [session(span(0, 10_000), span(0, 10_000)), session(span(12_000, 30_000), span(12_000, 30_000))]
    expect(leaveOut(sessions)).toEqual([[], []])
  })

  it('keeps what arrived while the owner of its time wasn’t connected', () => {
    const first = session(span(0, 35_000), span(0, 35_000))
    const second = session(span(20_000, 90_000), span(30_000, 90_000))
    const share: Share = { clock: [{ fromSeq: 0, skewMs: 0 }], leftOut: leaveOut([first, second])[1] }
    expect(isCounted(share, 1, 25_000, 34_000)).toBe(false)
    expect(isCounted(share, 1, 25_000, 36_000)).toBe(true)
    expect(isCounted(share, 1, NaN, 29_000)).toBe(false)
    expect(isCounted(share, 1, NaN, 32_000)).toBe(true)
  })
})

describe('a share', () => {
  it('compares receive times by the clock that the session had', () => {
    const clock = [
      { fromSeq: 0, skewMs: -3_600_000 },
      { fromSeq: 100, skewMs: 5 },
    ]
    expect([1, 99, 100, 1_000].map((seq) => skewAt({ clock }, seq))).toEqual([-3_600_000, -3_600_000, 5, 5])
    const share = { clock, leftOut: [{ ...span(0, 1_000), arrived: [span(0, 2_000)] }] }
    expect(isCounted(share, 1, 500, 3_600_500)).toBe(false)
    expect(isCounted(share, 1, 500, 500)).toBe(true)
    expect(isCounted(share, 100, 500, 500)).toBe(false)
  })

  it('without what was received before an instant cuts everything', () => {
    const share = shareSince(100)
    expect([99, 100].map((recvMs) => isCounted(share, 1, 5, recvMs))).toEqual([false, true])
    expect(isCut(share, 0, 1)).toBe(true)
    expect(shareSince(-Infinity)).toBe(WHOLE)
    expect(isWhole(WHOLE)).toBe(true)
    expect(isCut(WHOLE, 0, 1)).toBe(false)
  })

  it('is cut only where its spans are', () => {
    const share: Share = {
      ...WHOLE,
      leftOut: [
        { ...span(10, 20), arrived: [] },
        { ...span(30, 40), arrived: [] },
      ],
    }
    const cut = (fromMs: number, toMs: number) => isCut(share, fromMs, toMs)
    expect([cut(0, 10), cut(0, 11), cut(19, 25), cut(20, 30), cut(35, 36), cut(40, 50)]).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
    ])
  })
})

/** How far off an estimated clock difference can be, and the longest way of a message on the network, ms. */
const ERROR_MS = 40
const WAY_MS = 60
/** A gap is assumed to begin this long before its connection was lost, ms. */
const GAP_LEAD_MS = 200

interface Message {
  readonly eventMs: number
  readonly sentMs: number
}
interface Recorder {
  /** Service clock minus its own, ms, and how far off the estimate of that is. */
  readonly skewMs: number
  readonly errorMs: number
  /** True times at which the service subscribed it, and at which its connection was lost. */
  readonly connections: readonly Span[]
  readonly ways: readonly number[]
}

const recorders = fc.array(
  fc.record({
    skewMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
    errorMs: fc.integer({ min: -ERROR_MS, max: ERROR_MS }),
    connections: fc
      .uniqueArray(fc.integer({ min: 0, max: 120_000 }), { minLength: 2, maxLength: 8 })
      .map((edges) => edges.toSorted((a, b) => a - b))
      .map((edges) => Array.from({ length: edges.length >> 1 }, (_, i) => span(edges[2 * i], edges[2 * i + 1])))
      .map((spans) => spans.filter(({ fromMs, toMs }) => toMs - fromMs > 300)),
    ways: fc.array(fc.integer({ min: 1, max: WAY_MS }), { minLength: 3, maxLength: 7 }),
  }),
  { minLength: 1, maxLength: 4, size: 'max' },
)
const messages = fc.array(
  fc.record({
    eventMs: fc.integer({ min: 0, max: 120_000 }),
    lateMs: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 100 }) }, fc.integer({ min: 0, max: 30_000 })),
  }),
  { minLength: 100, maxLength: 300, size: 'max' },
)

/** What a recorder received, in order, and what its ledger lets a reader conclude. */
function record({ skewMs, errorMs, connections, ways }: Recorder, all: readonly Message[]) {
  const wayOf = (i: number): number => ways[i % ways.length]
  const received = all
    .flatMap((message, i) => {
      const arrivedMs = message.sentMs + wayOf(i)
      const isReceived = connections.some(({ fromMs, toMs }) => message.sentMs >= fromMs && arrivedMs < toMs)
      return isReceived ? [{ message, arrivedMs, recvMs: arrivedMs - skewMs }] : []
    })
    .sort((a, b) => a.arrivedMs - b.arrivedMs)
  const known = connections.map(({ fromMs, toMs }, i) => ({
    ackMs: fromMs + wayOf(i) + errorMs,
    lostMs: toMs + errorMs,
  }))
  const reception: Reception = {
    covered: known
      .map(({ ackMs, lostMs }) => span(ackMs, lostMs - GAP_LEAD_MS))
      .filter(({ fromMs, toMs }) => toMs > fromMs),
    connected: known.map(({ ackMs, lostMs }) => span(ackMs, lostMs)),
    running: span((connections[0]?.fromMs ?? 0) - 2_000, (connections.at(-1)?.toMs ?? 0) + 2_000),
  }
  return {
    received,
    ids: new Set(received.map(({ message }) => message)),
    reception,
    clock: [{ fromSeq: 0, skewMs: skewMs + errorMs }],
  }
}

it('a view of any sessions has each message once, in order, and invents none', () => {
  let taken = 0
  let twice = 0
  fc.assert(
    fc.property(recorders, messages, (of, drawn) => {
      const all = drawn.map(({ eventMs, lateMs }): Message => ({ eventMs, sentMs: eventMs + lateMs }))
      const recorded = of.map((one) => record(one, all))
      const receptions = recorded.map(({ reception }) => reception)
      const leftOut = leaveOut(receptions)
      const counts = new Map<Message, number>()
      for (const [i, { received, clock }] of recorded.entries()) {
        const share = { clock, leftOut: leftOut[i] }
        for (const [seq, { message, recvMs }] of received.entries())
          if (isCounted(share, seq + 1, message.eventMs, recvMs)) counts.set(message, (counts.get(message) ?? 0) + 1)
      }
      const certain = divideTime(receptions).filter(({ isCovered }) => isCovered)
      const edges = of.flatMap(({ connections }) => connections.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))
      let wrong: unknown = null
      for (const [i, message] of all.entries()) {
        const { eventMs, sentMs } = message
        const copies = recorded.filter(({ ids }) => ids.has(message)).length
        const isTimely = sentMs - eventMs < EDGE_MS - GAP_LEAD_MS - 2 * ERROR_MS - WAY_MS
        const isCertain = isTimely && certain.some(({ fromMs, toMs }) => eventMs >= fromMs && eventMs < toMs)
        // While a connection begins or ends, the clocks of two computers can't tell what both received.
        const isAtEdge = edges.some((ms) => Math.abs(ms - sentMs) <= 2 * (WAY_MS + ERROR_MS))
        const count = counts.get(message) ?? 0
        const isRight = isCertain ? count === 1 : count <= copies && (isAtEdge || count === Math.min(1, copies))
        if (!isRight) wrong ??= { message, i, count, copies, isCertain }
        taken += count
        twice += copies - Math.min(1, copies)
      }
      expect(wrong).toBeNull()
    }),
    { numRuns: 400, examples: fixedExamples(100, recorders, messages) },
  )
  // The cases are about something: many messages were received more than once.
  expect(taken).toBeGreaterThan(8_000)
  expect(twice).toBeGreaterThan(4_000)
}, 60_000)
