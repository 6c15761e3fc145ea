/** Updates joined to what a terminal knows: whether something would be cut off, and the windows that watch. */
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { UpdateState } from '../../../shared/features/updates/updates.ts'
import type { Clock } from '../../base/clock.ts'
import { createUpdates, type Updates } from './updates.ts'
import type { Updater } from '../../terminal/host.ts'
import type { Log } from '../../core/log/log.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'

export interface UpdatingParts {
  readonly updater: Updater | { readonly off: string } | undefined
  readonly settings: () => Settings
  /** Whether a real market is being recorded. */
  readonly recording: () => boolean
  readonly replaying: () => boolean
  readonly clock: Clock
  readonly log: Log
}

export function followUpdates(parts: UpdatingParts): {
  readonly updates: Updates
  readonly streams: WholeStreams<UpdateState>
} {
  const { updater, settings, recording, replaying, clock, log } = parts
  const streams = wholeStreams<UpdateState>(() => updates.state())
  const updates = createUpdates({
    updater: updater ?? { off: 'This copy was not installed from a package: it is updated where it came from.' },
    settings: () => settings().updates,
    busy: () => (recording() ? 'recording' : replaying() ? 'replay' : null),
    clock,
    changed: () => streams.changed(),
    log: (level, text, detail) => log.add(level, 'updates', text, detail),
  })
  return { updates, streams }
}
