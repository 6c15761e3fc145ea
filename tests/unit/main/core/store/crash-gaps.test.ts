import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SILENT_AT_MOST_MS } from '../../../../../src/shared/core/recording/delay-window.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import type { Batch } from '../../../../../src/main/core/store/types/messages.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { FLAG } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const NEXT = T0 + 600_000
const connecting = (conn: number, feed: FeedId, wallMs = T0): Item => ({
  entry: { type: 'connecting', feed, conn },
  wallMs,
})
const bitcoin = (eventMs: number, recvMs: number): Item => ({
  conn: 1,
  data: tradeText('BTC-USD', 100, 1, eventMs),
  recvMs,
})
const ether = (eventMs: number, recvMs: number): Item => ({
  conn: 2,
  data: quoteText('ETH-USD', 10, 11, eventMs),
  recvMs,
})
const both = [connecting(1, 'crypto/XT'), connecting(2, 'crypto/XQ')]

/**
 * Batches as a recorder writes them: connections announced with their first entry, monotonic stamps that follow the
 * wall clock.
 */
function timed({ messages, entries }: Batch): Batch {
  messages.recvMs.forEach((ms, i) => (messages.monoNs[i] = (ms - T0) * 1e6))
  const connections = entries.flatMap(({ entry }) =>
    entry.type === 'connecting' ? [{ conn: entry.conn, feed: entry.feed }] : [],
  )
  return {
    messages,
    connections,
    entries: entries.map((entry) => ({ ...entry, monoNs: (entry.wallMs - T0) * 1e6 })),
  }
}

/**
 * Records flushes, crashes and restarts. Returns where the crash gap of each feed begins. `sealed`: after the first
 * flush.
 */
async function crashGaps(flushes: readonly (readonly Item[])[], sealed = false): Promise<Record<string, number>> {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const key = newSessionId(T0)
  engine.begin(key, DEMO, unixMs(T0))
  const writer = new Writer()
  for (const [i, items] of flushes.entries()) {
    engine.commit([timed(writer.batch(items))])
    if (!sealed || i > 0) continue
    now += SEAL_AFTER_MS
    engine.drain()
  }
  engine.close()
  const reader = openLocalReader(folder.file)
  const lostFrom = await reader.lostFrom(key)
  await reader.close()
  const found = await startAgain(key)
  // A report that was made before the restart names the same times.
  expect(Object.fromEntries([...lostFrom].map(([feed, fromMs]) => [feed, fromMs - T0]))).toEqual(found)
  return found
}

async function startAgain(key: string): Promise<Record<string, number>> {
  const next = new StoreEngine(folder.file)
  next.begin(newSessionId(NEXT), DEMO, unixMs(NEXT))
  next.drain()
  const reader = openLocalReader(folder.file)
  const gaps = (await reader.gaps({})).filter((gap) => gap.session === key && gap.cause === 'crash')
  expect(gaps.every(({ toMs }) => toMs === NEXT)).toBe(true)
  expect((await reader.verify(null)).problems).toEqual([])
  await reader.close()
  next.close()
  return Object.fromEntries(gaps.map(({ feed, fromMs }) => [feed, fromMs - T0]))
}

describe('the gap after a crash begins', () => {
  it.each([false, true])('for each feed at its own last message (sealed: %s)', async (sealed) => {
    const flush = [...both, bitcoin(T0 + 100, T0 + 100), ether(T0 + 200, T0 + 200), bitcoin(T0 + 900, T0 + 900)]
    expect(await crashGaps([flush], sealed)).toEqual({ 'crypto/XT': 900, 'crypto/XQ': 200 })
  })

  it.each([false, true])('at the event time of frames waiting in the socket (sealed: %s)', async (sealed) => {
    const flush = [...both, bitcoin(T0 + 396, T0 + 900), ether(T0 + 890, T0 + 900)]
    expect(await crashGaps([flush], sealed)).toEqual({ 'crypto/XT': 396, 'crypto/XQ': 890 })
  })

  it('at the longest delay of the last second, not only that of the last message', async () => {
    const flush = [connecting(1, 'crypto/XT'), bitcoin(T0 + 100, T0 + 700), bitcoin(T0 + 890, T0 + 900)]
    expect(await crashGaps([flush])).toEqual({ 'crypto/XT': 300 })
  })

  it('not at a date that no delay explains', async () => {
    const flush = [connecting(1, 'crypto/XT'), bitcoin(T0 - 86_400_000, T0 + 899), bitcoin(T0 + 900, T0 + 900)]
    expect(await crashGaps([flush])).toEqual({ 'crypto/XT': 900 })
  })

  it('corrected by the clock skew that it is widened by', async () => {
    const skewed: Item = {
      entry: {
        type: 'gap-open',
        feed: 'crypto/XT',
        cause: 'connect',
        symbols: [],
        fromMs: unixMs(T0),
        skewMs: -900_000,
      },
      wallMs: T0,
    }
    const closed: Item = { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 2 }, wallMs: T0 + 1 }
    const flush = [connecting(1, 'crypto/XT'), skewed, closed, bitcoin(T0 + 400 - 900_000, T0 + 900)]
    expect(await crashGaps([flush])).toEqual({ 'crypto/XT': 400 })
  })

  it('at the connection, if it received nothing yet', async () => {
    const late = connecting(2, 'crypto/XQ', T0 + 500)
    expect(
      await crashGaps([[connecting(1, 'crypto/XT'), bitcoin(T0 + 400, T0 + 400), late, bitcoin(T0 + 900, T0 + 900)]]),
    ).toEqual({ 'crypto/XT': 900, 'crypto/XQ': 500 })
  })

  it('at the connection even after its acknowledgement, because that may have waited before messages', async () => {
    const acknowledged: Item = { conn: 2, data: '{"type":"subscribed","tickers":["ETH-USD"]}', flags: FLAG.control }
    const flush = [...both, { ...acknowledged, recvMs: T0 + 700 }, bitcoin(T0 + 900, T0 + 900)]
    expect(await crashGaps([flush])).toEqual({ 'crypto/XT': 900, 'crypto/XQ': 0 })
  })

  it('for a silent feed no earlier than its connection can have been silent', async () => {
    const at = T0 + 500_000
    expect(await crashGaps([[...both, ether(T0 + 100, T0 + 100)], [bitcoin(at, at)]])).toEqual({
      'crypto/XT': 500_000,
      'crypto/XQ': 500_000 - SILENT_AT_MOST_MS,
    })
    expect(await crashGaps([[...both, ether(T0 + 100, T0 + 100)], [bitcoin(at, at)]], true)).toMatchObject({
      'crypto/XQ': 500_000 - SILENT_AT_MOST_MS,
    })
  })

  it('at the last stamp for a feed without a connection, whose earlier time has a gap of its own', async () => {
    const lost: Item[] = [
      { entry: { type: 'disconnected', feed: 'crypto/XQ', conn: 2, closeCode: 1006, reason: '' }, wallMs: T0 + 300 },
      {
        entry: { type: 'gap-open', feed: 'crypto/XQ', cause: 'drop', symbols: [], fromMs: unixMs(T0 + 200) },
        wallMs: T0 + 300,
      },
    ]
    const flush = [...both, ether(T0 + 200, T0 + 200), ...lost, bitcoin(T0 + 900, T0 + 900)]
    expect(await crashGaps([flush])).toEqual({ 'crypto/XT': 900, 'crypto/XQ': 900 })
  })

  it('after midnight in the previous session, for a feed that received nothing since', async () => {
    const engine = new StoreEngine(folder.file)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    engine.commit([timed(new Writer().batch([...both, bitcoin(T0 + 900, T0 + 900), ether(T0 + 300, T0 + 900)]))])
    engine.end(unixMs(T0 + 1_000), [])
    engine.drain()
    const today = newSessionId(T0 + 1_000)
    engine.begin(today, DEMO, unixMs(T0 + 1_000))
    const again = [connecting(1, 'crypto/XT', T0 + 1_000), connecting(2, 'crypto/XQ', T0 + 1_000)]
    engine.commit([timed(new Writer().batch([...again, bitcoin(T0 + 1_100, T0 + 1_100)]))])
    engine.close()
    expect(await startAgain(today)).toEqual({ 'crypto/XT': 1_100, 'crypto/XQ': 300 })
  })
})
