import { expect, test } from 'vitest'
import { FEEDS, feedOfPath, TICKERS_PER_CONNECTION } from '../../../src/service/feeds.ts'

test('the eleven feeds are those of the document', () => {
  expect(Object.values(FEEDS).map((f) => f.path)).toEqual([
    '/ws/crypto/XA/',
    '/ws/crypto/XAS/',
    '/ws/crypto/XQ/',
    '/ws/crypto/XT/',
    '/ws/forex/C/',
    '/ws/forex/CA/',
    '/ws/forex/CAS/',
    '/ws/stocks/A/',
    '/ws/stocks/AM/',
    '/ws/stocks/Q/',
    '/ws/stocks/T/',
  ])
  const documented = Object.values(FEEDS).filter((f) => f.shape === 'documented')
  expect(documented.map((f) => f.code)).toEqual(['XA', 'XAS', 'XQ', 'XT', 'C', 'CA'])
  expect(documented.every((f) => f.minimumPlan === 'Premium')).toBe(true)
  expect(Object.values(FEEDS).filter((f) => f.shape === 'likely' && f.minimumPlan !== null)).toEqual([])
  expect(feedOfPath('/ws/forex/C/')?.fields.symbol).toBe('p')
  expect(feedOfPath('/ws/forex/C')).toBeUndefined()
  expect(TICKERS_PER_CONNECTION).toBe(50)
})
