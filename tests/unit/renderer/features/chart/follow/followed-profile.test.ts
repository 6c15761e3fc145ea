/** The trades that a chart's volume profiles read. */
import { describe, expect, it } from 'vitest'
import { followProfile } from '../../../../../../src/renderer/features/chart/follow/followed-profile.ts'
import { profileLegend, profileOf } from '../../../../../../src/renderer/charts/model/profile.ts'
import { rowOf } from '../../../../../../src/renderer/charts/model/series.ts'
import type { ProfileCells } from '../../../../../../src/renderer/charts/model/chart.ts'
import { PROFILE_RANGES, type ProfileRange } from '../../../../../../src/shared/core/market/indicators/table.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import { barsInView } from '../../../../../kit/bars-in-view.ts'
import { makeBar } from '../../../../../kit/market.ts'
import { TestTransport } from '../../../../../kit/transport.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const query = {
  view: 'live',
  instrument: instrumentId('crypto', 'BTC-USD'),
  label: 'BTC',
  of: 'trade',
  interval: '1h',
  ticks: false,
  eventBars: null,
} as const
const meter = { join: { by: 'event', ms: 0 }, explained: null, trades: 0 } as const
const coverage = { trades: 0, unknown: 0, unquoted: 0, gaps: 0, breaks: 0 }
const cellsAt = (row: number, buy: number) => ({ row: [row], buy: [buy], sell: [0], unknown: [0], count: [1] })
const columns = (startMs: readonly number[], row: number) => {
  const zeros = startMs.map(() => 0)
  const cells = startMs.map((_, i) => cellsAt(row, i + 1))
  return {
    startMs,
    buy: zeros,
    sell: zeros,
    unknown: zeros,
    leastDelta: zeros,
    mostDelta: zeros,
    vwap: zeros,
    squares: zeros,
    cells,
  }
}

function start(range: ProfileRange, more: Record<string, number> = {}) {
  const transport = new TestTransport().serve('flow', ({ fromMs, toMs, interval }) => ({
    reset: { fromMs, toMs },
    bars: columns(interval === null ? [fromMs] : [200 * HOUR, 201 * HOUR, 100 * HOUR], 50),
    coverage,
    meter,
  }))
  const { chart, visible, show, zoom } = barsInView(110)
  let shown: ProfileCells | null = null
  const following = followProfile(transport, { ...chart, setProfile: (_, next) => (shown = next) }, query, 2, {
    id: 'vp',
    values: { levels: 10, range: PROFILE_RANGES.indexOf(range), ...more },
  })
  return {
    transport,
    following,
    /** The profile that is drawn with these values. */
    drawn(values: Record<string, number> = {}) {
      const from = (visible().at(0)?.startMs ?? 0) / HOUR
      const rows = chart.barsBetween(-Infinity, Infinity).map(rowOf)
      return profileOf(rows, { from, to: from + visible().length }, { values }, shown, 'crypto')
    },
    visible,
    show,
    zoom,
    shown: () => shown,
    asked: () =>
      transport
        .argsOf('flow')
        .map(({ fromMs, toMs, interval }) => [fromMs / HOUR, toMs === null ? null : toMs / HOUR, interval]),
  }
}

describe('the profile of the visible range', () => {
  it('reads the bars around it, and sums those in view', () => {
    const { asked, show, shown, visible, drawn } = start('visible')
    expect(asked()).toEqual([[141, 280, '1h']])
    show(210, 240)
    expect(asked(), 'read already').toHaveLength(1)
    show(200, 220)
    const profile = drawn()
    expect(
      profile?.levels.map(({ buy }) => buy),
      'hour 100 is not in view',
    ).toEqual([3])
    // 10.00 in ten levels: rows of two.
    expect(shown()?.rows).toEqual({ decimals: 2, group: 200 })
    const sides = { meter, coverage, range: null }
    expect(profileLegend(profile, shown())).toEqual({ ofTrades: true, most: 101, area: [100, 102], sides })
    // The messages behind it are those of the bars in view.
    expect(shown()?.span(visible())).toEqual({ fromMs: 200 * HOUR, toMs: 220 * HOUR })
  })

  it('is made from bars until trades are read, and after a seek', () => {
    const { following, shown, drawn } = start('visible')
    following.cut(0)
    expect(shown()).toBeNull()
    expect(profileLegend(drawn(), shown())).toMatchObject({
      ofTrades: false,
      sides: null,
    })
  })
})

describe('the rows of a profile', () => {
  it('are chosen again once the prices in view change much', () => {
    const { transport, zoom } = start('visible')
    const groups = () => transport.argsOf('flow').map(({ rows }) => rows?.group)
    expect(groups()).toEqual([200])
    zoom(105)
    expect(groups()).toEqual([200])
    zoom(102)
    expect(groups()).toEqual([50])
  })
})

describe('other profiles', () => {
  it.each<[ProfileRange, Record<string, number>, readonly unknown[]]>([
    ['day', {}, [9 * 24, 240, null]],
    ['days', { days: 3 }, [7 * 24, 240, null]],
    ['marked', { from: 2 * DAY, to: 3 * DAY }, [48, 72, null]],
    ['anchor', { from: 2 * DAY }, [48, null, null]],
  ])('%s reads its range as a whole', (range, values, expected) => {
    const { asked, show, drawn } = start(range, values)
    expect(asked()).toEqual([expected])
    show(217, 237)
    expect(asked(), 'the same day').toEqual([expected])
    expect(drawn()?.levels.map(({ buy }) => buy)).toEqual([1])
  })

  it('follow the last day in view, up to now for the newest', () => {
    const { asked, show } = start('day')
    show(460, 480)
    expect(asked()).toEqual([[19 * 24, null, null]])
  })

  it.each<[ProfileRange, Record<string, number>]>([
    ['marked', { from: 5, to: 5 }],
    ['marked', {}],
    ['anchor', {}],
  ])('read nothing and draw nothing while their range isn’t set: %s %j', (range, values) => {
    const profile = start(range, values)
    expect(profile.asked()).toEqual([])
    expect(profile.drawn({ range: PROFILE_RANGES.indexOf(range), ...values })).toBeNull()
  })
})

describe('a profile made from bars', () => {
  /** A bar an hour; each day has a price level of its own, and twice the volume of the day before. */
  const hourly = Array.from({ length: 10 * 24 }, (_, hour) => {
    const day = Math.floor(hour / 24)
    const [low, high] = [100 * day, 100 * day + 10]
    return rowOf(makeBar({ startMs: hour * HOUR, lengthMs: HOUR, low, high, close: high, volume: 2 ** (10 - day) }))
  })
  // Days 2 to 6 are in view.
  const inView = { from: 2 * 24, to: 7 * 24 }
  const drawn = (range: ProfileRange, more: Record<string, number> = {}) =>
    profileOf(hourly, inView, { values: { range: PROFILE_RANGES.indexOf(range), ...more } }, null, 'crypto')

  it.each<[ProfileRange, Record<string, number>, readonly [number, number], number | null]>([
    ['visible', {}, [2, 6], null],
    ['day', {}, [6, 6], null],
    ['days', { days: 3 }, [4, 6], null],
    ['marked', { from: DAY, to: 4 * DAY }, [1, 3], DAY],
    ['anchor', { from: 5 * DAY }, [5, 9], 5 * DAY],
  ])('%s covers its range and no other bars in view', (range, more, [first, last], placedMs) => {
    const profile = drawn(range, more)
    expect([profile?.levels.at(0)?.from, profile?.levels.at(-1)?.to]).toEqual([100 * first, 100 * last + 10])
    const most = profile?.levels[profile.most]
    expect(most?.from, 'most was traded on its first day').toBeLessThan(100 * first + 10)
    expect(profile?.placedMs).toBe(placedMs)
  })
})
