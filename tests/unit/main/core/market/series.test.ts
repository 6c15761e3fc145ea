import { expect, it } from 'vitest'
import { seriesFeed } from '../../../../../src/main/core/market/series.ts'

it.each([
  ['crypto', 'service', '1s', 'crypto/XAS'],
  ['crypto', 'service', '30s', 'crypto/XAS'],
  ['crypto', 'service', '1m', 'crypto/XA'],
  ['forex', 'service', '15s', 'forex/CAS'],
  ['forex', 'service', '1h', 'forex/CA'],
  ['stocks', 'service', '5s', 'stocks/A'],
  ['stocks', 'service', '1D', 'stocks/AM'],
  ['crypto', 'service', '100ms', 'crypto/XA'], // no such bars: the feed whose gaps are shown
  ['stocks', 'trade', '1s', 'stocks/T'],
  ['forex', 'mid', '1s', 'forex/C'],
] as const)('%s bars of %s at %s are built from %s', (asset, of, interval, feed) => {
  expect(seriesFeed(asset, of, interval)).toBe(feed)
})
