import { expect, it } from 'vitest'
import { createLines, isoOf } from '../../../../../src/main/features/tail/lines.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decode } from '../../../../../src/service/codecs/decode.ts'
import { tradeText } from '../../../../kit/market.ts'

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

it('writes the numbers of instants as JavaScript does, in whatever order they come', () => {
  const record = scratch()
  const text = new TextEncoder().encode(tradeText('A', 1, 1, 1_767_607_200_000))
  decode('crypto/XT', text, 0, text.length, record)
  const line = createLines('json')
  const around = [0, 1, 999, 1_000, 60_001, 1_767_607_200_000, 253_402_300_800_000, -1, -1_000, -62_198_755_200_000]
  for (const ms of around.flatMap((one) => [one, one + 1, one + 0.75, one + 999, one])) {
    record.eventMs = ms
    const written = line('crypto/XT', 1, ms + 0.125, record)
    expect(written).toContain(`"event_ms":${ms},"recv_ms":${ms + 0.125},"seq":1,`)
    expect(line('crypto/XT', 1, Math.floor(ms), record)).toContain(`,"recv_ms":${Math.floor(ms)},`)
  }
})
