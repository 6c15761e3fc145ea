/** Checks and migrates the schema of a team's history. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { Database, Sql } from './database.ts'
import { archiverRole, MIGRATIONS, readerRole } from './migrations.ts'

/** The version that this Tapedeck reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** The version of the schema; null if there is none. Throws `forbidden` if this user may not read it. */
async function readVersion(sql: Sql, { schema, team, place }: Database): Promise<number | null> {
  const [{ exists }] = await sql.rows<{ exists: boolean }>(
    'SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS exists',
    [schema],
  )
  if (!exists) return null
  const rows = await sql.rows<{ version: number; team: string }>(`SELECT version, team FROM ${schema}.meta`)
  if (rows.length !== 1 || rows[0].team !== team)
    throw new CodedError('store-damaged', `The schema ${schema} at ${place} isn’t the history of team ${team}.`, {
      hint: 'Choose another database, or another team name.',
    })
  return rows[0].version
}

/** Refuses a database without a history of this version. */
export async function checkSchema(database: Database): Promise<void> {
  checkVersion(await readVersion(database, database), database)
}

/** Refuses a history of another version, also one that its owner has just updated. Null: there is none. */
export function checkVersion(version: number | null, database: Pick<Database, 'team' | 'place'>): void {
  const { team, place } = database
  if (version === SCHEMA_VERSION) return
  const command = `tapedeck archive postgres://OWNER@${place} --team ${team} --migrate`
  if (version === null)
    throw new CodedError('not-found', `The database ${place} has no history of team ${team}.`, {
      hint: `Its owner creates it with: ${command}`,
    })
  if (version > SCHEMA_VERSION) throw newer(version, database)
  throw new CodedError(
    'store-damaged',
    `The history of team ${team} has schema ${version}, and this Tapedeck needs ${SCHEMA_VERSION}.`,
    { hint: `Its owner updates it with: ${command}` },
  )
}

/** Creates or updates the schema and its roles. Returns the version it had before; null if there was none. */
export async function migrate(database: Database): Promise<number | null> {
  const { schema, team } = database
  return database.transaction(async (sql) => {
    await sql.run('SELECT pg_advisory_xact_lock(hashtext($1), 0)', [schema])
    const before = await readVersion(sql, database)
    if (before !== null && before > SCHEMA_VERSION) throw newer(before, database)
    if (before === SCHEMA_VERSION) return before
    if (before === null) for (const role of [archiverRole(team), readerRole(team)]) await ensureRole(sql, role)
    for (const migration of MIGRATIONS.slice(before ?? 0)) await sql.run(migration(team))
    await sql.run(`UPDATE ${schema}.meta SET version = $1`, [SCHEMA_VERSION])
    return before
  })
}

async function ensureRole(sql: Sql, role: string): Promise<void> {
  const rows = await sql.rows('SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1', [role])
  if (rows.length === 0) await sql.run(`CREATE ROLE ${role} NOLOGIN`)
}

const newer = (version: number, { team }: Pick<Database, 'team'>): CodedError =>
  new CodedError(
    'store-newer',
    `The history of team ${team} has schema ${version}, written by a newer Tapedeck; this one knows ${SCHEMA_VERSION}.`,
    { hint: 'Update Tapedeck on this machine.' },
  )

/** Refuses a server that could lose what it has committed, because recorders release what the watermark covers. */
export async function checkDurability(database: Database): Promise<void> {
  const [settings] = await database.rows<{ fsync: string; commit: string }>(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
  )
  const wrong = settings.fsync === 'off' ? 'fsync' : settings.commit === 'off' ? 'synchronous_commit' : null
  if (wrong === null) return
  throw new CodedError(
    'not-allowed',
    `PostgreSQL at ${database.place} runs with ${wrong} = off, so a crash could lose sessions that recorders have released.`,
    { hint: `Turn ${wrong} on.` },
  )
}

/** Refuses a user who may only read the history. */
export async function checkArchiver(database: Database): Promise<void> {
  const { schema, team, place } = database
  const [{ may, user }] = await database.rows<{ may: boolean; user: string }>(
    "SELECT has_table_privilege($1, 'INSERT') AS may, current_user::text AS user",
    [`${schema}.tail`],
  )
  if (may) return
  throw new CodedError('forbidden', `${user} may not add to the history of team ${team} at ${place}.`, {
    hint: `Connect as an archiver, or let the owner run: GRANT ${archiverRole(team)} TO ${user}`,
  })
}
