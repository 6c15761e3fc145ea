/** Moving the store into another folder. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { call } from '../../rpc/contract.ts'

export interface StoreMoved {
  readonly path: string
  readonly bytes: number
  /** Part of the old store couldn't be removed. */
  readonly leftovers: boolean
}

export const MOVE_CALLS = {
  /**
   * Starts a job that moves the store into another folder. The result is a `StoreMoved`. Fails immediately if the
   * folder doesn't exist or lacks space (`disk-full`), and with `busy` while another job or a replay runs.
   */
  'store.move': call<JobId>()(v.strictObject({ folder: v.pipe(text(4_096), v.trim(), v.minLength(1)) })),
} as const
