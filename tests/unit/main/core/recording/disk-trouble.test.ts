import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { brokenBy } from '../../../../../src/main/core/recording/disk-trouble.ts'
import { storeError, storeFailure } from '../../../../../src/main/core/store/schema/sqlite.ts'

it.each(['SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR_WRITE'])(
  '%s: only what records promises to go on, and no command that ends',
  (code) => {
    const thrown = new Database.SqliteError('no', code)
    expect(storeError(thrown, 'a.db').hint).not.toMatch(/automatically/)
    expect(brokenBy(storeFailure(thrown, 'a.db')).hint).toMatch(/\. Recording resumes automatically\.$/)
  },
)
