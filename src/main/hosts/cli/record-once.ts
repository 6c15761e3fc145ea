/** One recording of `tapedeck record`: starts the features, subscribes, shows progress, and closes everything. */
import { countText } from '../../../shared/base/count-text.ts'
import type { FeedStatus, LogEntry, StatusState } from '../../../shared/core/status/status.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'
import type { LogFacts } from '../../base/log-facts.ts'
import type { AccountOptions } from '../../core/account/cli.ts'
import { recording } from '../../core/recording/feature.ts'
import type { LastReceived } from '../../core/recording/record-report.ts'
import { subscribeAll, type SymbolsByFeed } from '../../core/feeds/subscriptions.ts'
import type { Monitor } from '../../core/monitor/monitor.ts'
import { fileIdentity, type FileIdentity } from '../../core/store/schema/store-path.ts'
import { live } from '../../core/views/live-feature.ts'
import type { Context, RunningNeeds, ServiceLog } from '../../command-line/command.ts'
import type { ServiceManager } from '../../command-line/service-manager.ts'
import { sourceText } from '../../command-line/source-text.ts'
import { waitUntil } from '../../base/clock.ts'
import { sessions } from '../../features/sessions/feature.ts'
import type { TeamMetrics } from '../../features/team/metrics/metrics.ts'
import { reportRecorder, type ReportedSessions } from '../../features/team/metrics/report.ts'
import { publish } from '../../features/team/publish/feature.ts'
import type { PublishStatus } from '../../features/team/publish/publishing.ts'
import type { HostOptions, PublishOptions } from '../../terminal/host.ts'
import { startHeartbeat } from './heartbeat.ts'

const PROGRESS_MS = 500

/** `sessions` applies the retention rules while recording. */
export const RECORD_NEEDS = { live, recording, sessions, publish }

/** What every session of a run shares. */
export interface RecordSetup {
  readonly start: (options: HostOptions) => Promise<RunningNeeds<typeof RECORD_NEEDS>>
  readonly context: Context
  readonly json: boolean
  readonly file: string
  readonly account: AccountOptions
  readonly allowSharding: () => boolean
  readonly logLevel: LogEntry['level']
  /** Null without a team. */
  readonly metrics: TeamMetrics | null
  readonly log: ServiceLog
  readonly manager: ServiceManager
  readonly monitor: Monitor
}

export interface RecordPart {
  /** What to record. It may change while it is recorded. */
  readonly symbols: { readonly read: () => SymbolsByFeed; readonly onChange: (listener: () => void) => () => void }
  readonly publish: PublishOptions | undefined
  readonly signal: AbortSignal
  /** How long, ms; null: until `signal` aborts. */
  readonly ms: number | null
  /** Called once the end was decided, before the session is closed. */
  readonly onEnding?: () => Promise<void>
}

export interface RecordResult {
  readonly how: 'time' | 'signal'
  readonly requested: SymbolsByFeed
  /** When the end was decided, UTC ms. */
  readonly endedMs: UnixMs
  /** The status at that time. */
  readonly last: StatusState
  /** What was received in the last session, by feed. */
  readonly received: LastReceived
  /** The store's file while it was locked. */
  readonly stored: FileIdentity | null
  readonly published: PublishStatus | null
}

/** Records until `signal` aborts or the time has passed. Rejects as `startTerminal`. */
export async function recordOnce(setup: RecordSetup, part: RecordPart): Promise<RecordResult> {
  const { context, json, account, log, manager } = setup
  const { services, close } = await setup.start({
    dataDir: context.dataDir,
    portable: context.portable,
    host: 'cli',
    version: context.version,
    storeFile: setup.file,
    workers: context.workers,
    demoData: context.demoData,
    clock: context.clock,
    record: true,
    mustRecord: true,
    mustSignIn: true,
    wantWatchlists: false,
    allowSharding: setup.allowSharding,
    logLevel: setup.logLevel,
    onLog: (entry, facts) => log.entry(entry, facts),
    publish: part.publish,
    ...account,
  })
  const { feeds, status } = services.live
  let last: StatusState
  let endedMs: UnixMs
  let how: 'time' | 'signal'
  let requested = part.symbols.read()
  const reported = new Set<string>()
  let stored: FileIdentity | null
  let undo = () => {}
  let undoHeartbeat = () => {}
  let undoSymbols = () => {}
  const inMetrics: ReportedSessions = new Set()
  const undoMonitor = setup.monitor.watch(
    () => status.read(),
    () => [...requested.keys()],
  )
  const undoMetrics = setup.metrics?.beforeRead(() => {
    const now = services.publish.status()
    if (setup.metrics !== null && part.publish !== undefined && now !== null)
      reportRecorder(setup.metrics, now, part.publish, inMetrics)
  })
  try {
    let subscription = subscribeAll(feeds, requested)
    undoSymbols = part.symbols.onChange(() => {
      requested = part.symbols.read()
      // The new symbols first, so that those of both aren't interrupted.
      const before = subscription
      subscription = subscribeAll(feeds, requested)
      before.release()
    })
    const text = `Recording ${[...requested.keys()].join(', ')} from ${sourceText(status.read())} into ${setup.file}.`
    if (!json || log.format !== 'screen') log.add('info', text, startFacts(setup, status.read(), requested))
    manager.ready(text)
    undoHeartbeat = startHeartbeat(context.clock, () => status.read(), log, manager)
    const progress = () => {
      undo = context.clock.after(PROGRESS_MS, progress)
      // Elsewhere the log has the feeds' states.
      if (log.format !== 'screen') return
      const now = status.read()
      for (const text of refusals(now.feeds, requested)) {
        if (!reported.has(text)) context.err(`\r\x1b[K${text}\n`)
        reported.add(text)
      }
      if (!json) context.err(`\r\x1b[K${progressLine(now)}${publishText(services.publish.status())}`)
    }
    progress()
    how = await waitUntil(context.clock, part.signal, part.ms)
    endedMs = context.clock.wallMs()
    last = status.read()
    stored = fileIdentity(setup.file)
  } finally {
    undo()
    undoHeartbeat()
    undoSymbols()
    undoMetrics?.()
    undoMonitor()
    if (log.format === 'screen' && !json) context.err('\r\x1b[K')
    await part.onEnding?.()
    await close()
  }
  const received = services.recording.recorder.stats().feeds
  return { how, requested, endedMs, last, received, stored, published: services.publish.status() }
}

function startFacts({ context, file }: RecordSetup, status: StatusState, requested: SymbolsByFeed): LogFacts {
  const { source, origin, recorder } = status
  return {
    event: 'started',
    source,
    origin,
    symbols: [...requested].flatMap(([feed, symbols]) => symbols.map((symbol) => `${feed}:${symbol}`)),
    store: file,
    session: recorder.is === 'recording' ? recorder.session : null,
    version: context.version,
  }
}

/** Ends the progress line. */
function publishText(status: PublishStatus | null): string {
  if (status === null) return ''
  if (status.trouble !== null || !status.isConnected) return `  team ${status.team}: not connected`
  return `  team ${status.team}: ${status.behind === 0 ? 'caught up' : `${countText(status.behind, 'message')} behind`}`
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
