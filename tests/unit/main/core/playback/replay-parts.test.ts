import { expect, test } from 'vitest'
import { gapsKnownAt } from '../../../../../src/main/core/playback/replay-parts.ts'
import type { Gap } from '../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'

test('a gap has ended once its end is applied, also if the clock was fast and was set back in it', () => {
  const [one, two] = [sessionId('one'), sessionId('two')]
  const order = new Map([
    [one, 0],
    [two, 1],
  ])
  const gap: Gap = {
    session: one,
    feed: 'crypto/XT',
    cause: 'drop',
    symbols: [],
    fromMs: unixMs(3_600_000),
    toMs: unixMs(3_900_000),
    fromSeq: 10,
    toSeq: 12,
  }
  const open = { ...gap, toMs: null, toSeq: null }
  // The clock of a replay never goes back, so it waits at the start of the gap.
  const known = (session: string, seq: number, of: Gap) => gapsKnownAt([of], order, { session, seq }, 3_600_000)
  expect(known(one, 9, gap)).toEqual([])
  expect(known(one, 11, gap)).toEqual([open])
  expect(known(one, 12, gap)).toEqual([gap])
  expect(known(two, 1, gap)).toEqual([gap])
  // Open at the end of its session: it lasts until the next one begins.
  const unended = { ...gap, toSeq: null }
  expect(known(one, 12, unended)).toEqual([open])
  expect(known(two, 0, unended)).toEqual([open])
  expect(gapsKnownAt([unended], order, { session: two, seq: 1 }, 3_900_000)).toEqual([unended])
})
