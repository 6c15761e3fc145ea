import { expect, it } from 'vitest'
import { coveredSession, type RecordedView } from '../../../../../src/main/core/views/view-sessions.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import type { Gap, SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { T0 } from '../store/harness.ts'

it('ends a gap in a replay once its end is visible, also if the clock was an hour fast and was set back in it', async () => {
  const session = sessionId('one')
  const reader = { entries: async () => [] } as Partial<StoreReader> as StoreReader // nothing else is read
  const row = { session, startedMs: unixMs(T0), endedMs: unixMs(T0 + 7_200_000) } as Partial<SessionRow> as SessionRow
  const gap: Gap = {
    session,
    feed: 'crypto/XT',
    cause: 'drop',
    symbols: [],
    fromMs: unixMs(T0 + 3_600_000),
    toMs: unixMs(T0 + 3_900_000),
    fromSeq: 10,
    toSeq: 12,
  }
  // The clock of a replay never goes back, so it waits at the start of the gap.
  const at = (seq: number): RecordedView => ({
    source: 'demo',
    nowMs: T0 + 3_600_000,
    upTo: new Map([[session, seq]]),
    past: true,
  })
  const shown = async (seq: number, one: Gap) => (await coveredSession(reader, at(seq), row, [one])).gaps
  expect(await shown(9, gap)).toEqual([])
  expect(await shown(11, gap)).toEqual([{ ...gap, toMs: null, toSeq: null }])
  expect(await shown(12, gap)).toEqual([gap])
  // Open at the end of the session: it lasts until the next one begins.
  expect(await shown(12, { ...gap, toSeq: null })).toEqual([{ ...gap, toMs: null, toSeq: null }])
})
