/** Long-running work that a window starts and watches: exports, imports, verification, compaction. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import type { JobState } from './jobs.ts'
import { call, none } from '../../rpc/contract.ts'

export const JOB_CALLS = {
  /** Asks a job to stop. Its state becomes `cancelled` once it has. Has no effect on a finished job. */
  'jobs.cancel': call<null>()(v.strictObject({ job: text(64) })),
  /** Removes a finished job from the list. */
  'jobs.dismiss': call<null>()(v.strictObject({ job: text(64) })),
} as const

export const JOB_STREAMS = {
  /** Every job that hasn't been dismissed, oldest first. Sent at most once per frame. */
  jobs: call<readonly JobState[]>()(none),
} as const
