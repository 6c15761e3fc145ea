import { expect, test } from 'vitest'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import type { AlertCondition } from '../../../../../../src/shared/features/alerts/types.ts'
import { alertOf, BTC, rig, T0 } from '../harness.ts'

const above: AlertCondition = { is: 'price', of: 'last', level: 100, direction: 'up' }
const ETH = instrumentId('crypto', 'ETH-USD')
const EUR = instrumentId('forex', 'EUR-USD')
const fired = (told: readonly string[]) => told.filter((line) => line.startsWith('fired'))

test('the end of a suspension is reported once for all instruments, those that came later included', () => {
  const r = rig([alertOf(above), alertOf(above, { instrument: ETH }), alertOf(above, { instrument: EUR })])
  r.state('crypto/XT', 'open', 0)
  r.state('crypto/XT', 'waiting', 5)
  const later = alertOf(above, { instrument: instrumentId('crypto', 'SOL-USD') })
  r.evaluator.put(later)
  expect(r.evaluator.state(later.id)).toMatchObject({ is: 'blind', sinceMs: T0 + 5 })
  r.state('crypto/XT', 'open', 9)
  expect(r.told).toEqual(['blind crypto/XT drop 5.. ×2', 'blind crypto/XT drop 5..9 ×3'])
})

test('instruments that lost data at different times are reported apart', () => {
  const r = rig([alertOf(above), alertOf(above, { instrument: ETH })])
  r.state('crypto/XT', 'open', 0)
  r.evaluator.gapOpened('crypto/XT', 'unacknowledged', ['BTC-USD'], T0 + 1)
  r.evaluator.gapOpened('crypto/XT', 'unacknowledged', ['ETH-USD'], T0 + 2)
  const later = alertOf(above, { instrument: ETH })
  r.evaluator.put(later)
  r.evaluator.gapClosed('crypto/XT', T0 + 2, T0 + 3)
  expect(r.evaluator.state(later.id)).not.toMatchObject({ is: 'blind' })
  r.evaluator.gapClosed('crypto/XT', T0 + 1, T0 + 4)
  expect(r.told).toEqual([
    'blind crypto/XT unacknowledged 1.. ×1',
    'blind crypto/XT unacknowledged 2.. ×1',
    'blind crypto/XT unacknowledged 2..3 ×2',
    'blind crypto/XT unacknowledged 1..4 ×1',
  ])
})

test('a suspension keeps its cause, unless that was only that something is wrong', () => {
  const r = rig([alertOf(above)])
  r.state('crypto/XT', 'open', 0)
  r.state('crypto/XT', 'stale', 9_000)
  r.evaluator.gapOpened('crypto/XT', 'half-open', [], T0 + 2)
  r.evaluator.gapClosed('crypto/XT', T0 + 2, T0 + 9_001)
  r.state('crypto/XT', 'open', 9_002)
  expect(r.told).toEqual(['blind crypto/XT stale 4000.. ×1', 'blind crypto/XT stale 4000..9002 ×1'])
})

test('another source knows of no suspension', () => {
  const alert = alertOf(above)
  const r = rig([alert])
  r.state('crypto/XT', 'open', 0)
  r.trade(1, 99)
  r.state('crypto/XT', 'waiting', 5)
  r.evaluator.forget()
  expect(r.told).toEqual(['blind crypto/XT drop 5.. ×1', 'blind crypto/XT drop 5..5 ×1'])
  const later = alertOf(above, { instrument: ETH })
  r.evaluator.put(later)
  expect([alert, later].map(({ id }) => r.evaluator.state(id)?.is)).toEqual(['waiting', 'waiting'])
})

test('after a suspension, records may be dated before the last one', () => {
  const r = rig([alertOf(above), alertOf({ ...above, of: 'bid' })])
  r.trade(10_000, 99)
  r.quote(10_000, 99, 100)
  for (const feed of ['crypto/XT', 'crypto/XQ'] as const) {
    r.state(feed, 'open', 10_001)
    r.state(feed, 'waiting', 10_002)
    r.state(feed, 'open', 10_003)
  }
  r.trade(11_000, 99, 1, 9_000)
  r.quote(11_000, 99, 100, 9_000)
  r.trade(11_001, 101, 1, 9_001)
  r.quote(11_001, 101, 102, 9_001)
  expect(fired(r.told)).toEqual(['fired 11001: 99 101', 'fired 11001: 99 101'])
})

test.each([
  ['crypto/XT', []],
  ['crypto/XQ', ['fired 4: - 12']],
] as const)('a suspension of %s restarts what is counted from its records', (feed, volumes) => {
  const r = rig([alertOf({ is: 'volume', above: 10, withinMs: 60_000 })])
  r.state(feed, 'open', 0)
  r.trade(1, 100, 6)
  r.state(feed, 'waiting', 2)
  r.state(feed, 'open', 3)
  r.trade(4, 100, 6)
  expect(fired(r.told)).toEqual(volumes)
})

test('after a suspension, a spread needs both sides again', () => {
  const r = rig([alertOf({ is: 'spread', above: 3, unit: 'price' })])
  r.state('crypto/XQ', 'open', 0)
  r.quote(1, 99, 100)
  r.state('crypto/XQ', 'waiting', 2)
  r.state('crypto/XQ', 'open', 3)
  r.quote(4, NaN, 105)
  expect(fired(r.told)).toEqual([])
  r.quote(5, 99, NaN)
  expect(fired(r.told)).toEqual(['fired 5: - 6'])
})

test('an alert on a stale feed that was removed stays silent', () => {
  const alert = alertOf({ is: 'stale', afterMs: 1_000 })
  const r = rig([alert, alertOf(above, { instrument: BTC })])
  r.state('crypto/XT', 'open', 0)
  r.state('crypto/XT', 'waiting', 1)
  r.evaluator.remove(alert.id)
  r.evaluator.advance(T0 + 10_000)
  expect(fired(r.told)).toEqual([])
})
