import { expect, test } from 'vitest'
import { createDryRun } from '../../../../../src/main/features/alerts/dry-run.ts'
import { sinkOnly } from '../../../../../src/main/core/market/market.ts'
import { ALERT_CALENDAR } from '../../../../../src/main/features/alerts/alert-calendar.ts'
import { KIND, scratch } from '../../../../../src/service/codec.ts'
import type { Drawing } from '../../../../../src/shared/features/drawings/types.ts'
import type { Alert } from '../../../../../src/shared/features/alerts/types.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { alertOf, levelAt, T0 } from '../../../shared/features/alerts/harness.ts'

const HOUR = 3_600_000

function rig(first: readonly Alert[]) {
  let alerts = first
  let changed = (): void => undefined
  let drawings: readonly Drawing[] = []
  const dryRun = createDryRun({
    alerts: () => alerts,
    onChange(listener) {
      changed = listener
      return () => undefined
    },
    calendar: ALERT_CALENDAR,
    bars: () => Promise.resolve([]),
    drawings: () => drawings,
  })
  const { sink } = dryRun.over(
    sinkOnly({
      apply: () => undefined,
      feedState: () => undefined,
      acknowledged: () => undefined,
      gapOpened: () => undefined,
      gapClosed: () => undefined,
    }),
  )
  const stream = dryRun.stream(() => undefined)
  stream.take()
  let seq = 0
  return {
    dryRun,
    change(now: readonly Alert[], lines: readonly Drawing[] = []): void {
      drawings = lines
      alerts = now
      changed()
    },
    trade(ms: number, price: number, eventMs = ms): void {
      const record = { ...scratch(), kind: KIND.trade, symbol: 'BTC-USD', price, size: 1, eventMs: T0 + eventMs }
      sink.apply('crypto/XT', ++seq, unixMs(T0 + ms), record)
    },
    /** Notes of what fired since last asked. */
    notes: () => (stream.take()?.events ?? []).flatMap((one) => (one.is === 'fired' ? [one.note] : [])),
    /** Receipts at which something fired since last asked, ms since T0. */
    fired: () => (stream.take()?.events ?? []).flatMap((one) => (one.is === 'fired' ? [one.atMs - T0] : [])),
  }
}

test('where the clock was set back in a recording, the clock of the replay stands and moves no window', () => {
  const alert = alertOf(
    { is: 'move', of: 'last', percent: 3, withinMs: 60_000, direction: 'up' },
    { repeat: { restMs: 1_000, backPercent: 0 } },
  )
  const { dryRun, trade, fired } = rig([alert])
  trade(2 * HOUR, 100, 0)
  dryRun.sweep(T0 + 2 * HOUR)
  for (let i = 1; i <= 60; i++) {
    trade(i * 30_000, 100 + (i % 2) * 4)
    // Until the market is there again.
    dryRun.sweep(T0 + 2 * HOUR)
  }
  // Up four percent within half a minute, each minute but the first of the new time.
  expect(fired()).toEqual(Array.from({ length: 29 }, (_, i) => (2 * i + 3) * 30_000))
  dryRun.close()
})

test('what waits for time alone follows the clock of the replay', () => {
  const { dryRun, trade, fired } = rig([
    alertOf({ is: 'price', of: 'last', level: 100, direction: 'up' }, { expiresMs: T0 + 60_000 }),
  ])
  trade(0, 99)
  dryRun.sweep(T0 + 60_000)
  trade(50_000, 101)
  expect(fired()).toEqual([])
  dryRun.close()
})

test('an alert that changes is armed again, and the others go on', () => {
  const price = { is: 'price', of: 'last', level: 100, direction: 'up' } as const
  const once = alertOf(price)
  const resting = alertOf({ ...price, level: 90 }, { repeat: { restMs: HOUR, backPercent: 0 } })
  const volume = alertOf({ is: 'volume', above: 5, withinMs: HOUR })
  const other = alertOf({ ...price, level: 500 })
  const { dryRun, change, trade, fired } = rig([once, resting, volume, other])
  trade(0, 89)
  trade(1, 101)
  expect(fired()).toEqual([1, 1])
  trade(2, 89)
  change([once, { ...resting, note: 'noted' }, { ...volume, snoozedMs: T0 + HOUR }])
  trade(3, 101)
  expect(fired()).toEqual([])
  change([{ ...once, condition: { ...price, level: 102 } }, resting, volume])
  trade(4, 101)
  trade(5, 103)
  // The fifth trade makes the volume, and the sixth crosses the new level.
  expect(fired()).toEqual([4, 5])
  dryRun.close()
})

test('what fires has the note as it is then', () => {
  const alert = alertOf({ is: 'price', of: 'last', level: 100, direction: 'up' }, { note: 'old' })
  const { dryRun, change, trade, notes } = rig([alert])
  trade(0, 99)
  change([{ ...alert, note: 'new' }])
  trade(1, 101)
  expect(notes()).toEqual(['new'])
  dryRun.close()
})

test('a drawing that moved is followed once an alert changes', () => {
  const alert = alertOf({ is: 'drawing', of: 'last', drawing: 'd', direction: 'up' })
  const { dryRun, change, trade, fired } = rig([])
  change([alert], [levelAt(100)])
  change([alert, alertOf({ is: 'volume', above: 99, withinMs: HOUR })], [levelAt(200)])
  for (const [ms, price] of [99, 150, 150, 201].entries()) trade(ms, price)
  expect(fired()).toEqual([3])
  dryRun.close()
})
