/** How a team is: who records each shard, how far the log and the history are, and what needs attention. Pure. */
import { countText } from '../../../../shared/base/count-text.ts'
import type { RecordingId, UnixMs } from '../../../../shared/base/units.ts'
import { epochOf, type LeaseEntry } from '../lease/lease.ts'
import type { TeamName } from '../names.ts'
import type { Plan } from '../plan/plan.ts'
import type { SessionInfo } from '../session-info.ts'

/** The last frame of a session in the log. */
export interface LastFrame {
  readonly lastSeq: number
  readonly storedMs: UnixMs
}

/** What the servers of a team say. */
export interface TeamFacts {
  readonly team: TeamName
  readonly nowMs: UnixMs
  readonly plan: Plan | null
  readonly leases: ReadonlyMap<number, LeaseEntry>
  readonly sessions: readonly SessionInfo[]
  /** Of open sessions and of those that history hasn't completely. Absent: the log has none. */
  readonly lastFrames: ReadonlyMap<RecordingId, LastFrame>
  /** Last seq that history has committed, by session. */
  readonly watermarks: ReadonlyMap<RecordingId, number>
  /** Frames in quarantine, by shard; null: no history was asked. */
  readonly quarantine: ReadonlyMap<number, number> | null
}

export interface SessionStatus {
  readonly session: RecordingId
  readonly shard: number
  readonly recorder: string
  readonly epoch: number
  /** Null while it is being recorded. */
  readonly endedMs: UnixMs | null
  /** Last seq in the log, 0: none. */
  readonly lastSeq: number
  /** Last seq in the history. */
  readonly committedSeq: number
  /** Seqs that the history lacks. */
  readonly behind: number
  /** Age of the last frame, ms. Null: the log has none. */
  readonly ageMs: number | null
}

export interface ShardStatus {
  readonly shard: number
  /** Who has the lease. Null: nobody. */
  readonly lease: { readonly recorder: string; readonly epoch: number } | null
  /** Symbols of the plan, over all feeds. Null: it isn't in the plan. */
  readonly symbols: number | null
  /** Open sessions, and ended ones that the history lacks a part of. By start. */
  readonly sessions: readonly SessionStatus[]
  readonly quarantined: number | null
}

export interface TeamStatus {
  readonly team: TeamName
  readonly shards: readonly ShardStatus[]
  /** A sentence each. */
  readonly problems: readonly string[]
}

/** A session whose last frame is younger has a recorder. */
const ALIVE_MS = 5_000
/** An open session whose last frame is older may have lost its recorder. */
const SILENT_MS = 60_000
/** The history should have all of a session by then. */
const LATE_MS = 300_000

const lastSeqOf = (info: SessionInfo, { lastFrames }: TeamFacts): number =>
  Math.max(info.end?.lastSeq ?? 0, lastFrames.get(info.session)?.lastSeq ?? 0)

/** Whether a session must be looked at in the log: it is open, or history lacks a part of it. */
export const isUnfinished = (info: SessionInfo, watermark: number | undefined): boolean =>
  info.end === null || (watermark ?? 0) < info.end.lastSeq

export function teamStatus(facts: TeamFacts): TeamStatus {
  const unfinished = facts.sessions
    .filter((info) => isUnfinished(info, facts.watermarks.get(info.session)))
    .toSorted((a, b) => a.startedMs - b.startedMs || (a.session < b.session ? -1 : 1))
  const numbers = new Set([
    ...(facts.plan?.shards ?? []).map(({ shard }) => shard),
    ...facts.leases.keys(),
    ...facts.sessions.map(({ shard }) => shard),
  ])
  const shards = [...numbers]
    .sort((a, b) => a - b)
    .map((shard): ShardStatus => {
      const lease = facts.leases.get(shard)
      const planned = facts.plan?.shards.find((one) => one.shard === shard)
      return {
        shard,
        lease:
          lease === undefined || lease.value.released
            ? null
            : { recorder: lease.value.recorder, epoch: epochOf(lease) },
        symbols:
          planned === undefined ? null : Object.values(planned.symbols).reduce((sum, own) => sum + own.length, 0),
        sessions: unfinished.filter((info) => info.shard === shard).map((info) => sessionStatus(info, facts)),
        quarantined: facts.quarantine === null ? null : (facts.quarantine.get(shard) ?? 0),
      }
    })
  return { team: facts.team, shards, problems: shards.flatMap((shard) => problemsOf(shard, facts.nowMs)) }
}

function sessionStatus(info: SessionInfo, facts: TeamFacts): SessionStatus {
  const { session, shard, recorder, epoch, end } = info
  const lastSeq = lastSeqOf(info, facts)
  const committedSeq = facts.watermarks.get(session) ?? 0
  const frame = facts.lastFrames.get(session)
  return {
    session,
    shard,
    recorder,
    epoch,
    endedMs: end?.endedMs ?? null,
    lastSeq,
    committedSeq,
    behind: Math.max(0, lastSeq - committedSeq),
    ageMs: frame === undefined ? null : Math.max(0, facts.nowMs - frame.storedMs),
  }
}

function problemsOf({ shard, lease, symbols, sessions, quarantined }: ShardStatus, nowMs: UnixMs): readonly string[] {
  const open = sessions.filter(({ endedMs }) => endedMs === null)
  const problems: string[] = []
  const alive = open.filter(({ ageMs }) => ageMs !== null && ageMs < ALIVE_MS)
  if (
    symbols !== null &&
    symbols > 0 &&
    lease === null &&
    open.every(({ ageMs }) => ageMs === null || ageMs >= SILENT_MS)
  ) {
    problems.push(`Shard ${shard} has no recorder.`)
  }
  if (alive.length > 1) {
    const names = alive.map(({ recorder }) => recorder).join(' and ')
    problems.push(`Shard ${shard} is recorded ${alive.length} times: by ${names}.`)
  }
  for (const { session, ageMs, recorder } of open) {
    if (ageMs !== null && ageMs >= SILENT_MS) {
      problems.push(
        `Session ${session} of shard ${shard} is open, and ${recorder} sent nothing for ${ageText(ageMs)}. Start it again on its machine, and it publishes the rest.`,
      )
    }
  }
  for (const { session, endedMs, behind } of sessions) {
    if (endedMs !== null && nowMs - endedMs >= LATE_MS) {
      problems.push(`Session ${session} has ended, and the history lacks its last ${countText(behind, 'seq')}.`)
    }
  }
  if (quarantined !== null && quarantined > 0) {
    problems.push(
      `${countText(quarantined, 'frame')} of shard ${shard} didn’t match ${quarantined === 1 ? 'its' : 'their'} hash chain and ${quarantined === 1 ? 'is' : 'are'} in quarantine.`,
    )
  }
  return problems
}

/** An age in the largest unit that fits: "0.4 s", "12 min", "3 h". */
export function ageText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 3_600_000)} h`
}
