/** The settings as a feature: read once, changed by windows, and filtered by safe mode. */
import { SETTINGS_CALLS, SETTINGS_STREAMS } from '../../../shared/core/settings/contract.ts'
import type { Settings, SettingsPatch } from '../../../shared/core/settings/settings.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { log } from '../log/feature.ts'
import { safeSettings, type SafeSettings } from './safe-settings.ts'
import { allowedPatch } from './settings-patch.ts'
import { createSettingsStore, settingsFile, isNew } from './settings.ts'

export interface SettingsService extends SafeSettings {
  /** Nothing was stored before this start. */
  readonly isFirstRun: boolean
  /** Stores a window's change. Resolves once every listener has applied it. */
  change(patch: SettingsPatch): Promise<Settings>
  /** `act` runs on every `change`, before it resolves. */
  onPatch(act: (patch: SettingsPatch) => Promise<void>): void
}

export const settings = defineFeature({
  name: 'settings',
  needs: { log },
  start({ log }, { dataDir, safe, sections }) {
    const file = settingsFile(dataDir)
    const isFirstRun = isNew(file)
    const store = safeSettings(createSettingsStore(file, sections), safe === true, sections)
    if (store.problem !== null) log.notice('settings', store.problem)
    const streams = wholeStreams(() => store.get())
    store.onChange(() => streams.changed())
    const acts: ((patch: SettingsPatch) => Promise<void>)[] = []
    const service: SettingsService = {
      problem: store.problem,
      get: () => store.get(),
      set: (patch) => store.set(patch),
      onChange: (listener) => store.onChange(listener),
      get safe() {
        return store.safe
      },
      enter: () => store.enter(),
      leave: () => store.leave(),
      isFirstRun,
      async change(patch) {
        store.set(allowedPatch(patch))
        for (const act of acts) await act(patch)
        return store.get()
      },
      onPatch: (act) => void acts.push(act),
    }
    return {
      service,
      responders: [
        ...respond(SETTINGS_CALLS, {
          'settings.get': () => store.get(),
          'settings.set': ({ patch }) => service.change(patch),
        }),
        ...stream(SETTINGS_STREAMS, { settings: (_args, wake) => streams.open(wake) }),
      ],
    }
  },
})
