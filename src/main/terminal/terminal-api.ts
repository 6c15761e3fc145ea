/** The terminal as hosts and handlers see it: what it is built from and what it can do. */
import type { CallArgs, StreamArgs, StreamName, StreamValue } from '../../shared/contracts.ts'
import type { BarsPage, PrintsPage } from '../../shared/core/views/contract.ts'
import type { CredentialsInput } from '../../shared/core/account/contract.ts'
import type { SessionRow, VerifyReport } from '../../shared/core/recording/recording.ts'
import type { JobId } from '../../shared/core/jobs/jobs.ts'
import type { Settings, SettingsPatch } from '../../shared/core/settings/settings.ts'
import type {
  AccountState,
  AppInfo,
  ConnectionStep,
  LogEntry,
  StatusState,
  SymbolHit,
} from '../../shared/core/status/status.ts'
import type { StreamSource } from '../../shared/rpc/transport.ts'
import type { FeedId } from '../../shared/base/units.ts'
import type { Subscription } from '../core/feeds/subscriptions.ts'
import type { Alerts } from '../features/alerts/port.ts'
import type { MarketDrawings } from '../features/drawings/port.ts'
import type { Workspaces } from '../features/workspace/port.ts'
import type { Crash } from '../features/diagnostics/crashes.ts'
import type { Updates } from '../features/updates/updates.ts'
import type { Desk } from '../features/desktop/host-bridge.ts'
import type { Evidence } from '../features/evidence/evidence.ts'
import type { Exports } from '../features/export/export-jobs.ts'
import type { Files } from '../features/import/uploads.ts'
import type { Imports } from '../features/import/import-jobs.ts'
import type { Jobs } from '../core/jobs/jobs.ts'
import type { SessionLibrary } from '../features/sessions/library.ts'
import type { Replays } from '../features/replay/replays.ts'
import type { Research } from '../features/research/research.ts'

/** One running terminal. Every method may reject with a `CodedError`. */
export interface Terminal {
  readonly info: AppInfo
  settings(): Settings
  setSettings(patch: SettingsPatch): Promise<Settings>
  account(): AccountState
  testConnection(input: CredentialsInput): Promise<readonly ConnectionStep[]>
  connect(input: CredentialsInput): Promise<AccountState>
  disconnect(): Promise<AccountState>
  searchSymbols(query: string, limit: number): readonly SymbolHit[]
  barsHistory(args: CallArgs<'bars.history'>): Promise<BarsPage>
  tapeHistory(args: CallArgs<'tape.history'>): Promise<PrintsPage>
  sessions(): Promise<readonly SessionRow[]>
  verify(session: string | null): Promise<VerifyReport>
  retry(feed: FeedId): void
  setRecording(on: boolean): Promise<void>
  status(): StatusState
  /** Wants symbols of a feed, beside what windows want. */
  want(feed: FeedId, symbols: readonly string[]): Subscription
  openExternal(url: string): Promise<void>
  /** Begins safe mode without a new start: recording goes on. */
  enterSafeMode(): void
  /** Ends safe mode, where it is on: what is kept of panes and looks counts again. */
  leaveSafeMode(): void
  /** The host's menu, links and shortcuts on their way to a window. */
  readonly desk: Desk
  /** Newer versions of the installed app. */
  readonly updates: Updates
  /** A report for somebody who helps, without secrets and names; with symbols where `symbols` allows them. */
  diagnostics(symbols: boolean): string
  /** Keeps a report of something that died; answers its file, null where it could not be written. */
  crashed(what: Crash['what'], text: string): string | null
  readonly alerts: Alerts
  /** Starts a job of kind `alert`; its result is an `AlertTest`. Rejects with `not-found`. */
  testAlert(args: CallArgs<'alerts.test'>): Promise<JobId>
  readonly jobs: Jobs
  readonly exports: Exports
  readonly library: SessionLibrary
  /** Starts a job of kind `move`; its result is a `StoreMoved`. Rejects with what stands against it. */
  moveStore(folder: string): Promise<JobId>
  readonly files: Files
  readonly imports: Imports
  readonly research: Research
  readonly evidence: Evidence
  readonly drawings: MarketDrawings
  readonly workspaces: Workspaces
  readonly replays: Replays
  /** Opens a stream; see `StreamSource`. */
  readonly streams: {
    readonly [K in StreamName]: (args: StreamArgs<K>, wake: () => void) => StreamSource<StreamValue<K>>
  }
  log(level: LogEntry['level'], from: string, text: string, detail?: string): void
  /** The machine is about to sleep, or was found to have slept. */
  sleep(): void
  wake(): void
  networkChanged(): void
  /** Ends recording cleanly, closes connections with 1000, stops the workers. Idempotent. */
  close(): Promise<void>
}
