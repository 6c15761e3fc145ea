import { expect, test } from 'vitest'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { instrumentId, sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { makeSession } from '../../../../kit/market.ts'

const SESSION = sessionId('01m8pv551y4cw57f66q1fxqzyw')

/** The past over a store that answers every question for bars like this. */
function rig(thrown: Error, more: Partial<StoreReader> = {}) {
  const failed: string[] = []
  const history = createViewHistory({
    // Nothing else of it is asked.
    reader: { bars: () => Promise.reject(thrown), ...more } as unknown as StoreReader,
    source: () => 'demo',
    present: () => new Map([[SESSION, 5]]),
    committed: () => Promise.resolve(true),
    wallMs: () => unixMs(0),
    days: () => {
      throw new Error('not asked')
    },
    failed: (what) => failed.push(what),
  })
  return { history, failed }
}
const NOTHING = { bars: [], gaps: [] }
const asked = [instrumentId('crypto', 'BTC-USD'), 'trade', '1m', 10] as const

test('unreadable bars are left out of a chart, which is notified, and reject a strict request', async () => {
  const { history, failed } = rig(new Error('SQLITE_IOERR'))
  expect(await history.bars(...asked)).toEqual(NOTHING)
  expect(failed).toEqual(['bars'])
  await expect(history.barsOrThrow(...asked)).rejects.toThrow('SQLITE_IOERR')
  await expect(history.readableBars(...asked)).rejects.toThrow('SQLITE_IOERR')
  expect(failed).toEqual(['bars'])
})

test('a store that nobody has made yet holds none, and that is no failure', async () => {
  const { history, failed } = rig(new CodedError('not-found', 'There is no store.'))
  expect(await history.barsOrThrow(...asked)).toEqual([])
  expect(await history.bars(...asked)).toEqual(NOTHING)
  expect(await history.readableBars(...asked)).toEqual(NOTHING)
  expect(failed).toEqual([])
})

test('mids of quotes are no prints, so forex has none', async () => {
  const { history, failed } = rig(new Error('not asked'), { sessions: () => Promise.resolve([makeSession(SESSION)]) })
  const eurusd = instrumentId('forex', 'EURUSD')
  expect(await history.prints(eurusd, 10)).toEqual([])
  expect(await history.printsBefore(eurusd, null, 10)).toEqual({ prints: [], older: null })
  expect(failed).toEqual([])
})
