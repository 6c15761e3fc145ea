/** Compares the team's log with a recorder's store: each committed flush once, in order, with the chains recomputed. */
import type { ChainHeads } from '../../src/main/core/store/types/flushes.ts'
import type { StoreReader } from '../../src/main/core/store/types/reader.ts'
import { decodeFrame } from '../../src/main/features/team/frame/decode.ts'
import { newChain } from '../../src/main/features/team/frame/frame.ts'
import { FrameJoiner } from '../../src/main/features/team/frame/parts.ts'
import type { FrameResult } from '../../src/main/features/team/frame/refusal.ts'
import { verifyFrame } from '../../src/main/features/team/frame/verify.ts'
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import type { SessionId } from '../../src/shared/base/units.ts'

interface LoggedSession {
  readonly joiner: FrameJoiner
  heads: ChainHeads
  lastSeq: number
  frames: number
}

/**
 * Throws unless the log of a shard holds exactly these sessions, and of each exactly what the store holds. Returns the
 * number of frames.
 */
export async function checkLog(
  log: TeamLog,
  shard: number,
  reader: Pick<StoreReader, 'flushes'>,
  sessions: readonly SessionId[],
): Promise<number> {
  const logged = await readShard(log, shard)
  let frames = 0
  for (const session of sessions) {
    const of = logged.get(session)
    const afterSeq = of?.lastSeq ?? 0
    const page = await reader.flushes({ session, afterSeq, maxBytes: 1, withHeads: true })
    if (page.flushes.length > 0) throw new Error(`the log ends at ${afterSeq} of ${session}, before the store`)
    // Equal heads prove equal messages: each covers everything before it.
    const [inLog, inStore] = [describe(session, of?.heads), describe(session, page.heads)]
    if (inLog !== inStore)
      throw new Error(`the log has other messages of ${session}: heads ${inLog} after seq ${afterSeq}, not ${inStore}`)
    frames += of?.frames ?? 0
  }
  const unknown = [...logged.keys()].filter((session) => !sessions.includes(session))
  if (unknown.length > 0) throw new Error(`the log also has ${unknown.join(', ')}`)
  return frames
}

/** Reads a shard up to what it holds now. Throws at a frame that isn't the next one of its session. */
async function readShard(log: TeamLog, shard: number): Promise<ReadonlyMap<SessionId, LoggedSession>> {
  const sessions = new Map<SessionId, LoggedSession>()
  let last = 0
  for (const { session } of await log.sessions())
    last = Math.max(last, (await log.lastOf(shard, session))?.sequence ?? 0)
  if (last === 0) return sessions
  const stop = new AbortController()
  for await (const { session, sequence, bytes } of log.read({ shard, from: { at: 'first' }, signal: stop.signal })) {
    const of = sessions.get(session) ?? { joiner: new FrameJoiner(), heads: new Map(), lastSeq: 0, frames: 0 }
    sessions.set(session, of)
    take(of, bytes)
    if (sequence >= last) break
  }
  stop.abort()
  return sessions
}

function take(of: LoggedSession, bytes: Uint8Array): void {
  let joined = of.joiner.add(bytes)
  if (joined.is === 'other') {
    // The recorder was interrupted between two parts, and published again from the last whole frame on.
    of.joiner.drop()
    joined = of.joiner.add(bytes)
  }
  if (joined.is === 'waiting' || joined.is === 'repeated') return
  if (joined.is !== 'frame') throw new Error(`a message of the log is ${joined.is}`)
  const frame = accept(decodeFrame(joined.bytes))
  if (frame.firstSeq !== of.lastSeq + 1) throw new Error(`${frame.session} has ${frame.firstSeq} after ${of.lastSeq}`)
  of.heads = accept(verifyFrame(frame, of.heads)).heads
  of.lastSeq = frame.lastSeq
  of.frames++
}

function accept<T>(result: FrameResult<T>): T {
  if (!result.ok) throw new Error(`a frame was refused: ${result.refusal.message}`)
  return result.value
}

/** Chains with content: a session that ended before its first message has none in the log. */
function describe(session: SessionId, heads: ChainHeads | null | undefined): string {
  const unused = hex(newChain(session, 0, '').head)
  const chains = [...(heads ?? [])]
    .sort(([a], [b]) => a - b)
    .map(([conn, { head, messages }]) => [conn, messages, hex(head)] as const)
  return JSON.stringify(chains.filter(([conn, messages, head]) => (conn === 0 ? head !== unused : messages > 0)))
}

const hex = (head: Uint8Array): string => Buffer.from(head).toString('hex')
