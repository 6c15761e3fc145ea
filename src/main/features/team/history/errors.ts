/** What PostgreSQL and its client reject with, as sentences. */
import { CodedError, type ErrorCode } from '../../../../shared/base/errors.ts'
import { tlsFault } from '../tls-fault.ts'

/** SQLSTATE codes and classes (docs: PostgreSQL, appendix A) and Node's codes, most specific first. */
const KNOWN: readonly (readonly [prefix: string, code: ErrorCode, sentence: string, hint: string])[] = [
  ['28', 'unauthorized', 'refused the login', 'Check the user, and its password in PGPASSWORD or ~/.pgpass.'],
  ['3D000', 'not-found', 'has no such database', 'Create it with createdb, or correct the URL.'],
  [
    '42501',
    'forbidden',
    'doesn’t let this user do that',
    'Let the owner of the history grant this user the archiver or reader role of the team.',
  ],
  ['25006', 'server-error', 'is read-only', 'Connect to the primary server. Archiving resumes once it takes writes.'],
  ['53100', 'disk-full', 'has no space left on its disk', 'Free space there. Archiving resumes by itself.'],
  ['53300', 'busy', 'has no connection left', 'Raise its max_connections, or stop other clients.'],
  ['40', 'busy', 'rolled a transaction back', 'Try again.'],
  ['57P', 'offline', 'is shutting down or starting', 'Try again in a moment.'],
  ['08', 'offline', 'closed the connection', 'Check that PostgreSQL runs there.'],
]

const TLS_FAULT = /certificate|self.signed|altname|does not support SSL|no encryption|tls|ssl/i
const NETWORK = /^(E[A-Z]{4,}|ENOTFOUND)$/
const LOST = /connection terminated|connection ended|timeout|not queryable|Client was closed/i

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** Why a request to the database at `place` failed. */
export function historyError(thrown: unknown, place: string): CodedError {
  if (thrown instanceof CodedError) return thrown
  const code = codeOf(thrown)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const options = { cause: thrown }
  const known = /^[0-9A-Z]{5}$/.test(code) ? KNOWN.find(([prefix]) => code.startsWith(prefix)) : undefined
  // A server that wants TLS refuses the login, too.
  if (code.startsWith('28') && TLS_FAULT.test(message))
    return new CodedError('tls', `PostgreSQL at ${place} refused the connection: ${message}.`, {
      hint: 'Add ?sslmode=verify-full to its URL.',
      cause: thrown,
    })
  if (known !== undefined) {
    const [, is, sentence, hint] = known
    return new CodedError(is, `PostgreSQL at ${place} ${sentence}: ${message}.`, { ...options, hint })
  }
  if (NETWORK.test(code) || LOST.test(message))
    return new CodedError('offline', `Couldn’t reach PostgreSQL at ${place}.`, {
      ...options,
      hint: 'Check the address, and that PostgreSQL runs there.',
    })
  if (TLS_FAULT.test(`${code} ${message}`))
    return new CodedError('tls', `The connection to PostgreSQL at ${place} isn’t secure: ${tlsFault(message)}.`, {
      ...options,
      hint: 'Use the host name of its certificate, and name its authority with ?sslrootcert=FILE.',
    })
  return new CodedError('server-error', `PostgreSQL at ${place} refused a request: ${message}.`, options)
}
