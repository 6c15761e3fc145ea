/** Takes the time zone and number formats from the system at the first start and notifies the user once. */
import type { SettingsPatch } from '../../../shared/core/settings/settings.ts'
import type { AppInfo } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
import { systemZone, zonePlace } from '../../text/zone-time.ts'
import type { Toasts } from '../../ui/toasts.svelte.ts'
import type { DockRoute } from './window-route.ts'
import type { SettingsState } from './settings.svelte.ts'

/** The part of a window that this module uses. */
export interface FirstWindow {
  readonly info: AppInfo | undefined
  readonly route: DockRoute
  readonly settings: Pick<SettingsState, 'ready' | 'now'>
  readonly toasts: Pick<Toasts, 'show'>
  set(patch: SettingsPatch): void
  openSettings(tab: string): void
}

/** Other names of the default zone. */
const UTC_NAMES = new Set(['UTC', 'Etc/UTC', 'GMT', 'Etc/GMT', 'Universal', 'Zulu'])

/**
 * How a system's IANA zone and BCP 47 language change the default settings; empty if they don't. American English
 * changes nothing: unconfigured systems report it too, and its number format is the default.
 */
export function systemLook(zone: string, language: string): Pick<SettingsPatch, 'zone' | 'numbers' | 'dates'> {
  return {
    ...(zone === '' || UTC_NAMES.has(zone) ? {} : { zone: 'local' }),
    ...(language === '' || language === 'en-US' ? {} : { numbers: 'system', dates: 'system' }),
  }
}

/** At the first start, applies the system's zone and language once the settings arrived. Returns a stop function. */
export function takeSystemLook(app: FirstWindow): () => void {
  if (app.info?.firstRun !== true || app.info.safe === true || app.route.window !== undefined) return () => {}
  return $effect.root(() => {
    $effect(() => {
      const { ready, now } = app.settings
      if (!ready || now.help.looksTaken) return
      const zone = systemZone()
      const look = systemLook(zone, navigator.language)
      if (Object.keys(look).length === 0) return
      app.set({ ...look, help: { looksTaken: true } })
      const notes = [
        ...(look.zone === undefined
          ? []
          : [t('Times are shown in your time zone, {zone}.', { zone: zonePlace(zone) })]),
        ...(look.numbers === undefined ? [] : [t('Numbers and dates use your system’s format.')]),
      ]
      const tab = look.zone === undefined ? 'numbers' : 'zone'
      app.toasts.show(notes.join(' '), { action: { label: t('Change'), run: () => app.openSettings(tab) } })
    })
  })
}
