/** The terminal as hosts and handlers see it: what it is built from and what it can do. */
import type {
  BarsPage,
  CallArgs,
  CredentialsInput,
  PrintsPage,
  StreamArgs,
  StreamName,
  StreamValue,
} from '../../shared/contracts.ts'
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
import type { Clock } from '../base/clock.ts'
import type { Want } from '../core/feeds/port.ts'
import type { Alerts, Notice } from '../features/alerts/port.ts'
import type { MarketDrawings } from '../features/drawings/port.ts'
import type { Workspaces } from '../features/workspace/port.ts'
import type { Crash } from '../features/diagnostics/crashes.ts'
import type { Updater, Updates } from '../features/updates/updates.ts'
import type { Desk } from '../features/desktop/host-bridge.ts'
import type { Evidence } from '../features/evidence/evidence.ts'
import type { Exports } from '../features/export/export-jobs.ts'
import type { Files } from '../features/import/uploads.ts'
import type { Imports } from '../features/import/import-jobs.ts'
import type { Jobs } from '../core/jobs/jobs.ts'
import type { SessionLibrary } from '../features/sessions/library.ts'
import type { Replays } from '../features/replay/replays.ts'
import type { Research } from '../features/research/research.ts'

/** The built (or .ts, under Node) entries of the workers a terminal starts. */
export interface WorkerUrls {
  readonly store: URL
  readonly reader: URL
  readonly simulator: URL
}

export interface TerminalOptions {
  /** Folder of settings, store and logs; made where missing. `appHome()` gives the app's own. */
  readonly dataDir: string
  readonly host: AppInfo['host']
  readonly version: string
  /** Instead of the settings' store path or `<dataDir>/tapedeck.db`. */
  readonly storeFile?: string | undefined
  readonly workers: WorkerUrls
  /** Folder of the demo market's data (`resources/demo/`, ending in a slash). */
  readonly demoData: URL
  readonly clock?: Clock | undefined
  /** Do not touch the OS keychain: secrets live in memory (tests, `--no-keychain` hosts). */
  readonly memoryKeychain?: boolean | undefined
  /** Where newer versions come from; absent: this host is not installed, and is not updated from here. */
  readonly updater?: Updater | { readonly off: string } | undefined
  /** Opens an http(s) URL outside; absent: the host cannot. */
  readonly openExternal?: ((url: string) => Promise<void>) | undefined
  /** Shows the host's own chooser of a folder; absent: it has none. */
  readonly chooseFolder?: ((from: string) => Promise<string | null>) | undefined
  /** The user's own folder; the system's unless told. */
  readonly userFolder?: string | undefined
  /** Start on this source whatever the settings say, without storing the choice. */
  readonly source?: 'demo' | 'service' | undefined
  /** Sign in with these instead of what is stored; nothing of it is kept. Absent parts come from the settings. */
  readonly account?:
    | {
        readonly baseUrl?: string
        readonly user?: string
        readonly password?: string
        readonly apiKey?: string
      }
    | undefined
  /** Record (true) or not (false) whatever the settings say. */
  readonly record?: boolean | undefined
  /** Allow a feed more than one connection, whatever the settings say. */
  readonly allowSharding?: boolean | undefined
  /** Refuse to start on a store that cannot be written: for what exists to record. */
  readonly mustRecord?: boolean | undefined
  /** Want every watchlist's symbols (default: what the settings say). */
  readonly wantWatchlists?: boolean | undefined
  /** File of the answers' history; absent: `<dataDir>/research.db`. */
  readonly answersFile?: string | undefined
  /** Seed of the demo market; absent: the simulator's own. */
  readonly demoSeed?: number | undefined
  /** Add the sample session of the demo market to a store without sessions at the first start. Off unless set. */
  readonly sample?: boolean | undefined
  /** Free bytes of a folder; the system's answer unless told. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined
  readonly logLevel?: LogEntry['level'] | undefined
  /** Ready-made panes and looks, no sounds; what is kept of them is neither read nor written. */
  readonly safe?: boolean | undefined
  /** `dataDir` is carried along: secrets live in memory, and the window says so. */
  readonly portable?: boolean | undefined
  /** Shows a notification of the system; absent: the host has none. */
  readonly notify?: ((notice: Notice) => void) | undefined
}

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
  want(feed: FeedId, symbols: readonly string[]): Want
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
