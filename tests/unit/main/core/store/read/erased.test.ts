/** A session that is erased while it is read: what is left of it must not look like its end. */
import { afterEach, expect, it } from 'vitest'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import type { StoreReader } from '../../../../../../src/main/core/store/types/reader.ts'
import { unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { DEMO, T0, Writer } from '../harness.ts'

const MESSAGES = 24_000
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Two instruments in many blocks: only sealed sessions can be erased. */
function store() {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const session = newSessionId(T0)
  engine.begin(session, DEMO, unixMs(T0))
  const writer = new Writer(['crypto/XT'])
  for (let at = 0; at < MESSAGES; at += 1_000) {
    const items = Array.from({ length: 1_000 }, (_, i) => ({
      conn: 1,
      data: tradeText(i % 2 === 0 ? 'BTC-USD' : 'ETH-USD', at + i, 1, T0 + at + i),
      recvMs: T0 + at + i,
    }))
    engine.commit([writer.batch(items)])
  }
  engine.end(unixMs(T0 + MESSAGES), [])
  engine.drain()
  const reader = openLocalReader(folder.file)
  closing.push(
    () => folder.remove(),
    () => engine.close(),
    () => reader.close(),
  )
  return {
    reader,
    session,
    erase() {
      engine.library.erase([session])
      engine.drain()
    },
  }
}

const READS: readonly (readonly [string, (reader: StoreReader, session: SessionId) => AsyncIterable<unknown>])[] = [
  ['a replay', (reader, session) => reader.replay({ session, afterSeq: 0 })],
  ['a replay as lines', (reader, session) => reader.replay({ session, afterSeq: 0, prefersLines: true })],
  ['ticks', (reader, session) => reader.ticks({ feed: 'crypto/XT', instruments: null, session })],
  ['ticks of a source', (reader) => reader.ticks({ feed: 'crypto/XT', instruments: null })],
  [
    'flushes',
    async function* (reader, session) {
      for (let afterSeq = 0; ;) {
        const { flushes } = await reader.flushes({ session, afterSeq, maxBytes: 10_000 })
        if (flushes.length === 0) return
        for (const { batch } of flushes) afterSeq = batch.messages.seq[batch.messages.count - 1]
        yield afterSeq
      }
    },
  ],
]

it.each(READS)('is refused by %s', async (_what, read) => {
  const { reader, session, erase } = store()
  const parts = read(reader, session)[Symbol.asyncIterator]()
  expect((await parts.next()).done).toBe(false)
  erase()
  const rest = async () => {
    for (let next = await parts.next(); next.done !== true; next = await parts.next());
  }
  await expect(rest()).rejects.toMatchObject({
    code: 'not-found',
    message: `Session ${session} was erased while it was being read.`,
  })
})
