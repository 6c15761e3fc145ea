/** What a host provides to the terminal. */
import type { Release } from '../../shared/features/updates/updates.ts'
import type { UpdateSettings } from '../../shared/features/updates/settings.ts'
import type { SettingsSection } from '../../shared/core/settings/settings.ts'
import type { AppInfo, LogEntry, SourceKind } from '../../shared/core/status/status.ts'
import type { Clock } from '../base/clock.ts'
import type { LogFacts } from '../base/log-facts.ts'
import type { WorkerUrls } from '../base/workers.ts'

/** A notification of the system. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** The alert that fired, which the notification offers to snooze. */
  readonly alert?: string
  /** The alert may fire again, so the notification also offers to turn it off. */
  readonly again?: boolean
}

/** The parts of electron-updater that Tapedeck uses. */
export interface Updater {
  /** Resolves with a newer release, or null. Rejects if the server can't be reached or read. */
  check(channel: UpdateSettings['channel']): Promise<Release | null>
  /** Downloads and verifies the release. Rejects if it doesn't match what its publisher signed. */
  download(onProgress: (done: number, bytesPerSecond: number) => void): Promise<void>
  /** Quits, installs and restarts. The host closes the session first. */
  install(): void
}

export interface DemoMarket {
  /** Its own account, which exists only in memory. */
  readonly account: {
    readonly baseUrl: string
    readonly user: string
    readonly password: string
    readonly apiKey: string
  }
  close(): Promise<void>
}

/** Which NATS servers to use, and as whom. The secrets in it are never printed. */
export interface NatsTarget {
  /** `host:port`. */
  readonly servers: readonly string[]
  /** Refuse servers without TLS. */
  readonly tls: boolean
  readonly user: string | null
  readonly password: string | null
  /** Seed of an NKey. */
  readonly seed: string | null
  /** Content of a credentials file. */
  readonly creds: string | null
  /** Certificate authorities to trust instead of the system's, PEM. */
  readonly ca: string | null
}

/** What to publish to a team, and how. */
export interface PublishOptions {
  readonly target: NatsTarget
  readonly team: string
  readonly shard: number
  readonly shards: number
  /** Number of the lease under which this recorder publishes; 0 without one. */
  readonly epoch: number
  /** Names this recorder for people. */
  readonly recorder: string
  /** Accept nats-server below 2.11. */
  readonly allowOld: boolean
  /** Seed of the NKey with which it signs; null: that of its NATS user, or one of its own. */
  readonly signingSeed: string | null
  /** Warn at half of this many bytes that the store keeps for the team; null: never. */
  readonly spoolMaxBytes: number | null
  /** Monitoring ports of the servers, `http://HOST:8222`, for checks at the start. */
  readonly monitors: readonly string[]
  /** Gets sentences for the user. */
  readonly report: (text: string) => void
}

export interface TeamAccess {
  readonly name: string
  readonly target: NatsTarget
  /** `postgres://…` without a password; absent: no history. */
  readonly history?: string | undefined
  /** Accept nats-server below 2.11. */
  readonly allowOld: boolean
  /** Public keys of its recorders, each with a name; only what they signed is followed. Absent or null: any signer. */
  readonly trusted?: ReadonlyMap<string, string> | null | undefined
}

export interface HostOptions {
  /** Folder of settings, store and logs; made where missing. `appHome()` gives the app's own. */
  readonly dataDir: string
  readonly host: AppInfo['host']
  readonly version: string
  /** Instead of the settings' store path or `<dataDir>/tapedeck.db`. */
  readonly storeFile?: string | undefined
  readonly workers: WorkerUrls
  /** Folder of the demo market's data (`resources/demo/`, ending in a slash). */
  readonly demoData: URL
  /** Starts the demo market; by default in a worker. */
  readonly startDemo?: (() => Promise<DemoMarket>) | undefined
  readonly clock?: Clock | undefined
  /** Keep secrets in memory instead of the OS keychain. */
  readonly memoryKeychain?: boolean | undefined
  /** Installs newer versions; absent if this copy isn't updated from here. */
  readonly updater?: Updater | { readonly off: string } | undefined
  /** Opens an http(s) URL in another program; absent if the host can't. */
  readonly openExternal?: ((url: string) => Promise<void>) | undefined
  /** Shows the host's folder dialog; absent if it has none. */
  readonly chooseFolder?: ((from: string) => Promise<string | null>) | undefined
  /** The user's home folder; the system's by default. */
  readonly userFolder?: string | undefined
  /** Start on this source whatever the settings say, without storing the choice. */
  readonly source?: SourceKind | undefined
  /** With the source `team`: which one and how to reach it, instead of the settings and without storing it. */
  readonly team?: TeamAccess | undefined
  /** Sign in with these instead of the saved account, without saving them. Absent parts come from the settings. */
  readonly account?:
    | {
        readonly baseUrl?: string
        readonly user?: string
        readonly password?: string
        readonly apiKey?: string
      }
    | undefined
  /** Refuse to start on an account without a password, for hosts in which nobody can enter one. */
  readonly mustSignIn?: boolean | undefined
  /** Record (true) or not (false) whatever the settings say. */
  readonly record?: boolean | undefined
  /** Allow a feed more than one connection, whatever the settings say. */
  readonly allowSharding?: (() => boolean) | undefined
  /** Refuse to start if the store isn't writable, for hosts whose purpose is to record. */
  readonly mustRecord?: boolean | undefined
  /** Subscribe to the symbols of every watchlist (default: as the settings say). */
  readonly wantWatchlists?: boolean | undefined
  /** File of the response history; absent: `<dataDir>/research.db`. */
  readonly responsesFile?: string | undefined
  /** Seed of the demo market; absent: the simulator's own. */
  readonly demoSeed?: number | undefined
  /** Add the sample session of the demo market to a store without sessions at the first start. Off unless set. */
  readonly sample?: boolean | undefined
  /** Free bytes of a folder; the system's by default. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined
  readonly logLevel?: LogEntry['level'] | undefined
  /** Gets every entry of the log, redacted. */
  readonly onLog?: ((entry: LogEntry, facts?: LogFacts) => void) | undefined
  /** Safe mode: default panes and theme, no sounds; the saved ones are neither read nor written. */
  readonly safe?: boolean | undefined
  /** Portable mode: secrets live in memory, and the window says so. */
  readonly portable?: boolean | undefined
  /** Shows a system notification; absent if the host has none. */
  readonly notify?: ((notice: Notice) => void) | undefined
  /** What was finished or undone on the disk before this start, one sentence each. */
  readonly notes?: readonly string[] | undefined
  /** Publish what is recorded to a team; absent: don't. */
  readonly publish?: PublishOptions | undefined
  /** Finishes an interrupted restore of a store that is about to be opened; returns what it did, in a sentence. */
  readonly settleStore?: ((file: string) => string | null) | undefined
}

/** The same as features see it. */
export interface Host extends HostOptions {
  readonly clock: Clock
  /** The settings of every feature that starts. */
  readonly sections: readonly SettingsSection[]
}
