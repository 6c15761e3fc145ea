/** The settings of updates. */
import * as v from 'valibot'
import { UPDATE_CHANNELS } from './updates.ts'
import { settingsSection } from '../../core/settings/settings.ts'

/** Updates of the installed app. */
const schema = v.object({
  /** Check periodically and download in the background. */
  check: v.fallback(v.boolean(), true),
  channel: v.fallback(v.picklist(UPDATE_CHANNELS), 'stable'),
})
export type UpdateSettings = v.InferOutput<typeof schema>
export const updateSettings = settingsSection('updates', schema)

declare module '../../core/settings/settings.ts' {
  interface Settings {
    updates: UpdateSettings
  }
}
