import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  agreementOf,
  compareBars,
  countVerdicts,
  joinVerdicts,
  type Circumstances,
} from '../../../../../src/shared/features/evidence/agreement.ts'
import { fixedGrid, toBar } from '../../../../../src/shared/core/market/bars.ts'
import { createBarBuilder } from '../../../../../src/shared/core/market/bar-builder.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { makeBar, type BarParts } from '../../../../kit/market.ts'

const about: Circumstances = { startMs: 0, ticksWhole: true, barsWhole: true, over: true, volumes: true }
const bar = (parts: BarParts = {}): Bar =>
  makeBar({ open: 10, high: 12, low: 9, close: 11, volume: 3.5, count: 7, ...parts })

const trades = fc.array(
  fc.record({
    ms: fc.integer({ min: 0, max: 59_999 }),
    price: fc.integer({ min: 1, max: 500 }).map((n) => n / 100),
    size: fc.integer({ min: 1, max: 1_000_000 }).map((n) => n / 10_000),
  }),
  { minLength: 1, maxLength: 40 },
)
const built = (list: readonly { ms: number; price: number; size: number }[]): Bar | undefined => {
  const builder = createBarBuilder({ grid: fixedGrid(60_000) })
  list.forEach(({ ms, price, size }, i) => builder.apply(ms, i + 1, price, size))
  const state = builder.last()
  return state && toBar(state)
}

it('agrees with itself, in whatever order the sizes were summed', () => {
  fc.assert(
    fc.property(trades, (list) => {
      const volume = list.toReversed().reduce((sum, { size }) => sum + size, 0)
      const whole = built(list)
      expect(compareBars(whole, whole && { ...whole, volume }, about)).toMatchObject({ verdict: 'agrees', parts: [] })
    }),
  )
})

it('finds any trade that was lost', () => {
  fc.assert(
    fc.property(trades, fc.nat(), (list, at) => {
      const lost = at % list.length
      const told = compareBars(built(list.filter((_, i) => i !== lost)), built(list), about)
      expect(told.verdict).toBe('differs')
      expect(told.why === 'no tick received' || told.parts.includes('volume')).toBe(true)
    }),
  )
})

it('takes the middle of two prices for the price that it is, and no other', () => {
  const prices = { open: 100.2, high: 100.2, low: 100.2, close: 100.2 }
  const middle = (100.1 + 100.3) / 2
  const mid = bar({ open: middle, high: middle, low: middle, close: middle })
  expect(compareBars(mid, bar(prices), about).verdict).toBe('agrees')
  expect(compareBars(mid, bar({ ...prices, low: 100.199_999_999_99 }), about).parts).toEqual(['low'])
})

it('names the parts that differ', () => {
  expect(compareBars(bar(), bar({ high: 13, volume: 4 }), about)).toMatchObject({
    verdict: 'differs',
    why: 'numbers differ',
    parts: ['high', 'volume'],
  })
  expect(compareBars(bar({ volume: null }), bar({ volume: 4 }), { ...about, volumes: false }).verdict).toBe('agrees')
})

it('does not compare what was not received whole, or is not over', () => {
  const other = bar({ close: 9 })
  expect(compareBars(bar(), other, { ...about, ticksWhole: false })).toMatchObject({
    verdict: 'not comparable',
    why: 'gap in the ticks',
  })
  expect(compareBars(bar(), other, { ...about, over: false }).why).toBe('not over yet')
  expect(compareBars(bar(), undefined, { ...about, barsWhole: false })).toMatchObject({
    verdict: 'not comparable',
    why: 'gap in the bars',
  })
  expect(compareBars(undefined, undefined, about).verdict).toBe('not comparable')
})

it('says what one side is missing', () => {
  expect(compareBars(bar(), undefined, about)).toMatchObject({ verdict: 'differs', why: 'no bar received', sent: null })
  expect(compareBars(undefined, bar(), about)).toMatchObject({ verdict: 'differs', why: 'no tick received' })
  expect(compareBars(undefined, bar({ volume: 0 }), about).verdict).toBe('agrees')
})

it('counts what could be compared', () => {
  const counts = countVerdicts([
    { verdict: 'agrees' },
    { verdict: 'differs' },
    { verdict: 'agrees' },
    { verdict: 'not comparable' },
  ])
  expect(counts).toEqual({ agrees: 2, differs: 1, notComparable: 1 })
  expect(agreementOf(counts)).toBeCloseTo(2 / 3)
  expect(agreementOf({ agrees: 0, differs: 0, notComparable: 5 })).toBeNull()
  expect(joinVerdicts('agrees', { agrees: 3, differs: 1, notComparable: 0 })).toBe('differs')
  expect(joinVerdicts('not comparable', { agrees: 3, differs: 0, notComparable: 0 })).toBe('agrees')
  expect(joinVerdicts('not comparable', { agrees: 0, differs: 0, notComparable: 2 })).toBe('not comparable')
})
