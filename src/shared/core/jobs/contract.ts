/** Long work that a window starts and watches: exports, imports, verification, compaction. */
import * as v from 'valibot'
import type { JobState } from './jobs.ts'
import { call, none, text } from '../../rpc/contract.ts'

export const JOB_CALLS = {
  /** Asks a job to end early; it says `cancelled` when it has. A job that has ended stays as it is. */
  'jobs.cancel': call<null>()(v.strictObject({ job: text(64) })),
  /** Takes an ended job off the list. */
  'jobs.dismiss': call<null>()(v.strictObject({ job: text(64) })),
} as const

export const JOB_STREAMS = {
  /** Every job that runs or has ended and was not dismissed, oldest first; at most so often as a window paints. */
  jobs: call<readonly JobState[]>()(none),
} as const
