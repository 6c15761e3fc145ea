/** `tapedeck record`: records feeds until a time has passed, Ctrl+C or SIGTERM. */
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { unixMs, type FeedId } from '../../../shared/base/units.ts'
import { TICKERS_PER_CONNECTION } from '../../../service/feeds.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { createTeamMetrics } from '../../features/team/metrics/metrics.ts'
import { METRICS_OPTION, readMetricsAddress, withMetrics } from '../../command-line/metrics/serve.ts'
import { findServiceManager } from '../../command-line/service-manager.ts'
import { createServiceLog } from '../../command-line/service-log.ts'
import { createMonitor } from '../../core/monitor/monitor.ts'
import { PUBLISH_OPTIONS, readAuto, readPublish } from '../../features/team/publish/options.ts'
import type { PublishStatus } from '../../features/team/publish/publishing.ts'
import { openStoreReader } from '../../core/store/open.ts'
import { requireAccount } from '../../core/account/cli.ts'
import { defineCommand, UsageError, type Context, type ServiceLog, type Values } from '../../command-line/command.ts'
import { readFeedSymbols } from '../../command-line/feeds.ts'
import { EXIT, exitWhenStopped } from '../../command-line/exit.ts'
import { logLevel } from '../../command-line/log-level.ts'
import { duration } from '../../command-line/times.ts'
import {
  failureOf,
  lossFailure,
  reportOf,
  type RecordedSession,
  type RecordReport,
} from '../../core/recording/record-report.ts'
import { fileIdentity, isSameFile, type FileIdentity } from '../../core/store/schema/store-path.ts'
import { storePath } from '../../core/store/store-path.ts'
import { recordAuto } from './record-auto.ts'
import { RECORD_NEEDS, recordOnce, type RecordSetup } from './record-once.ts'

export const record = defineCommand({
  logs: true,
  needs: RECORD_NEEDS,
  examples: [
    ['Half a minute of the demo market', '--demo --feed crypto/XT:BTC-USD,ETH-USD --duration 30s'],
    ['For a team, through NATS', '--demo --feed crypto/XT:BTC-USD --publish nats://127.0.0.1:4222 --team eu'],
    ['Two feeds of the saved account, until Ctrl+C', '--feed crypto/XT:BTC-USD --feed forex/C:EURUSD'],
  ],
  options: {
    feed: {
      type: 'string',
      multiple: true,
      value: 'FEED:SYMBOL,…',
      help: 'What to record, such as crypto/XT:BTC-USD,ETH-USD; repeatable',
    },
    duration: { type: 'string', value: '30s', help: 'How long (default: until Ctrl+C)' },
    demo: { type: 'boolean', help: 'Record the demo market (otherwise an account is required)' },
    shard: {
      type: 'boolean',
      help: `Open more connections when a feed has more than ${TICKERS_PER_CONNECTION} symbols`,
    },
    ...PUBLISH_OPTIONS,
    metrics: METRICS_OPTION,
  },
  async run(values, context, start) {
    const ms = duration(values, 'duration') ?? null
    if (ms === 0) throw new UsageError('--duration must be longer than 0')
    const json = values.on('json')
    const isAuto = values.text('team-shard') === 'auto'
    if (isAuto && values.texts('feed').length > 0)
      throw new UsageError('--team-shard auto takes its symbols from the team’s plan; leave out --feed')
    const requested = isAuto ? new Map<FeedId, readonly string[]>() : readFeeds(values)
    const account = requireAccount(values, context)
    const shard = values.on('shard') || createSettingsStore(settingsFile(context.dataDir)).get().account.allowSharding
    refuseOverBudget(requested, shard)
    const file = storePath(values, context)
    const startedMs = context.clock.wallMs()
    const address = readMetricsAddress(values)
    const log = context.log ?? createServiceLog(values, context)
    const manager = findServiceManager(context)
    const isInTeam = values.text('publish') !== undefined
    const metrics = isInTeam ? createTeamMetrics({ team: values.text('team') ?? '', role: 'recorder' }) : null
    const monitor = createMonitor({
      version: context.version,
      startedMs: context.clock.wallMs(),
      standsBy: isInTeam,
      more: () => metrics?.text() ?? '',
    })
    context.signal.addEventListener('abort', () => manager.stopping())
    const setup: RecordSetup = {
      start,
      context,
      json,
      file,
      account,
      allowSharding: () => shard,
      logLevel: logLevel(values),
      metrics,
      log,
      manager,
      monitor,
    }
    const recordAll = isAuto
      ? () => recordAuto(setup, readAuto(values, context), ms)
      : () =>
          recordOnce(setup, {
            symbols: { read: () => requested, onChange: () => () => {} },
            publish: readPublish(values, context),
            signal: context.signal,
            ms,
          })
    const result = await withMetrics(address, monitor, (text) => context.err(text), recordAll)
    manager.stopping()
    if (result !== null) {
      const { last, published } = result
      const stored = await readBack(file, result.stored, startedMs, context)
      const { received, endedMs } = result
      const report = reportOf(stored, result.requested, last.receiveToStored, received, endedMs)
      logEnd(log, report, context.signal)
      context.out(
        json ? `${JSON.stringify(publishJson(report, published))}\n` : reportText(report) + publishReport(published),
      )
      const broken = last.recorder.is === 'broken' ? last.recorder.why : null
      const loss = lossFailure(stored, received, endedMs, broken)
      if (loss !== undefined) throw loss
      // SIGTERM is how service managers end a session: as good as the end of its duration.
      if (result.how === 'signal' && exitWhenStopped(context.signal) === EXIT.interrupted) return EXIT.interrupted
      const failure = failureOf(report, result.requested, last.feeds)
      if (failure !== undefined) throw failure
      return EXIT.ok
    }
    return context.signal.aborted ? exitWhenStopped(context.signal) : EXIT.ok
  },
})

/** The last line of the log. */
function logEnd(log: ServiceLog, report: RecordReport, { reason }: AbortSignal): void {
  if (log.format === 'screen') return
  const { session, source, bytes, covered_seconds, missing_seconds } = report
  const sum = (of: 'received' | 'stored' | 'gap_count') => report.feeds.reduce((total, feed) => total + feed[of], 0)
  log.add('info', `Ended: ${countText(sum('stored'), 'message')} stored, ${countText(sum('gap_count'), 'gap')}.`, {
    event: 'ended',
    why: typeof reason === 'string' ? reason : 'duration',
    session,
    source,
    received: sum('received'),
    stored: sum('stored'),
    gaps: sum('gap_count'),
    bytes,
    covered_seconds,
    missing_seconds,
  })
}

/**
 * The sessions of this run, from the closed store. What is live there is another program's, which began meanwhile.
 * Rejects with `not-found` if another file is there now: a backup that was made while recording has only a part of them.
 */
async function readBack(
  file: string,
  stored: FileIdentity | null,
  startedMs: number,
  { workers }: Pick<Context, 'workers'>,
): Promise<readonly RecordedSession[]> {
  const reader = await openStoreReader({ file, worker: workers.reader })
  try {
    const rows = (await reader.sessions()).filter((row) => row.startedMs >= startedMs - 1 && !row.live)
    const sessions: RecordedSession[] = []
    for (const row of rows) {
      const session = row.session
      const last = await reader.findPosition({ session, ms: Number.MAX_SAFE_INTEGER })
      const entries = await reader.entries({ session })
      const lostFrom = await reader.lostFrom(session)
      sessions.push({ row, entries, lastMs: unixMs(last?.ms ?? row.startedMs), lostFrom })
    }
    if (isSameFile(fileIdentity(file), stored)) return sessions
    throw new CodedError('not-found', 'The session was closed, but another store is in its place now.', {
      hint: 'A restore sets the previous store aside, next to it. Only this report is missing.',
    })
  } finally {
    await reader.close()
  }
}

export function publishReport(status: PublishStatus | null): string {
  if (status === null) return ''
  const { team, shard, shards, unfinished, givenUp } = status
  const lines = givenUp.map(
    (session) =>
      `session ${session} can’t be published; to let it be erased: tapedeck sessions --session ${session} --release`,
  )
  if (unfinished > 0)
    lines.unshift(
      `${countText(unfinished, 'session isn’t', 'sessions aren’t')} in the team’s log completely; the next recording with --publish continues`,
    )
  const [first = 'everything is in the team’s log', ...others] = lines
  return [`team ${team}, shard ${shard}/${shards}: ${first}`, ...others].map((line) => `${line}\n`).join('')
}

function publishJson(report: RecordReport, status: PublishStatus | null): object {
  if (status === null) return report
  const { team, shard, shards, unfinished, givenUp, held, heldBytes } = status
  // A session that was given up isn't finished either.
  const all = unfinished + givenUp.length
  return {
    ...report,
    team: { name: team, shard, shards, unfinished: all, given_up: givenUp, held, held_bytes: heldBytes },
  }
}

function reportText({ session, source, feeds }: RecordReport): string {
  const lines = feeds.map(
    ({ feed, received, decoded, control, undecodable, stored, gap_count, covered_seconds, missing_seconds }) =>
      `${feed}  received ${received}  decoded ${decoded}  control ${control}  undecodable ${undecodable}  stored ${stored}  gaps ${gap_count}  ` +
      `covered ${covered_seconds.toFixed(1)} s  missing ${missing_seconds.toFixed(1)} s\n`,
  )
  return `session ${session}\nsource ${source}\n${lines.join('')}`
}

/** Throws UsageError where a feed has more symbols than one connection may carry and only one is allowed. */
export function refuseOverBudget(requested: ReadonlyMap<FeedId, readonly string[]>, shard: boolean): void {
  for (const [feed, symbols] of requested) {
    if (shard || symbols.length <= TICKERS_PER_CONNECTION) continue
    throw new UsageError(
      `${feed} has ${symbols.length} symbols, and a connection carries ${TICKERS_PER_CONNECTION}. ` +
        `Name at most ${TICKERS_PER_CONNECTION}, or add --shard to open more connections (some plans allow only one)`,
    )
  }
}

/** Reads `--feed crypto/XT:BTC-USD,ETH-USD`, repeated; at least one. */
export function readFeeds(values: Values): Map<FeedId, string[]> {
  const wanted = readFeedSymbols(values.texts('feed'))
  if (wanted.size === 0) throw new UsageError('name at least one --feed, such as --feed crypto/XT:BTC-USD')
  return wanted
}
