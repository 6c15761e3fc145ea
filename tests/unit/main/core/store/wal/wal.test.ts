/** Compares the write-ahead log read as bytes with what SQLite makes of it. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readLogEnd, scanLog, type LogPosition, type ReadLog } from '../../../../../../src/main/core/store/wal/wal.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'

const FRAME = 24 + 2048
let folder: ReturnType<typeof makeStoreFolder>
let db: Database.Database
beforeEach(() => {
  folder = makeStoreFolder()
  db = new Database(folder.file)
  db.pragma('page_size = 2048')
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, data BLOB)')
})
afterEach(() => {
  db.close()
  folder.remove()
})

const insert = (bytes = 3_000): void => void db.prepare('INSERT INTO t (data) VALUES (randomblob(?))').run(bytes)
const log = (): Buffer => readFileSync(`${folder.file}-wal`)
const reading =
  (bytes: Uint8Array): ReadLog =>
  (into, at) => {
    const part = bytes.subarray(at, at + into.length)
    into.set(part)
    return part.length
  }
/** What SQLite reports as the end of its log. A scan of the whole log must end there, too. */
function endNow(): LogPosition | null {
  const [{ log: frames }] = db.pragma('wal_checkpoint(NOOP)') as [{ log: number }]
  const end = readLogEnd(reading(log()), frames)
  if (frames > 0) expect(end).toEqual(scan(log()).last)
  return end
}
const scan = (bytes: Uint8Array, mark: LogPosition | null = null) => scanLog(reading(bytes), mark)

/** Rows that SQLite reads from the store if its log is `bytes`. */
function rowsWith(bytes: Uint8Array): number {
  const copy = join(folder.path, 'copy.db')
  for (const suffix of ['-wal', '-shm']) rmSync(copy + suffix, { force: true })
  copyFileSync(folder.file, copy)
  writeFileSync(`${copy}-wal`, bytes)
  const other = new Database(copy, { readonly: true })
  try {
    return Number(other.prepare('SELECT count(*) FROM t').pluck().get())
  } catch {
    return -1 // not even the table
  } finally {
    other.close()
  }
}

describe('the end of a log', () => {
  it('is read from its last frame, wherever SQLite says the log ends', () => {
    const ends = new Set<number>()
    for (let i = 0; i < 30; i++) {
      insert(1 + ((i * 977) % 20_000))
      const end = endNow()
      expect(end?.pageBytes).toBe(2048)
      ends.add(end?.frames ?? 0)
    }
    expect(ends.size).toBe(30)
  })

  it('takes two short reads, however long the log is', () => {
    for (let i = 0; i < 200; i++) insert()
    const [{ log: frames }] = db.pragma('wal_checkpoint(NOOP)') as [{ log: number }]
    const bytes = log()
    let taken = 0
    const counting: ReadLog = (into, at) => {
      taken += into.length
      return reading(bytes)(into, at)
    }
    expect(readLogEnd(counting, frames)).toEqual(scan(bytes).last)
    expect(taken).toBe(32 + 24)
  })

  it('changes nothing: the log is neither checkpointed nor restarted', () => {
    insert()
    const before = log()
    endNow()
    insert()
    expect(log().subarray(0, before.length).equals(before)).toBe(true)
    expect(db.pragma('wal_checkpoint(NOOP)')).toMatchObject([{ busy: 0, checkpointed: 0 }])
  })

  it('is in the new log after a restart, and null if it is empty', () => {
    for (let i = 0; i < 9; i++) insert()
    const first = endNow()
    db.pragma('wal_checkpoint(RESTART)')
    // The log is restarted by the next transaction, not by the checkpoint.
    expect(endNow()).toEqual(first)
    insert()
    const second = endNow()
    expect(second?.frames).toBeLessThan(first?.frames ?? 0)
    expect(((second?.salt1 ?? 0) - (first?.salt1 ?? 0)) >>> 0).toBe(1)
    db.pragma('wal_checkpoint(TRUNCATE)')
    expect(endNow()).toBeNull()
    expect(scan(log())).toMatchObject({ isEmpty: true, hasLostCommits: false })
  })

  it('is before a transaction that was written but never committed', () => {
    insert()
    const end = endNow()
    db.pragma('cache_size = 5')
    db.exec('BEGIN')
    for (let i = 0; i < 50; i++) insert()
    const spilled = log()
    expect(spilled.length).toBeGreaterThan(32 + (end?.frames ?? 0) * FRAME)
    expect(scan(spilled, end)).toMatchObject({ hasMark: true, hasLostCommits: false })
    db.exec('ROLLBACK')
    expect(endNow()).toEqual(end)
    insert(10)
    // A rolled-back transaction is behind the next commit, with the same salts.
    const later = endNow()
    expect(later?.frames).toBeGreaterThan(end?.frames ?? 0)
    expect(scan(log(), later)).toMatchObject({ hasMark: true, hasLostCommits: false })
  })

  it('is refused if the frame is of another round, ends no transaction or is missing', () => {
    insert(20_000)
    const end = endNow()
    const frames = end?.frames ?? 0
    const read = (bytes: Uint8Array, n = frames) => readLogEnd(reading(bytes), n)
    expect(read(log())).toEqual(end)
    expect(() => read(log(), frames - 1)).toThrow(RangeError)
    expect(() => read(log(), frames + 1)).toThrow(RangeError)
    for (const at of [8, 12]) {
      const bad = log()
      const byte = 32 + (frames - 1) * FRAME + at
      bad[byte] = bad[byte] ^ 1
      expect(() => read(bad)).toThrow(RangeError)
    }
  })
})

describe('a corrupt log', () => {
  beforeEach(() => {
    for (let i = 0; i < 12; i++) insert()
  })

  it('shows lost commits without a mark if there are two or more, and with the mark if there is one', () => {
    const good = log()
    const mark = scan(good).last
    const frames = mark?.frames ?? 0
    expect(scan(good, mark)).toEqual({
      isEmpty: false,
      last: mark,
      hasMark: true,
      isSoundToEnd: true,
      hasLostCommits: false,
    })
    for (let frame = 0; frame < frames; frame++) {
      const bad = Buffer.from(good)
      const at = 32 + frame * FRAME + 24 + 100
      bad[at] = bad[at] ^ 4
      const seen = scan(bad, mark)
      expect([frame, seen.hasMark, seen.isSoundToEnd]).toEqual([frame, false, false])
      const commits = (from: number): number =>
        Array.from({ length: frames - from }, (_, i) => good.readUInt32BE(32 + (from + i) * FRAME + 4)).filter(Boolean)
          .length
      expect([frame, seen.hasLostCommits]).toEqual([frame, commits(frame) >= 2])
      expect(rowsWith(bad)).toBeLessThan(12)
    }
  })

  it('never has its mark if SQLite reads fewer rows, however it was corrupted', () => {
    const good = log()
    const mark = scan(good).last
    const change = fc.oneof(
      fc.record({ is: fc.constant('flip' as const), at: fc.nat(good.length - 1), bit: fc.nat(7) }),
      fc.record({ is: fc.constant('cut' as const), at: fc.nat(good.length - 1), bit: fc.constant(0) }),
      fc.record({ is: fc.constant('zero' as const), at: fc.nat(good.length - 1), bit: fc.integer({ min: 1, max: 9 }) }),
    )
    fc.assert(
      fc.property(change, ({ is, at, bit }) => {
        let bad = Buffer.from(good)
        if (is === 'flip') bad[at] = bad[at] ^ (1 << bit)
        else if (is === 'cut') bad = bad.subarray(0, at)
        else bad.fill(0, at, Math.min(bad.length, at + (1 << bit)))
        if (bad.equals(good)) return
        const { hasMark } = scan(bad, mark)
        expect(hasMark).toBe(rowsWith(bad) === 12)
      }),
      { numRuns: 150 },
    )
  })

  it("isn't reported as a loss if a power cut left one unfinished transaction", () => {
    const mark = endNow()
    insert(30_000)
    const good = log()
    for (let frame = mark?.frames ?? 0; frame < (good.length - 32) / FRAME; frame++) {
      const bad = Buffer.from(good)
      bad.fill(0, 32 + frame * FRAME + 24, 32 + (frame + 1) * FRAME)
      expect(scan(bad, mark)).toMatchObject({ hasMark: true, hasLostCommits: false })
    }
  })
})
