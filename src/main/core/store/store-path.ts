/** Resolves the store a command works on. */
import { resolve } from 'node:path'
import { defaultStorePath } from '../settings/paths.ts'
import { createSettingsStore, settingsFile } from '../settings/settings.ts'
import type { Context, Values } from '../../command-line/command.ts'

/**
 * The `--store` option, or the path from the settings, or the app's default. Absolute unless the settings say
 * otherwise.
 */
export function storePath(values: Values, { dataDir }: Context): string {
  const given = values.text('store')
  if (given !== undefined) return resolve(given)
  return createSettingsStore(settingsFile(dataDir)).get().recording.storePath || defaultStorePath(dataDir)
}
