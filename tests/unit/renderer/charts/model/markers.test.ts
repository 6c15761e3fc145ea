import { describe, expect, it } from 'vitest'
import { placeMarkers, type ChartMarker } from '../../../../../src/renderer/charts/model/markers.ts'

const MINUTE = 60_000
const DAY = Date.UTC(2026, 0, 29)
const news = (ms: number): ChartMarker => ({ kind: 'news', ms, day: false, text: 'a story' })
const report = (ms: number): ChartMarker => ({ kind: 'earnings', ms, day: true, text: 'a report' })
const places = (markers: readonly ChartMarker[], starts: readonly number[], interval: number) =>
  [...placeMarkers(markers, starts, interval)].map(([index, list]) => [index, list.length])

describe('marks on a chart', () => {
  const open = DAY + 14.5 * 3_600_000
  const minutes = [open, open + MINUTE, open + 5 * MINUTE]

  it('stand at the bar during which a story came, and nowhere if no bar covers it', () => {
    expect(places([news(open + MINUTE)], minutes, MINUTE)).toEqual([[1, 1]])
    expect(places([news(open + 2 * MINUTE - 1)], minutes, MINUTE)).toEqual([[1, 1]])
    expect(places([news(open + 2 * MINUTE)], minutes, MINUTE)).toEqual([])
    expect(places([news(open - 1), news(open + 60 * MINUTE)], minutes, MINUTE)).toEqual([])
  })
  it('of a day stand at its first bar, not at one of another day', () => {
    expect(places([report(DAY)], minutes, MINUTE)).toEqual([[0, 1]])
    expect(places([report(DAY - 86_400_000), report(DAY + 86_400_000)], minutes, MINUTE)).toEqual([])
    expect(places([report(DAY)], [DAY - 86_400_000, DAY], 86_400_000)).toEqual([[1, 1]])
  })
  it('share a bar, and there may be no bar at all', () => {
    expect(places([news(open), news(open + 1), report(DAY)], minutes, MINUTE)).toEqual([[0, 3]])
    expect(places([news(open)], [], MINUTE)).toEqual([])
  })
})
