/**
 * A served session whose store changes while clients read it: sealed, merged, compacted, moved or erased. Clients get every
 * byte, or are told that the rest is missing. The store changes between two batches of each reading, in the middle of it.
 */
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { checkpointStore } from '../../../../../../src/main/core/store/schema/checkpoint.ts'
import { lockStore } from '../../../../../../src/main/core/store/schema/lock.ts'
import { openStoreReader } from '../../../../../../src/main/core/store/open.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import type { StoreReader } from '../../../../../../src/main/core/store/types/reader.ts'
import { moveStore, planMove } from '../../../../../../src/main/features/move-store/move.ts'
import { startReplayServer, type ReplayServer } from '../../../../../../src/main/features/replay/serve/replay-server.ts'
import { unixMs, type FeedId, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { openFeed } from '../../../../../kit/service-client.ts'
import { DEMO, T0, Writer, type Item } from '../../../core/store/harness.ts'

const FEEDS: readonly FeedId[] = ['crypto/XT', 'crypto/XQ']
/** More batches than a reading has ahead of the one after which the store changes. */
const MESSAGES = 24_000
const PER_FLUSH = 500
/** The batch after which the store changes: the first ones are short. */
const AFTER_BATCH = 3

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const textOf = (n: number): string =>
  n % 3 === 0
    ? `{"ev":"XQ","pair":"BTC-USD","bp":${n},"ap":${n + 1},"t":${T0 + n}}`
    : `{"ev":"XT","pair":"BTC-USD","p":${n},"t":${T0 + n},"s":1}`
const itemOf = (n: number): Item => ({ conn: n % 3 === 0 ? 2 : 1, data: textOf(n), recvMs: T0 + n })
const numbers = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, i) => from + i)
const ALL = numbers(0, MESSAGES)
const tradeTexts = ALL.filter((n) => n % 3 !== 0).map(textOf)

/** A store that records a session, and changes as a test says. */
class ChangingStore {
  readonly #folder = makeStoreFolder()
  readonly #engine = new StoreEngine(this.#folder.file, () => T0)
  readonly #writer = new Writer(FEEDS)
  readonly session: SessionId = newSessionId(T0)
  #isOpen = true

  constructor() {
    closing.push(
      () => this.#folder.remove(),
      () => this.#isOpen && this.#engine.close(),
    )
    this.#engine.begin(this.session, DEMO, unixMs(T0))
  }

  get file(): string {
    return this.#folder.file
  }

  record(from: number, to: number): void {
    for (let at = from; at < to; at += PER_FLUSH) {
      this.#engine.commit([this.#writer.batch(numbers(at, at + PER_FLUSH).map(itemOf))])
    }
  }

  seal(): void {
    this.#engine.end(unixMs(T0 + 2 * MESSAGES), [])
    this.#engine.drain()
  }

  compact(): void {
    let result: unknown
    this.#engine.library.compact({
      done: (done) => (result = done),
      failed: (why) => (result = why),
      progress: () => undefined,
      isCanceled: () => false,
    })
    this.#engine.drain()
    expect(result).toMatchObject({ merged: expect.any(Number) as number })
  }

  erase(): void {
    this.#engine.library.erase([this.session])
    this.#engine.drain()
  }

  /** As `tapedeck move` does in another process: this store's readers aren't its own. */
  async move(): Promise<void> {
    this.#isOpen = false
    this.#engine.close()
    const plan = await planMove(this.file, join(dirname(this.file), 'there'))
    const source = await open(plan.from, 'r')
    await moveStore({
      ...plan,
      source,
      release: () => Promise.resolve(),
      resume: () => Promise.resolve(),
      lock: lockStore,
      checkpoint: checkpointStore,
      dataDir: dirname(this.file),
      keep: () => undefined,
      onProgress: () => undefined,
      signal: new AbortController().signal,
    })
    await source.close()
  }

  /** Another store takes the place of this one, as a restored backup does. */
  async replace(): Promise<void> {
    await this.move()
    const other = new StoreEngine(this.file, () => T0)
    const id = newSessionId(T0 + 1)
    const writer = new Writer(FEEDS)
    other.begin(id, DEMO, unixMs(T0))
    other.commit([writer.batch(numbers(50_000, 50_500).map(itemOf))])
    other.end(unixMs(T0 + 1_000), [])
    other.drain()
    other.close()
  }
}

/** Serves the session of a store, which changes once in the middle of a reading. */
async function serve(store: ChangingStore, change: () => unknown): Promise<ReplayServer> {
  const reader = await openStoreReader({ file: store.file })
  let batches = 0
  const changing: StoreReader = {
    ...reader,
    async *replay(query, spares) {
      for await (const batch of reader.replay(query, spares)) {
        yield batch
        if (++batches === AFTER_BATCH) await change()
      }
    },
  }
  const server = await startReplayServer({
    reader: changing,
    clock: systemClock,
    served: { sessions: [store.session] },
    port: 0,
    speed: 'max',
    loop: false,
  })
  closing.push(
    () => reader.close(),
    () => server.close(),
    () => expect(batches).toBeGreaterThan(AFTER_BATCH),
  )
  return server
}

const lines = async (server: ReplayServer): Promise<readonly string[]> => {
  const headers = { authorization: `Bearer ${server.apiKey}` }
  const text = await (await fetch(`${server.baseUrl}/replay`, { headers })).text()
  return text.split('\n').filter((line) => line !== '')
}

/** The messages of a client of the trades, and how its connection ended. */
async function follow(server: ReplayServer, path: string) {
  const client = await openFeed(server, path)
  client.send({ action: 'subscribe', tickers: ['BTC-USD'] })
  return client
}

interface Change {
  readonly what: string
  /** What is recorded before the session is served. */
  readonly before: (store: ChangingStore) => void
  readonly change: (store: ChangingStore) => unknown
}

const record = (store: ChangingStore): void => store.record(0, MESSAGES)
const recordAndSeal = (store: ChangingStore): void => {
  record(store)
  store.seal()
}

const HARMLESS: readonly Change[] = [
  {
    what: 'sealed, with more recorded after it',
    before: record,
    change: (store) => {
      store.record(MESSAGES, 2 * MESSAGES)
      store.seal()
    },
  },
  {
    what: 'sealed and compacted',
    before: record,
    change: (store) => {
      store.seal()
      store.compact()
    },
  },
  { what: 'compacted', before: recordAndSeal, change: (store) => store.compact() },
  { what: 'moved to another folder', before: recordAndSeal, change: (store) => store.move() },
  { what: 'replaced by another store', before: recordAndSeal, change: (store) => store.replace() },
]

describe.each(HARMLESS)('a session that is $what while it is served', ({ before, change }) => {
  const start = () => {
    const store = new ChangingStore()
    before(store)
    return serve(store, () => change(store))
  }

  it('reaches readers of its lines whole', async () => {
    const all = await lines(await start())
    expect(all.length).toBe(MESSAGES)
    expect(all.every((line, n) => line.endsWith(`,"message":${textOf(n)}}`))).toBe(true)
  })

  it.each(['/ws/crypto/XT/', '/ws/crypto/XT/?speed=max'])('reaches clients of %s whole', async (path) => {
    const client = await follow(await start(), path)
    const frames = await client.received(tradeTexts.length + 1)
    expect(frames.length).toBe(tradeTexts.length + 1)
    expect(frames.slice(1).every((frame, i) => frame === tradeTexts[i])).toBe(true)
    client.close()
  })
})

describe('a session that is erased while it is served', () => {
  const start = () => {
    const store = new ChangingStore()
    recordAndSeal(store)
    return serve(store, () => store.erase())
  }

  it('is cut off for readers of its lines', async () => {
    await expect(lines(await start())).rejects.toThrow()
  })

  it.each(['/ws/crypto/XT/', '/ws/crypto/XT/?speed=max'])('ends for clients of %s with a failure', async (path) => {
    const client = await follow(await start(), path)
    expect(await client.ended).toMatchObject({ code: 1011 })
    const texts = client.frames.slice(1)
    expect(texts.length).toBeLessThan(tradeTexts.length)
    expect(texts.every((frame, i) => frame === tradeTexts[i])).toBe(true)
  })

  it('fails the command that serves it', async () => {
    const server = await start()
    await follow(server, '/ws/crypto/XT/')
    await expect(server.played).rejects.toMatchObject({ code: 'not-found' })
  })
})
