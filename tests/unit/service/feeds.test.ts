import { expect, test } from 'vitest'
import { FEED_PATHS } from '../../kit/service-client.ts'
import { FEEDS, feedOfPath, TICKERS_PER_CONNECTION } from '../../../src/service/feeds.ts'

test('the eleven feeds are those of the document', () => {
  expect(Object.values(FEEDS).map((f) => f.path)).toEqual(FEED_PATHS)
  const documented = Object.values(FEEDS).filter((f) => f.shape === 'documented')
  expect(documented.map((f) => f.code)).toEqual(['XA', 'XAS', 'XQ', 'XT', 'C', 'CA'])
  expect(documented.every((f) => f.minimumPlan === 'Premium')).toBe(true)
  expect(Object.values(FEEDS).filter((f) => f.shape === 'likely' && f.minimumPlan !== null)).toEqual([])
  expect(feedOfPath('/ws/forex/C/')?.fields.symbol).toBe('p')
  expect(feedOfPath('/ws/forex/C')).toBeUndefined()
  expect(TICKERS_PER_CONNECTION).toBe(50)
})
