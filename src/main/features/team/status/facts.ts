/** Reads from the servers of a team how it is. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { sessionId, type SessionId } from '../../../../shared/base/units.ts'
import { decodeWatermark } from '../checksum.ts'
import { readHeader } from '../frame/decode.ts'
import { isPart, readPart } from '../frame/parts.ts'
import { readLeases } from '../lease/hold.ts'
import type { TeamName } from '../names.ts'
import type { StoredMessage, TeamLog } from '../nats/team-log.ts'
import { readPlan } from '../plan/cli.ts'
import { readReports } from '../reports/report.ts'
import type { SessionInfo } from '../session-info.ts'
import type { LastFrame, TeamFacts } from './status.ts'

/** Every session of a team and how far the history has it. These two grow for years, so terminals watch their changes. */
export interface TeamSessions {
  readonly sessions: Map<SessionId, SessionInfo>
  readonly watermarks: Map<SessionId, number>
}

type Log = Pick<TeamLog, 'team' | 'bucket' | 'lastOf' | 'sessions'>

/** Rejects with `not-found` where nobody has used the team yet. */
export async function readSessions(log: Log): Promise<TeamSessions> {
  const [sessions, entries] = await Promise.all([log.sessions(), log.bucket('watermarks').entries()]).catch(
    (thrown: unknown) => throwUnknownTeam(log.team, thrown),
  )
  return {
    sessions: new Map(sessions.map((info) => [info.session, info])),
    watermarks: new Map(
      entries.flatMap(({ key, value }) => {
        const watermark = decodeWatermark(key, value)
        return watermark === null ? [] : [[sessionId(key), watermark.lastSeq]]
      }),
    ),
  }
}

/** Throws what reading the list of sessions threw, as a sentence about the team if it has no such list. */
export function throwUnknownTeam(team: TeamName, thrown: unknown): never {
  if (!(thrown instanceof CodedError) || thrown.code !== 'not-found') throw thrown
  throw new CodedError('not-found', `These servers have no data of team ${team}.`, {
    hint: 'Check the name. The first recorder with --publish, or tapedeck plan --write, creates it.',
    cause: thrown,
  })
}

/** What changes all the time. `quarantine`, `nowMs`: as in the facts. */
export async function readFacts(
  log: Log,
  { sessions, watermarks }: TeamSessions,
  quarantine: TeamFacts['quarantine'],
  nowMs: TeamFacts['nowMs'],
): Promise<TeamFacts> {
  const open = [...sessions.values()].filter(({ end }) => end === null)
  const [plan, leases, reports, last] = await Promise.all([
    readPlan(log.bucket('plan')),
    // Recorders with a fixed shard make no bucket of leases.
    readLeases(log.bucket('leases')).catch(ignoreMissing),
    readReports(log.bucket('reports')).catch(ignoreMissing),
    Promise.all(open.map(({ shard, session }) => log.lastOf(shard, session).catch(ignoreMissing))),
  ])
  const lastFrames = new Map<SessionId, LastFrame>()
  for (const message of last) {
    const lastSeq = message === null ? null : lastSeqOf(message)
    if (message !== null && lastSeq !== null) lastFrames.set(message.session, { lastSeq, storedMs: message.storedMs })
  }
  return {
    team: log.team,
    nowMs,
    plan: plan?.plan ?? null,
    leases: leases ?? new Map(),
    sessions: [...sessions.values()],
    lastFrames,
    watermarks,
    quarantine,
    reports: reports ?? [],
  }
}

function ignoreMissing(thrown: unknown): null {
  if (thrown instanceof CodedError && thrown.code === 'not-found') return null
  throw thrown
}

/** The last seq of a frame or of the frame that a part belongs to; null for anything else. */
function lastSeqOf({ bytes }: StoredMessage): number | null {
  const header = isPart(bytes) ? readPart(bytes) : readHeader(bytes)
  return header.ok ? header.value.lastSeq : null
}
