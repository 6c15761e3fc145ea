/** The time ranges that the review page covers. */
import { HOUR_MS } from '../../../shared/base/durations.ts'
import type { Result } from '../../../shared/base/errors.ts'
import type { Span } from '../../../shared/base/spans.ts'
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { isOfSource } from '../../core/market/of-source.ts'

export const REVIEW_RANGES = [
  ['session', t('Session')],
  ['hour', t('Last hour')],
  ['day', t('Last 24 hours')],
] as const
/** `marked`: a range chosen on a chart. */
export type ReviewRange = (typeof REVIEW_RANGES)[number][0] | 'marked'

const LENGTHS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const

/**
 * Returns a time range up to the view's clock, UTC ms. The session is the replay's, or the one being recorded, or else
 * the last one. `marked` is the range chosen on a chart. Null if there is none; a failure if the sessions can't be listed.
 */
export async function rangeOf(
  range: ReviewRange,
  app: Pick<WindowState, 'transport' | 'clockMs' | 'replaying' | 'status'>,
  marked: Span | null = null,
): Promise<Result<Span | null>> {
  // The range includes the clock's instant.
  const toMs = Math.ceil(app.clockMs) + 1
  if (range === 'marked') {
    if (marked === null) return { ok: true, value: null }
    const { fromMs } = marked
    // A forming bar ends after the clock. A range that begins after it is left to the terminal to refuse.
    return { ok: true, value: { fromMs, toMs: Math.max(fromMs + 1, Math.min(marked.toMs, toMs)) } }
  }
  if (range !== 'session') return { ok: true, value: { fromMs: toMs - LENGTHS[range], toMs } }
  if (app.replaying !== null) return { ok: true, value: { fromMs: app.replaying.fromMs, toMs } }
  const { status } = app
  if (status === undefined) return { ok: true, value: null }
  const result = await app.transport.invoke('sessions.list', {})
  if (!result.ok) return result
  const mine = result.value.filter((row) => row.binnedMs === null && isOfSource(row, status))
  const latest = mine.reduce<(typeof mine)[number] | null>(
    (best, row) => (best === null || row.startedMs > best.startedMs ? row : best),
    null,
  )
  const value =
    latest === null ? null : { fromMs: latest.startedMs, toMs: latest.endedMs === null ? toMs : latest.endedMs + 1 }
  return { ok: true, value }
}
