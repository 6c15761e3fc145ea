import fc from 'fast-check'
import { expect, it } from 'vitest'
import { steadyWidth } from '../../../../../src/renderer/charts/paint/axis-width.ts'

it.each([
  ['takes what is wanted, in steps', 0, 53, 56],
  ['stays where a text is a little narrower', 56, 49, 56],
  ['and where it just fits', 56, 56, 56],
  ['grows where it does not', 56, 57, 60],
  ['gives back what is worth it', 80, 61, 64],
  ['takes no room where there is no axis', 56, 0, 0],
])('%s', (_, before, wanted, px) => {
  expect(steadyWidth(before, wanted)).toBe(px)
})

it('always has room for the texts, and little more; texts that jitter never change it twice', () => {
  const width = fc.double({ min: 20, max: 200, noNaN: true })
  fc.assert(
    fc.property(width, fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 1 }), (base, jitter) => {
      let kept = 0
      let changes = 0
      for (const more of [9, ...jitter]) {
        const next = steadyWidth(kept, base + more)
        expect(next).toBeGreaterThanOrEqual(base + more)
        expect(next - base - more).toBeLessThanOrEqual(14)
        if (next !== kept) changes += 1
        kept = next
      }
      expect(changes).toBe(1)
    }),
  )
})
