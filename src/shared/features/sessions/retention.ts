/** Which recordings the rules of the user let go: into the bin first, out of it for good later. */
import type { SessionRow } from '../../core/recording/recording.ts'
import type { RecordingId } from '../../base/units.ts'

const DAY = 86_400_000

/** 0 of anything: no such rule. */
export interface RetentionRules {
  /** Days after its end that a session is kept. */
  readonly keepDays: number
  /** Size, in 10^9 bytes, that sessions may take; the oldest go first. */
  readonly keepGb: number
  /** Days in the bin before a session is erased; 0: until the user does. */
  readonly binDays: number
}

export interface RetentionPlan {
  readonly bin: readonly RecordingId[]
  readonly erase: readonly RecordingId[]
}

/**
 * What the rules say now. Pinned sessions, the one that is being recorded, and what was brought in from
 * elsewhere are never put into the bin by them; what is in it, by whomever, is erased after its days.
 */
export function retentionPlan(rows: readonly SessionRow[], rules: RetentionRules, nowMs: number): RetentionPlan {
  const erase = rows.filter(
    ({ binnedMs, pinned }) =>
      binnedMs !== null && !pinned && rules.binDays > 0 && nowMs - binnedMs >= rules.binDays * DAY,
  )
  const kept = rows.filter(({ binnedMs }) => binnedMs === null)
  const mayGo = kept
    .filter(({ pinned, live, imported, endedMs }) => !pinned && !live && !imported && endedMs !== null)
    .toSorted((a, b) => a.startedMs - b.startedMs)
  const bin = new Set<RecordingId>()
  if (rules.keepDays > 0) {
    for (const { session, endedMs } of mayGo) {
      if (endedMs !== null && nowMs - endedMs >= rules.keepDays * DAY) bin.add(session)
    }
  }
  if (rules.keepGb > 0) {
    let bytes = kept.reduce((sum, row) => (bin.has(row.session) ? sum : sum + row.bytes), 0)
    for (const row of mayGo) {
      if (bytes <= rules.keepGb * 1e9) break
      if (bin.has(row.session)) continue
      bin.add(row.session)
      bytes -= row.bytes
    }
  }
  return { bin: [...bin], erase: erase.map(({ session }) => session) }
}
