import { expect, it } from 'vitest'
import { gapJson, sessionJson } from '../../../../../src/main/core/recording/session-json.ts'
import { UNLABELED } from '../../../../kit/market.ts'
import type { Gap, GapCause, SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'

const session = sessionId('s')
const gap = (cause: GapCause, fromSeq: number): Gap => ({
  session,
  feed: 'crypto/XT',
  cause,
  symbols: [],
  fromMs: unixMs(fromSeq),
  toMs: unixMs(fromSeq + 1),
  fromSeq,
  toSeq: fromSeq,
})
const row: SessionRow = {
  ...UNLABELED,
  session,
  source: 'demo',
  startedMs: unixMs(0),
  endedMs: unixMs(9),
  clean: true,
  isCorrupt: false,
  live: false,
  feeds: [],
  symbols: 1,
  messages: 0,
  bytes: 0,
  gaps: [gap('connect', 1), gap('drop', 4), gap('quit', 8)],
  gapCount: 3,
  edges: 2,
  imported: false,
}

it('lists all gaps of a session, and counts those that aren’t its edges', () => {
  const json = sessionJson(row)
  expect(json['gap_count']).toBe(1)
  expect(json['gaps']).toHaveLength(3)
})

it('tells the seconds of a gap, and neither end nor seconds of one that is open', () => {
  expect(gapJson({ ...gap('drop', 4), toMs: unixMs(2_504) })).toMatchObject({
    from: '1970-01-01T00:00:00.004Z',
    to: '1970-01-01T00:00:02.504Z',
    seconds: 2.5,
  })
  expect(gapJson({ ...gap('drop', 4), toMs: null })).toMatchObject({ to: null, seconds: null })
})
