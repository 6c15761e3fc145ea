/** What a host lends the terminal: everything outside of it. */
import type { Release } from '../../shared/features/updates/updates.ts'
import type { UpdateSettings } from '../../shared/features/updates/settings.ts'
import type { SettingsSection } from '../../shared/core/settings/settings.ts'
import type { AppInfo, LogEntry } from '../../shared/core/status/status.ts'
import type { Clock } from '../base/clock.ts'
import type { WorkerUrls } from '../base/workers.ts'

/** A notification of the system. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** The alert that rang: what the notification offers to put off. */
  readonly alert?: string
  /** It may ring again as it is: the notification offers to switch it off, too. */
  readonly again?: boolean
}

/** What electron-updater's updaters are to us. */
export interface Updater {
  /** Resolves with what is offered; null: nothing newer. Rejects where it cannot be asked or read. */
  check(channel: UpdateSettings['channel']): Promise<Release | null>
  /** Downloads and verifies what was found. Rejects where it is not what its publisher signed off. */
  download(onProgress: (done: number, bytesPerSecond: number) => void): Promise<void>
  /** Quits, installs, starts again. The host ends the recording before. */
  install(): void
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
  /** What was finished or undone on the disk before this start, a sentence each. */
  readonly notes?: readonly string[] | undefined
  /** Finishes an interrupted restore of a store that is about to be opened; returns what it did, in a sentence. */
  readonly settleStore?: ((file: string) => string | null) | undefined
}

/** The same as features see it. */
export interface Host extends HostOptions {
  readonly clock: Clock
  /** The settings of every feature that starts. */
  readonly sections: readonly SettingsSection[]
}
