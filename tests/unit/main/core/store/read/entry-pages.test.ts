/** Verification reads a session's entries in pages, however many there are. */
import type Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDigestFold, FOLD_VERSION } from '../../../../../../src/main/core/market/digest.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { countEntries, entriesUpTo } from '../../../../../../src/main/core/store/read/entry-pages.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => {
  vi.restoreAllMocks()
  folder.remove()
})

/** Flushes of ten entries and one message each. */
function makeStore(flushes: number): void {
  const engine = new StoreEngine(folder.file)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  const writer = new Writer()
  for (let i = 0; i < flushes; i += 50) {
    const batches = Array.from({ length: Math.min(50, flushes - i) }, () => {
      const state: Item = { entry: { type: 'state', feed: 'crypto/XT', conn: 1, state: 'open' } }
      return writer.batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }, ...new Array<Item>(10).fill(state)])
    })
    engine.commit(batches)
  }
  engine.end(unixMs(T0 + 1_000), [])
  engine.drain()
  engine.close()
}

it('reads the same entries for every page size', () => {
  makeStore(7)
  const reader = openLocalReader(folder.file)
  const { db } = reader.queries
  const { count, lastSeq } = countEntries(db, 1)
  expect([count, lastSeq]).toEqual([70, 77])
  const whole = [...entriesUpTo(db, 1, lastSeq)]
  expect(whole.map(({ seq }) => seq)).toEqual(Array.from({ length: 77 }, (_, i) => i + 1).filter((n) => n % 11 !== 1))
  for (const pageRows of [1, 7, 10, 69, 70, 71]) {
    expect([...entriesUpTo(db, 1, lastSeq, undefined, pageRows)]).toEqual(whole)
  }
  expect([...entriesUpTo(db, 1, 33)].map(({ seq }) => seq).at(-1)).toBe(33)
  expect([...entriesUpTo(db, 2, lastSeq)]).toEqual([])
  db.close()
})

it('never holds more than a page of entries during verification', async () => {
  makeStore(350)
  const reader = openLocalReader(folder.file, { version: FOLD_VERSION, create: createDigestFold })
  const statements = Object.getPrototypeOf(reader.queries.db.prepare('SELECT 1')) as Database.Statement // shared by all statements
  const all: (this: Database.Statement, ...values: unknown[]) => unknown[] = Reflect.get(statements, 'all')
  const pages: number[] = []
  vi.spyOn(statements, 'all').mockImplementation(function (this: Database.Statement, ...values: unknown[]) {
    const rows = all.apply(this, values)
    if (this.source.includes('FROM entry')) pages.push(rows.length)
    return rows
  })
  expect(await reader.verify(null)).toMatchObject({ messages: 350, problems: [] })
  // Gaps, digests, the order of seqs and the chain each read all entries.
  expect(pages.reduce((a, b) => a + b, 0)).toBe(4 * 3_500)
  expect(Math.max(...pages)).toBeLessThanOrEqual(1_000)
  await reader.close()
})
