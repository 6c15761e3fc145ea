/** Whether sessions belong to the live market. */
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'

/** Whether a session was recorded from the source of the live market. */
export function isOfSource(
  row: Pick<SessionRow, 'source'>,
  { source, origin }: Pick<StatusState, 'source' | 'origin'>,
) {
  return source === 'demo' ? row.source === 'demo' : row.source.endsWith(`@${origin}`)
}
