import { expect, test } from 'vitest'
import type { FeedState } from '../../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { Coverage } from '../../../../../../src/shared/features/alerts/evaluator/coverage.ts'

const FEED = 'crypto/XT'
const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const why = { code: 'offline', message: '', hint: '', closeCode: null } as const

const STATES = {
  open: { is: 'open', sinceMs: unixMs(0) },
  stale: { is: 'stale', sinceMs: unixMs(0), lastMs: unixMs(3) },
  idle: { is: 'idle' },
  connecting: { is: 'connecting', attempt: 1 },
  waiting: { is: 'waiting', untilMs: unixMs(0), attempt: 1, why },
  refused: { is: 'refused', why },
} as const satisfies Readonly<Record<string, FeedState>>

type Step = (coverage: Coverage) => void
const is =
  (state: keyof typeof STATES, atMs: number): Step =>
  (coverage) =>
    coverage.state(FEED, STATES[state], atMs)
const lost =
  (cause: 'drop' | 'unacknowledged', fromMs: number, ...of: (typeof BTC)[]): Step =>
  (coverage) =>
    coverage.gapOpened(FEED, cause, of.length === 0 ? null : new Set(of), fromMs)
const found =
  (fromMs: number): Step =>
  (coverage) =>
    coverage.gapClosed(FEED, fromMs)

test.each<[string, Step[], string | null, number]>([
  ['nothing is known', [], null, NaN],
  ['it connects for the first time', [is('connecting', 1)], null, 1],
  ['it connects again', [is('open', 0), is('connecting', 1)], 'drop 1', 1],
  ['it waits without having been open', [is('waiting', 1)], 'drop 1', 1],
  ['it is refused', [is('refused', 1)], 'refused 1', 1],
  ['it waits on', [is('waiting', 1), is('waiting', 5)], 'drop 1', 1],
  ['it was down before the clock began', [is('waiting', -Infinity)], 'drop -Infinity', NaN],
  ['it is stale, since its last message', [is('open', 0), is('stale', 9)], 'stale 3', 3],
  ['nothing subscribes yet', [is('idle', 1)], null, NaN],
  ['nothing subscribes anymore', [is('open', 0), is('idle', 5)], 'unwanted 5', NaN],
  ['nothing subscribes while it is down', [is('waiting', 1), is('idle', 5)], 'drop 1', NaN],
  ['it is open again', [is('waiting', 1), is('open', 2)], null, NaN],
  ['a gap says why it waits', [is('waiting', 5), lost('unacknowledged', 2)], 'unacknowledged 2', 5],
  ['it waited before the gap', [is('waiting', 1), lost('unacknowledged', 2)], 'unacknowledged 1', 1],
  ['it is stale since before a gap', [is('stale', 9), lost('unacknowledged', 5)], 'stale 3', 3],
  ['it is stale from a gap on', [is('stale', 9), lost('unacknowledged', 3)], 'stale 3', 3],
  ['it is stale since after a gap', [is('stale', 9), lost('unacknowledged', 2)], 'unacknowledged 2', 3],
  ['all of it has a gap', [is('open', 0), lost('drop', 2)], 'drop 2', 2],
  ['the instrument has a gap', [is('open', 0), lost('drop', 2, BTC)], 'drop 2', 2],
  ['another one has a gap', [is('open', 0), lost('drop', 2, ETH)], null, NaN],
  ['a gap doesn’t say that it is down', [is('open', 0), lost('unacknowledged', 2)], 'unacknowledged 2', NaN],
  ['its gap is closed', [is('open', 0), lost('drop', 2), found(2)], null, NaN],
  ['another gap is closed', [is('open', 0), lost('drop', 2), found(3)], 'drop 2', 2],
  ['a smaller gap goes on', [is('open', 0), lost('drop', 2, BTC, ETH), lost('drop', 5, BTC), found(2)], 'drop 5', 2],
  ['a gap of others goes on', [is('open', 0), lost('drop', 2, ETH), lost('drop', 5, BTC), found(2)], 'drop 5', 5],
  ['another cause', [is('open', 0), lost('unacknowledged', 2), lost('drop', 5), found(2)], 'drop 5', 5],
  ['the clock was set back', [is('waiting', 9), (coverage) => coverage.setBack(8, -5)], 'drop 4', 4],
  ['the clock was set back since', [is('waiting', 8), (coverage) => coverage.setBack(8, -5)], 'drop 8', 8],
])('what suspends an instrument when %s', (_, steps, suspension, downMs) => {
  const coverage = new Coverage()
  for (const step of steps) step(coverage)
  const now = coverage.suspensionOf(FEED, BTC)
  expect([now === null ? null : `${now.cause} ${now.fromMs}`, coverage.downSince(FEED, BTC)]).toEqual([
    suspension,
    downMs,
  ])
})
