/** How long an alert can be put off. Pure. */
import type { AlertRow } from '../../../shared/features/alerts/types.ts'
import { Zone } from '../../text/zone.ts'
import { t } from '../../../shared/base/text.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** The first instant of the next day in a zone. */
export function tomorrowMs(nowMs: number, zone: Zone): number {
  const wall = (Math.floor(zone.wall(nowMs) / DAY) + 1) * DAY
  // Where clocks change in that night, the offset is that of its end; where midnight is left out, the day begins later.
  const at = wall - zone.offset(wall - zone.offset(nowMs))
  return zone.wall(at) < wall ? at + (wall - zone.wall(at)) : at
}

/** The choices of a menu; `run` gets an instant, UTC ms. */
export function snoozeEntries(nowMs: number, zone: string, run: (untilMs: number) => void): readonly MenuEntry[] {
  return [
    { text: t('Snooze for 5 minutes'), run: () => run(nowMs + 5 * MINUTE) },
    { text: t('Snooze for 15 minutes'), run: () => run(nowMs + 15 * MINUTE) },
    { text: t('Snooze for an hour'), run: () => run(nowMs + 60 * MINUTE) },
    { text: t('Snooze until tomorrow'), run: () => run(tomorrowMs(nowMs, new Zone(zone))) },
  ]
}

/** Whether there is something to put off. */
export const canSnooze = ({ enabled, state }: AlertRow): boolean =>
  enabled && state.is !== 'expired' && state.is !== 'elsewhere'
