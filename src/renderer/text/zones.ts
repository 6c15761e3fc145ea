/** Which zone times are shown in: `UTC`, an IANA name, `local`, or `exchange` (each market's own). */
import type { AssetClass } from '../../shared/base/units.ts'
import { t } from '../../shared/base/text.ts'
import { knownZone, systemZone, zonePlace } from './zone-time.ts'

/** The IANA zone of the setting. `exchange`: New York for stocks and forex (whose day ends there), UTC for crypto. */
export function zoneOf(setting: string, asset: AssetClass | undefined): string {
  if (setting === 'local') return systemZone()
  if (setting === 'exchange') return asset === 'stocks' || asset === 'forex' ? 'America/New_York' : 'UTC'
  return knownZone(setting) ? setting : 'UTC'
}

/** How the setting is called on screen. */
export function zoneLabel(setting: string): string {
  if (setting === 'local') return t('Local ({zonePlace})', { zonePlace: zonePlace(systemZone()) })
  if (setting === 'exchange') return t('Exchange')
  return setting === 'UTC' ? 'UTC' : zonePlace(setting)
}
