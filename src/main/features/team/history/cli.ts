/** `tapedeck archive` and `tapedeck fetch-session`, and what `tapedeck verify --history` does. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { jsonLine } from '../../../base/json-schema.ts'
import { countText } from '../../../../shared/base/count-text.ts'
import { sessionId, type SessionId } from '../../../../shared/base/units.ts'
import type { VerifyReport } from '../../../../shared/core/recording/session.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../../command-line/command.ts'
import { EXIT, exitWhenStopped } from '../../../command-line/exit.ts'
import { createProgressLine } from '../../../command-line/progress-line.ts'
import { findSession } from '../../../command-line/sessions.ts'
import { healthOf, type Health } from '../../../core/monitor/health.ts'
import { openStoreWriter } from '../../../core/store/open.ts'
import { storePath } from '../../../core/store/store-path.ts'
import { watchLeases } from '../lease/watch.ts'
import { createTeamMetrics } from '../metrics/metrics.ts'
import { METRICS_OPTION, readMetricsAddress, serveMetrics } from '../../../command-line/metrics/serve.ts'
import type { LogFacts } from '../../../base/log-facts.ts'
import { findServiceManager } from '../../../command-line/service-manager.ts'
import { connectTeam } from '../nats/connect.ts'
import { Patience } from '../nats/patience.ts'
import { readTeam, readTeamAddress, TEAM_OPTIONS, UPSTREAM_OPTION, type TeamAddress } from '../nats/options.ts'
import type { TeamLog } from '../nats/team-log.ts'
import { decodePlan, PLAN_KEY } from '../plan/document.ts'
import { authorshipText } from '../sign/authorship.ts'
import { readTrust, TRUST_OPTION } from '../sign/trust.ts'
import { Archive } from './archive.ts'
import { runArchiver, type Report } from './archiver.ts'
import { checkHistory, claimTeam, keepClaim } from '../history-claim.ts'
import { connectDatabase, type Database } from './database.ts'
import { fetchFromHistory, findComplete } from './fetch.ts'
import { historyOf, openHistory, type History } from './history.ts'
import { checkArchiver, checkDurability, checkSchema, migrate, SCHEMA_VERSION } from './schema.ts'
import { HISTORY_OPTION, readHistory, readHistoryTarget } from './target.ts'
import { tickSink } from './ticks.ts'
import { verifyHistory } from './verify-history.ts'

export const archiveCommand = defineCommand({
  logs: true,
  storeless: true,
  positionals: 'postgres://…',
  examples: [
    [
      'Create the history of a team, once, as the owner of the database',
      'postgres://owner@db-1/td --team eu --migrate',
    ],
    ['Archive until Ctrl+C', 'postgres://archiver@db-1/td --upstream nats://nats-1 --team eu'],
  ],
  options: {
    ...TEAM_OPTIONS,
    upstream: UPSTREAM_OPTION,
    migrate: { type: 'boolean', help: 'Create or update the history’s tables first; without --upstream, only that' },
    'replace-history': {
      type: 'boolean',
      help: 'Make this database the team’s history in place of another one, whose archivers have been stopped',
    },
    ticks: { type: 'string', value: 'DAYS', help: 'Also keep decoded records as rows for SQL, such as 7d' },
    metrics: METRICS_OPTION,
  },
  async run(values, context) {
    const [url, ...more] = values.texts('')
    if (url === undefined || more.length > 0)
      throw new UsageError('archive takes one database, such as postgres://USER@HOST/DATABASE')
    const target = readHistoryTarget(url)
    readDays(values)
    const isOnlyMigrating = values.on('migrate') && values.text('upstream') === undefined
    const address = isOnlyMigrating ? null : readTeamAddress(values, context.env)
    const db = await connectDatabase(target, address?.team ?? readTeam(values))
    try {
      if (values.on('migrate')) reportMigration(await migrate(db), db, context)
      if (address === null) return EXIT.ok
      await checkSchema(db)
      await checkDurability(db)
      await checkArchiver(db)
      return await runArchive(db, address, values, context)
    } finally {
      await db.close()
    }
  },
})

function reportMigration(before: number | null, { team, place }: Database, context: Context): void {
  if (before === SCHEMA_VERSION) context.err(`The history of team ${team} at ${place} is up to date.\n`)
  else if (before === null) context.err(`Created the history of team ${team} at ${place}.\n`)
  else context.err(`Updated the history of team ${team} at ${place} from schema ${before} to ${SCHEMA_VERSION}.\n`)
}

async function runArchive(db: Database, address: TeamAddress, values: Values, context: Context): Promise<number> {
  const metricsAddress = readMetricsAddress(values)
  const tickDays = readDays(values)
  const patience = new Patience(context)
  const log = await patience.connect({ ...address, name: 'tapedeck archive' })
  const metrics = createTeamMetrics({ team: address.team, role: 'archiver' })
  let isConnected = true
  const undoState = log.onState(({ is }) => (isConnected = is === 'connected'))
  metrics.beforeRead(() => {
    metrics.set('connected', { server: 'nats' }, isConnected ? 1 : 0)
    metrics.set('connected', { server: 'postgresql' }, db.isReachable() ? 1 : 0)
  })
  const monitored = { metrics: () => metrics.text(), health: () => archiverHealth(isConnected, db.isReachable()) }
  const server = metricsAddress === undefined ? undefined : await serveMetrics(metricsAddress, monitored)
  const report = (level: Parameters<Report>[0], text: string, facts?: LogFacts): void => {
    if (values.on('json'))
      context.out(jsonLine('archive', { at: new Date(context.clock.wallMs()).toISOString(), level, text }))
    else if (context.log === undefined || context.log.format === 'screen')
      context.err(`${level === 'info' ? '' : `${level}: `}${text}\n`)
    else context.log.add(level === 'alarm' ? 'error' : level, text, facts)
  }
  const { signal, clock } = context
  const manager = findServiceManager(context)
  signal.addEventListener('abort', () => manager.stopping())
  const ended = new AbortController()
  let leases = Promise.resolve()
  try {
    await patience.read(() => log.ensureBuckets())
    await claimTeam(log, db, values.on('replace-history'))
    if (server !== undefined)
      leases = watchLeases(
        log.bucket('leases'),
        () => plannedShards(log),
        metrics,
        clock,
        AbortSignal.any([signal, ended.signal]),
      )
    const archive = new Archive(db, {
      onFrames: tickDays === null ? undefined : await tickSink(db, tickDays, () => clock.wallMs()),
    })
    const archiving = `Archiving team ${address.team} into ${db.place}.`
    manager.ready(archiving)
    report('info', archiving, { event: 'started', team: address.team, history: db.place })
    const replaced = new AbortController()
    const claim = keepClaim(log, db, clock, AbortSignal.any([signal, ended.signal])).then((refusal) => {
      if (refusal !== null) replaced.abort()
      return refusal
    })
    const whileClaimed = AbortSignal.any([signal, replaced.signal])
    const stopped = await runArchiver({ log, db, archive, clock, signal: whileClaimed, report, metrics, tickDays })
    ended.abort()
    const refusal = await claim
    if (refusal !== null) throw refusal
    return stopped.length > 0 ? EXIT.failed : exitWhenStopped(signal)
  } finally {
    ended.abort()
    await leases
    undoState()
    await server?.close()
    await log.close()
  }
}

const archiverHealth = (log: boolean, history: boolean): Health =>
  healthOf([
    {
      check: 'log',
      ok: log,
      text: log ? 'Connected to the team’s servers.' : 'Not connected to the team’s servers.',
    },
    { check: 'history', ok: history, text: history ? 'Connected to PostgreSQL.' : 'Not connected to PostgreSQL.' },
  ])

/** The shards of the team's plan; none without one. */
async function plannedShards(log: TeamLog): Promise<readonly number[]> {
  const entry = await log.bucket('plan').get(PLAN_KEY)
  return (entry?.value ? decodePlan(entry.value) : null)?.shards.map(({ shard }) => shard) ?? []
}

/** Reads `--ticks`, days; null if it isn't given. Throws UsageError. */
function readDays(values: Values): number | null {
  const text = values.text('ticks')
  if (text === undefined) return null
  const days = Number(/^([1-9]\d{0,3})d$/.exec(text)?.[1])
  if (Number.isNaN(days)) throw new UsageError(`--ticks takes days, such as 7d, not "${text}"`)
  return days
}

/** Verifies a history. `session`: only this one. `upstream`: first compares it with what the team says. */
export async function verifyTeamHistory(
  values: Values,
  { env, signal }: Context,
  onProgress: (done: number) => void,
): Promise<VerifyReport> {
  const target = readHistory(values)
  const trusted = readTrust(values)
  const db = await connectDatabase(target, readTeam(values))
  try {
    await checkSchema(db)
    if (values.text('upstream') !== undefined) await checkUpstream(readTeamAddress(values, env), historyOf(db))
    const session = values.text('session')
    const only = session === undefined ? null : await sessionNamed(historyOf(db), session)
    return await verifyHistory(db, only, { onProgress, signal, trusted })
  } finally {
    await db.close()
  }
}

/** Rejects with `not-allowed` if a history isn't that of the team on these servers. */
async function checkUpstream(address: TeamAddress, history: History): Promise<void> {
  const log = await connectTeam({ ...address, name: 'tapedeck verify' })
  try {
    await checkHistory(log, history)
  } finally {
    await log.close()
  }
}

export const fetchSession = defineCommand({
  positionals: 'SESSION',
  examples: [
    ['A session that someone else recorded, into the own store', '01k… --history postgres://me@db-1/td --team eu'],
  ],
  options: {
    history: HISTORY_OPTION,
    team: TEAM_OPTIONS.team,
    trust: { ...TRUST_OPTION, help: `Refuse a session that isn’t signed with this key. ${TRUST_OPTION.help}` },
  },
  async run(values, context) {
    const [id, ...more] = values.texts('')
    if (id === undefined || more.length > 0) throw new UsageError('fetch-session takes one session ID')
    const target = readHistory(values)
    readTrust(values)
    const history = await openHistory(target, readTeam(values))
    try {
      return await fetchInto(history, target.place, id, values, context)
    } finally {
      await history.close()
    }
  },
})

const ID_LENGTH = 26

/**
 * The session of the history with this ID, the only ID that starts so, or the latest that is complete. An ID that nothing
 * starts with is returned as it is: reading it says that the history doesn’t have it.
 */
async function sessionNamed(history: History, text: string): Promise<SessionId> {
  if (text.length >= ID_LENGTH) return sessionId(text)
  const rows = (await history.sessions()).filter(({ isComplete, isRemoved }) => isComplete && !isRemoved)
  if (text === 'latest' && rows.length === 0)
    throw new CodedError('not-found', `The history of team ${history.team} has no complete session yet.`)
  if (text !== 'latest' && !rows.some(({ session }) => session.startsWith(text.toLowerCase()))) return sessionId(text)
  return findSession(
    rows.map(({ session, startedMs }) => ({ session, startedMs, binnedMs: null })),
    text,
  ).session
}

async function fetchInto(
  history: History,
  place: string,
  id: string,
  values: Values,
  context: Context,
): Promise<number> {
  // First: a refusal leaves no store behind.
  const trusted = readTrust(values)
  const found = await findComplete(history, await sessionNamed(history, id))
  const line = createProgressLine(context, !values.on('json'))
  const writer = await openStoreWriter({
    file: storePath(values, context),
    worker: context.workers.store,
    onNotice: ({ message, hint }) => context.err(`${message} ${hint}\n`),
  })
  try {
    const fetched = await fetchFromHistory(history, writer.library, found, {
      place,
      trusted,
      signal: context.signal,
      onStored: (stored, all) => line.draw(stored, all, 'fetching', 'messages'),
    })
    const { session, messages, already, author } = fetched
    line.clear()
    const by = author === null ? '' : `, ${authorshipText(author, trusted !== null)}`
    context.out(
      values.on('json')
        ? jsonLine('fetch-session', { session, messages, already, author })
        : `${session}: ${countText(messages, 'message')}${already ? ', already in the store' : ''}${by}\n`,
    )
    return EXIT.ok
  } finally {
    line.clear()
    await writer.close()
  }
}
