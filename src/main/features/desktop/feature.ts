/** The desktop around the windows as a feature: menu, links, desktop settings, and facts about the app. */
import { desktopSettings } from '../../../shared/features/desktop/settings.ts'
import type { AppInfo } from '../../../shared/core/status/status.ts'
import { DESK_CALLS, DESK_STREAMS } from '../../../shared/features/desktop/contract.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createHostBridge, type HostBridge } from './host-bridge.ts'
import { createLastSave } from './last-save.ts'
import { openOutside } from './open-external.ts'

export interface DesktopService extends HostBridge {
  info(): AppInfo
  /** Notifies windows that `info` has changed. */
  infoChanged(): void
  /** Lets windows send what they hold back. Call before closing the terminal or its connections to windows. */
  lastSave(): Promise<void>
}

export const desktop = defineFeature({
  name: 'desktop',
  needs: { log, settings, store },
  settings: [desktopSettings],
  start({ log, settings, store }, { host, version, portable, dataDir, openExternal }) {
    const bridge = createHostBridge()
    const info = (): AppInfo => ({
      host,
      version,
      platform: process.platform,
      storePath: store.place.shown,
      safe: settings.safe,
      firstRun: settings.isFirstRun,
      ...(log.notices.length === 0 ? {} : { notices: [...log.notices] }),
      ...(bridge.accent === null ? {} : { accent: bridge.accent }),
      ...bridge.facts,
      ...(portable === true ? { portable: dataDir } : {}),
      ...(lastSave.isAsked ? { closing: true as const } : {}),
    })
    const streams = wholeStreams(info)
    const lastSave = createLastSave({ windows: () => streams.count, tell: () => streams.changed() })
    bridge.onSystem(() => streams.changed())
    const service: DesktopService = Object.assign(bridge, {
      info,
      infoChanged: () => streams.changed(),
      lastSave: () => lastSave.ask(),
    })
    return {
      service,
      responders: [
        ...respond(DESK_CALLS, {
          'desktop.menu': ({ rows }) => bridge.setMenu(rows),
          // The Electron host answers this itself, because it knows which window asks.
          'desktop.pdf': () => null,
          'desktop.saved'() {
            lastSave.saved()
            return null
          },
          'app.info': info,
          'app.openExternal': ({ url }) => openOutside(openExternal)(url),
        }),
        ...stream(DESK_STREAMS, {
          'desktop.asks': (_args, wake) => bridge.streams(wake),
          'desktop.info': (_args, wake) => streams.open(wake),
        }),
      ],
    }
  },
})
