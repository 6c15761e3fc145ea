/** The time zone setting: `UTC`, an IANA name, `local`, or `exchange` (each market's own zone). */
import type { AssetClass } from '../../shared/base/units.ts'
import { t } from '../../shared/base/text.ts'
import { knownZone, systemZone, zonePlace } from './zone-time.ts'

/** Resolves the setting to an IANA zone. `exchange` is New York for stocks and forex, and UTC for crypto. */
export function zoneOf(setting: string, asset: AssetClass | undefined): string {
  if (setting === 'local') return systemZone()
  if (setting === 'exchange') return asset === 'stocks' || asset === 'forex' ? 'America/New_York' : 'UTC'
  return knownZone(setting) ? setting : 'UTC'
}

export function zoneLabel(setting: string): string {
  if (setting === 'local') return t('Local ({zonePlace})', { zonePlace: zonePlace(systemZone()) })
  if (setting === 'exchange') return t('Exchange')
  return setting === 'UTC' ? 'UTC' : zonePlace(setting)
}
