import * as v from 'valibot'
import { expect, test } from 'vitest'
import { conditionSchema } from '../../../../../src/shared/features/alerts/types.ts'

const on = (id: string, values: readonly number[]) => ({
  is: 'indicator',
  of: 'trade',
  interval: '1m',
  line: { id, values, price: 'close', output: 0 },
  against: { is: 'level', level: 25 },
  direction: 'up',
  on: 'close',
})

test('an alert on an indicator that had one length keeps it for both', () => {
  const read = (id: string, values: readonly number[]) => v.safeParse(conditionSchema, on(id, values))
  expect(read('adx', [20])).toMatchObject({ success: true, output: { line: { values: [20, 20] } } })
  expect(read('adx', [20, 7])).toMatchObject({ success: true, output: { line: { values: [20, 7] } } })
  expect(read('adx', []).success).toBe(false)
  expect(read('adx', [20, 7, 3]).success).toBe(false)
  expect(read('adx', [20, 0]).success).toBe(false)
  expect(read('macd', [12, 26]).success).toBe(false)
})
