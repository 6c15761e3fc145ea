/** Finds the position of an instant in a session. */
import type { Position, PositionQuery } from '../types/replay.ts'
import { stampsOf } from './replay-cursor.ts'
import type { ReplaySql } from '../read/replay-sql.ts'
import { CLOCK_SLACK_MS, type MarksCache } from './time-index.ts'
import { upperBound } from '../../../../shared/base/search.ts'

/** Up to this many seqs are read one by one. Longer ranges are narrowed by reading blocks. */
const READ_SEQS = 8192
const MAX_BLOCK_READS = 48

/** The last message or entry received at or before a replay time; null if the session begins later. */
export function findPosition(sql: ReplaySql, cache: MarksCache, { session, ms }: PositionQuery): Position | null {
  const marks = cache.of(session)
  if (marks.lastSeq === 0) return null
  for (let reads = 0, passedSeq = 0; ; reads++) {
    const { seq, wallMs } = marks.marks
    // The first mark that is later, and the last mark before it that is certainly earlier.
    let hi = upperBound(seq, passedSeq)
    while (hi < seq.length && !(wallMs[hi] > ms)) hi++
    let lo = hi - 1
    while (lo > 0 && !(wallMs[lo] <= ms - CLOCK_SLACK_MS)) lo--
    const upTo = hi === seq.length ? marks.lastSeq : seq[hi]
    if (upTo - seq[lo] > READ_SEQS && reads < MAX_BLOCK_READS && marks.inspect(seq[lo], upTo)) continue
    // Start a little earlier if possible: rows between two marks may be slightly later than both.
    let start = lo
    while (start > 0 && !(wallMs[start] <= wallMs[lo] - CLOCK_SLACK_MS)) start--
    if (upTo - seq[start] > READ_SEQS) start = lo
    let replayMs = start === 0 ? -Infinity : marks.replayMs[start]
    for (const stamp of stampsOf(sql, { session, afterSeq: seq[start], upToSeq: upTo })) {
      if (stamp.wallMs > ms) return stamp.seq === 1 ? null : { seq: stamp.seq - 1, ms: replayMs }
      replayMs = Math.max(replayMs, stamp.wallMs)
    }
    if (hi === seq.length) return { seq: marks.lastSeq, ms: replayMs }
    passedSeq = upTo
  }
}
