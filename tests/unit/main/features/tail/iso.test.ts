import { expect, it } from 'vitest'
import { isoOf } from '../../../../../src/main/features/tail/lines.ts'

it('writes every instant as Date does, in whatever order they come', () => {
  const around = [0, 999, 1_000, 1_767_607_200_000, 253_402_300_800_000, -1, -62_198_755_200_000]
  const times = around.flatMap((ms) => [ms, ms + 1, ms - 1, ms + 0.75, ms + 999, ms])
  expect(times.map(isoOf)).toEqual(times.map((ms) => new Date(Math.floor(ms)).toISOString()))
})

it('throws for an invalid instant, and is correct afterwards', () => {
  expect(isoOf(5_000)).toBe('1970-01-01T00:00:05.000Z')
  for (const ms of [NaN, Infinity, 1e18]) expect(() => isoOf(ms)).toThrow(RangeError)
  expect(isoOf(5_001)).toBe('1970-01-01T00:00:05.001Z')
})
