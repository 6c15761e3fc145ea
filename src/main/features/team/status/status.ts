/** How a team is: who records each shard, how far the log and the history are, and what needs attention. Pure. */
import { countText } from '../../../../shared/base/count-text.ts'
import { TEAM_LIMITS_MS } from '../../../../shared/features/team/limits.ts'
import type { RecorderStatus, SessionStatus, ShardStatus, TeamStatus } from '../../../../shared/features/team/status.ts'
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { LeaseEntry } from '../lease/lease.ts'
import type { TeamName } from '../names.ts'
import type { Plan } from '../plan/plan.ts'
import type { ArchiverReport, MemberReport, RecorderReport } from '../reports/report.ts'
import type { SessionInfo } from '../session-info.ts'
import { sizeText } from '../../../../shared/base/size-text.ts'

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
  /** Of open sessions. Absent: the log has none. */
  readonly lastFrames: ReadonlyMap<SessionId, LastFrame>
  /** Last seq that history has committed, by session. Absent: not known. */
  readonly watermarks: ReadonlyMap<SessionId, number>
  /** Frames in quarantine, by shard; null: no history was asked. */
  readonly quarantine: ReadonlyMap<number, number> | null
  /** What recorders and archivers say about themselves. */
  readonly reports: readonly MemberReport[]
}

const lastSeqOf = (info: SessionInfo, { lastFrames }: TeamFacts): number =>
  Math.max(info.end?.lastSeq ?? 0, lastFrames.get(info.session)?.lastSeq ?? 0)

/** Whether a session is open, or history lacks a part of it. */
const isUnfinished = (info: SessionInfo, watermark: number | undefined): boolean =>
  info.end === null || (watermark ?? 0) < info.end.lastSeq

export function teamStatus(facts: TeamFacts): TeamStatus {
  const unfinished = facts.sessions
    .filter((info) => isUnfinished(info, facts.watermarks.get(info.session)))
    .toSorted((a, b) => a.startedMs - b.startedMs || (a.session < b.session ? -1 : 1))
  const { reports } = facts
  const recorders = reports.filter((one) => one.role === 'recorder')
  const archivers = reports.filter((one) => one.role === 'archiver')
  const numbers = new Set([
    ...(facts.plan?.shards ?? []).map(({ shard }) => shard),
    ...facts.leases.keys(),
    ...facts.sessions.map(({ shard }) => shard),
    ...recorders.flatMap(({ shard }) => shard ?? []),
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
            : { recorder: lease.value.recorder, epoch: lease.value.epoch ?? 0 },
        symbols:
          planned === undefined ? null : Object.values(planned.symbols).reduce((sum, own) => sum + own.length, 0),
        sessions: unfinished.filter((info) => info.shard === shard).map((info) => sessionStatus(info, facts)),
        recorders: recorders.filter((one) => one.shard === shard).map(recorderStatus),
        archiver: archiverOf(shard, archivers),
        quarantined: facts.quarantine === null ? null : (facts.quarantine.get(shard) ?? 0),
      }
    })
  // Archivers keep a watermark for each session from its start.
  const wasArchived = facts.watermarks.size > 0
  // Reports expire while the servers are away. A recorder that publishes and hasn't reported yet shows that they were.
  const isReported =
    reports.length > 0 ||
    shards.every(({ sessions }) => sessions.every(({ ageMs }) => ageMs === null || ageMs >= TEAM_LIMITS_MS.alive))
  return {
    team: facts.team,
    shards,
    standby: recorders.flatMap(({ shard, name }) => (shard === null ? [name] : [])).sort(),
    // The report of one that was killed stays for a while beside that of its next start.
    archivers: [...new Set(archivers.map(({ name }) => name))].sort(),
    problems: [
      ...shards.flatMap((shard) => problemsOf(shard, facts.nowMs)),
      ...(isReported ? unarchivedProblem(shards, wasArchived) : []),
    ],
  }
}

function recorderStatus(report: RecorderReport): RecorderStatus {
  const { name, epoch, spoolBytes, spoolLimitBytes, unpublished, trouble } = report
  return { name, epoch, spoolBytes, spoolLimitBytes, unpublished, trouble }
}

function archiverOf(shard: number, archivers: readonly ArchiverReport[]): ShardStatus['archiver'] {
  for (const { name, shards } of archivers) {
    const found = shards.find((one) => one.shard === shard)
    if (found !== undefined) return { name, missing: found.missing, trouble: found.trouble }
  }
  return null
}

function sessionStatus(info: SessionInfo, facts: TeamFacts): SessionStatus {
  const { session, shard, recorder, epoch, key = null, startedMs, end } = info
  const lastSeq = lastSeqOf(info, facts)
  // No watermark is no zero: an archiver that has just started, or servers that have, haven't said it yet.
  const committedSeq = facts.watermarks.get(session) ?? null
  const frame = facts.lastFrames.get(session)
  return {
    session,
    shard,
    recorder,
    epoch,
    key,
    startedMs,
    endedMs: end?.endedMs ?? null,
    lastSeq,
    committedSeq,
    behind: committedSeq === null ? null : Math.max(0, lastSeq - committedSeq),
    ageMs: frame === undefined ? null : Math.max(0, facts.nowMs - frame.storedMs),
    isReported: facts.reports.some((one) => one.role === 'recorder' && one.sessions.includes(session)),
  }
}

/** One sentence for all shards that nobody archives though they have something to archive. */
function unarchivedProblem(shards: readonly ShardStatus[], wasArchived: boolean): readonly string[] {
  const numbers = shards
    .filter(
      ({ archiver, sessions }) => archiver === null && sessions.some(({ lastSeq, behind }) => (behind ?? lastSeq) > 0),
    )
    .map(({ shard }) => shard)
  if (numbers.length === 0) return []
  if (!wasArchived && shards.every(({ archiver }) => archiver === null))
    return ['Nobody archives this team, so its recorders keep everything they record. Start tapedeck archive.']
  const which = numbers.length === 1 ? `shard ${numbers[0]}` : `shards ${numbers.join(', ')}`
  return [`Nobody archives ${which}. Start tapedeck archive, or check that it reaches PostgreSQL.`]
}

function problemsOf(status: ShardStatus, nowMs: UnixMs): readonly string[] {
  const { shard, lease, symbols, sessions, recorders, archiver, quarantined } = status
  const open = sessions.filter(({ endedMs }) => endedMs === null)
  const problems: string[] = []
  const alive = open.filter(({ ageMs }) => ageMs !== null && ageMs < TEAM_LIMITS_MS.alive)
  if (
    symbols !== null &&
    symbols > 0 &&
    lease === null &&
    recorders.length === 0 &&
    open.every(({ ageMs }) => ageMs === null || ageMs >= TEAM_LIMITS_MS.gone)
  ) {
    problems.push(`Shard ${shard} has no recorder.`)
  }
  if (alive.length > 1) {
    const names = alive.map(({ recorder }) => recorder).join(' and ')
    problems.push(`Shard ${shard} is recorded ${alive.length} times: by ${names}.`)
  }
  for (const { session, ageMs, recorder, isReported } of open) {
    // One that still reports receives nothing, as when markets are closed.
    if (ageMs !== null && ageMs >= TEAM_LIMITS_MS.gone && !isReported) {
      problems.push(
        `Session ${session} of shard ${shard} is open, and ${recorder} sent nothing for ${ageText(ageMs)}. Start it again on its machine: it publishes the rest once it records a shard.`,
      )
    }
  }
  for (const { session, endedMs, behind } of sessions) {
    if (endedMs !== null && nowMs - endedMs >= TEAM_LIMITS_MS.late) {
      problems.push(
        behind === null
          ? `Session ${session} has ended, and it isn’t known yet how much of it the history has.`
          : `Session ${session} has ended, and the history lacks its last ${countText(behind, 'seq')}.`,
      )
    }
  }
  for (const { name, trouble, spoolBytes, spoolLimitBytes } of recorders) {
    if (trouble !== null) problems.push(`${name} isn’t publishing shard ${shard}: ${trouble}`)
    if (spoolLimitBytes !== null && spoolBytes >= spoolLimitBytes / 2) {
      const part = spoolBytes >= spoolLimitBytes ? 'more than' : 'more than half of'
      problems.push(
        `${name} keeps ${sizeText(spoolBytes)} that the history lacks, ${part} its limit of ${sizeText(spoolLimitBytes)}. Check that an archiver runs.`,
      )
    }
  }
  if (archiver !== null && archiver.trouble !== null) problems.push(archiver.trouble)
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
