/** Which database is the history of a team: the one whose ID is in the bucket `watermarks`. */
import { type Clock, waitUntil } from '../../base/clock.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { addChecksum, decodeWatermark, readChecked } from './checksum.ts'
import type { BucketEntry, TeamLog } from './nats/team-log.ts'
import type { Database } from './history/database.ts'

/** The key in the bucket `watermarks` of the ID of their history. */
const HISTORY_KEY = 'history'

/** How often an archiver looks whether its database still is the history. */
const CLAIM_EVERY_MS = 5_000
const REPLACE_HINT =
  'Recorders delete what the history has. If it is to be this database from now on, stop the archivers of the other one, and add --replace-history once.'

/** A history that can be compared. */
interface Claimable {
  readonly team: string
  /** The database, as shown. */
  readonly place: string
  id(): Promise<string>
}

const anotherDatabase = (team: string, place: string): string =>
  `The history of team ${team} is another database, not ${place}.`

/** The ID of the history in a database. */
export async function readId(db: Database): Promise<string> {
  const [{ id }] = await db.rows<{ id: string }>(`SELECT id::text AS id FROM ${db.schema}.meta`)
  return id
}

const idIn = (value: string | null): string | null => (value === null ? null : readChecked(value, HISTORY_KEY))

/**
 * Rejects with `not-allowed` if a history is another database than the one that the team's watermarks are of. Passes if
 * nobody has said yet which one that is.
 */
export async function checkHistory(log: Pick<TeamLog, 'bucket'>, history: Claimable) {
  const claimed = idIn((await log.bucket('watermarks').get(HISTORY_KEY))?.value ?? null)
  if (claimed === null || claimed === (await history.id())) return
  throw new CodedError('not-allowed', anotherDatabase(history.team, history.place), {
    hint: 'Name the database that the team’s archivers use. "tapedeck archive" says which one it is when it starts.',
  })
}

/**
 * Makes a database the history of its team: recorders delete what it has committed. Rejects with `not-allowed` if that is
 * another database. `replace`: this one takes its place.
 */
export async function claimTeam(log: Pick<TeamLog, 'bucket'>, db: Database, replace: boolean): Promise<void> {
  const bucket = log.bucket('watermarks')
  const id = await readId(db)
  const known = await bucket.get(HISTORY_KEY)
  const value = known?.value ?? null
  const claimed = idIn(value)
  if (claimed === id) return
  const isDamaged = value !== null && claimed === null
  if (!replace && (value !== null || (await hasNoneOf(await bucket.entries(), db))))
    throw new CodedError(
      'not-allowed',
      isDamaged
        ? `The servers no longer say which database is the history of team ${db.team}: what they have about it was changed.`
        : anotherDatabase(db.team, db.place),
      { hint: REPLACE_HINT },
    )
  const stored = await bucket.update(HISTORY_KEY, addChecksum(id, HISTORY_KEY), known?.revision ?? 0)
  // Another archiver has claimed it in the meantime.
  if (stored === null) await claimTeam(log, db, false)
}

/** Whether there are watermarks, and the database has nothing of any of their sessions: then they are of another one. */
async function hasNoneOf(watermarks: readonly BucketEntry[], db: Database): Promise<boolean> {
  const begun = watermarks.filter(({ key, value }) => (decodeWatermark(key, value)?.lastSeq ?? 0) > 0)
  if (begun.length === 0) return false
  const found = await db.rows(`SELECT 1 FROM ${db.schema}.session WHERE key = ANY($1) AND last_seq > 0 LIMIT 1`, [
    begun.map(({ key }) => key),
  ])
  return found.length === 0
}

/**
 * Claims the team again and again, because NATS can lose what it knew. Resolves with the refusal once another database has
 * become the history, and with null once `signal` aborts.
 */
export async function keepClaim(
  log: Pick<TeamLog, 'bucket'>,
  db: Database,
  clock: Clock,
  signal: AbortSignal,
): Promise<CodedError | null> {
  for (;;) {
    await waitUntil(clock, signal, CLAIM_EVERY_MS)
    if (signal.aborted) return null
    try {
      await claimTeam(log, db, false)
    } catch (thrown) {
      // Otherwise a server is away, which is reported elsewhere.
      if (thrown instanceof CodedError && thrown.code === 'not-allowed') return thrown
      if (!(thrown instanceof CodedError)) throw thrown
    }
  }
}
