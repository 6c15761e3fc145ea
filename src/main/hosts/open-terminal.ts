/** Starts every feature for a host, and gathers what hosts use of them. */
import type { Settings, SettingsPatch } from '../../shared/core/settings/settings.ts'
import type { AccountState, AppInfo, StatusState } from '../../shared/core/status/status.ts'
import { account } from '../core/account/feature.ts'
import type { Feeds } from '../core/feeds/subscriptions.ts'
import { log } from '../core/log/feature.ts'
import type { Log } from '../core/log/log.ts'
import { settings } from '../core/settings/feature.ts'
import { live, type LiveService } from '../core/views/live-feature.ts'
import { alerts } from '../features/alerts/feature.ts'
import type { Alerts } from '../features/alerts/port.ts'
import { desktop, type DesktopService } from '../features/desktop/feature.ts'
import { diagnostics } from '../features/diagnostics/feature.ts'
import type { Diagnosing } from '../features/diagnostics/diagnostics.ts'
import { importing } from '../features/import/feature.ts'
import type { Imports } from '../features/import/import-jobs.ts'
import { replay } from '../features/replay/feature.ts'
import type { Replays } from '../features/replay/replays.ts'
import { workspace } from '../features/workspace/feature.ts'
import { handlersOf, type Handlers } from '../rpc/dispatch.ts'
import type { HostOptions } from '../terminal/host.ts'
import type { RunningFeatures } from '../terminal/start.ts'
import { FEATURES } from './features.ts'
import { startFeatures } from './start-features.ts'

/** A running terminal as a host sees it. Every method may reject with a `CodedError`. */
export interface Terminal extends Pick<RunningFeatures, 'service' | 'close'>, Pick<LiveService, 'setRecording'> {
  /** What its windows may call and follow. */
  readonly handlers: Handlers
  readonly info: AppInfo
  status(): StatusState
  account(): AccountState
  settings(): Settings
  setSettings(patch: SettingsPatch): Promise<Settings>
  onSettings(listener: (now: Settings) => void): () => void
  /** Subscribes to symbols of a feed, besides what windows show. */
  want: Feeds['subscribe']
  /** The computer is about to sleep, or was found to have slept. */
  sleep(): void
  wake(): void
  networkChanged(): void
  readonly log: Log['add']
  /** The host's menu, links and shortcuts on their way to a window. */
  readonly desktop: DesktopService
  readonly alerts: Pick<Alerts, 'snooze' | 'enable'>
  readonly replays: Pick<Replays, 'addBookmark'>
  readonly imports: Pick<Imports, 'open'>
  crashed: Diagnosing['crashed']
  enterSafeMode(): void
}

/**
 * Starts a terminal. Rejects with `usage` when a service is asked for and none is known. A store that cannot be written
 * (`store-locked`, `store-newer`, `store-damaged`, a disk's error) rejects only with `mustRecord`: else the market is
 * watched, and the status says what stands in the way of recording.
 */
export async function openTerminal(options: HostOptions): Promise<Terminal> {
  const started = await startFeatures(FEATURES, options)
  const logged = started.service(log)
  const running = started.service(live)
  const { feeds, status } = running
  const say: Terminal['log'] = (level, from, text, detail) => logged.add(level, from, text, detail)
  const reports = started.service(diagnostics)
  const settingsNow = started.service(settings)
  const { credentials } = started.service(account)
  const desktopService = started.service(desktop)
  return {
    service: (feature) => started.service(feature),
    close: () => started.close(),
    handlers: handlersOf(started.responders, (name, { detail }) => say('error', 'contract', `${name} failed`, detail)),
    get info() {
      return desktopService.info()
    },
    status: () => status.read(),
    account: () => credentials.account(),
    settings: () => settingsNow.get(),
    setSettings: (patch) => settingsNow.change(patch),
    onSettings: (listener) => settingsNow.onChange((now) => listener(now)),
    setRecording: (on) => running.setRecording(on),
    want: (feed, symbols) => feeds.subscribe(feed, symbols),
    sleep() {
      say('info', 'terminal', 'The computer is going to sleep.')
      feeds.sleep()
    },
    wake() {
      say('info', 'terminal', 'The computer woke up.')
      feeds.wake()
    },
    networkChanged: () => feeds.networkChanged(),
    log: say,
    desktop: desktopService,
    alerts: started.service(alerts),
    replays: started.service(replay),
    imports: started.service(importing),
    crashed: (what, text) => reports.crashed(what, text),
    enterSafeMode: () => started.service(workspace).enterSafeMode(),
  }
}
