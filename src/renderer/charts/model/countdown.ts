/** Time until something closes, as short as it can be said. Pure. */
import { t } from '../../../shared/base/text.ts'

/** Whether a chart's bars close slowly enough for their end to be waited for: of a second's it would always be "0:01". */
export const countsDown = ({ ticks, intervalMs }: { readonly ticks: boolean; readonly intervalMs: number }): boolean =>
  !ticks && intervalMs > 1_000

const two = (n: number): string => String(n).padStart(2, '0')

/** "0:07", "12:40", "3:05:10", "2d 04h"; empty once it has passed: the next record decides what comes. */
export function countdownText(ms: number): string {
  if (!(ms > 0)) return ''
  const seconds = Math.ceil(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return t('{days}d {hours}h', { days: String(Math.floor(hours / 24)), hours: two(hours % 24) })
  if (hours > 0) return `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`
  return `${minutes}:${two(seconds % 60)}`
}
