/** Which settings a window may change by itself. */
import type { SettingsPatch } from '../../../shared/core/settings/settings.ts'

/** The account is changed by connecting and disconnecting only: a patch may not point recordings elsewhere. */
export function allowedPatch(patch: SettingsPatch): SettingsPatch {
  const { account, recording, ...rest } = patch
  const { allowSharding, plan } = account ?? {}
  const kept = {
    ...(allowSharding === undefined ? {} : { allowSharding }),
    ...(plan === undefined ? {} : { plan }),
  }
  const { enabled: _through, ...wishes } = recording ?? {}
  return {
    ...rest,
    ...(Object.keys(kept).length === 0 ? {} : { account: kept }),
    ...(Object.keys(wishes).length === 0 ? {} : { recording: wishes }),
  }
}
