/** Safe mode of a running terminal: default settings and panes, while the saved ones stay unchanged. */
import type { SafeSettings } from '../../core/settings/safe-settings.ts'
import type { SafeWorkspaces } from './safe.ts'
import type { Log } from '../../core/log/log.ts'
import type { Status } from '../../core/recording/status.ts'

export interface SafeModeParts {
  readonly settings: Pick<SafeSettings, 'safe' | 'enter' | 'leave'>
  readonly workspaces: Pick<SafeWorkspaces, 'enter' | 'leave'>
  readonly status: Pick<Status, 'say'>
  readonly log: Log
  /** Notifies windows that safe mode has changed. */
  readonly changed: () => void
}

export interface SafeMode {
  /** Turns safe mode on without a restart; recording continues. */
  enterSafeMode(): void
  /** Turns safe mode off: saved panes and appearance apply again. */
  leaveSafeMode(): void
}

export function createSafeMode(parts: SafeModeParts): SafeMode {
  const { settings, workspaces, status, log, changed } = parts
  return {
    enterSafeMode() {
      if (settings.safe) return
      settings.enter()
      workspaces.enter()
      changed()
      log.add('info', 'terminal', 'Safe mode is on.')
    },
    leaveSafeMode() {
      if (!settings.safe) return
      settings.leave()
      workspaces.leave()
      changed()
      status.say('Safe mode is off.')
      log.add('info', 'terminal', 'Safe mode is off.')
    },
  }
}
