/** Reasons to display while messages can't be stored on disk. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { Reason } from '../../../shared/core/status/status.ts'

/** A disk without a response for this long counts as not recording, ns. */
export const HUNG_NS = 5e9
export const HUNG: Reason = {
  code: 'disk-error',
  message: 'The disk hasn’t accepted any data for several seconds.',
  hint: 'Messages are waiting in memory. Check the disk; recording resumes automatically once it responds.',
  closeCode: null,
}

/** Why nothing is recorded: the writer's failure, or a slow disk. */
export function brokenBy(failure: Failure | null): Reason {
  const { code, hint } = failure ?? {}
  const isDisk = code === 'disk-full' || code === 'disk-error'
  return {
    code: failure?.code ?? 'disk-error',
    message: failure?.message ?? 'The disk is too slow for the incoming data, so recording has paused.',
    hint:
      hint === undefined
        ? 'Live data continues. Recording resumes automatically when the disk has caught up.'
        : `${hint}${isDisk ? ' Recording resumes automatically.' : ''}`,
    closeCode: null,
  }
}
