/** What is said of a disk that does not take what arrives. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { Reason } from '../../../shared/core/status/status.ts'

/** A disk that has answered neither well nor ill for so long is not recording. */
export const HUNG_NS = 5e9
export const HUNG: Reason = {
  code: 'disk-error',
  message: 'The disk has taken nothing for several seconds.',
  hint: 'What arrives waits in memory. Check the disk; recording resumes by itself when it answers.',
  closeCode: null,
}

/** Why nothing is recorded: what the writer told, or else that the disk is too slow. */
export function brokenBy(trouble: Failure | null): Reason {
  return {
    code: trouble?.code ?? 'disk-error',
    message: trouble?.message ?? 'The disk is too slow for what arrives: recording has stopped for now.',
    hint: trouble?.hint ?? 'Live data continues. Recording resumes automatically when the disk has caught up.',
    closeCode: null,
  }
}
