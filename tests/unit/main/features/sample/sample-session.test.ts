import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readHistoryIn, SAMPLE_NAME, storeSample } from '../../../../../src/main/features/sample/sample-session.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { LibraryWriter } from '../../../../../src/main/core/store/types/writer.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { FEED_IDS, instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { marketHistory } from '../../../../../src/simulator/history.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const WORKER = new URL('../../../../../src/simulator/worker.ts', import.meta.url)
const DATA = new URL('../../../../../resources/demo/', import.meta.url)
const NOW = Date.UTC(2026, 10, 20, 15, 0, 0, 250)
const SYMBOLS = [
  { asset: 'crypto' as const, symbol: 'BTC-USD' },
  { asset: 'forex' as const, symbol: 'EURUSD' },
  { asset: 'stocks' as const, symbol: 'IBM' },
]
const subscriptions = [
  { feed: 'crypto/XT' as const, symbols: ['BTC-USD'] },
  { feed: 'forex/C' as const, symbols: ['EURUSD'] },
  { feed: 'stocks/T' as const, symbols: ['IBM'] },
]

let home: string
let file: string
let writer: LibraryWriter
let reader: StoreReader

beforeEach(async () => {
  home = makeFolder('sample')
  file = join(home, 'tapedeck.db')
  writer = await openStoreWriter({ file })
  reader = await openStoreReader({ file })
})
afterEach(async () => {
  await reader.close()
  await writer.close()
})

const sampleOf = (lengthMs: number, signal = new AbortController().signal) =>
  storeSample({
    library: writer.library,
    read: readHistoryIn(WORKER, DATA),
    newId: newSessionId,
    symbols: SYMBOLS,
    seed: undefined,
    toMs: NOW,
    lengthMs,
    signal,
  })

/** What is stored of the sample as texts, by feed. */
async function storedTexts(): Promise<Map<string, string[]>> {
  const [session] = await reader.sessions()
  const texts = new Map<string, string[]>()
  for await (const batch of reader.replay({ session: session.session, afterSeq: 0 })) {
    for (let i = 0; i < batch.count; i++) {
      const feed = FEED_IDS[batch.feed[i]]
      const text = new TextDecoder().decode(batch.bytes.subarray(batch.offsets[i], batch.offsets[i + 1]))
      texts.set(feed, [...(texts.get(feed) ?? []), text])
    }
  }
  return texts
}

test('the sample session is a closed demo session that ends where the live one may begin, and verifies', async () => {
  const sample = sampleOf(120_000)
  const messages = await sample.stored
  const [session, ...others] = await reader.sessions()
  expect(others).toEqual([])
  expect(session).toMatchObject({
    source: 'demo',
    startedMs: unixMs(NOW - 120_000),
    endedMs: unixMs(NOW),
    name: SAMPLE_NAME,
    tags: ['sample', 'demo'],
  } satisfies Partial<SessionRow>)
  expect(session.notes).toContain('not received over a connection')
  expect(messages).toBeGreaterThan(1_000)
  expect(await reader.verify(session.session)).toMatchObject({ ok: true, problems: [] })
})

test('its messages are those that the demo market sends in that time, to the byte and in order', async () => {
  await sampleOf(90_000).stored
  const expected = new Map<string, string[]>()
  for (const chunk of marketHistory(DATA, { subscriptions, fromMs: NOW - 90_000, toMs: NOW })) {
    for (let i = 0; i < chunk.count; i++) {
      const feed = FEED_IDS[chunk.feed[i]]
      const text = new TextDecoder().decode(chunk.bytes.subarray(chunk.offsets[i], chunk.offsets[i + 1]))
      expected.set(feed, [...(expected.get(feed) ?? []), text])
    }
  }
  const stored = await storedTexts()
  for (const { feed, symbols } of subscriptions) {
    const [acknowledgement, ...market] = stored.get(feed) ?? []
    expect(JSON.parse(acknowledgement)).toEqual({ type: 'subscribed', tickers: symbols })
    expect(market).toEqual(expected.get(feed))
  }
})

test('charts read its bars as complete history of the demo market', async () => {
  await sampleOf(240_000).stored
  const { bars } = await reader.bars({
    instrument: instrumentId('crypto', 'BTC-USD'),
    of: 'trade',
    interval: '1m',
    source: 'demo',
    beforeMs: null,
    limit: 10,
  })
  // The minutes at both ends are only partly in the sample.
  expect(bars.map(({ startMs }) => startMs)).toEqual([56, 57, 58, 59, 60].map((m) => Date.UTC(2026, 10, 20, 14, m)))
  expect(bars.map(({ complete }) => complete)).toEqual([false, true, true, true, false])
})

test('a session that begins later stands after it in the store, however long the sample takes', async () => {
  const sample = sampleOf(60_000)
  await sample.begun
  const live = await writer.begin({ kind: 'demo', origin: 'demo', user: '' }, unixMs(NOW))
  await sample.stored
  await writer.end(unixMs(NOW + 1), [])
  const sessions = await reader.sessions()
  expect(sessions.map(({ session }) => session).toSorted()[1]).toBe(live)
  expect(await reader.verify(null)).toMatchObject({ ok: true })
})

test('stopped on the way, it leaves nothing', async () => {
  const stop = new AbortController()
  const sample = sampleOf(3_600_000, stop.signal)
  await sample.begun
  stop.abort()
  await expect(sample.stored).rejects.toMatchObject({ code: 'cancelled' })
  expect(await reader.sessions()).toEqual([])
})
