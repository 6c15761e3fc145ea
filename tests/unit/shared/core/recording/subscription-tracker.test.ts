import { expect, test } from 'vitest'
import type { LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import { SubscriptionTracker } from '../../../../../src/shared/core/recording/subscription-tracker.ts'

const feed = 'crypto/XT'
const acknowledged = (conn: number, ...symbols: string[]): LedgerEntry => ({
  type: 'acknowledged',
  feed,
  conn,
  symbols,
})
const released = (conn: number, ...symbols: string[]): LedgerEntry => ({ type: 'released', feed, conn, symbols })
const disconnected = (conn: number): LedgerEntry => ({ type: 'disconnected', feed, conn, closeCode: 1000, reason: '' })
const state = (conn: number, is: 'idle' | 'open' | 'waiting'): LedgerEntry => ({ type: 'state', feed, conn, state: is })
const BOTH = ['BTC-USD', 'ETH-USD']

test.each<[string, LedgerEntry[], string | null]>([
  ['symbols that are acknowledged', [acknowledged(1, ...BOTH)], '+ BTC-USD ETH-USD'],
  ['a symbol that is acknowledged again', [acknowledged(1, 'BTC-USD'), acknowledged(1, ...BOTH)], '+ ETH-USD'],
  ['a symbol that is acknowledged by another alias', [acknowledged(1, 'BTC-USD'), acknowledged(1, 'BTC/USD')], null],
  ['a symbol that is released', [acknowledged(1, ...BOTH), released(1, 'ETH-USD')], '- ETH-USD'],
  ['a symbol that wasn’t held', [acknowledged(1, 'BTC-USD'), released(1, 'ETH-USD')], null],
  ['a symbol of another connection', [acknowledged(1, 'BTC-USD'), released(2, 'BTC-USD')], null],
  ['a connection that is lost', [acknowledged(1, ...BOTH), disconnected(1)], 'lost BTC-USD ETH-USD'],
  ['another connection that is lost', [acknowledged(1, ...BOTH), disconnected(2)], null],
  ['a connection that held nothing', [disconnected(1)], null],
  [
    'a connection that is lost while another one has a symbol',
    [acknowledged(1, ...BOTH), acknowledged(2, 'BTC-USD'), disconnected(1)],
    'lost ETH-USD',
  ],
  ['a connection that is closed', [acknowledged(1, ...BOTH), state(1, 'idle'), disconnected(1)], '- BTC-USD ETH-USD'],
  [
    'one that is lost after another was closed',
    [state(2, 'idle'), acknowledged(1, ...BOTH), disconnected(1)],
    'lost BTC-USD ETH-USD',
  ],
  [
    'a symbol that was released',
    [acknowledged(1, 'BTC-USD'), released(1, 'BTC-USD'), acknowledged(1, 'BTC-USD')],
    '+ BTC-USD',
  ],
  ['a symbol that was lost', [acknowledged(1, 'BTC-USD'), disconnected(1), acknowledged(2, 'BTC-USD')], '+ BTC-USD'],
  ['one in another state', [acknowledged(1, ...BOTH), state(1, 'waiting'), disconnected(1)], 'lost BTC-USD ETH-USD'],
  [
    'one that is lost after it was closed once',
    [state(1, 'idle'), disconnected(1), acknowledged(1, ...BOTH), disconnected(1)],
    'lost BTC-USD ETH-USD',
  ],
])('%s', (_, entries, change) => {
  const tracker = new SubscriptionTracker()
  const [last = null] = entries.map((entry) => tracker.apply(entry)).toReversed()
  const sign = last?.isLost === true ? 'lost' : last?.is === true ? '+' : '-'
  expect(last === null ? null : [sign, ...last.symbols].join(' ')).toBe(change)
})

test('after an entry that can’t be read, nothing is known to be subscribed', () => {
  const tracker = new SubscriptionTracker()
  tracker.apply(acknowledged(1, 'BTC-USD'))
  tracker.endAll()
  expect(tracker.apply(disconnected(1))).toBeNull()
  expect(tracker.apply(acknowledged(1, 'BTC-USD'))).toMatchObject({ is: true, symbols: ['BTC-USD'] })
})
