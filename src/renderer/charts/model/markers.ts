/** Events on a chart: which bar each belongs to. Pure. */

/** An event that is drawn at the foot of its bar. */
export interface ChartMarker {
  readonly kind: 'earnings' | 'news'
  /** UTC ms; of a whole day its start. */
  readonly ms: number
  /** Of a day rather than an instant: it stands at the first bar of that day. */
  readonly day: boolean
  readonly text: string
}

const DAY = 86_400_000

/**
 * The row of each marker by index: the bar during which it happened, or for a day its first bar. What
 * no bar covers (a night, a gap, before the first) is not drawn elsewhere: it is left out.
 */
export function placeMarkers(
  markers: readonly ChartMarker[],
  starts: readonly number[],
  intervalMs: number,
): ReadonlyMap<number, readonly ChartMarker[]> {
  const placed = new Map<number, ChartMarker[]>()
  for (const marker of markers) {
    const after = firstAfter(starts, marker.ms)
    const covers = after > 0 && marker.ms < starts[after - 1] + intervalMs
    const within = marker.day && after < starts.length && starts[after] < marker.ms + DAY
    const at = covers ? after - 1 : within ? after : -1
    if (at < 0) continue
    const there = placed.get(at)
    if (there === undefined) placed.set(at, [marker])
    else there.push(marker)
  }
  return placed
}

/** Index of the first start after `ms`. */
function firstAfter(starts: readonly number[], ms: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle] <= ms) low = middle + 1
    else high = middle
  }
  return low
}
