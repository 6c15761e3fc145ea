/** Which PostgreSQL database holds a history, and as whom to connect. Passwords never come from the command line. */
import { UsageError, type Option, type Values } from '../../../command-line/command.ts'

export const HISTORY_OPTION: Option = {
  type: 'string',
  value: 'postgres://…',
  help: 'The team’s history; passwords go into PGPASSWORD or ~/.pgpass',
}

/** A database. Passwords come from PGPASSWORD or ~/.pgpass, which the client reads itself. */
export interface HistoryTarget {
  /** Without a password. */
  readonly url: string
  /** `host:port/database`, for sentences. */
  readonly place: string
}

/** Reads `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`. Throws `UsageError`. */
export function readHistoryTarget(text: string): HistoryTarget {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw notPostgres()
  }
  // The password would be visible to every user of the machine.
  if (url.password !== '' || url.searchParams.has('password'))
    throw new UsageError('leave the password out of the PostgreSQL URL and put it into PGPASSWORD or ~/.pgpass')
  const database = decodeURIComponent(url.pathname.slice(1))
  if (!['postgres:', 'postgresql:'].includes(url.protocol) || url.hostname === '' || database === '')
    throw notPostgres()
  return { url: url.href, place: `${url.hostname}:${url.port || '5432'}/${database}` }
}

/** The text isn't repeated, because a password may be anywhere in it. */
const notPostgres = (): UsageError =>
  new UsageError('that isn’t the URL of a PostgreSQL database; write postgres://USER@HOST:PORT/DATABASE')

/** Reads `--history`. Throws UsageError. */
export function readHistory(values: Values): HistoryTarget {
  const text = values.text('history')
  if (text === undefined) throw new UsageError('name the team’s history with --history postgres://USER@HOST/DATABASE')
  return readHistoryTarget(text)
}
