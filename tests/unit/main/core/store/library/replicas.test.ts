import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LeafHasher } from '../../../../../../src/main/core/store/format/leaves.ts'
import { openStoreReader, openStoreWriter } from '../../../../../../src/main/core/store/open.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import type { SessionLedger } from '../../../../../../src/main/core/store/types/library.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import type { ReplicaDetails } from '../../../../../../src/main/core/store/types/replica.ts'
import type { LibraryWriter } from '../../../../../../src/main/core/store/types/writer.ts'
import { teamSource, type Source } from '../../../../../../src/shared/core/recording/session.ts'
import { unixMs, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { Appender } from '../../../../../../src/main/core/store/write/commit.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'
import { headsAfter } from '../replica-harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { DEMO, readEverything, T0, Writer, type Item } from '../harness.ts'

const SERVICE: Source = { kind: 'service', origin: 'https://data.example.com', user: 'you' }

/** A flush, and the heads of the whole session after it. */
interface Flush {
  readonly batch: Batch
  readonly heads: Readonly<Record<string, string>>
}

/** A session as another machine recorded it. */
interface Original {
  readonly about: ReplicaDetails
  readonly flushes: readonly Flush[]
  readonly ledger: SessionLedger
  readonly rows: unknown
}

let folder: ReturnType<typeof makeStoreFolder>
let there: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: T0 + 60_000 })
  folder = makeStoreFolder()
  there = makeStoreFolder()
})
afterEach(() => {
  folder.remove()
  there.remove()
  vi.useRealTimers()
})

const trade = (n: number, conn = 1): Item => ({ conn, data: tradeText('BTC-USD', 100 + n, 1, T0 + n * 700) })
const quote = (n: number): Item => ({ conn: 2, data: quoteText('ETH-USD', 10 + n, 11 + n, T0 + n * 900) })
const gap: Item = { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0) } }

/** Copies a batch, because its buffers are transferred to whoever stores it. */
const copyOf = (batch: Batch): Batch => structuredClone(batch)

/** Records sessions on another machine, one after another; each item list is one flush. */
async function record(sessions: readonly (readonly (readonly Item[])[])[], shards = 1): Promise<Original[]> {
  const engine = new StoreEngine(there.file, () => T0)
  const reader = openLocalReader(there.file)
  const all: Original[] = []
  for (const [i, flushes] of sessions.entries()) {
    const startedMs = unixMs(T0 + i * 1_000)
    const id = newSessionId(startedMs)
    engine.begin(id, SERVICE, startedMs)
    const writer = new Writer(['crypto/XT', 'crypto/XQ'])
    const hasher = new LeafHasher()
    const heads = new Map<number, Uint8Array>()
    const done = flushes.map((items): Flush => {
      const batch = writer.batch(items)
      engine.commit([batch])
      return { heads: headsAfter(id, hasher, heads, batch), batch: copyOf(batch) }
    })
    engine.end(unixMs(startedMs + 100_000), [])
    engine.drain()
    all.push({
      about: { id, source: teamSource('eu', 1 + (i % shards)), startedMs, from: 'host a' },
      flushes: done,
      ledger: await reader.ledger(id),
      rows: await readEverything(reader, id),
    })
    expect(done.at(-1)?.heads ?? {}).toEqual(done.length === 0 ? {} : all[i].ledger.heads)
  }
  await reader.close()
  engine.close()
  return all
}

/** A store on this machine, without threads. `kill` leaves it as a killed process does, and opens what is on disk. */
class Terminal {
  now = T0
  file: string
  engine: StoreEngine
  readonly #folders: ReturnType<typeof makeStoreFolder>[] = []

  constructor(file: string, canSeal = true) {
    this.file = file
    this.engine = new StoreEngine(file, () => this.now, canSeal)
  }

  kill(): void {
    const next = makeStoreFolder()
    this.#folders.push(next)
    for (const suffix of ['', '-wal', '-head'])
      if (existsSync(this.file + suffix)) copyFileSync(this.file + suffix, next.file + suffix)
    this.engine.close()
    this.file = next.file
    this.engine = new StoreEngine(next.file, () => this.now)
  }

  seal(): void {
    this.now += SEAL_AFTER_MS
    this.engine.drain()
  }

  /** Queues flushes; the result is set once they are durable or refused. */
  append({ about }: Original, flushes: readonly Flush[], heads = flushes.at(-1)!.heads): { is: string } {
    const outcome = { is: 'waiting' }
    this.engine.library.replicas.append(
      about.id,
      flushes.map(({ batch }) => copyOf(batch)),
      heads,
      { done: () => void (outcome.is = 'done'), failed: (thrown) => void (outcome.is = codeOf(thrown)) },
    )
    return outcome
  }

  commit(): void {
    while (this.engine.library.replicas.commit());
  }

  end({ about, ledger }: Original, heads = ledger.heads): string {
    const { endedMs, clean } = ledger
    let outcome = 'waiting'
    this.engine.library.replicas.end(
      about.id,
      { endedMs, clean, heads },
      { done: () => void (outcome = 'done'), failed: (thrown) => void (outcome = codeOf(thrown)) },
    )
    this.commit()
    this.engine.drain()
    return outcome
  }

  close(): void {
    this.engine.close()
    for (const one of this.#folders) one.remove()
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)

/** Everything that must be the same in both stores. */
async function expectSame(file: string, originals: readonly Original[]): Promise<void> {
  const reader = openLocalReader(file)
  for (const { about, ledger, rows } of originals) {
    const copy = await reader.ledger(about.id)
    const { messages, entries, lastSeq, heads, clean, startedMs, endedMs } = ledger
    expect(copy).toMatchObject({ messages, entries, lastSeq, heads, clean, startedMs, endedMs, source: about.source })
    expect(await readEverything(reader, about.id)).toEqual(rows)
  }
  expect((await reader.verify(null)).problems).toEqual([])
  await reader.close()
}

const lastSeqOf = ({ messages, entries }: Batch): number =>
  Math.max(messages.count === 0 ? 0 : messages.seq[messages.count - 1], entries.at(-1)?.seq ?? 0)

const simple = [
  [{ entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } } as const, trade(1), trade(2)],
  [quote(3), trade(4), gap, quote(5)],
  [{ entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 6 } } as const],
  [trade(6)],
]

describe('a replica', () => {
  const flush = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 500 }).map((n) => trade(n)) },
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 500 }).map(quote) },
      { weight: 1, arbitrary: fc.constant(gap) },
    ),
    { minLength: 1, maxLength: 30 },
  )
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ replica: fc.nat(3), flushes: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 6, arbitrary: fc.constant('commit' as const) },
    { weight: 2, arbitrary: fc.constantFrom('seal' as const, 'turn' as const, 'live' as const) },
    { weight: 2, arbitrary: fc.constantFrom('kill' as const, 'repeat' as const, 'wrong heads' as const) },
  )
  it('equals its original, whatever is interleaved, killed, repeated or forged on the way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(flush, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { minLength: 4, maxLength: 30 }),
        async (sessions, shards, steps) => {
          folder = makeStoreFolder()
          there = makeStoreFolder()
          const originals = await record(sessions, shards)
          const terminal = new Terminal(folder.file)
          const local = new Writer()
          /** Flushes queued, and how many of them were acknowledged. */
          const sent = originals.map(() => 0)
          const waiting: { readonly of: number; readonly outcome: { is: string }; readonly upTo: number }[] = []
          const durable = originals.map(() => 0)
          const seqAfter = (of: number, flushes: number): number =>
            flushes === 0 ? 0 : lastSeqOf(originals[of].flushes[flushes - 1].batch)
          const settle = (): void => {
            terminal.commit()
            for (const { of, outcome, upTo } of waiting.splice(0)) {
              expect(outcome.is).toBe('done')
              durable[of] = upTo
            }
          }
          const open = (): void => {
            for (const [i, { about }] of originals.entries()) {
              const { lastSeq, isComplete, heads } = terminal.engine.library.openReplica(about)
              expect([lastSeq, isComplete]).toEqual([seqAfter(i, durable[i]), false])
              const hex = [...heads].map(([conn, { head }]) => [conn, Buffer.from(head).toString('hex')])
              if (durable[i] > 0) expect(Object.fromEntries(hex)).toEqual(originals[i].flushes[durable[i] - 1].heads)
              sent[i] = durable[i]
            }
          }
          const begin = (): void => {
            terminal.engine.begin(newSessionId(terminal.now), DEMO, unixMs(terminal.now))
            local.seq = 0
          }
          open()
          for (const one of steps) {
            const target = originals[0]
            if (one === 'commit') settle()
            else if (one === 'seal') terminal.seal()
            else if (one === 'turn') terminal.engine.turn(0)
            else if (one === 'live') {
              begin()
              terminal.engine.commit([new Writer().batch([trade(1)])])
            } else if (one === 'kill') {
              waiting.length = 0
              terminal.kill()
              open()
            } else if (one === 'repeat' && durable[0] > 0) {
              settle()
              const again = terminal.append(target, target.flushes.slice(0, durable[0]))
              terminal.commit()
              expect(again.is).toBe('store-damaged')
            } else if (one === 'wrong heads' && sent[0] < target.flushes.length) {
              settle()
              const next = target.flushes[sent[0]]
              const forged = terminal.append(target, [next], { ...next.heads, '0': 'ff'.repeat(32) })
              const unsaid = terminal.append(target, [next], {})
              terminal.commit()
              expect([forged.is, unsaid.is]).toEqual(['store-damaged', 'store-damaged'])
            } else if (typeof one !== 'string') {
              const of = one.replica % originals.length
              const { flushes } = originals[of]
              const upTo = Math.min(flushes.length, sent[of] + one.flushes)
              if (upTo === sent[of]) continue
              waiting.push({ of, upTo, outcome: terminal.append(originals[of], flushes.slice(sent[of], upTo)) })
              sent[of] = upTo
            }
          }
          settle()
          const reader = openLocalReader(terminal.file)
          expect((await reader.verify(null)).problems).toEqual([])
          await reader.close()
          for (const [i, original] of originals.entries()) {
            if (sent[i] < original.flushes.length) terminal.append(original, original.flushes.slice(sent[i]))
            expect(terminal.end(original)).toBe('done')
          }
          await expectSame(terminal.file, originals)
          terminal.close()
          folder.remove()
          there.remove()
        },
      ),
      { numRuns: 10 },
    )
  })
})

describe('StoreReplicas', () => {
  const writerOf = (): Promise<LibraryWriter> => openStoreWriter({ file: folder.file })
  const fill = async (writer: LibraryWriter, { about, flushes }: Original, from = 0): Promise<void> => {
    await writer.replicas.append(
      about.id,
      flushes.slice(from).map(({ batch }) => copyOf(batch)),
      flushes.at(-1)!.heads,
    )
  }

  it('lists several open replicas as live beside the session recorded here, and closes each with its original’s record', async () => {
    const originals = await record([simple, simple], 2)
    const writer = await writerOf()
    const own = await writer.begin(DEMO, unixMs(T0 + 5_000))
    const reader = await openStoreReader({ file: folder.file })
    for (const original of originals) {
      expect(await writer.replicas.open(original.about)).toMatchObject({ lastSeq: 0, isComplete: false })
      await fill(writer, original)
    }
    const listed = Object.fromEntries((await reader.sessions()).map((row) => [row.session, row]))
    for (const { about, ledger } of originals) {
      expect(listed[about.id]).toMatchObject({ live: true, imported: false, endedMs: null, messages: ledger.messages })
    }
    expect(listed[own]).toMatchObject({ live: true, source: 'demo' })
    expect((await reader.verify(null)).problems).toEqual([])
    for (const { about, ledger } of originals) {
      await writer.replicas.end(about.id, ledger)
      await writer.replicas.end(about.id, ledger)
      const at = await writer.replicas.open(about)
      expect(at).toMatchObject({ lastSeq: ledger.lastSeq, isComplete: true })
      const heads = [...at.heads].map(([conn, { head }]) => [conn, Buffer.from(head).toString('hex')])
      expect(Object.fromEntries(heads)).toEqual(ledger.heads)
      expect([...at.heads].map(([conn, { messages }]) => [conn, messages])).toEqual([
        [0, 3],
        [1, 4],
        [2, 2],
      ])
    }
    expect((await reader.sessions()).map(({ live }) => live)).toEqual([false, false, true])
    await reader.close()
    await writer.close()
    await expectSame(folder.file, originals)
  })

  it('refuses what isn’t the next flush of the same session, and stores nothing of it', async () => {
    const [original, other] = await record([simple, simple])
    const { about, flushes, ledger } = original
    const writer = await writerOf()
    const code = async (call: Promise<unknown>): Promise<string> => call.then(() => 'done', codeOf)
    const append = (batches: readonly Batch[], heads: Readonly<Record<string, string>>): Promise<string> =>
      code(writer.replicas.append(about.id, batches.map(copyOf), heads))
    const [first, second] = flushes
    expect(await append([first.batch], first.heads)).toBe('not-found')
    await writer.replicas.open(about)
    expect(await code(writer.replicas.open({ ...about, source: teamSource('us', 1) }))).toBe('not-allowed')
    expect(await code(writer.replicas.open({ ...about, source: SERVICE }))).toBe('internal')
    const whole = { kind: 'team', origin: 'eu', user: '*' } as const
    expect(await code(writer.replicas.open({ ...about, source: whole }))).toBe('internal')
    expect(await code(writer.replicas.open({ ...about, startedMs: unixMs(1) }))).toBe('not-allowed')
    expect(await append([second.batch], second.heads)).toBe('store-damaged')
    expect(await append([{ ...first.batch, connections: [] }], first.heads)).toBe('store-damaged')
    expect(await append([first.batch], other.flushes[0].heads)).toBe('store-damaged')
    const { messages: m } = first.batch
    const doubled = { ...first.batch, messages: { ...m, connSeq: m.connSeq.map(() => 1) } }
    const forged = headsAfter(about.id, new LeafHasher(), new Map(), doubled)
    expect(await append([doubled], forged)).toBe('store-damaged')
    expect(await append([first.batch], first.heads)).toBe('done')
    const renamed = { ...second.batch, connections: [{ conn: 1, feed: 'crypto/XQ' as const }] }
    expect(await append([renamed], second.heads)).toBe('store-damaged')
    expect(await append([second.batch, flushes[3].batch], flushes[3].heads)).toBe('store-damaged')
    expect(await writer.replicas.open(about)).toMatchObject({ lastSeq: 3 })
    expect(await code(writer.replicas.end(about.id, ledger))).toBe('store-damaged')
    await fill(writer, original, 1)
    expect(await code(writer.replicas.end(about.id, { ...ledger, heads: { ...ledger.heads, '9': 'aa' } }))).toBe(
      'store-damaged',
    )
    await writer.replicas.end(about.id, ledger)
    expect(await append([first.batch], first.heads)).toBe('not-found')
    await writer.close()
    await expectSame(folder.file, [original])
  })

  it('lets a live commit go first, whatever is queued for replicas', async () => {
    const many = Array.from({ length: 400 }, (_, i) => [{ conn: 1, data: 'x'.repeat(8_000) + i }])
    const [original] = await record([many])
    const writer = await writerOf()
    await writer.begin(DEMO, unixMs(T0 + 5_000))
    await writer.replicas.open(original.about)
    const order: string[] = []
    writer.onEvent(({ is }) => void order.push(is))
    const appends = original.flushes.map(({ batch, heads }) =>
      writer.replicas.append(original.about.id, [copyOf(batch)], heads).then(() => void order.push('replica')),
    )
    writer.append(new Writer().batch([trade(1)]))
    await Promise.all(appends)
    expect(order.indexOf('committed')).toBeLessThan(200)
    expect(order.filter((one) => one === 'replica')).toHaveLength(400)
    await writer.close()
  })

  it('waits for a failing disk and then stores everything once', async () => {
    const [original] = await record([simple])
    const writer = await writerOf()
    await writer.replicas.open(original.about)
    const events: string[] = []
    writer.onEvent(({ is }) => void events.push(is))
    const full = Object.assign(new Database.SqliteError('full', 'SQLITE_FULL'))
    const spy = vi.spyOn(Appender.prototype, 'write').mockImplementationOnce(() => {
      throw full
    })
    await fill(writer, original)
    spy.mockRestore()
    await writer.replicas.end(original.about.id, original.ledger)
    expect(events).toEqual(['trouble', 'recovered'])
    await writer.close()
    await expectSame(folder.file, [original])
  })

  it('resume where they are durable after the writer’s thread dies', async () => {
    vi.useRealTimers()
    const flushes = Array.from({ length: 200 }, (_, i) => [trade(i), quote(i), trade(i)])
    const [original] = await record([flushes])
    const { about, ledger } = original
    const entry = join(folder.path, 'mortal.mjs')
    const real = new URL('../../../../../../src/main/core/store/threads/writer.ts', import.meta.url).href
    // Ends itself once it has replied to some requests.
    writeFileSync(
      entry,
      `import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { serveWriter } from ${JSON.stringify(real)}
const died = ${JSON.stringify(join(folder.path, 'died'))}
let replies = 0
const post = parentPort.postMessage.bind(parentPort)
parentPort.postMessage = (message, transfer) => {
  post(message, transfer)
  if (message.is !== 'done' || existsSync(died) || ++replies < 60) return
  writeFileSync(died, '')
  process.exit(1)
}
serveWriter(parentPort, workerData.file)
`,
    )
    const writer = await openStoreWriter({ file: folder.file, worker: new URL(`file://${entry}`) })
    let acknowledged = 0
    const follow = async (): Promise<void> => {
      const { lastSeq } = await writer.replicas.open(about)
      expect(lastSeq).toBeGreaterThanOrEqual(acknowledged)
      for (const { batch, heads } of original.flushes) {
        if (lastSeqOf(batch) <= lastSeq) continue
        await writer.replicas.append(about.id, [copyOf(batch)], heads)
        acknowledged = lastSeqOf(batch)
      }
    }
    await expect(follow()).rejects.toThrow(/thread/)
    expect(acknowledged).toBeGreaterThan(100)
    expect(acknowledged).toBeLessThan(ledger.lastSeq)
    await follow()
    await writer.replicas.end(about.id, ledger)
    await writer.close()
    await expectSame(folder.file, [original])
  })

  it('can be moved to the bin once its recorder has abandoned it, and isn’t live any more', async () => {
    const [original] = await record([simple])
    const { id } = original.about
    const writer = await writerOf()
    const own = await writer.begin(DEMO, unixMs(T0 + 5_000))
    const reader = await openStoreReader({ file: folder.file })
    await writer.replicas.open(original.about)
    vi.setSystemTime(T0 + 2 * 86_400_000)
    const lives = (await reader.sessions()).map(({ session, live }) => [session, live])
    expect(Object.fromEntries(lives)).toEqual({ [id]: false, [own]: true })
    await writer.library.label([{ session: id, patch: {}, binnedMs: T0 }])
    const binned = writer.library.label([{ session: own, patch: {}, binnedMs: T0 }])
    await expect(binned).rejects.toMatchObject({ code: 'not-allowed' })
    await reader.close()
    await writer.close()
  })

  it('can be deleted while it is open or complete, and copied again', async () => {
    const [original] = await record([simple])
    const { about, flushes, ledger } = original
    const writer = await writerOf()
    const reader = await openStoreReader({ file: folder.file })
    for (const isComplete of [false, true]) {
      await writer.replicas.open(about)
      await fill(writer, original)
      if (isComplete) await writer.replicas.end(about.id, ledger)
      await writer.library.erase([about.id])
      const late = writer.replicas.append(about.id, [copyOf(flushes[0].batch)], flushes[0].heads)
      await expect(late).rejects.toMatchObject({ code: 'not-found' })
      expect(await reader.sessions()).toEqual([])
      expect(await writer.replicas.open(about)).toMatchObject({ lastSeq: 0, isComplete: false })
      expect((await reader.verify(null)).problems).toEqual([])
      await writer.library.erase([about.id])
    }
    await reader.close()
    await writer.close()
  })
})

describe('the store’s engine', () => {
  it('without zstd leaves an ended replica open for a later start with zstd', async () => {
    const [original] = await record([simple])
    const without = new Terminal(folder.file, false)
    without.engine.library.openReplica(original.about)
    const outcome = without.append(original, original.flushes)
    expect(without.end(original)).toBe('done')
    expect(outcome.is).toBe('done')
    const at = { lastSeq: original.ledger.lastSeq, isComplete: false }
    expect(without.engine.library.openReplica(original.about)).toMatchObject(at)
    without.close()
    const terminal = new Terminal(folder.file)
    expect(terminal.engine.unclosed).toEqual([])
    expect(terminal.engine.library.openReplica(original.about)).toMatchObject(at)
    expect(terminal.end(original)).toBe('done')
    terminal.close()
    await expectSame(folder.file, [original])
  })

  it('seals a replica that catches up before it takes more of it', async () => {
    const large = Array.from({ length: 80 }, (_, i) => [{ conn: 1, data: `${i} ${'x'.repeat(600_000)}` }])
    const [original] = await record([large])
    const terminal = new Terminal(folder.file)
    terminal.engine.library.openReplica(original.about)
    const outcomes = original.flushes.map((flush) => terminal.append(original, [flush]))
    terminal.commit()
    const done = (): number => outcomes.filter(({ is }) => is === 'done').length
    const before = done()
    expect(before).toBeGreaterThan(40)
    expect(before).toBeLessThan(80)
    terminal.engine.drain()
    terminal.commit()
    expect(done()).toBe(80)
    expect(terminal.end(original)).toBe('done')
    terminal.close()
  })

  it('commits every replica that has flushes waiting, however much one of them has', async () => {
    const large = Array.from({ length: 10 }, (_, i) => [{ conn: 1, data: `${i} ${'x'.repeat(600_000)}` }])
    const [busy, quiet] = await record([large, simple], 2)
    const terminal = new Terminal(folder.file)
    for (const { about } of [busy, quiet]) terminal.engine.library.openReplica(about)
    const many = busy.flushes.map((flush) => terminal.append(busy, [flush]))
    const one = terminal.append(quiet, quiet.flushes)
    terminal.engine.library.replicas.commit()
    terminal.engine.library.replicas.commit()
    expect(one.is).toBe('done')
    expect(many.at(-1)?.is).toBe('waiting')
    terminal.close()
  })

  it('counts what isn’t sealed once, however many appends a transaction holds', async () => {
    const [original] = await record([[...simple, ...simple.map(() => [trade(7)])]])
    const sizes = [true, false].map((isTogether) => {
      const terminal = new Terminal(isTogether ? folder.file : `${folder.file}-2`)
      terminal.engine.library.openReplica(original.about)
      for (const flush of original.flushes) {
        terminal.append(original, [flush])
        if (!isTogether) terminal.commit()
      }
      terminal.commit()
      const [{ journalBytes, lastSeq }] = terminal.engine.library.replicas.states()
      terminal.close()
      return { journalBytes, lastSeq }
    })
    expect(sizes[0]).toEqual(sizes[1])
    expect(sizes[0].lastSeq).toBe(original.ledger.lastSeq)
  })

  it('accepts a connection that is announced again, and refuses another feed for it', async () => {
    const [original] = await record([simple])
    const { flushes } = original
    const announce = (flush: Flush, feed: FeedId): Flush => ({
      ...flush,
      batch: { ...flush.batch, connections: [{ conn: 1, feed }, ...(flush.batch.connections ?? [])] },
    })
    const terminal = new Terminal(folder.file)
    terminal.engine.library.openReplica(original.about)
    const other = terminal.append(original, [flushes[0], announce(flushes[1], 'crypto/XQ')])
    terminal.commit()
    const again = terminal.append(original, [flushes[0], announce(flushes[1], 'crypto/XT'), ...flushes.slice(2)])
    terminal.commit()
    expect([other.is, again.is]).toEqual(['store-damaged', 'done'])
    expect(terminal.end(original)).toBe('done')
    terminal.close()
    await expectSame(folder.file, [original])
  })

  it('doesn’t close a replica with a gap when recording begins or the store is opened again', async () => {
    const [original] = await record([simple])
    let terminal = new Terminal(folder.file)
    terminal.engine.library.openReplica(original.about)
    terminal.append(original, original.flushes.slice(0, 2))
    terminal.commit()
    terminal.close()
    terminal = new Terminal(folder.file)
    terminal.engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 9_000))
    terminal.engine.recoverSessions(unixMs(T0 + 9_000))
    terminal.engine.drain()
    expect(terminal.engine.library.openReplica(original.about)).toMatchObject({ lastSeq: 7 })
    terminal.append(original, original.flushes.slice(2))
    expect(terminal.end(original)).toBe('done')
    terminal.close()
    await expectSame(folder.file, [original])
  })
})
