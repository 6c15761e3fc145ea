/** A terminal's status and its feeds, as windows, health and metrics see them. */
import type { FeedState, FeedStatus, Reason, StatusState } from '../../src/shared/core/status/status.ts'
import { unixMs, type FeedId } from '../../src/shared/base/units.ts'

export const NOW = unixMs(1_767_607_200_000)
export const why: Reason = {
  code: 'offline',
  message: 'The service can’t be reached.',
  hint: 'Check it.',
  closeCode: null,
}
export const open: FeedState = { is: 'open', sinceMs: NOW }
export const waiting: FeedState = { is: 'waiting', untilMs: NOW, attempt: 2, why }

export const feedIn = (feed: FeedId, state: FeedState, part: Partial<FeedStatus> = {}): FeedStatus => ({
  feed,
  state,
  connections: 1,
  acknowledged: ['BTC-USD'],
  missing: [],
  overBudget: [],
  budget: 50,
  perSecond: 1,
  received: 7,
  undecodable: 0,
  unasked: 0,
  lastMessageMs: unixMs(NOW - 1_500),
  mappings: [],
  ...part,
})

export const status = (part: Partial<StatusState> = {}): StatusState => ({
  nowMs: NOW,
  source: 'demo',
  origin: 'demo',
  historyChanges: 0,
  feeds: [feedIn('crypto/XT', open)],
  recorder: { is: 'recording', session: 's1', sinceMs: NOW, paused: false },
  received: 7,
  stored: 6,
  perSecond: 1,
  backlogBytes: 100,
  receiveToStored: { p50: 10, p99: 50, max: 80 },
  store: { path: '/s.db', bytes: 4_096, freeBytes: 5e9, bytesPerHour: null },
  skewMs: null,
  gapsToday: 2,
  message: '',
  ...part,
})
