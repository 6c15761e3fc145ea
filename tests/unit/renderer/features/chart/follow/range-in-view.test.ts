import { describe, expect, it } from 'vitest'
import {
  areRowsNear,
  contains,
  rangeAround,
} from '../../../../../../src/renderer/features/chart/follow/range-in-view.ts'
import { makeBar } from '../../../../../kit/market.ts'

const bars = Array.from({ length: 200 }, (_, i) => makeBar({ startMs: i * 60_000 }))
const chart = {
  barsBetween: (fromMs: number, toMs: number) => bars.filter(({ startMs }) => startMs >= fromMs && startMs < toMs),
}
const around = (from: number, to: number) => rangeAround(chart, bars.slice(from, to))
const at = (i: number): number => i * 60_000

describe('the range to read around the bars in view', () => {
  it('has up to sixty bars on each side', () => {
    expect(around(0, 0)).toBeNull()
    expect(around(100, 110)).toEqual({
      needed: { fromMs: at(100), toMs: at(110) },
      read: { fromMs: at(40), toMs: at(170) },
    })
    expect(around(20, 30)?.read).toEqual({ fromMs: at(0), toMs: at(90) })
  })
  it('has no end where the newest bars are near', () => {
    expect(around(130, 140)).toEqual({
      needed: { fromMs: at(130), toMs: at(140) },
      read: { fromMs: at(70), toMs: null },
    })
    expect(around(190, 200)?.needed).toEqual({ fromMs: at(190), toMs: null })
  })
})

it('contains what lies inside it; only a range without an end contains one', () => {
  const range = { fromMs: 10, toMs: 20 }
  expect(contains(range, { fromMs: 10, toMs: 20 })).toBe(true)
  expect(contains(range, { fromMs: 9, toMs: 20 })).toBe(false)
  expect(contains(range, { fromMs: 10, toMs: 21 })).toBe(false)
  expect(contains(range, { fromMs: 10, toMs: null })).toBe(false)
  expect(contains({ fromMs: 10, toMs: null }, { fromMs: 10, toMs: null })).toBe(true)
  expect(contains({ fromMs: 10, toMs: null }, range)).toBe(true)
})

it('accepts rows up to a factor too high or too low', () => {
  const rows = { decimals: 2, group: 10 }
  expect([4, 5, 10, 25, 26].map((group) => areRowsNear(rows, group, 2.5))).toEqual([true, true, true, true, false])
  expect(areRowsNear(rows, 3, 2.5)).toBe(false)
  expect(areRowsNear(null, 10, 2.5)).toBe(false)
})
