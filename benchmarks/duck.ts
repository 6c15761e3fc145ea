/** DuckDB on one thread, as the peer of what we do on one thread. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

/** Rows of a table, column by column. Whole numbers become BIGINT. */
export interface DuckColumn {
  readonly name: string
  readonly type: 'BIGINT' | 'DOUBLE'
  readonly values: Float64Array
}

/** An empty in-memory database that uses one thread; `close` frees it. */
export async function openDuck(): Promise<{ connection: DuckDBConnection; close(): void }> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  return {
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Fills a native table; `runs` yields its rows in batches of the same columns. */
export async function loadDuck(
  connection: DuckDBConnection,
  table: string,
  runs: Iterable<readonly DuckColumn[]>,
): Promise<void> {
  let types: readonly DuckColumn[] = []
  for (const columns of runs) {
    if (types.length === 0) {
      await connection.run(`CREATE TABLE staged_${table}(${columns.map((c) => `${c.name} DOUBLE`).join(', ')})`)
    }
    const appender = await connection.createAppender(`staged_${table}`)
    const rows = columns[0]?.values.length ?? 0
    for (let i = 0; i < rows; i++) {
      for (const column of columns) appender.appendDouble(column.values[i])
      appender.endRow()
    }
    appender.closeSync()
    types = columns
  }
  const list = types.map((c) => `CAST(${c.name} AS ${c.type}) AS ${c.name}`).join(', ')
  await connection.run(`CREATE TABLE ${table} AS SELECT ${list} FROM staged_${table}`)
  await connection.run(`DROP TABLE staged_${table}`)
}
