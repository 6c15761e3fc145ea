/** The settings, shared by every host and window. */
import * as v from 'valibot'
import { call, none } from '../../rpc/contract.ts'
import type { Settings, SettingsPatch } from './settings.ts'

export const SETTINGS_CALLS = {
  'settings.get': call<Settings>()(none),
  /** Merges, validates and stores a patch. Returns all settings. */
  'settings.set': call<Settings>()(
    v.strictObject({ patch: v.custom<SettingsPatch>((x) => typeof x === 'object' && x !== null && !Array.isArray(x)) }),
  ),
} as const

export const SETTINGS_STREAMS = { settings: call<Settings>()(none) } as const
