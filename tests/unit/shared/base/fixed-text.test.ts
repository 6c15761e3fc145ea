import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedText } from '../../../../src/shared/base/fixed-text.ts'

describe('a number with fixed decimals', () => {
  it.each([
    // The middle of 99.95 and 99.96 and others that end in 5: each is a little less, or more, as a binary fraction.
    [99.955, 2, '99.96'],
    [1.005, 2, '1.01'],
    [2.675, 2, '2.68'],
    [8.345, 2, '8.35'],
    [1.000005, 5, '1.00001'],
    [0.285, 2, '0.29'],
    [1.45, 1, '1.5'],
    [2.5, 0, '3'],
    [3.5, 0, '4'],
    [-99.955, 2, '-99.96'],
    [64123.5, 2, '64123.50'],
    [0.000000125, 8, '0.00000013'],
  ])('%f with %i is %s: half away from zero, of what is written', (value, decimals, text) => {
    expect(fixedText(value, decimals)).toBe(text)
  })

  it('is what texts with groups say', () => {
    const formats = [0, 1, 2, 3, 4, 5].map(
      (n) => new Intl.NumberFormat('en-US', { minimumFractionDigits: n, maximumFractionDigits: n }),
    )
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(6), fc.nat(5), (units, scale, decimals) => {
        const value = units / 10 ** scale
        expect(fixedText(value, decimals)).toBe(formats[decimals].format(value).replaceAll(',', ''))
      }),
    )
  })
})
