/** Updates as a feature: installs newer versions of the app, and asks first while recording or replaying. */
import { updateSettings } from '../../../shared/features/updates/settings.ts'
import { UPDATE_CALLS, UPDATE_STREAMS } from '../../../shared/features/updates/contract.ts'
import type { UpdateState } from '../../../shared/features/updates/updates.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { replay } from '../replay/feature.ts'
import { createUpdates } from './updates.ts'

const OFF = 'This copy wasn’t installed from a package. Update it where it came from.'

export const updates = defineFeature({
  name: 'updates',
  needs: { settings, log, live, replay },
  settings: [updateSettings],
  start({ settings, log, live: { status }, replay }, { clock, updater }) {
    /** Whether a real market is being recorded. */
    const isRecording = (): boolean => {
      const { source, recorder } = status.read()
      return source === 'service' && ['recording', 'paused'].includes(recorder.is)
    }
    const streams = wholeStreams<UpdateState>(() => service.state())
    const service = createUpdates({
      updater: updater ?? { off: OFF },
      settings: () => settings.get().updates,
      busy: () => (isRecording() ? 'recording' : replay.count() > 0 ? 'replay' : null),
      clock,
      changed: () => streams.changed(),
      log: (level, text, detail) => log.add(level, 'updates', text, detail),
    })
    return {
      service,
      responders: [
        ...respond(UPDATE_CALLS, {
          'updates.check': () => service.check(),
          'updates.install': ({ anyway }) => service.install(anyway),
        }),
        ...stream(UPDATE_STREAMS, { updates: (_args, wake) => streams.open(wake) }),
      ],
      stop: () => service.close(),
    }
  },
})
