/** The sessions that the user's rules delete: first moved to the bin, later erased. */
import { DAY_MS } from '../../base/durations.ts'
import { isTeamKey, type SessionRow } from '../../core/recording/session.ts'
import type { SessionId } from '../../base/units.ts'

/** 0 disables a rule. */
export interface RetentionRules {
  /** Days to keep a session after its end. */
  readonly keepDays: number
  /** The size that sessions may use, in 10^9 bytes. The oldest go first. */
  readonly keepGb: number
  /** Days in the bin before a session is erased. 0: only by the user. */
  readonly binDays: number
}

export interface RetentionPlan {
  readonly bin: readonly SessionId[]
  readonly erase: readonly SessionId[]
}

/** When a session ended, UTC ms; for a replica that its recorder never ended, its start. Null: it may still go on. */
const endOf = ({ endedMs, source, startedMs }: SessionRow): number | null =>
  endedMs ?? (isTeamKey(source) ? startedMs : null)

/**
 * What the rules do now. They never move pinned sessions, the one being recorded or imported ones into the bin.
 * Everything in the bin is erased when its days are over, no matter how it got there.
 */
export function retentionPlan(rows: readonly SessionRow[], rules: RetentionRules, nowMs: number): RetentionPlan {
  const erase = rows.filter(
    ({ binnedMs, pinned }) =>
      binnedMs !== null && !pinned && rules.binDays > 0 && nowMs - binnedMs >= rules.binDays * DAY_MS,
  )
  const listed = rows.filter(({ binnedMs }) => binnedMs === null)
  const mayGo = listed
    .filter((row) => !row.pinned && !row.live && !row.imported && endOf(row) !== null)
    .toSorted((a, b) => a.startedMs - b.startedMs)
  const bin = new Set<SessionId>()
  if (rules.keepDays > 0) {
    for (const row of mayGo) {
      if (nowMs - (endOf(row) ?? nowMs) >= rules.keepDays * DAY_MS) bin.add(row.session)
    }
  }
  if (rules.keepGb > 0) {
    let bytes = listed.reduce((sum, row) => (bin.has(row.session) ? sum : sum + row.bytes), 0)
    for (const row of mayGo) {
      if (bytes <= rules.keepGb * 1e9) break
      if (bin.has(row.session)) continue
      bin.add(row.session)
      bytes -= row.bytes
    }
  }
  return { bin: [...bin], erase: erase.map(({ session }) => session) }
}
