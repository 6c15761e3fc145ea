import { describe, expect, it } from 'vitest'
import { createGrowth, createSkew } from '../../../../src/main/terminal/measures.ts'

describe('skew', () => {
  it('is what the fastest message shows, and forgets after two minutes', () => {
    const skew = createSkew()
    for (let i = 0; i < 50; i += 1) skew.seen(i * 100 + 5_000, i * 100 + 10 + (i % 7))
    expect(skew.ms).toBe(4_990)
    for (let i = 0; i < 300; i += 1) skew.seen(1e6 + i * 1_000, 1e6 + i * 1_000 + 30)
    expect(skew.ms).toBe(-30)
  })
  it('is unknown from a few messages', () => {
    const skew = createSkew()
    skew.seen(1, 1)
    expect(skew.ms).toBeNull()
  })
})

describe('growth', () => {
  it('is unknown for five minutes, then bytes an hour', () => {
    const growth = createGrowth()
    for (let minute = 0; minute < 5; minute += 1) growth.sized(minute * 1_000, minute * 60_000)
    expect(growth.bytesPerHour).toBeNull()
    for (let minute = 5; minute <= 10; minute += 1) growth.sized(minute * 1_000, minute * 60_000)
    expect(growth.bytesPerHour).toBe(60_000)
  })
})
