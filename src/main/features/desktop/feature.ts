/** The desktop around the windows as a feature: the host's menu, links and facts, and what the app is. */
import { desktopSettings } from '../../../shared/features/desktop/settings.ts'
import type { AppInfo } from '../../../shared/core/status/status.ts'
import { DESK_CALLS, DESK_STREAMS } from '../../../shared/features/desktop/contract.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createDesk, type Desk } from './host-bridge.ts'
import { openOutside } from './open-external.ts'

export interface DesktopService extends Desk {
  info(): AppInfo
  /** Tells windows that `info` has changed. */
  infoChanged(): void
}

export const desktop = defineFeature({
  name: 'desktop',
  needs: { settings, store },
  settings: [desktopSettings],
  start({ settings, store }, { host, version, portable, dataDir, openExternal }) {
    const desk = createDesk()
    const info = (): AppInfo => ({
      host,
      version,
      platform: process.platform,
      storePath: store.place.shown,
      safe: settings.safe,
      firstRun: settings.isFirstRun,
      ...(desk.accent === null ? {} : { accent: desk.accent }),
      ...desk.facts,
      ...(portable === true ? { portable: dataDir } : {}),
    })
    const streams = wholeStreams(info)
    desk.onSystem(() => streams.changed())
    const service: DesktopService = Object.assign(desk, { info, infoChanged: () => streams.changed() })
    return {
      service,
      responders: [
        ...respond(DESK_CALLS, {
          'desk.menu': ({ rows }) => desk.setMenu(rows),
          'app.info': info,
          'app.openExternal': ({ url }) => openOutside(openExternal)(url),
        }),
        ...stream(DESK_STREAMS, {
          'desk.asks': (_args, wake) => desk.streams(wake),
          'desk.info': (_args, wake) => streams.open(wake),
        }),
      ],
    }
  },
})
