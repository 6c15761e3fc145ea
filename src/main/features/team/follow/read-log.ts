/** Reads one session from the team's log. */
import type { SessionId } from '../../../../shared/base/units.ts'
import { readHeader } from '../frame/decode.ts'
import type { FrameHeader } from '../frame/frame.ts'
import { isPart, readPart } from '../frame/parts.ts'
import type { LogStart, StoredMessage, TeamLog } from '../nats/team-log.ts'

export interface LogQuery {
  readonly shard: number
  readonly session: SessionId
  readonly fromSeq: number
  /** Where that seq is at the earliest. A wrong guess costs time, not messages. */
  readonly from: LogStart
  readonly signal: AbortSignal
}

/** The seqs of a frame or part, and the number of the part; null if it can't be read. */
function headerOf(bytes: Uint8Array): (FrameHeader & { readonly part?: number }) | null {
  const read = isPart(bytes) ? readPart(bytes) : readHeader(bytes)
  return read.ok ? read.value : null
}

/** The session's messages with `fromSeq` or later, up to the last one that the log has when reading begins. */
export async function* readLog(log: Pick<TeamLog, 'lastOf' | 'read'>, query: LogQuery): AsyncGenerator<StoredMessage> {
  const { shard, session, fromSeq, signal } = query
  const last = await log.lastOf(shard, session)
  if (last === null) return
  const end = headerOf(last.bytes)
  if (end !== null && end.lastSeq < fromSeq) return
  // A stream that was made again counts from 1.
  const isOther = 'sequence' in query.from && query.from.sequence > last.sequence
  const from: LogStart = isOther ? { at: 'first' } : query.from
  const isWholeLog = 'at' in from && from.at === 'first'
  let isFirst = true
  for await (const message of log.read({ shard, session, from, signal })) {
    const header = headerOf(message.bytes)
    if (header === null || header.lastSeq >= fromSeq) {
      // A frame can't be joined from its second part on.
      const isLate = header !== null && (header.firstSeq > fromSeq || (header.part ?? 0) > 0)
      if (isFirst && !isWholeLog && isLate) {
        yield* readLog(log, { ...query, from: { at: 'first' } })
        return
      }
      isFirst = false
      yield message
    }
    if (message.sequence >= last.sequence) return
  }
}
