/** Finds the session that an option names. */
import { CodedError } from '../../shared/base/errors.ts'
import type { SessionRow } from '../../shared/core/recording/session.ts'

/** How an option names a session, for help. */
export const SESSION_HELP = 'its ID, the start of one, or latest'

const LIST_HINT = '"tapedeck sessions" lists them.'
const MAX_LISTED = 5

/**
 * The session named by its ID, the start of only one ID, or `latest`: the one that started last and isn't in the bin.
 * Throws CodedError `not-found`, or `usage` if several IDs start so.
 */
export function findSession<Row extends Pick<SessionRow, 'session' | 'startedMs' | 'binnedMs'>>(
  rows: readonly Row[],
  text: string,
): Row {
  const wanted = text.toLowerCase()
  if (wanted === 'latest') {
    const [first, ...others] = rows.filter(({ binnedMs }) => binnedMs === null)
    if (first === undefined && rows.length > 0)
      throw new CodedError('not-found', 'Every session is in the bin.', { hint: `Name one by its ID; ${LIST_HINT}` })
    if (first === undefined) throw new CodedError('not-found', 'No sessions recorded yet.')
    return others.reduce((latest, row) => (row.startedMs > latest.startedMs ? row : latest), first)
  }
  const found = rows.filter(({ session }) => session.toLowerCase().startsWith(wanted))
  const exact = found.find(({ session }) => session.toLowerCase() === wanted)
  if (exact !== undefined) return exact
  const [first, ...others] = wanted === '' ? [] : found
  if (first === undefined) throw new CodedError('not-found', `There is no session ${text}.`, { hint: LIST_HINT })
  if (others.length === 0) return first
  const listed = found.slice(0, MAX_LISTED).map(({ session }) => session)
  const more = found.length > MAX_LISTED ? `, and ${found.length - MAX_LISTED} more` : ''
  throw new CodedError('usage', `Several sessions start with ${text}: ${listed.join(', ')}${more}.`, {
    hint: 'Type more of the ID.',
  })
}
