import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createSampleOffer,
  pendingSampleFile,
  type SampleOffer,
} from '../../../../../src/main/features/sample/sample-offer.ts'
import { SAMPLE_NAME, type ReadHistory } from '../../../../../src/main/features/sample/sample-session.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { LibraryWriter } from '../../../../../src/main/core/store/types/writer.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import type { Source } from '../../../../../src/shared/core/recording/session.ts'
import { FEED_IDS, unixMs } from '../../../../../src/shared/base/units.ts'
import type { HistoryChunk } from '../../../../../src/simulator/history.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 10, 20, 15)
const DEMO: Source = { kind: 'demo', origin: 'demo', user: '' }
const LISTED = 'A sample session of the demo market is in Sessions'

/** A market of no messages: the sample session of it is stored at once. */
const readNothing: ReadHistory = async function* () {
  yield* []
}

let home: string
let writer: LibraryWriter
let reader: StoreReader
let notices: string[]
let adding: boolean[] = []
let failures: unknown[]
let market: 'demo' | 'service'

beforeEach(async () => {
  home = makeFolder('sample')
  writer = await openStoreWriter({ file: join(home, 'tapedeck.db') })
  reader = await openStoreReader({ file: join(home, 'tapedeck.db') })
  notices = []
  adding = []
  failures = []
  market = 'demo'
})
afterEach(async () => {
  await reader.close()
  await writer.close()
})

interface Start {
  readonly isAllowed?: boolean
  readonly isFirst?: boolean
  readonly nowMs?: number
  readonly read?: ReadHistory
}

/** What one start of Tapedeck offers; `home` is all that lasts from one to the next. */
const start = ({ isAllowed = true, isFirst = true, nowMs = NOW, read = readNothing }: Start = {}): SampleOffer =>
  createSampleOffer({
    isAllowed,
    isFirstStart: isFirst,
    isDemo: () => market === 'demo',
    pending: pendingSampleFile(join(home, 'sample-session.pending')),
    reader,
    library: () => writer.library,
    read,
    newId: newSessionId,
    symbols: () => [{ asset: 'crypto', symbol: 'BTC-USD' }],
    seed: undefined,
    wallMs: () => nowMs,
    adding: (isAdding) => adding.push(isAdding),
    added: (_messages, notice) => notices.push(notice),
    failed: (thrown) => failures.push(thrown),
  })

/** A start that nobody closes before the sample session is stored. */
async function runToEnd(options: Start = {}): Promise<void> {
  const before = notices.length
  const offer = start(options)
  await offer.offer()
  for (let turn = 0; turn < 1_000 && notices.length === before && failures.length === 0; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await offer.close()
}

const TEXT = new TextEncoder().encode('{"ev":"XT"}')
const ONE_TRADE: HistoryChunk = {
  count: 1,
  feed: Uint8Array.of(FEED_IDS.indexOf('crypto/XT')),
  sentMs: Float64Array.of(NOW - HOUR_MS),
  offsets: Uint32Array.of(0, TEXT.length),
  bytes: TEXT,
}

/** Reads a market without end, until it is stopped. */
const readForever: ReadHistory = async function* () {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    yield ONE_TRADE
  }
}

/** Records a session of a few seconds. */
async function record(startedMs: number, source = DEMO): Promise<void> {
  await writer.begin(source, unixMs(startedMs))
  await writer.end(unixMs(startedMs + 5_000), [])
}

const samples = async () => (await reader.sessions()).filter(({ name }) => name === SAMPLE_NAME)

describe('the sample session', () => {
  it.each<[string, number, Start, 'demo' | 'service', boolean]>([
    ['at the first start', 1, {}, 'demo', false],
    ['not where it is not allowed', 0, { isAllowed: false }, 'demo', false],
    ['not at a later start', 0, { isFirst: false }, 'demo', false],
    ['not beside a session that is there already', 0, {}, 'demo', true],
    ['not where the live market is a service', 0, {}, 'service', false],
  ])('is added %s', async (_, count, options, source, recorded) => {
    if (recorded) await record(NOW - HOUR_MS)
    market = source
    const offer = start({ ...options, read: readNothing })
    await offer.offer()
    if (count === 0) await offer.close()
    else await expect.poll(() => notices).toEqual([`${LISTED}, and charts have its history.`])
    await offer.close()
    expect(await samples()).toHaveLength(count)
    expect(adding, 'while it is added, charts say so').toEqual(count === 0 ? [] : [true, false])
    expect(existsSync(join(home, 'sample-session.pending'))).toBe(false)
    expect(failures).toEqual([])
  })

  it('is no history of charts that show another market by now', async () => {
    const chunk = Promise.withResolvers<void>()
    const offer = start({
      read: async function* () {
        await chunk.promise
        yield* []
      },
    })
    await offer.offer()
    market = 'service'
    chunk.resolve()
    await expect.poll(() => notices).toEqual([`${LISTED}.`])
    await offer.close()
  })
})

describe('a start that is closed before the sample session is stored', () => {
  const closeTooSoon = async (): Promise<void> => {
    const offer = start({ read: readForever })
    await offer.offer()
    await record(NOW)
    await offer.close()
    expect(await samples()).toEqual([])
    expect([notices, failures]).toEqual([[], []])
  }

  it('leaves it to the next start, which puts it before everything recorded of the demo market', async () => {
    await closeTooSoon()
    await record(NOW - 24 * HOUR_MS, { kind: 'service', origin: 'https://data.example.com', user: 'joe' })
    await runToEnd({ isFirst: false, nowMs: NOW + HOUR_MS })
    expect(await samples()).toMatchObject([{ startedMs: NOW - 3 * HOUR_MS, endedMs: NOW }])
    expect((await reader.verify(null)).problems).toEqual([])
    expect(notices).toEqual([`${LISTED}, and charts have its history.`])
  })

  it('is made up for once', async () => {
    await closeTooSoon()
    for (let n = 1; n <= 3; n++) await runToEnd({ isFirst: false, nowMs: NOW + n * HOUR_MS })
    expect(await samples()).toHaveLength(1)
    expect(notices).toHaveLength(1)
  })

  it('adds no second one where only the note of the first one is left', async () => {
    await runToEnd()
    pendingSampleFile(join(home, 'sample-session.pending')).set()
    await runToEnd({ isFirst: false })
    expect(await samples()).toHaveLength(1)
    expect(existsSync(join(home, 'sample-session.pending'))).toBe(false)
  })

  it('waits for the demo market to be the live one again', async () => {
    await closeTooSoon()
    market = 'service'
    await runToEnd({ isFirst: false })
    expect(await samples()).toEqual([])
    market = 'demo'
    await runToEnd({ isFirst: false })
    expect(await samples()).toHaveLength(1)
  })

  it('tries again after a failure', async () => {
    const offer = start({
      read: async function* () {
        await Promise.reject(new Error('the thread died'))
        yield* []
      },
    })
    await offer.offer()
    await expect.poll(() => failures).toHaveLength(1)
    await offer.close()
    failures.length = 0
    await runToEnd({ isFirst: false })
    expect(await samples()).toHaveLength(1)
  })
})
