/** Safe mode of a running terminal: ready-made settings and panes, while what is kept of them stays untouched. */
import type { SafeSettings } from '../../core/settings/safe-settings.ts'
import type { SafeWorkspaces } from './safe.ts'
import type { Log } from '../../core/log/log.ts'
import type { Terminal } from '../../terminal/terminal-api.ts'
import type { Status } from '../../core/recording/status.ts'

export interface SafeModeParts {
  readonly settings: Pick<SafeSettings, 'safe' | 'enter' | 'leave'>
  readonly workspaces: Pick<SafeWorkspaces, 'enter' | 'leave'>
  readonly status: Pick<Status, 'say'>
  readonly log: Log
  /** The windows are to learn of it. */
  readonly changed: () => void
}

export function createSafeMode(parts: SafeModeParts): Pick<Terminal, 'enterSafeMode' | 'leaveSafeMode'> {
  const { settings, workspaces, status, log, changed } = parts
  return {
    enterSafeMode() {
      if (settings.safe) return
      settings.enter()
      workspaces.enter()
      changed()
      log.add('info', 'terminal', 'Safe mode has begun.')
    },
    leaveSafeMode() {
      if (!settings.safe) return
      settings.leave()
      workspaces.leave()
      changed()
      status.say('Safe mode has ended.')
      log.add('info', 'terminal', 'Safe mode has ended.')
    },
  }
}
