import { expect, it } from 'vitest'
import { readFeedSymbols } from '../../../../src/main/command-line/feeds.ts'

it('joins a feed that is named twice, and aliases of one instrument', () => {
  const texts = ['crypto/XT:BTC-USD, X:BTCUSD', 'crypto/XT:ETH-USD', 'forex/C:C:EURUSD']
  expect([...readFeedSymbols(texts)]).toEqual([
    ['crypto/XT', ['BTC-USD', 'ETH-USD']],
    ['forex/C', ['C:EURUSD']],
  ])
})

it.each([
  ['crypto/XY:BTC-USD', 'unknown feed "crypto/XY"'],
  ['crypto/XT', '--feed crypto/XT has no symbols; write crypto/XT:SYMBOL,SYMBOL'],
  ['crypto/XT:BTC-USD,crypto/XQ:BTC-USD', 'crypto/XQ:BTC-USD names a feed inside the list of crypto/XT; write --feed'],
  ['crypto/XT:BTC-USD,crypto/XQ', 'crypto/XQ names a feed inside the list of crypto/XT; write --feed crypto/XQ'],
])('refuses %s', (text, message) => {
  expect(() => readFeedSymbols([text])).toThrow(message)
})
