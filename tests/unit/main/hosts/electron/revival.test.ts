import { expect, test } from 'vitest'
import { createRevivals } from '../../../../../src/main/hosts/electron/revival.ts'

test('a window comes back by itself until it died three times within two minutes', () => {
  const revivals = createRevivals()
  expect([0, 119_999, 200_000, 239_998].map((at) => revivals.died(at))).toEqual(['reload', 'reload', 'reload', 'ask'])
  expect(revivals.died(240_000)).toBe('ask')
  revivals.forget()
  expect([240_001, 240_002, 240_003].map((at) => revivals.died(at))).toEqual(['reload', 'reload', 'ask'])
})

test('a death now and then is never asked about', () => {
  const revivals = createRevivals()
  for (let at = 0; at < 100 * 60_000; at += 60_000) expect(revivals.died(at)).toBe('reload')
})
