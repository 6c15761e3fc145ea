/** The rows of the table of shards and recorders. Pure. */
import { TEAM_LIMITS_MS } from '../../../shared/features/team/limits.ts'
import type { RecorderStatus, SessionStatus, ShardStatus, TeamStatus } from '../../../shared/features/team/status.ts'
import type { FollowedSession } from '../../../shared/features/team/team.ts'
import { DASH, type NumberText } from '../../text/format.ts'

export interface TeamRow {
  readonly key: string
  readonly shard: ShardStatus
  /** Null: nobody records the shard. */
  readonly recorder: string | null
  /** The shard's lease, in the row of the recorder that has it. */
  readonly epoch: number | null
  readonly session: SessionStatus | null
  /** What the recorder says about itself; in its first row. */
  readonly report: RecorderStatus | null
  /** The shard's own figures are in its first row. */
  readonly isFirst: boolean
  /** This terminal's copy; null: it doesn't follow the session. */
  readonly copy: FollowedSession | null
}

/** By shard; the sessions that are being recorded come first, the newest of them at the top, then ended ones. */
export function teamRows({ shards }: TeamStatus, followed: readonly FollowedSession[]): readonly TeamRow[] {
  return shards.flatMap((shard) => {
    const sessions = shard.sessions.toSorted(
      (a, b) => Number(a.endedMs !== null) - Number(b.endedMs !== null) || b.startedMs - a.startedMs,
    )
    const { lease, recorders } = shard
    if (sessions.length === 0) {
      const recorder = lease?.recorder ?? recorders.at(0)?.name ?? null
      const report = recorders.find(({ name }) => name === recorder) ?? null
      const epoch = lease?.epoch ?? null
      return [{ key: `${shard.shard}`, shard, recorder, epoch, session: null, report, isFirst: true, copy: null }]
    }
    const reported = new Set<string>()
    return sessions.map((session, i): TeamRow => {
      const { recorder } = session
      const report = reported.has(recorder) ? null : (recorders.find(({ name }) => name === recorder) ?? null)
      reported.add(recorder)
      return {
        key: session.session,
        shard,
        recorder,
        epoch:
          lease?.recorder === recorder && lease.epoch === session.epoch && session.endedMs === null
            ? lease.epoch
            : null,
        session,
        report,
        isFirst: i === 0,
        copy: followed.find((one) => one.session === session.session) ?? null,
      }
    })
  })
}

/**
 * How fresh the last frame of an open session is, as a shape. `isThere`: its recorder reports about itself, so nothing was
 * received where there is no frame.
 */
export function freshnessOf(ageMs: number | null, isThere: boolean): 'live' | 'quiet' | 'stale' | 'disconnected' {
  if (ageMs !== null && ageMs < TEAM_LIMITS_MS.alive) return 'live'
  if (isThere) return 'quiet'
  return ageMs !== null && ageMs < TEAM_LIMITS_MS.gone ? 'stale' : 'disconnected'
}

/** "0.4 MB / 50 GB". */
export function spoolText(report: RecorderStatus | null, numbers: Pick<NumberText, 'bytes'>): string {
  if (report === null) return DASH
  const { spoolBytes, spoolLimitBytes } = report
  return spoolLimitBytes === null
    ? numbers.bytes(spoolBytes)
    : `${numbers.bytes(spoolBytes)} / ${numbers.bytes(spoolLimitBytes)}`
}
