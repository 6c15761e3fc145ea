/** `tapedeck team`: prints how a team is. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { recordingId, type RecordingId } from '../../../../shared/base/units.ts'
import { defineCommand } from '../../../command-line/command.ts'
import { EXIT } from '../../../command-line/exit.ts'
import { readHeader } from '../frame/decode.ts'
import { isPart, readPart } from '../frame/parts.ts'
import { connectDatabase } from '../history/database.ts'
import { checkSchema } from '../history/schema.ts'
import { readHistoryTarget } from '../history/target.ts'
import { readLeases } from '../lease/hold.ts'
import { connectTeam } from '../nats/connect.ts'
import { readTeamAddress, TEAM_OPTIONS, UPSTREAM_OPTION } from '../nats/options.ts'
import type { StoredMessage, TeamLog } from '../nats/team-log.ts'
import type { TeamName } from '../names.ts'
import { readPlan } from '../plan/cli.ts'
import { ageText, isUnfinished, teamStatus, type LastFrame, type TeamFacts, type TeamStatus } from './status.ts'

export const teamCommand = defineCommand({
  storeless: true,
  examples: [
    ['Recorders, leases and how far the history is', '--team eu --upstream nats://nats-1'],
    ['With what the database has in quarantine', '--team eu --upstream nats://nats-1 --history postgres://me@db-1/td'],
  ],
  options: {
    ...TEAM_OPTIONS,
    upstream: UPSTREAM_OPTION,
    history: {
      type: 'string',
      value: 'postgres://…',
      help: 'The team’s history, for what is in quarantine; passwords go into PGPASSWORD or ~/.pgpass',
    },
  },
  async run(values, context) {
    const address = readTeamAddress(values, context.env)
    const history = values.text('history')
    const target = history === undefined ? null : readHistoryTarget(history)
    const log = await connectTeam({ ...address, name: 'tapedeck team' })
    try {
      const quarantine = target === null ? null : await readQuarantine(target, address.team)
      const status = teamStatus(await readFacts(log, quarantine, context.clock.wallMs()))
      context.out(values.on('json') ? `${JSON.stringify(status)}\n` : textOf(status))
      return EXIT.ok
    } finally {
      await log.close()
    }
  },
})

/** Everything that the servers say about the team. Rejects with `not-found` where nobody has used the team yet. */
export async function readFacts(
  log: TeamLog,
  quarantine: TeamFacts['quarantine'],
  nowMs: TeamFacts['nowMs'],
): Promise<TeamFacts> {
  const [plan, leases, sessions, entries] = await Promise.all([
    readPlan(log.bucket('plan')),
    readLeases(log.bucket('leases')).catch(noLeases),
    log.sessions(),
    log.bucket('watermarks').entries(),
  ]).catch((thrown: unknown) => {
    if (!(thrown instanceof CodedError) || thrown.code !== 'not-found') throw thrown
    throw new CodedError('not-found', `These servers have nothing of team ${log.team}.`, {
      hint: 'Check the name. The first recorder with --publish, or tapedeck plan --write, creates it.',
      cause: thrown,
    })
  })
  const watermarks = new Map(entries.map(({ key, value }): [RecordingId, number] => [recordingId(key), Number(value)]))
  const lastFrames = new Map<RecordingId, LastFrame>()
  for (const info of sessions) {
    if (!isUnfinished(info, watermarks.get(info.session))) continue
    const last = await log.lastOf(info.shard, info.session).catch(ignoreMissingStream)
    const lastSeq = last === null ? null : lastSeqOf(last)
    if (last !== null && lastSeq !== null) lastFrames.set(info.session, { lastSeq, storedMs: last.storedMs })
  }
  return { team: log.team, nowMs, plan: plan?.plan ?? null, leases, sessions, lastFrames, watermarks, quarantine }
}

/** Recorders with a fixed shard make no bucket of leases. */
function noLeases(thrown: unknown): TeamFacts['leases'] {
  return ignoreMissingStream(thrown) ?? new Map()
}

function ignoreMissingStream(thrown: unknown): null {
  if (thrown instanceof CodedError && thrown.code === 'not-found') return null
  throw thrown
}

/** The last seq of a frame or of the frame that a part belongs to; null for anything else. */
function lastSeqOf({ bytes }: StoredMessage): number | null {
  const header = isPart(bytes) ? readPart(bytes) : readHeader(bytes)
  return header.ok ? header.value.lastSeq : null
}

async function readQuarantine(
  target: ReturnType<typeof readHistoryTarget>,
  team: TeamName,
): Promise<ReadonlyMap<number, number>> {
  const db = await connectDatabase(target, team)
  try {
    await checkSchema(db)
    const rows = await db.rows<{ readonly shard: number; readonly frames: number }>(
      `SELECT shard, count(*) AS frames FROM ${db.schema}.quarantine GROUP BY shard`,
    )
    return new Map(rows.map(({ shard, frames }) => [shard, frames]))
  } finally {
    await db.close()
  }
}

const HEADINGS = ['shard', 'recorder', 'epoch', 'symbols', 'session', 'last seq', 'committed', 'behind', 'last frame']
const LEFT = new Set([1, 4])

function textOf({ team, shards, problems }: TeamStatus): string {
  const rows = shards.flatMap(({ shard, lease, symbols, sessions }) => {
    const start = [
      String(shard),
      lease?.recorder ?? '–',
      lease === null ? '–' : String(lease.epoch),
      String(symbols ?? '–'),
    ]
    if (sessions.length === 0) return [[...start, '–', '–', '–', '–', '–']]
    return sessions.map((one) => [
      String(shard),
      one.recorder,
      String(one.epoch),
      String(symbols ?? '–'),
      `${one.session}${one.endedMs === null ? '' : ' (ended)'}`,
      String(one.lastSeq),
      String(one.committedSeq),
      String(one.behind),
      one.ageMs === null ? '–' : `${ageText(one.ageMs)} ago`,
    ])
  })
  const table = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, at) => Math.max(...table.map((row) => row[at].length)))
  const lines = table.map((row) =>
    row
      .map((cell, at) => (LEFT.has(at) ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join('  ')
      .trimEnd(),
  )
  const ending = problems.length === 0 ? 'No problems.' : problems.join('\n')
  return `Team ${team}\n${lines.join('\n')}\n\n${ending}\n`
}
