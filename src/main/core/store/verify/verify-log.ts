/** Checks the files next to a store: the write-ahead log, the head, and backups made after a loss. */
import { sessionId } from '../../../../shared/base/units.ts'
import { describeMissingCommits, findMissingCommits, inspectLog } from '../wal/log-check.ts'
import { listLossFiles } from '../wal/recover-log.ts'
import type { Db } from '../schema/sqlite.ts'
import type { Report } from './checked-session.ts'

const STORE = sessionId('')

/** Reports committed transactions that are no longer readable. `isLive`: a writer may be working. */
export function checkLogFile(db: Db, isLive: () => boolean, report: Report): void {
  const store = db.name
  const { head, verdict } = inspectLog(store, isLive)
  if (verdict.is === 'corrupt') report(STORE, 'torn', `the write-ahead log ${store}-wal is corrupt`)
  if (verdict.is === 'cut') report(STORE, 'missing', `the write-ahead log ${store}-wal is truncated`)
  const cut = findMissingCommits(db, head)
  if (cut !== null) report(STORE, cut.is === 'other' ? 'changed' : 'missing', describeMissingCommits(cut))
  for (const file of listLossFiles(store))
    report(STORE, 'missing', `the store once lost its latest commits; what remained of them is in ${file}`)
}
