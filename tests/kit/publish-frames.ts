/** Publishes frames as a recorder does, whatever else the machine is doing. */
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import { CodedError } from '../../src/shared/base/errors.ts'
import type { SessionId } from '../../src/shared/base/units.ts'

/** Requests without a response after which it fails: each waited for seconds. */
const MAX_TIMEOUTS = 5

/**
 * Publishes `frames` of shard 1, each after the last one, and returns the log's sequence of the last one. A server on a busy
 * disk may respond too late: then the log tells whether the frame was stored, as it tells a recorder.
 */
export async function publishFrames(
  log: Pick<TeamLog, 'publish' | 'lastOf'>,
  session: SessionId,
  frames: readonly Uint8Array[],
  previous: number,
): Promise<number> {
  let last = previous
  for (const bytes of frames) last = await publishFrame(log, session, bytes, last)
  return last
}

async function publishFrame(
  log: Pick<TeamLog, 'publish' | 'lastOf'>,
  session: SessionId,
  bytes: Uint8Array,
  previous: number,
): Promise<number> {
  for (let timeouts = 0; ; timeouts++) {
    try {
      const outcome = await log.publish(1, session, bytes, previous)
      if (outcome.is === 'stored') return outcome.sequence
      if (timeouts === 0) throw new Error('somebody else publishes this session')
    } catch (error) {
      const isLate = error instanceof CodedError && error.code === 'timeout'
      if (!isLate || timeouts === MAX_TIMEOUTS) throw error
    }
    const stored = await log.lastOf(1, session)
    if (stored === null || stored.sequence <= previous) continue
    if (Buffer.compare(stored.bytes, bytes) !== 0) throw new Error('somebody else publishes this session')
    return stored.sequence
  }
}
