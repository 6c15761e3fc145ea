import * as v from 'valibot'
import { expect, it } from 'vitest'
import { instrument, storedInstrument } from '../../../../src/shared/base/schemas.ts'

it('reads an instrument of any length from a file, and of 80 characters from a call', () => {
  const long = `crypto:${'A'.repeat(100)}`
  expect(v.parse(storedInstrument, long)).toBe(long)
  expect(v.parse(instrument, 'crypto:BTCUSD')).toBe('crypto:BTCUSD')
  for (const wrong of [long, 'BTCUSD', 7, null]) expect(v.safeParse(instrument, wrong).success).toBe(false)
})
