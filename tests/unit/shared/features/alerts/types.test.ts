import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { unwatchable } from '../../../../../src/shared/features/alerts/formula-line.ts'
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

describe('a line of a formula', () => {
  const read = (text: string, values: readonly number[] = [], output = 0) =>
    v.safeParse(conditionSchema, { ...on('rsi', [14]), line: { id: 'formula', name: 'Mine', text, values, output } })
      .success

  test('is one that compiles, with values of its settings and one of its outputs', () => {
    expect(read('close - open')).toBe(true)
    expect(read('n = input("Length", 20, 2, 50)\nsma(close, n)', [10])).toBe(true)
    expect(read('n = input("Length", 20, 2, 50)\nsma(close, n)', [51])).toBe(false)
    expect(read('n = input("Length", 20, 2, 50)\nsma(close, n)', [10.5])).toBe(false)
    expect(read('n = input("Length", 20, 2, 50)\nsma(close, n)')).toBe(false)
    expect(read('close - ')).toBe(false)
    expect(read('')).toBe(false)
    expect(read('close\nopen', [], 1)).toBe(true)
    expect(read('close\nopen', [], 2)).toBe(false)
  })

  test('costs no more than alerts may, and needs no sides of trades', () => {
    expect(read('sma(close, 2000)')).toBe(true)
    expect(read('sma(close, 2000) + close[1]')).toBe(false)
    expect(unwatchable('sma(close, 2000) + close[1]', [])).toBe(
      'The formula looks back 2,001 bars. In an alert, it can look back up to 2,000.',
    )
    expect(read('delta')).toBe(false)
    expect(read('cvd() + 1')).toBe(false)
  })
})
