/** Connections to a team's history in PostgreSQL. The client is loaded on first use, so that nothing else pays for it. */
import type { Client, ClientBase, Pool } from 'pg'
import { CodedError } from '../../../../shared/base/errors.ts'
import { schemaName, type TeamName } from '../names.ts'
import { historyError } from './errors.ts'
import type { HistoryTarget } from './target.ts'

const CONNECT_WITHIN_MS = 10_000
const MAX_CONNECTIONS = 8
/** `server_version_num` from which on partitions are attached and detached as this expects. */
const OLDEST_SERVER = 140_000
/** Migrations and partitions take the locks 0 and 1 of the schema. */
const FIRST_LOCK = 1_000
const INT8 = 20
const DATE = 1082

/** A parameter. Byte arrays are sent as they are. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly (string | number)[]

export interface Sql {
  /** Rows have the types that the caller's statement selects: integers as numbers, bytea as Buffer, dates as text. */
  rows<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]>
  /** Returns how many rows were written. */
  run(text: string, values?: readonly SqlValue[]): Promise<number>
  /** The client itself, for COPY. */
  readonly client: ClientBase | null
}

/** Everything rejects with a CodedError; see `historyError`. */
export interface Database extends Sql {
  readonly team: TeamName
  /** The schema of the team; needs no quotes. */
  readonly schema: string
  readonly place: string
  /** Runs everything in one transaction. If `run` rejects, nothing is written. */
  transaction<T>(run: (sql: Sql) => Promise<T>): Promise<T>
  /** Opens a connection for locks, which last as long as it does. */
  openLocks(): Promise<Locks>
  /** Whether the server was there when it was last asked, and hasn't ended a connection since. */
  isReachable(): boolean
  close(): Promise<void>
}

/** Advisory locks of a team, by number. The server releases them when the connection ends, however it ends. */
export interface Locks {
  /** Returns whether the lock is held by this process now. Never waits for another one. */
  take(number: number): Promise<boolean>
  release(number: number): Promise<void>
  /** Aborted when the connection has ended, and every lock with it. */
  readonly lost: AbortSignal
  close(): Promise<void>
}

/** Connects to the database of a team's history. Refuses servers older than PostgreSQL 14. */
export async function connectDatabase(target: HistoryTarget, team: TeamName): Promise<Database> {
  const pg = await import('pg')
  const getTypeParser = ((oid: number, format?: string): unknown => {
    // Counts and seqs stay below 2^53. Days stay text, because Date would shift them into the local zone.
    if (format !== 'binary' && oid === INT8) return Number
    if (format !== 'binary' && oid === DATE) return String
    return pg.types.getTypeParser(oid)
  }) as typeof pg.types.getTypeParser // whose parsers return anything
  const settings = {
    connectionString: target.url,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    application_name: 'tapedeck',
    types: { getTypeParser },
  }
  const pool = new pg.Pool({ ...settings, max: MAX_CONNECTIONS })
  // An idle connection that breaks is replaced by the next request.
  pool.on('error', () => undefined)
  // The server may end a connection in the same packet in which it accepts it, before anybody who waits for it can listen.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const database = overPool(pool, target.place, team, () => new pg.Client(settings))
  try {
    const [{ version, shown }] = await database.rows<{ version: number; shown: string }>(
      "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown",
    )
    if (version < OLDEST_SERVER)
      throw new CodedError(
        'server-error',
        `PostgreSQL at ${target.place} is version ${shown}; a history needs 14 or later.`,
        {
          hint: 'Upgrade the server.',
        },
      )
  } catch (thrown) {
    await database.close()
    throw thrown
  }
  return database
}

function overPool(pool: Pool, place: string, team: TeamName, newClient: () => Client): Database {
  let isReachable = true
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      const result = await run()
      isReachable = true
      return result
    } catch (thrown) {
      const error = historyError(thrown, place)
      if (error.code === 'offline') isReachable = false
      throw error
    }
  }
  return {
    team,
    schema: schemaName(team),
    place,
    client: null,
    rows: (text, values) => guarded(() => overClient(pool).rows(text, values)),
    run: (text, values) => guarded(() => overClient(pool).run(text, values)),
    transaction: (run) =>
      guarded(async () => {
        const client = await pool.connect()
        let broken: Error | undefined
        // Without a listener, a connection that breaks between two requests would end the process.
        const onError = (error: Error): void => void (broken = error)
        client.on('error', onError)
        try {
          await client.query('BEGIN')
          const result = await run(overClient(client, client))
          await client.query('COMMIT')
          return result
        } catch (thrown) {
          await client.query('ROLLBACK').catch((error: unknown) => {
            broken = error instanceof Error ? error : new Error(String(error))
          })
          throw thrown
        } finally {
          client.off('error', onError)
          client.release(broken)
        }
      }),
    openLocks: () =>
      guarded(async () => {
        const client = newClient()
        const ended = new AbortController()
        let isClosing = false
        const onEnd = (): void => {
          if (!isClosing) isReachable = false
          ended.abort()
        }
        client.on('error', onEnd)
        client.on('end', onEnd)
        await client.connect()
        const ask = (what: string, number: number) =>
          guarded(async () => {
            const [row] = await overClient(client).rows<{ done: boolean }>(`SELECT ${what}(hashtext($1), $2) AS done`, [
              schemaName(team),
              FIRST_LOCK + number,
            ])
            return row.done
          })
        return {
          take: (number) => ask('pg_try_advisory_lock', number),
          release: async (number) => void (await ask('pg_advisory_unlock', number)),
          lost: ended.signal,
          close: () => {
            isClosing = true
            return client.end()
          },
        }
      }),
    isReachable: () => isReachable,
    close: () => pool.end(),
  }
}

function overClient(on: Pick<ClientBase, 'query'>, client: ClientBase | null = null): Sql {
  const query = <Row extends object>(text: string, values: readonly SqlValue[] = []) =>
    on.query<Row, SqlValue[]>(text, values.map(asParameter))
  return {
    client,
    rows: async <Row extends object>(text: string, values?: readonly SqlValue[]) =>
      (await query<Row>(text, values)).rows,
    run: async (text, values) => (await query(text, values)).rowCount ?? 0,
  }
}

/** The client sends Buffers as bytes and other arrays as text. */
const asParameter = (value: SqlValue): SqlValue =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value

/** Inserts many rows with few statements. `columns`: of `table`, in the order of each row's values. */
export async function insertRows(
  sql: Sql,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const most = Math.floor(MAX_PARAMETERS / columns.length)
  for (let from = 0; from < rows.length; from += most) {
    const some = rows.slice(from, from + most)
    const places = some.map((_, row) => `(${columns.map((_, i) => `$${row * columns.length + i + 1}`).join(',')})`)
    await sql.run(`INSERT INTO ${table} (${columns.join(',')}) VALUES ${places.join(',')}`, some.flat())
  }
}

/** Parameters of one statement: far below the protocol's 65,535, because parsing them takes time, too. */
const MAX_PARAMETERS = 2_000
