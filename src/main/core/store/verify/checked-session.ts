/** The session being verified: how its checks read it, and how they report what they find. */
import type { Problem } from '../../../../shared/core/recording/session.ts'
import { sessionId, unixMs, type FeedId, type SessionId } from '../../../../shared/base/units.ts'
import type { StoredSession } from '../schema/records.ts'
import type { Db } from '../schema/sqlite.ts'

export type Report = (
  session: SessionId,
  kind: Problem['kind'],
  detail: string,
  where?: { readonly feed?: Problem['feed']; readonly atMs?: Problem['atMs'] },
) => void

/** Thrown if a session is erased during its verification. */
export class ErasedDuringCheck extends Error {}

export class CheckedSession {
  readonly db: Db
  readonly row: StoredSession
  readonly key: SessionId
  readonly #report: Report

  constructor(db: Db, row: StoredSession, report: Report) {
    this.db = db
    this.row = row
    this.key = sessionId(row.key)
    this.#report = report
  }

  /** Runs a short read. Throws ErasedDuringCheck if the session is gone. */
  read<T>(run: () => T): T {
    return this.db
      .transaction(() => {
        const { id, key } = this.row
        if (this.db.prepare('SELECT 1 FROM recording WHERE id = ? AND key = ?').get(id, key) === undefined)
          throw new ErasedDuringCheck()
        return run()
      })
      .deferred()
  }

  /** Reports a problem. `atMs`: UTC ms. */
  problem(kind: Parameters<Report>[1], detail: string, feed?: FeedId, atMs?: number): void {
    this.#report(this.key, kind, detail, { feed: feed ?? null, atMs: atMs === undefined ? null : unixMs(atMs) })
  }
}
