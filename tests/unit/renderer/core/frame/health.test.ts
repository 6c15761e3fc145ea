import { describe, expect, it } from 'vitest'
import { healthOf, hoursLeft } from '../../../../../src/renderer/core/frame/health.ts'
import { NumberText } from '../../../../../src/renderer/text/format.ts'
import type { AccountState, FeedState, StatusState } from '../../../../../src/shared/core/status/status.ts'
import type { ErrorCode } from '../../../../../src/shared/base/errors.ts'
import { unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { feedIn, NOW, open, status as statusOf, waiting, why } from '../../../../kit/status.ts'

const feed = (id: FeedId, state: FeedState, overBudget: readonly string[] = []) => feedIn(id, state, { overBudget })
const healthy = statusOf({
  feeds: [feed('crypto/XT', open), feed('crypto/XQ', open), feedIn('stocks/T', { is: 'idle' }, { acknowledged: [] })],
  store: { path: '/store', bytes: 1e6, freeBytes: 5e10, bytesPerHour: 1e7 },
  skewMs: 31,
})
const full = { ...why, message: 'The disk is full.', hint: 'Free some space.' }
const judge = (status: Partial<StatusState> | undefined, more: { isLinked?: boolean; account?: AccountState } = {}) =>
  healthOf({
    status: status === undefined ? undefined : { ...healthy, ...status },
    account: undefined,
    isLinked: true,
    numbers: new NumberText('en-US'),
    ...more,
  })

describe('the health of a terminal', () => {
  it('has nothing to say while everything works', () => {
    expect(judge({})).toEqual({
      tone: 'ok',
      short: '',
      sentence: 'Everything works.',
      concerns: [],
      openFeeds: 2,
      wantedFeeds: 2,
    })
  })
  it('has nothing to say before the terminal has answered, and without feeds', () => {
    expect(judge(undefined)).toMatchObject({ tone: 'off', short: '' })
    expect(judge({ feeds: [] })).toMatchObject({ tone: 'off', short: '', sentence: 'No feeds in use.' })
  })
  it('asks to sign in again only if the service refused, and is not just out of reach', () => {
    const account = (code: ErrorCode) => ({ problem: { ...why, code } }) as AccountState // the rest isn't read
    expect(judge({}, { account: account('wrong-password') }).short).toBe('Sign in again')
    expect(judge({}, { account: account('offline') }).short).toBe('Not connected')
  })
  const troubles: readonly (readonly [string, Partial<StatusState>, string, string])[] = [
    [
      'a refused feed',
      { feeds: [feed('crypto/XT', open), feed('crypto/XQ', { is: 'refused', why })] },
      'bad',
      '1 feed refused',
    ],
    [
      'a feed that reconnects',
      {
        feeds: [feed('crypto/XT', open), feed('crypto/XQ', waiting)],
      },
      'busy',
      '1 of 2 feeds open',
    ],
    ['no feed at all', { feeds: [feed('crypto/XT', { is: 'connecting', attempt: 1 })] }, 'bad', '0 of 1 feeds open'],
    [
      'a silent feed',
      { feeds: [feed('crypto/XT', { is: 'stale', sinceMs: unixMs(0), lastMs: NOW })] },
      'busy',
      '1 feed silent',
    ],
    ['a symbol beyond a limit', { feeds: [feed('crypto/XT', open, ['ETH-USD'])] }, 'busy', '1 symbol left out'],
    [
      'a symbol beyond the limits of two feeds, once',
      { feeds: [feed('crypto/XT', open, ['ETH-USD', 'LTC-USD']), feed('crypto/XQ', open, ['ETH-USD'])] },
      'busy',
      '2 symbols left out',
    ],
    [
      'a recording that failed',
      { recorder: { is: 'broken', why: full, sinceMs: unixMs(0), lost: 0 } },
      'bad',
      'Recording failed',
    ],
    ['a small disk', { store: { ...healthy.store, freeBytes: 5e8 } }, 'busy', '500 MB free'],
    ['a disk that is nearly full', { store: { ...healthy.store, freeBytes: 5e7 } }, 'bad', '50.0 MB free'],
    ['a disk that fills within a day', { store: { ...healthy.store, bytesPerHour: 1e10 } }, 'busy', '50.0 GB free'],
    ['a wrong clock', { skewMs: -61_000 }, 'busy', 'Clock off by 61.00 s'],
  ]
  it.each(troubles)('names %s', (_, status, tone, short) => {
    expect(judge(status)).toMatchObject({ tone, short })
  })
  it('lists all concerns, worst first', () => {
    const both = judge({
      skewMs: 9_000,
      recorder: { is: 'broken', why: full, sinceMs: unixMs(0), lost: 0 },
    })
    expect(both.concerns.map(({ id }) => id)).toEqual(['recording', 'clock'])
    expect(both.sentence).toMatch(/^The disk is full\. Free some space\. .*time synchronization/)
  })
  it('reports only the lost connection if the terminal is gone', () => {
    expect(judge({}, { isLinked: false })).toMatchObject({ tone: 'bad', short: 'No link' })
  })
  it('doesn’t report a full disk before the first write', () => {
    expect(judge({ store: { path: '', bytes: 0, freeBytes: 0, bytesPerHour: null } }).tone).toBe('ok')
    expect(hoursLeft({ path: '', bytes: 1, freeBytes: 0, bytesPerHour: 5 })).toBeNull()
    expect(hoursLeft({ path: '', bytes: 1, freeBytes: 100, bytesPerHour: 5 })).toBe(20)
  })
})
