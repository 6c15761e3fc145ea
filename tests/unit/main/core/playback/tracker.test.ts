import { expect, test } from 'vitest'
import { FeedTracker } from '../../../../../src/main/core/playback/tracker.ts'
import type { HubSink } from '../../../../../src/main/core/market/hub-types.ts'
import type { LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

test('reports the connection that most needs attention and the best one, as live does', () => {
  const tracker = new FeedTracker()
  const reported: string[] = []
  const sink: HubSink = {
    apply: () => undefined,
    feedState: (_feed, state, _nowMs, seen) => void reported.push(`${state.is} ${seen?.is}`),
    acknowledged: () => undefined,
    gapOpened: () => undefined,
    gapClosed: () => undefined,
  }
  const feed = 'crypto/XT'
  const entries: LedgerEntry[] = [
    { type: 'connecting', feed, conn: 1 },
    { type: 'state', feed, conn: 1, state: 'open' },
    { type: 'connecting', feed, conn: 2 },
    { type: 'state', feed, conn: 2, state: 'connecting' },
    { type: 'state', feed, conn: 2, state: 'refused' },
    { type: 'state', feed, conn: 1, state: 'stale' },
    { type: 'state', feed, conn: 1, state: 'idle' },
    { type: 'state', feed, conn: 2, state: 'idle' },
  ]
  entries.forEach((entry, i) => tracker.apply(i + 1, unixMs(i), entry, sink))
  expect(reported).toEqual([
    'open open',
    'connecting open',
    'refused open',
    'refused stale',
    'refused refused',
    'idle idle',
  ])
  tracker.apply(9, unixMs(9), { type: 'state', feed, conn: 1, state: 'open' }, sink)
  tracker.apply(10, unixMs(10), { type: 'state', feed, conn: 2, state: 'waiting' }, sink)
  const [[, worst, best]] = tracker.marketContext().feedStates
  expect([worst.is, best?.is]).toEqual(['waiting', 'open'])
})

test('the end of a session opens a gap on each connected feed that has none of the whole feed open', () => {
  const tracker = new FeedTracker()
  const gaps: string[] = []
  const states: string[] = []
  const sink: HubSink = {
    apply: () => undefined,
    feedState: (feed, state) => void states.push(`${feed} ${state.is}`),
    acknowledged: () => undefined,
    gapOpened: (feed, cause, symbols, fromMs) => void gaps.push(`${feed} ${cause} ${fromMs} ${symbols.join()}`),
    gapClosed: () => undefined,
  }
  const gap = { type: 'gap-open', cause: 'drop', symbols: [] } as const
  const entries: LedgerEntry[] = [
    // Closed; of one symbol only; of the whole feed; and on a feed that is off.
    { ...gap, feed: 'crypto/XT', fromMs: unixMs(1) },
    { type: 'gap-close', feed: 'crypto/XT', openedSeq: 1 },
    { ...gap, feed: 'crypto/XQ', fromMs: unixMs(1), symbols: ['BTC-USD'] },
    { ...gap, feed: 'forex/C', fromMs: unixMs(1) },
    { type: 'state', feed: 'crypto/XT', conn: 1, state: 'open' },
    { type: 'state', feed: 'crypto/XQ', conn: 2, state: 'open' },
    { type: 'state', feed: 'forex/C', conn: 3, state: 'waiting' },
    { type: 'state', feed: 'stocks/T', conn: 4, state: 'idle' },
  ]
  entries.forEach((entry, i) => tracker.apply(i + 1, unixMs(i), entry, sink))
  gaps.length = states.length = 0
  tracker.end(unixMs(50), 'crash', sink)
  expect(gaps).toEqual(['crypto/XT crash 50 ', 'crypto/XQ crash 50 '])
  expect(states).toEqual(['crypto/XT idle', 'crypto/XQ idle', 'forex/C idle'])
})

test('a gap lasts as long as it did if the clock was set back meanwhile', () => {
  const tracker = new FeedTracker()
  const gap = { feed: 'crypto/XT', cause: 'drop', symbols: [] } as const
  tracker.apply(1, unixMs(10_000), { type: 'gap-open', ...gap, fromMs: unixMs(9_000) }, null)
  // Older sessions have a sleep as a clock that was set forward. It must not hide that it was set back.
  tracker.apply(2, unixMs(19_000), { type: 'clock', shiftMs: 8_000 }, null)
  tracker.apply(3, unixMs(14_000), { type: 'clock', shiftMs: -5_000 }, null)
  tracker.apply(4, unixMs(16_000), { type: 'gap-close', feed: 'crypto/XT', openedSeq: 1 }, null)
  expect(tracker.marketContext().gaps).toEqual([{ ...gap, fromMs: 9_000, toMs: 21_000 }])
})
