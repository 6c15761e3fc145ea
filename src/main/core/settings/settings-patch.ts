/** Which settings a window may change by itself. */
import type { SettingsPatch } from '../../../shared/core/settings/settings.ts'

/**
 * Removes the fields that only connecting or disconnecting may change: a patch must not redirect what is recorded to another
 * account.
 */
export function allowedPatch(patch: SettingsPatch): SettingsPatch {
  const { account, recording, ...rest } = patch
  const { allowSharding, plan } = account ?? {}
  const allowedAccount = {
    ...(allowSharding === undefined ? {} : { allowSharding }),
    ...(plan === undefined ? {} : { plan }),
  }
  const { enabled: _through, ...allowedRecording } = recording ?? {}
  return {
    ...rest,
    ...(Object.keys(allowedAccount).length === 0 ? {} : { account: allowedAccount }),
    ...(Object.keys(allowedRecording).length === 0 ? {} : { recording: allowedRecording }),
  }
}
