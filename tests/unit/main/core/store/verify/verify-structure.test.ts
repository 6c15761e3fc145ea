import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { openForReading, openForWriting } from '../../../../../../src/main/core/store/schema/sqlite.ts'
import { checkStructure } from '../../../../../../src/main/core/store/verify/verify-structure.ts'
import { verifyStore } from '../../../../../../src/main/core/store/verify/verify.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'

const PIECES = { wholeBytes: 0, pieceRows: 2 }

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
  // Ten sessions, for that many blocks and rollups.
  for (let i = 0; i < 10; i++) {
    const engine = new StoreEngine(folder.file, () => T0)
    engine.begin(newSessionId(T0 + i), DEMO, unixMs(T0))
    const writer = new Writer(['crypto/XT'])
    engine.commit([
      writer.batch(
        Array.from({ length: 50 }, (_, n) => ({
          conn: 1,
          data: tradeText('BTC-USD', n, 1, T0),
          recvMs: T0 + n * 2_000,
        })),
      ),
    ])
    engine.end(unixMs(T0 + 200_000), [])
    engine.drain()
    engine.close()
  }
})
afterEach(() => folder.remove())

function problems(options = PIECES): string[] {
  const db = openForReading(folder.file)
  const reported: string[] = []
  try {
    checkStructure(db, (_, kind, detail) => reported.push(`${kind}: ${detail}`), undefined, options)
  } finally {
    db.close()
  }
  return reported
}

/** Writes while SQLite doesn't know an index, so that the index becomes stale. */
function writeWithoutIndex(index: string, sql: string): void {
  const db = new Database(folder.file)
  db.unsafeMode()
  db.pragma('writable_schema = ON')
  const row = db.prepare('SELECT * FROM sqlite_schema WHERE name = ?').get(index)
  db.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(index)
  db.close()
  const blind = new Database(folder.file)
  blind.unsafeMode()
  blind.exec(sql)
  blind.pragma('writable_schema = ON')
  blind
    .prepare(
      'INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (@type, @name, @tbl_name, @rootpage, @sql)',
    )
    .run(row)
  blind.close()
}

describe('the structure checked in pieces', () => {
  it('of a sound store has no problems', () => {
    expect(problems()).toEqual([])
    expect(problems({ wholeBytes: Infinity, pieceRows: 2 })).toEqual([])
  })

  it.each([
    [
      'a row that isn’t in its index',
      'UPDATE block SET max_seq = max_seq + 1000 WHERE id = 5',
      [
        'structure: row 5 of table block is missing from its index',
        'structure: the index of table block lists row 5, which isn’t stored',
      ],
    ],
    [
      'a row that is only in its index',
      'DELETE FROM block WHERE id = 7',
      ['structure: the index of table block lists row 7, which isn’t stored'],
    ],
  ])('reports %s', (_, sql, expected) => {
    writeWithoutIndex('block_order', sql)
    expect(problems()).toEqual(expected)
    expect(problems({ wholeBytes: Infinity, pieceRows: 2 })).not.toEqual([])
  })

  it('reports a foreign table, and what SQLite finds in a small one', () => {
    const db = new Database(folder.file)
    db.exec('CREATE TABLE guest (a); INSERT INTO guest VALUES (1)')
    db.close()
    expect(problems()).toEqual(['structure: the schema isn’t that of a Tapedeck store'])
    writeWithoutIndex('bookmark_order', 'INSERT INTO bookmark (recording, at_ms, text) VALUES (1, 2, 3)')
    expect(problems()).toHaveLength(3)
  })

  it('allows the writer to checkpoint between two pieces', () => {
    const writer = openForWriting(folder.file)
    const reader = openForReading(folder.file)
    const parts: number[] = []
    const held: unknown[] = []
    try {
      checkStructure(
        reader,
        (_, kind, detail) => held.push(kind, detail),
        (done) => {
          parts.push(done)
          writer.exec("INSERT INTO bookmark (recording, at_ms, text) VALUES (1, 2, 'while it is checked')")
          const [{ busy }] = writer.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
          if (busy !== 0) held.push(done)
        },
        PIECES,
      )
    } finally {
      reader.close()
      writer.close()
    }
    expect(held).toEqual([])
    expect(parts.length).toBeGreaterThan(20)
    expect(parts).toEqual(parts.toSorted((a, b) => a - b))
    expect(parts.at(-1)).toBe(1)
  })

  it('stops when its caller wants', async () => {
    const reader = openLocalReader(folder.file)
    const parts: number[] = []
    const stop = new TypeError('enough')
    const progress = (done: number): void => {
      parts.push(done)
      if (parts.length === 6) throw stop
    }
    expect(() => verifyStore(reader.queries, null, progress, undefined, PIECES)).toThrow(stop)
    await reader.close()
    expect(parts).toHaveLength(6)
    expect(parts.at(-1)).toBeLessThan(0.1)
  })
})
