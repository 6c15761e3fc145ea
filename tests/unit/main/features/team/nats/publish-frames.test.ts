import { expect, it } from 'vitest'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { publishFrames } from '../../../../../kit/publish-frames.ts'

const SESSION = sessionId('20240115T000000Z-00000001')

/** A log that stores `stored` after the message 1, but responds too late. */
const lateLog = (stored: string): Parameters<typeof publishFrames>[0] => ({
  publish: () => Promise.reject(new CodedError('timeout', 'The server didn’t respond.')),
  lastOf: (shard, session) =>
    Promise.resolve({ shard, session, sequence: 2, bytes: Buffer.from(stored), storedMs: unixMs(0), pending: 0 }),
})

it('takes a message of the log for a frame whose response is late only if it is that frame', async () => {
  const frames = [Buffer.from('mine')]
  expect(await publishFrames(lateLog('mine'), SESSION, frames, 1)).toBe(2)
  await expect(publishFrames(lateLog('another'), SESSION, frames, 1)).rejects.toThrow('somebody else publishes')
})
