/** The snooze choices of alerts. Pure. */
import type { AlertRow } from '../../../shared/features/alerts/types.ts'
import { Zone } from '../../text/zone.ts'
import { t } from '../../../shared/base/text.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** The start of the next day in a zone, UTC ms. */
export function tomorrowMs(nowMs: number, zone: Zone): number {
  const wall = (Math.floor(zone.wall(nowMs) / DAY) + 1) * DAY
  // If the clocks change that night, use the offset at its end. If midnight is skipped, the day starts later.
  const at = wall - zone.offset(wall - zone.offset(nowMs))
  return zone.wall(at) < wall ? at + (wall - zone.wall(at)) : at
}

/** The menu entries. `run` receives the end of the snooze, UTC ms. */
export function snoozeEntries(nowMs: number, zone: string, run: (untilMs: number) => void): readonly MenuEntry[] {
  return [
    { text: t('Snooze for 5 minutes'), run: () => run(nowMs + 5 * MINUTE) },
    { text: t('Snooze for 15 minutes'), run: () => run(nowMs + 15 * MINUTE) },
    { text: t('Snooze for an hour'), run: () => run(nowMs + 60 * MINUTE) },
    { text: t('Snooze until tomorrow'), run: () => run(tomorrowMs(nowMs, new Zone(zone))) },
  ]
}

/** Whether the alert can be snoozed. */
export const canSnooze = ({ enabled, state }: AlertRow): boolean =>
  enabled && state.is !== 'expired' && state.is !== 'elsewhere'
