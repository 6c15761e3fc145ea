/** Assigns event markers to bars. Pure. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { upperBound } from '../../../shared/base/search.ts'

/** An event drawn below its bar. */
export interface ChartMarker {
  readonly kind: 'earnings' | 'news' | 'note'
  /** The time of the event, UTC ms; for a whole day its start. */
  readonly ms: number
  /** The event belongs to a day rather than an instant, and is drawn at that day's first bar. */
  readonly day: boolean
  readonly text: string
  readonly note?: string
}

/**
 * Markers by row index: the bar during which the event happened, or the first bar of its day. Events that no bar covers
 * (at night, in a gap, before the first bar) are omitted.
 */
export function placeMarkers(
  markers: readonly ChartMarker[],
  starts: readonly number[],
  intervalMs: number,
): ReadonlyMap<number, readonly ChartMarker[]> {
  const placed = new Map<number, ChartMarker[]>()
  for (const marker of markers) {
    const after = upperBound(starts, marker.ms)
    const covers = after > 0 && marker.ms < starts[after - 1] + intervalMs
    const within = marker.day && after < starts.length && starts[after] < marker.ms + DAY_MS
    const at = covers ? after - 1 : within ? after : -1
    if (at < 0) continue
    const there = placed.get(at)
    if (there === undefined) placed.set(at, [marker])
    else there.push(marker)
  }
  return placed
}
