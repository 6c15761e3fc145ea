/** `tapedeck team`: prints how a team is. */
import { jsonLine } from '../../../base/json-schema.ts'
import type { ShardStatus, TeamStatus } from '../../../../shared/features/team/status.ts'
import { defineCommand } from '../../../command-line/command.ts'
import { EXIT } from '../../../command-line/exit.ts'
import { checkHistory } from '../history-claim.ts'
import { openHistory } from '../history/history.ts'
import { readHistoryTarget, type HistoryTarget } from '../history/target.ts'
import { Patience } from '../nats/patience.ts'
import type { TeamLog } from '../nats/team-log.ts'
import { readTeamAddress, TEAM_OPTIONS, UPSTREAM_OPTION } from '../nats/options.ts'
import { sizeText } from '../../../../shared/base/size-text.ts'
import { readFacts, readSessions } from './facts.ts'
import { ageText, teamStatus, type TeamFacts } from './status.ts'

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
    const patience = new Patience(context)
    const log = await patience.connect({ ...address, name: 'tapedeck team' })
    try {
      const facts = await patience.read(async () =>
        readFacts(log, await readSessions(log), null, context.clock.wallMs()),
      )
      const quarantine = target === null ? null : await readQuarantine(target, log)
      const status = teamStatus({ ...facts, quarantine })
      context.out(values.on('json') ? jsonLine('team', status) : textOf(status))
      return EXIT.ok
    } finally {
      await log.close()
    }
  },
})

async function readQuarantine(target: HistoryTarget, log: TeamLog): Promise<TeamFacts['quarantine']> {
  const history = await openHistory(target, log.team)
  try {
    await checkHistory(log, history)
    return await history.quarantined()
  } finally {
    await history.close()
  }
}

const HEADINGS = [
  'shard',
  'recorder',
  'epoch',
  'symbols',
  'session',
  'last seq',
  'committed',
  'behind',
  'missing',
  'spool',
  'last frame',
]
const LEFT = new Set([1, 4])

function textOf({ team, shards, standby, archivers, problems }: TeamStatus): string {
  const table = [HEADINGS, ...shards.flatMap(rowsOf)]
  const widths = HEADINGS.map((_, at) => Math.max(...table.map((row) => row[at].length)))
  const lines = table.map((row) =>
    row
      .map((cell, at) => (LEFT.has(at) ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join('  ')
      .trimEnd(),
  )
  const members = [
    ...(standby.length === 0 ? [] : [`In standby: ${standby.join(', ')}.`]),
    ...(archivers.length === 0 ? [] : [`Archiving: ${archivers.join(', ')}.`]),
  ]
  const ending = problems.length === 0 ? ['No problems.'] : problems
  return `Team ${team}\n${lines.join('\n')}\n\n${keysOf(shards)}${[...members, ...ending].join('\n')}\n`
}

/** The public keys of recorders, as `--trust` reads them from a file. */
function keysOf(shards: TeamStatus['shards']): string {
  const all = shards.flatMap(({ sessions }) => sessions).filter(({ key }) => key !== null)
  const lines = new Set(all.map(({ key, recorder }) => `${key} ${recorder}\n`))
  return lines.size === 0 ? '' : `Keys with which recorders sign:\n${[...lines].sort().join('')}\n`
}

/** A row for each session of a shard, or one without. */
function rowsOf({ shard, lease, symbols, sessions, recorders, archiver }: ShardStatus): readonly string[][] {
  const missing = archiver === null ? '–' : String(archiver.missing)
  const spoolOf = (recorder: string | undefined): string => {
    const found = recorders.find(({ name }) => name === recorder)
    return found === undefined ? '–' : sizeText(found.spoolBytes)
  }
  if (sessions.length === 0) {
    const [recorder, epoch] = lease === null ? ['–', '–'] : [lease.recorder, String(lease.epoch)]
    const spool = spoolOf(lease?.recorder)
    return [[String(shard), recorder, epoch, String(symbols ?? '–'), '–', '–', '–', '–', missing, spool, '–']]
  }
  return sessions.map((one) => [
    String(shard),
    one.recorder,
    String(one.epoch),
    String(symbols ?? '–'),
    `${one.session}${one.endedMs === null ? '' : ' (ended)'}`,
    String(one.lastSeq),
    String(one.committedSeq ?? 'not known yet'),
    String(one.behind ?? '–'),
    missing,
    spoolOf(one.recorder),
    one.ageMs === null ? '–' : `${ageText(one.ageMs)} ago`,
  ])
}
