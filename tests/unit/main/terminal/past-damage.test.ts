/** One damaged block of an old recording must not take a chart away, and is told wherever it is passed. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/main/base/clock.ts'
import { hubCalendar } from '../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../src/main/core/market/hub.ts'
import { StoreEngine } from '../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../src/main/core/store/types/session-id.ts'
import { createLateReader, type FoundCorruption } from '../../../../src/main/core/store/late-store.ts'
import { createViewHistory } from '../../../../src/main/core/views/history.ts'
import type { Visible } from '../../../../src/main/core/views/stored-view.ts'
import { barsPage, type View } from '../../../../src/main/core/views/views.ts'
import { instrumentId, sessionId, unixMs, type SessionId } from '../../../../src/shared/base/units.ts'
import { blocksOf, flip, inStore } from '../core/store/flip.ts'
import { DEMO, T0, Writer, type Item } from '../core/store/harness.ts'
import { makeStoreFolder } from '../../../kit/folder.ts'
import { tradeText } from '../../../kit/market.ts'
import { openedReplay } from './opened-replay.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const DAY = 86_400_000
/** The end of the day of T0. */
const MIDNIGHT = Math.floor(T0 / DAY) * DAY + DAY
const NOW = MIDNIGHT + 30 * 60_000

let folder: ReturnType<typeof makeStoreFolder>
let reader: LocalReader | null = null
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(async () => {
  await reader?.close()
  reader = null
  folder.remove()
})

/** Prints at these instants; each list is a block. */
function record(lists: readonly (readonly number[])[], damaged: number): LocalReader {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  const writer = new Writer()
  for (const list of lists) {
    engine.commit([
      writer.batch(list.map((ms, i): Item => ({ conn: 1, data: tradeText('BTC-USD', 100 + i, 1, ms), recvMs: ms }))),
    ])
    now += 130_000
    engine.drain()
  }
  engine.close()
  // As if an hour's bars could not be read either: what is left are the messages.
  for (const id of inStore(folder.file, (db) => db.prepare<[], number>('SELECT id FROM rollup').pluck().all()))
    flip(folder.file, 'rollup', id)
  flip(folder.file, 'block', blocksOf(folder.file, 'crypto/XT', BTC)[damaged])
  return (reader = openLocalReader(folder.file))
}

function rig(
  reader: LocalReader,
  nowMs = NOW,
  present?: { readonly session: SessionId; readonly seq: number },
  visible?: Visible,
) {
  const failed: string[] = []
  const history = createViewHistory({
    reader,
    source: () => 'demo',
    present: () => new Map(present ? [[present.session, present.seq]] : []),
    committed: () => Promise.resolve(true),
    wallMs: () => nowMs,
    days: (asset) => hubCalendar.days(asset),
    failed: (what) => failed.push(what),
    ...(visible && { visible }),
  })
  const hub = createHub({ calendar: hubCalendar })
  // Of the view only what a page of bars asks for.
  const view = { history, hub, wallMs: () => nowMs, source: () => 'demo', upTo: () => undefined } as unknown as View
  return { history, failed, page: () => barsPage(reader, view, PAGE) }
}
const PAGE = { instrument: BTC, of: 'trade', interval: '1s', beforeMs: null, limit: 10 } as const
const MIDDLE = [[T0 + 1_000, T0 + 2_000], [T0 + 11_000, T0 + 12_500], [T0 + 21_000]] as const
const unreadable = (fromMs: number, toMs: number) => ({ feed: 'crypto/XT', cause: 'unreadable', fromMs, toMs })

describe('what a view knows from before', () => {
  test('is all that can be read, and where the rest was; who must have all of it is refused', async () => {
    const { history, page, failed } = rig(record(MIDDLE, 1))
    const spans = [unreadable(T0 + 11_000, T0 + 12_501)]
    const starts = [T0 + 1_000, T0 + 2_000, T0 + 21_000]
    const known = await history.bars(BTC, 'trade', '1s', 10)
    expect(known.gaps).toEqual(spans)
    expect(known.bars.map((one) => one.startMs)).toEqual(starts)
    const paged = await page()
    expect(paged.gaps).toEqual(spans)
    expect(paged.bars.map((one) => one.startMs)).toEqual(starts)
    expect(failed).toEqual([])
    await expect(history.barsOrThrow(BTC, 'trade', '1s', 10)).rejects.toMatchObject({ code: 'store-damaged' })
  })

  test('tells nothing of what is still to come', async () => {
    const reader = record(MIDDLE, 1)
    expect((await rig(reader, T0 + 12_000).page()).gaps).toEqual([unreadable(T0 + 11_000, T0 + 12_000)])
    expect((await rig(reader, T0 + 10_000).page()).gaps).toEqual([])
  })

  test('has no close of the day before where the last of that day cannot be read', async () => {
    const evening = [MIDNIGHT - 200_000, MIDNIGHT - 190_000]
    const last = [MIDNIGHT - 20_000, MIDNIGHT - 10_000]
    const reader = record([evening, last, [NOW - 60_000]], 1)
    expect(await rig(reader).history.seed(BTC)).toMatchObject({ previousClose: null, today: { count: 1 } })
  })

  test('has the last price of days ago to show until the first one comes', async () => {
    const daysAgo = MIDNIGHT - 3 * DAY
    const reader = record([[daysAgo - 10_000], [daysAgo, daysAgo + 1_000]], 0)
    const stored = { price: 101, atMs: Math.floor(daysAgo / 60_000) * 60_000 + 60_000 }
    expect(await rig(reader).history.seed(BTC)).toMatchObject({ previousClose: null, today: null, spark: [], stored })
  })

  test('has none in a replay, which may go back to before it', async () => {
    const daysAgo = MIDNIGHT - 3 * DAY
    const reader = record([[daysAgo - 10_000], [daysAgo, daysAgo + 1_000]], 0)
    const all: Visible = { sessions: (rows) => rows, gaps: (gaps) => gaps }
    expect(await rig(reader, NOW, undefined, all).history.seed(BTC)).toBeNull()
    const today = record([[NOW - 60_000]], 0)
    expect(await rig(today, NOW, undefined, all).history.seed(BTC)).toMatchObject({ today: { count: 1 }, stored: null })
  })

  test('has the last middle of bid and ask where a symbol was quoted but never traded', async () => {
    const minute = { startMs: MIDNIGHT - DAY, endMs: MIDNIGHT - DAY + 60_000, close: 99.5 }
    const quoted = {
      bars: async ({ of, interval }: { of: string; interval: string }) => ({
        bars: of === 'mid' && interval === '1m' ? [minute] : [],
        more: false,
        gaps: [],
      }),
    }
    // Of the reader only what a seed asks for.
    const { history } = rig(quoted as unknown as LocalReader)
    const ibm = instrumentId('stocks', 'IBM')
    expect(await history.seed(ibm)).toMatchObject({ stored: { price: 99.5, atMs: minute.endMs } })
  })

  test('has the range of the hours before a session, which no daily bar covers', async () => {
    // 04:00 in New York on the Monday of T0, and 11:20 UTC the same day.
    const preMarket = Date.UTC(2026, 0, 5, 9)
    const now = Date.UTC(2026, 0, 5, 11, 20)
    const bars = [
      { startMs: preMarket - 14 * 3_600_000, open: 1, high: 999, low: 1, close: 1, volume: 1 },
      { startMs: preMarket + 1_800_000, open: 100, high: 103, low: 99, close: 101, volume: 10 },
      { startMs: preMarket + 5_400_000, open: 101, high: 102, low: 95, close: 96, volume: 2.5 },
    ]
    const traded = {
      bars: async ({ interval, limit }: { interval: string; limit: number }) => ({
        bars: interval === '30m' ? bars.slice(-limit) : [],
        more: false,
        gaps: [],
      }),
    }
    const { history } = rig(traded as unknown as LocalReader, now)
    expect(await history.seed(instrumentId('stocks', 'SPY'))).toMatchObject({
      today: {
        session: 'pre',
        startMs: preMarket,
        endMs: Date.UTC(2026, 0, 5, 14, 30),
        open: 100,
        high: 103,
        low: 95,
        close: 96,
        volume: 12.5,
        whole: false,
      },
    })
    // In the session itself they don't count.
    const open = rig(traded as unknown as LocalReader, Date.UTC(2026, 0, 5, 15)).history
    expect(await open.seed(instrumentId('stocks', 'SPY'))).toBeNull()
  })

  test('has that close where what cannot be read is of before', async () => {
    const noon = [MIDNIGHT - DAY / 2, MIDNIGHT - DAY / 2 + 1_000]
    const reader = record([noon, [MIDNIGHT - 20_000, MIDNIGHT - 10_000], [NOW - 60_000]], 0)
    expect(await rig(reader).history.seed(BTC)).toMatchObject({ previousClose: 101, today: { count: 1 } })
  })
})

describe('where messages themselves are wanted', () => {
  const coveredSession = (): SessionId =>
    sessionId(inStore(folder.file, (db) => db.prepare<[], string>('SELECT key FROM recording').pluck().get() ?? ''))

  test('a tape starts after corrupt data, which is reported; a page with it is refused', async () => {
    const hour = 3_600_000
    const reader = record([[T0 + 1_000], [T0 + 2_000], [T0 + hour, T0 + hour + 1_000]], 1)
    const { history, failed } = rig(reader, T0 + hour + 2_000, { session: coveredSession(), seq: 4 })
    expect((await history.prints(BTC, 10)).map(({ eventMs }) => eventMs)).toEqual([T0 + hour, T0 + hour + 1_000])
    expect(failed).toEqual(['prints'])
    await expect(history.printsBefore(BTC, null, 10)).rejects.toMatchObject({ code: 'store-damaged' })
  })

  test('a replay of it is refused; one of a later session shows it hatched', async () => {
    const reader = record(MIDDLE, 1)
    const damaged = coveredSession()
    const engine = new StoreEngine(folder.file, () => T0 + 60_000)
    const later = newSessionId(T0 + 60_000)
    engine.begin(later, DEMO, unixMs(T0 + 60_000))
    const one: Item = { conn: 1, data: tradeText('BTC-USD', 105, 1, T0 + 61_000), recvMs: T0 + 61_000 }
    engine.commit([new Writer().batch([one])])
    engine.close()
    const refused = await openedReplay(reader, [damaged])
    await expect(refused.seek({ at: 'end' })).rejects.toMatchObject({ code: 'store-damaged' })
    await refused.close()
    const replay = await openedReplay(reader, [later])
    await replay.seek({ at: 'end' })
    const page = await barsPage(reader, replay.view, PAGE)
    expect(page.bars.map((bar) => bar.startMs - T0)).toEqual([1_000, 2_000, 21_000, 61_000])
    expect(page.gaps).toContainEqual(unreadable(T0 + 11_000, T0 + 12_501))
    await replay.close()
  })
})

test('corruption that bars skip is reported once per source, for messages and bars each', async () => {
  const reader = record(MIDDLE, 1)
  const found: FoundCorruption[] = []
  const late = createLateReader(
    () => Promise.resolve(reader),
    systemClock,
    () => undefined,
    () => undefined,
    (one) => found.push(one),
  )
  const query = { ...PAGE, source: 'demo', skipCorrupt: true }
  for (let i = 0; i < 3; i += 1) await late.bars(query)
  const messages = { what: 'corrupt', source: 'demo', span: { fromMs: T0 + 11_000, toMs: T0 + 12_501 } }
  expect(found).toMatchObject([messages])
  for (let i = 0; i < 3; i += 1) await late.bars({ ...query, interval: '1m' })
  expect(found).toMatchObject([messages, { what: 'rebuilt', source: 'demo', span: { fromMs: T0 } }])
})
