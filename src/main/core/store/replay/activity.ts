/** Counts messages over time for a timeline, from time marks and without reading the messages. */
import type { ActivityQuery } from '../types/replay.ts'
import type { MarksCache, TimeMarks } from './time-index.ts'
import { upperBound } from '../../../../shared/base/search.ts'

/** Blocks a query may read where marks are further apart than its buckets. */
const MAX_BLOCK_READS = 24
const MAX_BUCKETS = 10_000

/** Messages in equal buckets of [from, to), by replay time in UTC ms. */
export function countActivity(cache: MarksCache, query: ActivityQuery): readonly number[] {
  const { sessions, fromMs, toMs } = query
  const buckets = Math.min(MAX_BUCKETS, Math.max(1, Math.floor(query.buckets)))
  const width = (toMs - fromMs) / buckets
  const sums = new Float64Array(buckets + 1)
  if (width > 0) {
    const all = sessions.map((session) => cache.of(session))
    for (const marks of all) {
      refine(marks, query, width, Math.ceil(MAX_BLOCK_READS / all.length))
      for (let i = 0; i <= buckets; i++) sums[i] = sums[i] + messagesBefore(marks, fromMs + i * width)
    }
  }
  // Differences of rounded sums, so that the counts add up to the total.
  return Array.from({ length: buckets }, (_, i) => Math.max(0, Math.round(sums[i + 1]) - Math.round(sums[i])))
}

/** Reads blocks where two marks cover many messages over several buckets, the largest first. */
function refine(marks: TimeMarks, { fromMs, toMs }: ActivityQuery, width: number, remaining: number): void {
  for (let n = 0; n < remaining; n++) {
    const { seq } = marks.marks
    const ms = marks.replayMs
    let widest = -1
    for (let i = Math.max(1, upperBound(ms, fromMs)); i < seq.length && ms[i - 1] < toMs; i++) {
      if (ms[i] - ms[i - 1] <= width || seq[i] - seq[i - 1] < 256) continue
      if (widest < 0 || seq[i] - seq[i - 1] > seq[widest] - seq[widest - 1]) widest = i
    }
    if (widest < 0 || !marks.inspect(seq[widest - 1], seq[widest])) return
  }
}

/** Messages received before an instant, assumed to be spread evenly between marks. */
function messagesBefore(marks: TimeMarks, atMs: number): number {
  const { messages, replayMs: ms } = marks
  const after = upperBound(ms, atMs)
  if (after === 0) return 0
  const from = messages[after - 1]
  if (after === messages.length) return from
  return from + ((messages[after] - from) * (atMs - ms[after - 1])) / (ms[after] - ms[after - 1])
}
