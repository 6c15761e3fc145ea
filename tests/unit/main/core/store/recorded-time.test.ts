/** A bar is complete only if its whole interval was received, of its source, feed and symbol. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decode } from '../../../../../src/service/codecs/decode.ts'
import { instrumentId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

const MINUTE = 60_000
let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const acknowledged = (symbols: readonly string[], wallMs: number, feed: FeedId = 'crypto/XT'): Item => ({
  entry: { type: 'acknowledged', feed, conn: 1, symbols },
  wallMs,
})
/** A trade dated in one minute and received in another, in minutes after T0. */
const print = (dated: number, received: number, symbol = 'BTC-USD'): Item => ({
  conn: 1,
  data: tradeText(symbol, 100, 1, T0 + dated * MINUTE + 5_000),
  recvMs: T0 + received * MINUTE + 6_000,
})

/** The minutes after T0 that have a bar, and whether it is complete. */
async function complete(symbol = 'BTC-USD'): Promise<Record<number, boolean>> {
  const reader = openLocalReader(folder.file)
  const { bars } = await reader.bars({
    instrument: instrumentId('crypto', symbol),
    of: 'trade',
    interval: '1m',
    source: 'demo',
    beforeMs: null,
    limit: 100,
  })
  await reader.close()
  return Object.fromEntries(bars.map(({ startMs, complete: is }) => [(startMs - T0) / MINUTE, is]))
}

function record(startMinute: number, endMinute: number, items: readonly Item[]): void {
  const engine = new StoreEngine(folder.file, () => T0)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0 + startMinute * MINUTE))
  engine.commit([new Writer().batch(items)])
  engine.end(unixMs(T0 + endMinute * MINUTE), [])
  engine.drain()
  engine.close()
}

it('is not complete before the first session, after the last, or between them', async () => {
  record(0, 10, [acknowledged(['BTC-USD'], T0), print(-60, 1), print(-3, 1), print(1, 1), print(5, 5), print(60, 6)])
  expect(await complete()).toEqual({ [-60]: false, [-3]: false, 1: true, 5: true, 60: false })
  record(20, 30, [acknowledged(['BTC-USD'], T0 + 20 * MINUTE), print(15, 21), print(25, 25)])
  expect(await complete()).toEqual({ [-60]: false, [-3]: false, 1: true, 5: true, 15: false, 25: true, 60: false })
})

it('is not complete in a session without a subscription for the symbol', async () => {
  record(0, 10, [acknowledged(['BTC-USD'], T0), print(1, 1)])
  record(10, 20, [
    acknowledged(['BTC-USD', 'ETH-USD'], T0 + 10 * MINUTE),
    print(5, 11, 'ETH-USD'),
    print(12, 12, 'ETH-USD'),
  ])
  expect(await complete('ETH-USD')).toEqual({ 5: false, 12: true })
})

it('assumes nothing about subscriptions in a session that holds none, like an imported table', async () => {
  record(0, 10, [print(1, 1)])
  record(10, 20, [print(5, 11, 'ETH-USD'), print(12, 12, 'ETH-USD')])
  expect(await complete('ETH-USD')).toEqual({ 5: true, 12: true })
})

it('is not complete before its end; the forming bar is as complete as it can be', async () => {
  const engine = new StoreEngine(folder.file, () => T0)
  const key = newSessionId(T0)
  engine.begin(key, DEMO, unixMs(T0))
  const writer = new Writer()
  engine.commit([writer.batch([acknowledged(['BTC-USD'], T0), print(1, 1), print(90, 2), print(2, 2)])])
  expect(await complete()).toEqual({ 1: true, 2: true, 90: false })
  // Also with a seq limit: what comes later doesn't count.
  engine.commit([writer.batch([print(3, 100)])])
  const reader = openLocalReader(folder.file)
  const query = { instrument: instrumentId('crypto', 'BTC-USD'), of: 'trade', interval: '1m', source: 'demo' } as const
  const { bars } = await reader.bars({ ...query, beforeMs: null, limit: 9 })
  expect(bars.map((bar) => bar.complete)).toEqual([true, true, true, true])
  await reader.close()
  engine.close()
})

it('is not complete where a crash lost waiting messages, even before the next start', async () => {
  const engine = new StoreEngine(folder.file, () => T0)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  const waited: Item = { ...print(3, 3), recvMs: T0 + 4 * MINUTE + 30_000 }
  engine.commit([new Writer().batch([acknowledged(['BTC-USD'], T0), print(1, 1), print(2, 2), waited])])
  expect(await complete()).toEqual({ 1: true, 2: true, 3: true })
  engine.close()
  expect(await complete()).toEqual({ 1: true, 2: true, 3: false })
})

it('is not complete in the live hub either, if a trade is dated outside the watched time', () => {
  const hub = createHub({ calendar: hubCalendar })
  const btc = instrumentId('crypto', 'BTC-USD')
  const { value } = hub.watchBars(btc, 'trade', '1m', { changed: () => undefined, reset: () => undefined })
  const record = scratch()
  let seq = 0
  const apply = (dated: number, received: number): void => {
    const bytes = new TextEncoder().encode(tradeText('BTC-USD', 100, 1, T0 + dated * MINUTE + 5_000))
    decode('crypto/XT', bytes, 0, bytes.length, record)
    hub.apply('crypto/XT', ++seq, unixMs(T0 + received * MINUTE + 6_000), record)
  }
  apply(10, 10)
  apply(11, 11)
  apply(5, 11)
  apply(70, 12)
  apply(12, 12)
  const shown = (): (boolean | number)[][] =>
    value.from(-Infinity).map(({ startMs, complete: is }) => [(startMs - T0) / MINUTE, is])
  expect(shown()).toEqual([
    [5, false],
    [10, true],
    [11, true],
    [12, true],
    [70, false],
  ])
  apply(70, 70)
  expect(shown().at(-1)).toEqual([70, true])
})
