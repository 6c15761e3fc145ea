/** `tapedeck record`: records feeds until a time has passed, Ctrl+C or SIGTERM. */
import { countText } from '../../../shared/base/count-text.ts'
import type { FeedStatus, StatusState } from '../../../shared/core/status/status.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import { TICKERS_PER_CONNECTION } from '../../../service/feeds.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { live } from '../../core/views/live-feature.ts'
import { sessions } from '../../features/sessions/feature.ts'
import { publish } from '../../features/team/publish/feature.ts'
import { PUBLISH_OPTIONS, readPublish } from '../../features/team/publish/options.ts'
import type { PublishStatus } from '../../features/team/publish/publishing.ts'
import { openStoreReader } from '../../core/store/open.ts'
import { requireAccount } from '../../core/account/cli.ts'
import { defineCommand, duration, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { readFeedSymbols } from '../../command-line/feeds.ts'
import { EXIT, exitWhenStopped } from '../../command-line/exit.ts'
import { logLevel } from '../../command-line/log-level.ts'
import { failureOf, reportOf, type RecordedSession, type RecordReport } from '../../core/recording/record-report.ts'
import { sourceText } from '../../command-line/source-text.ts'
import { storePath } from '../../core/store/store-path.ts'
import { waitUntil } from '../../command-line/until.ts'

const PROGRESS_MS = 500

export const record = defineCommand({
  // `sessions` applies the retention rules while recording.
  needs: { live, sessions, publish },
  examples: [
    ['Half a minute of the demo market', '--demo --feed crypto/XT:BTC-USD,ETH-USD --duration 30s'],
    ['For a team, through NATS', '--demo --feed crypto/XT:BTC-USD --publish nats://127.0.0.1:4222 --team eu'],
    ['Two feeds of the window’s account, until Ctrl+C', '--feed crypto/XT:BTC-USD --feed forex/C:EURUSD'],
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
  },
  async run(values, context, start) {
    const requested = readFeeds(values)
    const ms = duration(values, 'duration') ?? null
    const json = values.on('json')
    const account = requireAccount(values, context)
    const shard = values.on('shard') || createSettingsStore(settingsFile(context.dataDir)).get().account.allowSharding
    refuseOverBudget(requested, shard)
    const team = readPublish(values, context)
    const file = storePath(values, context)
    const startedMs = context.clock.wallMs()
    const { services, close } = await start({
      dataDir: context.dataDir,
      portable: context.portable,
      host: 'cli',
      version: context.version,
      storeFile: file,
      workers: context.workers,
      demoData: context.demoData,
      clock: context.clock,
      record: true,
      mustRecord: true,
      wantWatchlists: false,
      allowSharding: shard,
      logLevel: logLevel(values),
      publish: team,
      ...account,
    })
    const { feeds, status } = services.live
    let last: StatusState
    let how: 'time' | 'signal'
    const reported = new Set<string>()
    let undo = () => {}
    try {
      for (const [feed, symbols] of requested) feeds.subscribe(feed, symbols)
      if (!json) context.err(`Recording ${[...requested.keys()].join(', ')} from ${sourceText(status.read())}.\n`)
      const progress = () => {
        undo = context.clock.after(PROGRESS_MS, progress)
        const now = status.read()
        for (const text of refusals(now.feeds, requested)) {
          if (!reported.has(text)) context.err(`${context.interactive ? '\r\x1b[K' : ''}${text}\n`)
          reported.add(text)
        }
        if (context.interactive && !json)
          context.err(`\r\x1b[K${progressLine(now)}${publishText(services.publish.status())}`)
      }
      progress()
      how = await waitUntil(context.clock, context.signal, ms)
      last = status.read()
    } finally {
      undo()
      if (context.interactive && !json) context.err('\r\x1b[K')
      await close()
    }
    const report = reportOf(await readBack(file, startedMs, context), requested, last.receiveToStored)
    const published = services.publish.status()
    context.out(
      json ? `${JSON.stringify(publishJson(report, published))}\n` : reportText(report) + publishReport(published),
    )
    // SIGTERM is how service managers end a recording: as good as the end of its duration.
    if (how === 'signal' && exitWhenStopped(context.signal) === EXIT.interrupted) return EXIT.interrupted
    const failure = failureOf(report, requested, last.feeds)
    if (failure !== undefined) throw failure
    return EXIT.ok
  },
})

/** The sessions of this run, from the closed store. */
async function readBack(
  file: string,
  startedMs: number,
  { workers }: Pick<Context, 'workers'>,
): Promise<readonly RecordedSession[]> {
  const reader = await openStoreReader({ file, worker: workers.reader })
  try {
    const rows = (await reader.sessions()).filter((row) => row.startedMs >= startedMs - 1)
    const sessions: RecordedSession[] = []
    for (const row of rows) sessions.push({ row, entries: await reader.entries({ recording: row.session }) })
    return sessions
  } finally {
    await reader.close()
  }
}

/** Ends the progress line. */
function publishText(status: PublishStatus | null): string {
  if (status === null) return ''
  if (status.trouble !== null || !status.isConnected) return `  team ${status.team}: not connected`
  return `  team ${status.team}: ${status.behind === 0 ? 'caught up' : `${countText(status.behind, 'message')} behind`}`
}

/** Ends the report. */
function publishReport(status: PublishStatus | null): string {
  if (status === null) return ''
  const { team, shard, shards, unfinished } = status
  const what =
    unfinished === 0
      ? 'everything is in the team’s log'
      : `${countText(unfinished, 'session isn’t', 'sessions aren’t')} in the team’s log completely; the next recording with --publish continues`
  return `team ${team}, shard ${shard}/${shards}: ${what}\n`
}

function publishJson(report: RecordReport, status: PublishStatus | null): object {
  if (status === null) return report
  const { team, shard, shards, unfinished, held, heldBytes } = status
  return { ...report, team: { name: team, shard, shards, unfinished, held, held_bytes: heldBytes } }
}

function reportText({ session, source, feeds }: RecordReport): string {
  const lines = feeds.map(
    ({ feed, received, decoded, undecodable, stored, gaps, covered_seconds, missing_seconds }) =>
      `${feed}  received ${received}  decoded ${decoded}  undecodable ${undecodable}  stored ${stored}  gaps ${gaps}  ` +
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

function refusals(feeds: readonly FeedStatus[], wanted: ReadonlyMap<FeedId, unknown>): string[] {
  return feeds
    .filter(({ feed }) => wanted.has(feed))
    .flatMap(({ feed, state }) =>
      state.is === 'refused' || state.is === 'waiting'
        ? [`${feed}: ${state.why.message} ${state.why.hint}`.trim()]
        : [],
    )
}

function progressLine({ perSecond, received, stored, receiveToStored, feeds, gapsToday }: StatusState): string {
  const open = feeds.filter(({ state }) => state.is === 'open').length
  const lag = receiveToStored === null ? '–' : `${receiveToStored.p99.toFixed(1)} ms`
  return `${countText(open, 'feed')} open  ${Math.round(perSecond)} messages/s  received ${received}  stored ${stored}  lag p99 ${lag}  gaps ${gapsToday}`
}
