/** Recorded sessions as a library: what the user says of them, the bin, compaction, sessions as files. */
import * as v from 'valibot'
import type { JobId } from '../../core/jobs/jobs.ts'
import type { SessionRow, VerifyReport } from '../../core/recording/recording.ts'
import { recordingId } from '../../base/units.ts'
import { call, none, text } from '../../rpc/contract.ts'

const session = v.pipe(text(64), v.transform(recordingId))
const sessions = v.pipe(v.array(session), v.minLength(1), v.maxLength(10_000))

/** Longest notes of a session, in characters. */
export const MOST_NOTES = 20_000

/** What packing a session answers, as the job's result. */
export interface PackageDone {
  readonly file: string
  readonly messages: number
  readonly bytes: number
  readonly sha256: string
}

export const LIBRARY_CALLS = {
  'sessions.list': call<readonly SessionRow[]>()(none),
  'sessions.verify': call<VerifyReport>()(v.strictObject({ session: v.nullable(text(64)) })),
  /** Changes what is given. Fails with `not-found`. */
  'sessions.annotate': call<null>()(
    v.strictObject({
      session,
      name: v.optional(v.pipe(text(120), v.trim())),
      notes: v.optional(text(MOST_NOTES)),
      tags: v.optional(v.pipe(v.array(v.pipe(text(40), v.trim(), v.minLength(1))), v.maxLength(50))),
      pinned: v.optional(v.boolean()),
    }),
  ),
  /** Into the bin or out of it, all or none. Fails with `not-allowed` for what is being recorded. */
  'sessions.bin': call<null>()(v.strictObject({ sessions, binned: v.boolean() })),
  /** For good; a tombstone stays in the store's log. Only what is in the bin: fails with `not-allowed` else. */
  'sessions.erase': call<null>()(v.strictObject({ sessions })),
  /** Merges partial blocks and gives free room back to the disk, as a job. Fails with `busy` while one runs. */
  'sessions.compact': call<JobId>()(none),
  /**
   * Writes a session as one file, as a job; its result is a `PackageDone`. Fails at once where the name is none,
   * the folder is not there, or a file is in the way and `replace` is not set.
   */
  'sessions.package': call<JobId>()(
    v.strictObject({ session, folder: text(4_096), name: text(255), replace: v.boolean() }),
  ),
} as const
