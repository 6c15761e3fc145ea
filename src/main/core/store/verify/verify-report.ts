/** Reports one difference found by verification. */
import type { Problem } from '../../../../shared/core/recording/recording.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'

export type Report = (
  session: RecordingId,
  kind: Problem['kind'],
  detail: string,
  where?: { readonly feed?: Problem['feed']; readonly atMs?: Problem['atMs'] },
) => void
