import { expect, it } from 'vitest'
import { ageOf, COLUMNS, lastOf } from '../../../../../src/renderer/core/market/columns.ts'
import { ageCell, freshnessSentence } from '../../../../../src/renderer/core/market/freshness.ts'
import { NumberText } from '../../../../../src/renderer/text/format.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { makeQuoteRow } from '../../../../kit/market.ts'

const HOUR = 3_600_000
const context = { numbers: new NumberText('en-US'), nowMs: 10 * HOUR, freshness: 'waiting' } as const

it('a recorded price stands in until the first one comes, with all of its digits and its age', () => {
  const recorded = makeQuoteRow({ stored: { price: 0.0995, atMs: unixMs(7 * HOUR) } })
  expect(lastOf(recorded)).toBe(0.0995)
  expect(COLUMNS.last.text(recorded, context)).toBe('0.0995')
  const age = ageOf(recorded, context.nowMs)
  expect(age).toBe(3 * HOUR)
  expect(ageCell('waiting', age)).toBe('3h')
  expect(freshnessSentence('waiting', age)).toMatch(/^Waiting for the first message\. The price shown was recorded /)
  expect(freshnessSentence('waiting', null)).not.toMatch(/recorded/)
})

it('a received price takes its place', () => {
  const live = makeQuoteRow({ last: 5, lastRecvMs: unixMs(9 * HOUR), stored: null })
  expect(COLUMNS.last.text(live, context)).toBe('5.00')
  expect(ageOf(live, context.nowMs)).toBe(HOUR)
})
