import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_SLOTS, mergeBars, rowsOf } from '../../../../../src/renderer/charts/model/series.ts'
import type { GapSpan } from '../../../../../src/shared/core/status/status.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../kit/market.ts'

const MINUTE = 60_000
const bar = (minute: number, close = 100) => makeBar({ startMs: minute * MINUTE, close })
const gap = (from: number, to: number | null): GapSpan => ({
  feed: 'crypto/XT',
  cause: 'drop',
  fromMs: unixMs(from * MINUTE),
  toMs: to === null ? null : unixMs(to * MINUTE),
})

describe('rows of a chart', () => {
  it('leaves slots for the minutes that a closed gap swallowed', () => {
    const rows = rowsOf([bar(0), bar(5)], [gap(1, 5)], MINUTE)
    expect(rows.map((row) => [row.timestamp / MINUTE, row.bar !== null])).toEqual([
      [0, true],
      [1, false],
      [2, false],
      [3, false],
      [4, false],
      [5, true],
    ])
    expect(rows[1].close).toBeNaN()
  })

  it('invents nothing where simply nothing traded', () => {
    expect(rowsOf([bar(0), bar(5)], [], MINUTE)).toHaveLength(2)
  })

  it('never ends in a slot: an outage still going on adds none', () => {
    expect(rowsOf([bar(0), bar(1)], [gap(2, null)], MINUTE)).toHaveLength(2)
    expect(rowsOf([bar(0), bar(1)], [gap(2, 9)], MINUTE)).toHaveLength(2)
  })

  it('bounds the width of a long gap', () => {
    const rows = rowsOf([bar(0), bar(10_000)], [gap(1, 10_000)], MINUTE)
    expect(rows).toHaveLength(2 + MAX_SLOTS)
  })

  it('gives gaps between two bars by trades one slot, however long they lasted', () => {
    const short = (fromMs: number, toMs: number): GapSpan => ({
      ...gap(0, 1),
      fromMs: unixMs(fromMs),
      toMs: unixMs(toMs),
    })
    const bars = [0, 1_000, 2_000, 90_000].map((startMs) => makeBar({ startMs }))
    const times = (gaps: readonly GapSpan[]) => rowsOf(bars, gaps, 1).map(({ timestamp }) => timestamp)
    expect(times([short(1_100, 1_108)])).toEqual([0, 1_000, 1_100, 2_000, 90_000])
    // Gaps that touch, and those of another feed, in any order.
    expect(times([short(3_008, 89_000), short(3_000, 3_008), short(3_004, 3_005)])).toEqual([
      0, 1_000, 2_000, 3_000, 90_000,
    ])
    // None is before the first bar, or after the last.
    expect(times([short(-5, -1), short(90_001, 90_100)])).toEqual([0, 1_000, 2_000, 90_000])
  })

  it('is sorted, keeps every bar, and has each time once, whatever the gaps', () => {
    const minutes = fc.uniqueArray(fc.nat(500), { maxLength: 40 }).map((list) => list.sort((a, b) => a - b))
    const gaps = fc.array(
      fc.tuple(fc.double({ min: 0, max: 500, noNaN: true }), fc.double({ min: 0, max: 60, noNaN: true })),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(minutes, gaps, fc.constantFrom(MINUTE, 1), (starts, spans, intervalMs) => {
        const bars = starts.map((minute) => bar(minute))
        const rows = rowsOf(
          bars,
          spans.map(([from, length]) => gap(from, from + length)),
          intervalMs,
        )
        const times = rows.map((row) => row.timestamp)
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
        expect(rows.filter((row) => row.bar).map((row) => row.bar)).toEqual(bars)
        if (rows.length > 0) expect(rows[0].bar && rows[rows.length - 1].bar).toBeTruthy()
      }),
    )
  })
})

describe('updates to bars', () => {
  it('replace by start, append, and correct older bars in place', () => {
    const bars = [bar(0), bar(1), bar(3)]
    expect(mergeBars(bars, [bar(3, 7), bar(4)])).toBe('tail')
    expect(mergeBars(bars, [bar(1, 9), bar(2, 8)])).toBe('middle')
    expect(bars.map((b) => [b.startMs / MINUTE, b.close])).toEqual([
      [0, 100],
      [1, 9],
      [2, 8],
      [3, 7],
      [4, 100],
    ])
  })
})
