/** Any split of a session into live, seek and replay gives the same state. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDigestFold } from '../../../../../src/main/core/market/digest.ts'
import type { Hub } from '../../../../../src/main/core/market/hub-types.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createMarket, type Market } from '../../../../../src/main/core/market/market.ts'
import { Cursor } from '../../../../../src/main/core/playback/cursor.ts'
import { NO_LIMITS, PlaybackState } from '../../../../../src/main/core/playback/playback-state.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decode } from '../../../../../src/service/codecs/decode.ts'
import { entersMarket, FLAG, type GapCause } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'

const FEEDS = ['crypto/XT', 'crypto/XQ'] as const

/** One event, and how long after the previous one. */
type Event =
  | { readonly is: 'message'; readonly conn: 1 | 2; readonly text: string; readonly afterMs: number }
  /** Unasked, undecodable, or frames lost by the recorder. */
  | { readonly is: 'unasked' | 'torn' | 'overflow' | 'drop'; readonly afterMs: number }

const priceArb = fc.integer({ min: 1, max: 5_000 })
const afterArb = fc.oneof({ weight: 5, arbitrary: fc.nat(400) }, { weight: 1, arbitrary: fc.nat(90_000) })
const eventArb: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom('BTC-USD', 'ETH-USD', 'SOL-USD'), priceArb, fc.nat(90_000), fc.boolean(), afterArb)
      .map(([pair, p, late, isTrade, afterMs]): Event => ({
        is: 'message',
        conn: isTrade ? 1 : 2,
        text: isTrade ? tradeText(pair, p / 10, 0.5, T0 + late) : quoteText(pair, p / 10, p / 10 + 1, T0 + late),
        afterMs,
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('unasked' as const, 'torn' as const, 'overflow' as const, 'drop' as const), afterArb)
      .map(([is, afterMs]): Event => ({ is, afterMs })),
  },
)

interface TestMarket {
  readonly market: Market
  readonly hub: Hub
  readonly state: () => string
}

/** A market with all the state that a replay must reproduce. */
function newMarket(): TestMarket {
  const hub = createHub({ calendar: hubCalendar })
  const fold = createDigestFold()
  const market = createMarket(hub, fold)
  const state = (): string => {
    const cells = [...hub.cells()].sort((a, b) => (a.id < b.id ? -1 : 1))
    return JSON.stringify([fold.now(), cells.map((cell) => [cell.id, cell.last, cell.bid, cell.ask, cell.lastRecvMs])])
  }
  return { market, hub, state }
}

/**
 * Records like the live terminal: numbered, flagged, into hub and fold, a digest each minute. Returns the state after
 * each seq.
 */
function live(events: readonly Event[], file: string, snapshots: ReadonlySet<number>, seal: ReadonlySet<number>) {
  let now = T0
  const engine = new StoreEngine(file, () => now)
  const session = newSessionId(unixMs(T0))
  engine.begin(session, DEMO, unixMs(T0))
  const writer = new Writer(FEEDS)
  const { market, state } = newMarket()
  const record = scratch()
  const states = new Map<number, string>([[0, state()]])
  let wall = T0
  const write = (item: Item): number => {
    engine.commit([writer.batch([item])])
    return writer.seq
  }
  for (const [i, event] of events.entries()) {
    wall += event.afterMs
    const gap = (cause: GapCause): void => {
      const openedSeq = write({
        entry: { type: 'gap-open', feed: 'crypto/XT', cause, symbols: [], fromMs: unixMs(wall) },
        wallMs: wall,
      })
      market.sink.gapOpened('crypto/XT', cause, [], unixMs(wall))
      write({ entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq }, wallMs: wall })
      market.sink.gapClosed('crypto/XT', unixMs(wall), unixMs(wall))
    }
    if (event.is === 'overflow' || event.is === 'drop') {
      gap(event.is)
      // The recorder calls `cut`: frames it lost are in no digest.
      if (event.is === 'overflow') market.cut()
    } else {
      const conn = event.is === 'message' ? event.conn : 1
      const text =
        event.is === 'message' ? event.text : event.is === 'torn' ? '{"ev":"XT",' : tradeText('BTC-USD', 9e9, 1, T0)
      const bytes = new TextEncoder().encode(text)
      const found = decode(FEEDS[conn - 1], bytes, 0, bytes.length, record)
      const flags = found === 'market' ? (event.is === 'unasked' ? FLAG.unasked : 0) : FLAG.undecodable
      const seq = write({ conn, data: bytes, flags, recvMs: wall })
      if (entersMarket(flags)) {
        const taken = market.digest(FEEDS[conn - 1], unixMs(wall), record)
        if (taken !== null) write({ entry: { type: 'digest', ...taken, fold: market.fold }, wallMs: wall })
        market.sink.apply(FEEDS[conn - 1], seq, unixMs(wall), record)
      }
    }
    states.set(writer.seq, state())
    if (snapshots.has(i)) {
      engine.snapshot({ seq: writer.seq, wallMs: wall, version: market.version, data: market.save() })
      engine.drain()
    }
    if (seal.has(i)) {
      now += SEAL_AFTER_MS
      engine.drain()
    }
  }
  engine.close()
  return { session, states, last: writer.seq, toMs: wall }
}

/** A position in a replay: a market and its player. */
async function seek(reader: LocalReader, session: SessionId, seq: number, last: number, toMs: number) {
  const made = newMarket()
  const found = await reader.snapshot({ session, upToSeq: seq, version: made.market.version })
  const at = { seq: found?.seq ?? 0, timeMs: found?.wallMs ?? T0 }
  const part = { session, fromMs: T0, toMs, lastSeq: last, counts: null, clean: false }
  const cursor = new Cursor(reader, session, at.seq, last, { prefersRecords: true })
  const rig = new PlaybackState(made.market, part, cursor, at)
  if (found !== null) {
    rig.catchUp(await reader.entries({ session }))
    made.market.restore(found.data, rig.tracker.marketContext())
  }
  const to = async (upToSeq: number): Promise<void> => {
    while (rig.advance({ ...NO_LIMITS, upToSeq }) === 'pending') await cursor.waitForNext()
  }
  await to(seq)
  return { ...made, rig, cursor, to, used: found !== null }
}

/**
 * A session in which minutes have digests and every seek starts behind a snapshot, so both are tested whatever random
 * sessions draw: a trade each 61 seconds, with a snapshot of the first half in a block and one of the second half not.
 */
const MINUTES: [Event[], number[], number[], [number, number][]] = [
  Array.from({ length: 12 }, (_, i) => ({
    is: 'message',
    conn: 1,
    text: tradeText('BTC-USD', 100 + i, 0.5, T0 + i * 61_000),
    afterMs: 61_000,
  })),
  [3, 8],
  [5],
  [
    [500, 1_000],
    [600, 700],
    [800, 900],
  ],
]

it('is the same reached directly, from any snapshot, and after any seeks', async () => {
  let compared = 0
  let sought = 0
  const places = fc.uniqueArray(fc.nat(119), { maxLength: 6, size: 'max' })
  await fc.assert(
    fc.asyncProperty(
      fc.array(eventArb, { minLength: 1, maxLength: 120, size: 'max' }),
      places,
      places,
      fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 2, maxLength: 5 }),
      async (events, snapshots, seal, seeks) => {
        const folder = makeStoreFolder()
        try {
          const { session, states, last, toMs } = live(events, folder.file, new Set(snapshots), new Set(seal))
          const reader = openLocalReader(folder.file)
          const known = [...states.keys()]
          for (const [a, b] of [[0, 1_000], ...seeks]) {
            // From one position to a later one; live passed both.
            const [from, to] = [a, b]
              .sort((x, y) => x - y)
              .map((share) => known[Math.floor((share / 1_001) * known.length)])
            const replay = await seek(reader, session, from, last, toMs)
            expect(replay.state()).toBe(states.get(from))
            await replay.to(to)
            expect(replay.state()).toBe(states.get(to))
            await replay.to(last)
            expect(replay.state()).toBe(states.get(last))
            expect(replay.rig.exactness.is).toMatch(/none|identical/)
            if (replay.rig.exactness.is === 'identical') compared += replay.rig.exactness.minutes
            if (replay.used) sought++
            replay.cursor.close()
          }
          await reader.close()
        } finally {
          folder.remove()
        }
      },
    ),
    { numRuns: 21, examples: [MINUTES] },
  )
  expect(compared).toBeGreaterThan(5)
  expect(sought).toBeGreaterThanOrEqual(3)
}, 120_000)
