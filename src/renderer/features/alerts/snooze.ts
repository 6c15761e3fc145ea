/** The snooze choices of alerts. Pure. */
import { DAY_MS, MINUTE_MS } from '../../../shared/base/durations.ts'
import type { AlertRow } from '../../../shared/features/alerts/types.ts'
import { Zone } from '../../text/zone.ts'
import { t } from '../../../shared/base/text.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'

/** The start of the next day in a zone, UTC ms. */
export function tomorrowMs(nowMs: number, zone: Zone): number {
  const wall = (Math.floor(zone.wall(nowMs) / DAY_MS) + 1) * DAY_MS
  // If the clocks change that night, use the offset at its end. If midnight is skipped, the day starts later.
  const at = wall - zone.offset(wall - zone.offset(nowMs))
  return zone.wall(at) < wall ? at + (wall - zone.wall(at)) : at
}

/** The menu entries. `run` receives the end of the snooze, UTC ms. */
export function snoozeEntries(nowMs: number, zone: string, run: (untilMs: number) => void): readonly MenuEntry[] {
  return [
    { text: t('Snooze for 5 minutes'), run: () => run(nowMs + 5 * MINUTE_MS) },
    { text: t('Snooze for 15 minutes'), run: () => run(nowMs + 15 * MINUTE_MS) },
    { text: t('Snooze for an hour'), run: () => run(nowMs + 60 * MINUTE_MS) },
    { text: t('Snooze until tomorrow'), run: () => run(tomorrowMs(nowMs, new Zone(zone))) },
  ]
}

/** Whether the alert can be snoozed. */
export const canSnooze = ({ enabled, state }: AlertRow): boolean =>
  enabled && state.is !== 'expired' && state.is !== 'elsewhere'
