/** What the user can do about a failed request. */
import { DAY_MS, MINUTE_MS } from '../../../../shared/base/durations.ts'
import type { ErrorCode, Failure } from '../../../../shared/base/errors.ts'
import { t } from '../../../../shared/base/text.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'
import { twoUnits } from '../../../text/lengths.ts'
import { timeText } from '../../../text/zone-time.ts'

/** The button offered for a failure. `isAgain`: it only requests the same again. */
export function remedyOf(
  app: WindowState,
  code: ErrorCode | undefined,
  again: () => void,
): { readonly label: string; readonly run: () => void; readonly isAgain: boolean } {
  if (code === 'no-key' || code === 'unauthorized')
    return { label: t('Connect your account'), run: () => void (app.dialog = 'connect'), isAgain: false }
  if (code === 'budget') return { label: t('Settings'), run: () => app.openSettings('research'), isAgain: false }
  return { label: code === 'coming-soon' ? t('Request again') : t('Try again'), run: again, isAgain: true }
}

/** The hint of a failure. A wait counts down and is shown in `zone`. `nowMs`: UTC ms. */
export function failureHint({ hint = '', notBeforeMs }: Failure, nowMs: number, zone: string): string {
  if (notBeforeMs === undefined) return hint
  const left = notBeforeMs - nowMs
  if (left <= 0) return t('You can request it again now.')
  return t('The service asks to wait until {time} ({length}).', {
    time: timeText(notBeforeMs, zone, left > DAY_MS / 2 ? 'stamp' : 'minute'),
    length: twoUnits(left < MINUTE_MS ? Math.ceil(left / 1_000) * 1_000 : Math.ceil(left / MINUTE_MS) * MINUTE_MS),
  })
}
