/** The library of recorded sessions: names and notes, the bin, compaction, sessions as files. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import type { SessionRow, VerifyReport } from '../../core/recording/session.ts'
import { sessionId } from '../../base/units.ts'
import { call, none } from '../../rpc/contract.ts'

const session = v.pipe(text(64), v.transform(sessionId))
const sessions = v.pipe(v.array(session), v.minLength(1), v.maxLength(10_000))

/** The most characters in the notes of a session. */
export const MAX_NOTES = 20_000

/** The result of packing a session into a file. */
export interface PackageDone {
  readonly file: string
  readonly messages: number
  readonly bytes: number
  /** Of the complete file. */
  readonly sha256: string
}

export const LIBRARY_CALLS = {
  'sessions.list': call<readonly SessionRow[]>()(none),
  'sessions.verify': call<VerifyReport>()(v.strictObject({ session: v.nullable(text(64)) })),
  /** Changes the given fields. Fails with `not-found`. */
  'sessions.annotate': call<null>()(
    v.strictObject({
      session,
      name: v.optional(v.pipe(text(120), v.trim())),
      notes: v.optional(text(MAX_NOTES)),
      tags: v.optional(v.pipe(v.array(v.pipe(text(40), v.trim(), v.minLength(1))), v.maxLength(50))),
      pinned: v.optional(v.boolean()),
    }),
  ),
  /** Moves sessions into or out of the bin, all or none. Fails with `not-allowed` for one that is being recorded. */
  'sessions.bin': call<null>()(v.strictObject({ sessions, binned: v.boolean() })),
  /**
   * Erases sessions for good; a tombstone stays in the store's log. Fails with `not-allowed` unless all are in the bin.
   */
  'sessions.erase': call<null>()(v.strictObject({ sessions })),
  /** Starts a job that merges partial blocks and returns free space to the disk. Fails with `busy` while one runs. */
  'sessions.compact': call<JobId>()(none),
  /**
   * Starts a job that writes a session as one file. The result is a `PackageDone`. Fails immediately if the name is
   * invalid, the folder doesn't exist, or the file exists and `replace` isn't set.
   */
  'sessions.package': call<JobId>()(
    v.strictObject({ session, folder: text(4_096), name: text(255), replace: v.boolean() }),
  ),
} as const
