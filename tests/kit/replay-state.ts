/** The state of a replay, as windows see it. */
import type { ReplayState } from '../../src/shared/features/replay/replay.ts'
import { unixMs } from '../../src/shared/base/units.ts'

/** A replay from 0 to 10 s that stands at its start. */
export const replayState = (part: Partial<ReplayState> = {}): ReplayState => ({
  id: 'replay-1',
  source: 'demo',
  opened: [],
  team: false,
  sessions: [],
  fromMs: unixMs(0),
  toMs: unixMs(10_000),
  growing: false,
  nowMs: unixMs(0),
  at: null,
  playing: false,
  speed: 1,
  skipIdle: false,
  loop: null,
  seeking: false,
  ended: false,
  messages: 0,
  perSecond: 0,
  exactness: { is: 'none' },
  problem: null,
  ...part,
})
