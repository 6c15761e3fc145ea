/** Compares the team's log with a recorder's store: each committed flush once, in order, with the chains recomputed. */
import { expect } from 'vitest'
import type { ChainHeads, CommittedFlush } from '../../../../../../src/main/core/store/types/flushes.ts'
import type { StoreReader } from '../../../../../../src/main/core/store/types/reader.ts'
import { decodeFrame } from '../../../../../../src/main/features/team/frame/decode.ts'
import { FrameJoiner } from '../../../../../../src/main/features/team/frame/parts.ts'
import { verifyFrame } from '../../../../../../src/main/features/team/frame/verify.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import type { RecordingId } from '../../../../../../src/shared/base/units.ts'
import { valueOf } from '../frame/flushes.ts'

export interface LoggedSession {
  readonly flushes: readonly CommittedFlush[]
  readonly heads: ChainHeads
  readonly lastSeq: number
  readonly frames: number
}

/** Reads a shard's log and verifies every chain. Throws at a frame that isn't the next one of its session. */
export async function readShard(log: TeamLog, shard: number): Promise<Map<RecordingId, LoggedSession>> {
  const sessions = new Map<RecordingId, LoggedSession>()
  const joiners = new Map<RecordingId, FrameJoiner>()
  const stop = new AbortController()
  const last = await lastSequence(log, shard)
  if (last === 0) return sessions
  for await (const { session, sequence, bytes } of log.read({ shard, from: { at: 'first' }, signal: stop.signal })) {
    const joiner = joiners.get(session) ?? new FrameJoiner()
    joiners.set(session, joiner)
    let joined = joiner.add(bytes)
    if (joined.is === 'other') {
      // The recorder ended between two parts, and publishes from the last whole frame on.
      joiner.drop()
      joined = joiner.add(bytes)
    }
    if (joined.is === 'frame') {
      const before = sessions.get(session)
      const frame = valueOf(decodeFrame(joined.bytes))
      const { flushes, heads } = valueOf(verifyFrame(frame, before?.heads ?? new Map<never, never>()))
      expect(frame.firstSeq).toBe((before?.lastSeq ?? 0) + 1)
      sessions.set(session, {
        flushes: [...(before?.flushes ?? []), ...flushes],
        heads,
        lastSeq: frame.lastSeq,
        frames: (before?.frames ?? 0) + 1,
      })
    } else expect(['waiting', 'repeated']).toContain(joined.is)
    if (sequence >= last) break
  }
  stop.abort()
  return sessions
}

/** The sequence of the last message in the stream of a shard. */
async function lastSequence(log: TeamLog, shard: number): Promise<number> {
  let last = 0
  for (const { session } of await log.sessions())
    last = Math.max(last, (await log.lastOf(shard, session))?.sequence ?? 0)
  return last
}

const hexOf = (heads: ChainHeads): unknown =>
  [...heads]
    .sort(([a], [b]) => a - b)
    .map(([conn, { head, messages }]) => [conn, messages, Buffer.from(head).toString('hex')])

/** Expects the log to hold exactly what the store holds of a session. */
export async function expectWhole(reader: StoreReader, session: RecordingId, logged: LoggedSession | undefined) {
  const page = await reader.flushes({
    recording: session,
    afterSeq: logged?.lastSeq ?? 0,
    maxBytes: 1,
    withHeads: true,
  })
  expect(page.flushes).toEqual([])
  // Equal heads prove equal messages: each covers everything before it.
  expect(hexOf(logged?.heads ?? new Map<never, never>())).toEqual(hexOf(page.heads ?? new Map<never, never>()))
}
