/** PostgreSQL servers of a test file, ended after its last test. */
import { afterAll } from 'vitest'
import { makeFolder } from './folder.ts'
import { isPostgresInstalled, makePostgres, stopPostgres } from './postgres-process.ts'
import type { PostgresOptions, PostgresServer } from './postgres-process.ts'

/** Whether PostgreSQL is installed. Use with `describe.skipIf(!hasPostgres)` and `[needs postgresql]` in the title. */
export const hasPostgres = isPostgresInstalled
if (!hasPostgres) {
  console.warn(
    'The history of teams is not tested with a real server: PostgreSQL was not found. On Debian: apt-get install postgresql. TAPEDECK_POSTGRES_BIN names the folder of another one.',
  )
}
afterAll(stopPostgres)

/** Starts a server of its own. */
export const startPostgres = (options?: PostgresOptions): Promise<PostgresServer> =>
  makePostgres(makeFolder('postgres'), options)
