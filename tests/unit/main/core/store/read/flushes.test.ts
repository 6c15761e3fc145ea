/** Committed flushes read back for publishing: from the journal, from blocks, and while they are being sealed. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Journal } from '../../../../../../src/main/core/store/format/journal.ts'
import { columnBytes } from '../../../../../../src/main/core/store/format/message-columns.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import type { ChainHeads, CommittedFlush } from '../../../../../../src/main/core/store/types/flushes.ts'
import { advanceHeads, encodeFlushes } from '../../../../../../src/main/features/team/frame/encode.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import {
  anyFlushes,
  commit,
  FEEDS,
  NONE,
  OPTIONS,
  SESSION,
  trades,
  valueOf,
} from '../../../features/team/frame/flushes.ts'
import { DEMO, T0, Writer } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'

const lastSeqOf = ({ batch: { messages: m, entries } }: CommittedFlush): number =>
  Math.max(m.count === 0 ? 0 : m.seq[m.count - 1], entries.at(-1)?.seq ?? 0)

/** The rows and entries of flushes, whatever their grouping. */
const contentOf = (flushes: readonly CommittedFlush[]) => ({
  rows: flushes.flatMap(({ batch: { messages: m } }) =>
    Array.from({ length: m.count }, (_, i) => [
      m.seq[i],
      m.conn[i],
      m.connSeq[i],
      m.recvMs[i],
      m.monoNs[i],
      m.flags[i],
      Buffer.from(m.bytes.subarray(m.offsets[i], m.offsets[i + 1])).toString('latin1'),
    ]),
  ),
  entries: flushes.flatMap(({ batch }) => batch.entries),
})

/** Without connections that have no message yet: an entry may announce one before its first message does. */
const plainHeads = (heads: ChainHeads) =>
  [...heads]
    .filter(([conn, { messages }]) => conn === 0 || messages > 0)
    .sort(([a], [b]) => a - b)
    .map(([conn, { head, messages }]) => [conn, Buffer.from(head).toString('hex'), messages])

/** A store whose background work runs when a test says so. */
class Store {
  readonly folder = makeStoreFolder()
  now = T0
  readonly engine = new StoreEngine(this.folder.file, () => this.now)

  constructor() {
    this.engine.begin(SESSION, DEMO, unixMs(T0))
  }

  seal(): void {
    this.now += SEAL_AFTER_MS
    this.engine.drain()
  }

  open(): LocalReader {
    return openLocalReader(this.folder.file)
  }

  remove(): void {
    this.engine.close()
    this.folder.remove()
  }
}

describe('flushes read back from the store', () => {
  it('give equal frames and heads for random sessions, however far they are sealed and wherever reading starts', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFlushes,
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        fc.constantFrom(1, 200, 1 << 20),
        fc.nat(7),
        async (flushes, sealAfter, sealWhileReading, maxBytes, startAt) => {
          const store = new Store()
          const reader = store.open()
          try {
            flushes.forEach(({ batch }, i) => {
              store.engine.commit([batch])
              if (sealAfter[i]) store.seal()
            })
            const skipped = flushes.slice(0, startAt % flushes.length)
            const start = skipped.length === 0 ? 0 : lastSeqOf(skipped[skipped.length - 1])
            const read: CommittedFlush[] = []
            let first: ChainHeads | null = null
            for (let seq = start, page = 0; ; page++) {
              if (sealWhileReading[page % 8]) store.seal()
              const { flushes: some, heads } = await reader.flushes({
                session: SESSION,
                afterSeq: seq,
                maxBytes,
                withHeads: true,
              })
              first ??= heads
              if (some.length === 0) break
              read.push(...some)
              seq = lastSeqOf(some[some.length - 1])
            }
            const before = first ?? NONE
            if (start > 0) expect(plainHeads(before)).toEqual(plainHeads(advanceHeads(SESSION, NONE, skipped)))
            const rest = flushes.slice(skipped.length)
            expect(contentOf(read)).toEqual(contentOf(rest))
            const heads = plainHeads(advanceHeads(SESSION, NONE, flushes))
            expect(plainHeads(valueOf(encodeFlushes({ ...OPTIONS, heads: before }, read)).heads)).toEqual(heads)
          } finally {
            await reader.close()
            store.remove()
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  describe('of a store with two sealed flushes and one in the journal', () => {
    let store: Store
    let reader: LocalReader
    beforeEach(() => {
      store = new Store()
      const writer = new Writer(FEEDS)
      for (const count of [10, 20]) store.engine.commit([writer.batch(trades(count))])
      store.seal()
      store.engine.commit([writer.batch(trades(5))])
      reader = store.open()
    })
    afterEach(async () => {
      await reader.close()
      store.remove()
    })

    const read = (afterSeq: number) => reader.flushes({ session: SESSION, afterSeq, maxBytes: 1 << 20 })
    const edit = (sql: string) => {
      const db = new Database(store.folder.file)
      db.exec(sql)
      db.close()
    }

    it('are the same from the journal as they were committed', async () => {
      const writer = new Writer(FEEDS)
      const committed = commit([10, 20, 5].map((count) => writer.batch(trades(count))))
      const [last] = (await read(30)).flushes
      const bytesOf = (flush: CommittedFlush) => Buffer.concat(columnBytes(flush.batch.messages)).toString('hex')
      expect(bytesOf(last)).toBe(bytesOf(committed[2]))
      expect(last.leaves.map(({ conn, count }) => [conn, count])).toEqual([[1, 3], [2, 2]]) // oxfmt-ignore
      expect(last.batch.connections ?? []).toEqual([])
    })

    it('are read on from blocks when they are sealed between two reads of the journal', async () => {
      const sealedSeq = Journal.prototype.sealedSeq
      let calls = 0
      const spy = vi.spyOn(Journal.prototype, 'sealedSeq').mockImplementation(function (this: Journal, recording) {
        const seq = sealedSeq.call(this, recording)
        // Right after the reader has seen that it stands in the journal.
        if (++calls === 2) store.seal()
        return seq
      })
      try {
        expect((await read(30)).flushes.map(lastSeqOf)).toEqual([35])
        expect(calls).toBeGreaterThan(2)
      } finally {
        spy.mockRestore()
      }
    })

    it('end with an empty page', async () => {
      expect((await read(35)).flushes).toEqual([])
    })

    it('refuse a seq inside a flush, and one behind the end', async () => {
      await expect(read(33)).rejects.toMatchObject({ code: 'bad-arguments' })
      await expect(read(36)).rejects.toMatchObject({
        code: 'store-damaged',
        message: `Session ${SESSION} ends at 35 in the store, before 36.`,
      })
    })

    it.each([
      ['a journal row', 'UPDATE journal SET data = zeroblob(length(data))', 30],
      ['the place of a flush', 'UPDATE journal SET first_seq = first_seq + 1', 30],
      ['a block', 'UPDATE block SET data = zeroblob(length(data))', 0],
      ['a chain’s head', 'UPDATE chain SET head = zeroblob(32)', 0],
      ['the sizes of flushes', "UPDATE chain SET flushes = x'0102'", 0],
      ['an unknown connection', 'DELETE FROM connection WHERE conn = 2', 0],
    ])('refuse %s that is corrupt', async (_, sql, afterSeq) => {
      edit(sql)
      const readAll = async () => {
        for (let seq = afterSeq; ;) {
          const { flushes } = await read(seq)
          if (flushes.length === 0) return
          seq = lastSeqOf(flushes[flushes.length - 1])
        }
      }
      await expect(readAll()).rejects.toMatchObject({ code: 'store-damaged' })
    })
  })
})
