/** Formats the time until a bar closes. Pure. */
import { t } from '../../../shared/base/text.ts'

/** Whether the bars are long enough for a countdown. For one-second bars it would always read "0:01". */
export const countsDown = ({ ticks, intervalMs }: { readonly ticks: boolean; readonly intervalMs: number }): boolean =>
  !ticks && intervalMs > 1_000

const two = (n: number): string => String(n).padStart(2, '0')

/** "0:07", "12:40", "3:05:10", "2d 04h". Empty once the time has passed, until the next record starts a bar. */
export function countdownText(ms: number): string {
  if (!(ms > 0)) return ''
  const seconds = Math.ceil(ms / 1_000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return t('{days}d {hours}h', { days: String(Math.floor(hours / 24)), hours: two(hours % 24) })
  if (hours > 0) return `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`
  return `${minutes}:${two(seconds % 60)}`
}
