/** Moving the store into another folder. */
import * as v from 'valibot'
import type { JobId } from '../../core/jobs/jobs.ts'
import { call, text } from '../../rpc/contract.ts'

/** What moving the store answers, as the job's result. */
export interface StoreMoved {
  readonly path: string
  readonly bytes: number
  /** Something of the old one could not be removed. */
  readonly leftovers: boolean
}

export const MOVE_CALLS = {
  /**
   * Moves the store into another folder, as a job; its result is a `StoreMoved`. Fails at once where the folder is none or
   * has too little room (`disk-full`), and with `busy` while other work or a replay goes on.
   */
  'store.move': call<JobId>()(v.strictObject({ folder: v.pipe(text(4_096), v.trim(), v.minLength(1)) })),
} as const
