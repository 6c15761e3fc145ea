import { expect, it } from 'vitest'
import { feedIn, open } from '../../../../kit/status.ts'
import { noRoomFor } from '../../../../../src/renderer/core/market/no-room.ts'
import { refusedTogether } from '../../../../../src/renderer/core/feeds/refused-feeds.ts'
import type { FeedState, FeedStatus } from '../../../../../src/shared/core/status/status.ts'
import { instrumentId, type FeedId } from '../../../../../src/shared/base/units.ts'

const feed = (id: FeedId, more: Partial<FeedStatus> = {}): FeedStatus => feedIn(id, open, { acknowledged: [], ...more })
const fifty = Array.from({ length: 49 }, (_, i) => `A${i}-USD`)

it('says of a symbol without room how full its feed is, however it is written, and of no other', () => {
  const feeds = [
    feed('crypto/XT', { acknowledged: fifty, missing: ['LAST-USD'], overBudget: ['X:SOL-USD'] }),
    feed('forex/C', { overBudget: ['EURUSD'], acknowledged: ['GBPUSD'] }),
  ]
  const told = noRoomFor({ feeds, source: 'service', origin: '' }, instrumentId('crypto', 'SOLUSD'))
  expect(told?.title).toBe('Not subscribed: 50 of 50 on this feed are in use')
  expect(told?.text).toMatch(/Remove symbols.*allow more connections/)
  expect(noRoomFor({ feeds, source: 'service', origin: '' }, instrumentId('crypto', 'A1-USD'))).toBeNull()
  expect(noRoomFor({ feeds, source: 'service', origin: '' }, instrumentId('stocks', 'SOLUSD'))).toBeNull()
  expect(noRoomFor({ feeds: [], source: 'service', origin: '' }, instrumentId('crypto', 'SOLUSD'))).toBeNull()
})

const refused = (message: string, hint: string, closeCode: number | null = 4401): FeedState => ({
  is: 'refused',
  why: { code: 'plan', message, hint, closeCode },
})

it('tells feeds that were refused alike once, with what their reasons share', () => {
  const reply = 'The service replied “Authentication failed” (code 4401).'
  const groups = refusedTogether([
    feed('crypto/XT', {
      state: refused(`Your account has no access to Crypto trades (XT). ${reply}`, 'Check. Retry.'),
    }),
    feed('crypto/XQ', { state: refused(`Your account has no access to Crypto quotes (XQ). ${reply}`, 'Retry.') }),
    feed('forex/C', { state: refused('Another reason.', 'Wait.', 4403) }),
    feed('stocks/T'),
  ])
  expect(groups).toHaveLength(1)
  expect(groups[0].feeds.map((one) => one.feed)).toEqual(['crypto/XT', 'crypto/XQ'])
  expect([groups[0].message, groups[0].hint]).toEqual([reply, 'Retry.'])
})

it('keeps refusals with other close codes apart, each under a key of its own', () => {
  const closed = (closeCode: number): FeedState => refused(`Refused (code ${closeCode}).`, 'Retry.', closeCode)
  const groups = refusedTogether([
    feed('crypto/XT', { state: closed(4401) }),
    feed('crypto/XQ', { state: closed(4401) }),
    feed('forex/C', { state: closed(4403) }),
    feed('stocks/T', { state: closed(4403) }),
  ])
  expect(groups.map(({ message }) => message)).toEqual(['Refused (code 4401).', 'Refused (code 4403).'])
  expect(new Set(groups.map(({ key }) => key)).size).toBe(2)
})

it('never says of several feeds what the reason of one says', () => {
  const groups = refusedTogether([
    feed('crypto/XT', { state: refused('No access to XT.', 'It needs Pro. Retry.') }),
    feed('crypto/XQ', { state: refused('No access to XQ.', 'It needs Max. Retry.') }),
    feed('forex/C', { state: refused('C is off.', 'Wait.', 4403) }),
    feed('stocks/T', { state: refused('T is off.', 'Ask.', 4403) }),
  ])
  expect(groups.map(({ message, hint }) => [message, hint])).toEqual([['', 'Retry.']])
})
