/** Stores and response histories with foreign triggers or views, which SQLite would run at our next commit. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openResponses } from '../../../../../../src/main/features/research/responses.ts'
import { openStoreReader, openStoreWriter } from '../../../../../../src/main/core/store/open.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const add = (sql: string): void => {
  const db = new Database(folder.file)
  db.exec(sql)
  db.close()
}
const HIDDEN = [
  [
    'a trigger that empties what is recorded',
    (table: string) => `CREATE TRIGGER x AFTER INSERT ON ${table} BEGIN DELETE FROM ${table}; END`,
  ],
  [
    'a trigger that never ends',
    (table: string) =>
      `CREATE TRIGGER x BEFORE INSERT ON ${table} BEGIN SELECT max(n) FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c); END`,
  ],
  [
    'a view in a table’s place',
    (table: string) => `ALTER TABLE ${table} RENAME TO y; CREATE VIEW ${table} AS SELECT * FROM y`,
  ],
  ['a table of another program’s making', () => 'CREATE VIRTUAL TABLE x USING fts5(a)'],
] as const

describe('a store with foreign triggers or views', () => {
  it.each(HIDDEN)("%s isn't opened, and stays unchanged", async (_what, sql) => {
    await (await openStoreWriter({ file: folder.file })).close()
    add(sql('bookmark'))
    const refusal = { code: 'store-damaged', message: expect.stringContaining('hidden commands') }
    await expect(openStoreWriter({ file: folder.file })).rejects.toMatchObject(refusal)
    await expect(openStoreReader({ file: folder.file })).rejects.toMatchObject(refusal)
  })
})

describe('a response history with foreign triggers or views', () => {
  it.each(HIDDEN)("%s isn't opened", (_what, sql) => {
    openResponses(folder.file).close()
    add(sql('answer'))
    expect(() => openResponses(folder.file)).toThrow(
      expect.objectContaining({ code: 'store-damaged', message: expect.stringContaining('hidden commands') }),
    )
  })
})
